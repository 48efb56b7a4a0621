"""Kill -9 of every process, Valkey flushed, the receiver slow, failing and late: nothing acknowledged is lost, each outcome arrives once."""

from __future__ import annotations

from tests.faults import chaos


def test_it_loses_and_doubles_nothing_in_a_minute_of_chaos(tmp_path):
    tmp_path.chmod(0o755)
    seen = chaos.run(tmp_path, seed=11, seconds=60)
    assert not seen.broken, "\n".join(seen.broken)
    assert seen.counts["submit 200"] > 15 and seen.counts["outcomes"] > 15, seen.counts
