"""Outcomes reach their effects by worker, dispatcher and Valkey, whatever becomes of these."""

from __future__ import annotations

from collections import Counter

from tests.workers.machinery import Hook, Machinery
from tests.workers.stage import Stage


def once(decisions: list[int]) -> Counter[int]:
    return Counter(decisions)


def test_it_applies_outcomes_of_both_kinds(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    project = stage.project(url=hook.url)
    decisions = stage.outcomes(project, 10) + stage.outcomes(project, 10, "ledger")
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    machinery.drained()
    assert hook.effects() == once(decisions)
    assert stage.one("SELECT count(*) FROM applied") == 40 and stage.one("SELECT count(*) FROM standings WHERE times = 1") == 20
    assert [machinery.stop(name) for name in ("worker", "dispatcher")] == [0, 0]
