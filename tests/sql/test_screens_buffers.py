"""Each screen of leads and operators reads at most 500 shared buffers, no payload and no history, and no more as items and decisions grow tenfold."""

from __future__ import annotations

import pytest

from bench.screens import PAYLOADS, SCREENS, Screen, read
from claimcheck.control import gaps
from tests.sql.conftest import FIELD


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_it_reads_little(screen, fields):
    small, large = (read(connection, screen) for connection in fields)
    assert large.buffers <= screen.bound, f"{large.buffers} buffers"
    assert large.buffers <= max(small.buffers * screen.grows, small.buffers + 15), f"{small.buffers} buffers became {large.buffers}"
    assert not large.tables & PAYLOADS
    assert large.most <= max(FIELD.items // 50, screen.rows), f"{large.most} rows are looked at: that is a scan"


def test_gaps_are_counted_from_the_newest_alone_and_no_payload(fields):
    """However many items there are; a facet is one look at a row that a page of the index points to."""
    counting = Screen("gaps", [("policy_gaps/count", {"latest": 500, "least": gaps.LEAST, "values": gaps.VALUES})])
    small, large = (read(connection, counting) for connection in fields)
    assert large.buffers <= 1.35 * small.buffers and "item_facets" in large.tables and not large.tables & PAYLOADS
    assert large.most <= FIELD.items // 5, f"{large.most} rows are looked at: that is a scan"
