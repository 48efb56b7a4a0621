"""Each screen of leads and operators reads at most 500 shared buffers, no payload and no history, and no more as items and decisions grow tenfold."""

from __future__ import annotations

import pytest

from bench.screens import PAYLOADS, SCREENS, read
from tests.sql.conftest import FIELD


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_it_reads_little(screen, fields):
    small, large = (read(connection, screen) for connection in fields)
    assert large.buffers <= screen.bound, f"{large.buffers} buffers"
    assert large.buffers <= max(small.buffers * screen.grows, small.buffers + 15), f"{small.buffers} buffers became {large.buffers}"
    assert not large.tables & PAYLOADS
    assert large.most <= max(FIELD.items // 50, screen.rows), f"{large.most} rows are looked at: that is a scan"
