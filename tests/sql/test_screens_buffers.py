"""Each screen of leads and operators reads at most 500 shared buffers, no payload and no history, and no more as items and decisions grow tenfold."""

from __future__ import annotations

import pytest

from bench.screens import PAYLOADS, SCREENS, explained, nodes, read
from claimcheck.control import gaps
from tests.sql.conftest import FIELD


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_it_reads_little(screen, fields):
    small, large = (read(connection, screen) for connection in fields)
    assert large.buffers <= screen.bound, f"{large.buffers} buffers"
    assert large.buffers <= max(small.buffers * screen.grows, small.buffers + 15), f"{small.buffers} buffers became {large.buffers}"
    assert not large.tables & PAYLOADS
    assert large.most <= max(FIELD.items // 50, screen.rows), f"{large.most} rows are looked at: that is a scan"


def test_gaps_are_counted_from_the_facets_of_the_newest_items_and_no_payload(fields):
    """A facet is one row of an item's, found by its key, however many there are."""
    for connection in fields:
        plan = [*nodes(explained(connection, "policy_gaps/count", {"latest": 500, "least": gaps.LEAST, "values": gaps.VALUES}))]
        [kept] = [node for node in plan if node.get("Relation Name") == "item_facets"]
        assert kept["Index Name"] == "item_facets_pkey" and kept["Actual Rows"] <= 1 and 0 < kept["Actual Loops"] <= 1_000
        assert kept["Shared Hit Blocks"] + kept["Shared Read Blocks"] <= 4 * kept["Actual Loops"]
        assert not {node.get("Relation Name") for node in plan} & PAYLOADS
