"""Outcomes reach their effects by worker, dispatcher and Valkey, whatever becomes of these."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Callable

import pytest

from claimcheck.embedded import processes
from claimcheck.outbound import outbox
from tests.workers.machinery import Hook, Machinery, settle
from tests.workers.stage import Project, Stage
from workers import doorbell

KILL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE usename = 'claimcheck_worker' AND datname = current_database() AND random() < %(share)s"""


def agree(stage: Stage, hook: Hook, decisions: list[int]) -> None:
    """Each outcome had each effect once, and the books say so."""
    assert hook.effects() == Counter(decisions)
    assert stage.states().keys() <= {"done"}
    assert not stage.all("SELECT decision_id, effect_id FROM outbox EXCEPT SELECT decision_id, effect_id FROM applied")
    assert not stage.all("""
        SELECT s.item_id, s.times, count(a.decision_id) AS applied FROM standings s JOIN decisions d ON d.item_id = s.item_id
          JOIN applied a ON a.decision_id = d.id JOIN effects e ON e.id = a.effect_id AND e.kind = 'standing'
         GROUP BY 1, 2 HAVING s.times <> count(a.decision_id)""")


def mixed(stage: Stage, project: Project, count: int) -> list[int]:
    """Half of them in a partition."""
    return stage.outcomes(project, count // 2) + stage.outcomes(project, count - count // 2, "ledger")


def test_it_applies_outcomes_of_both_kinds(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    decisions = mixed(stage, stage.project(url=hook.url), 20)
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    machinery.drained()
    agree(stage, hook, decisions)
    calls = [tuple(row) for row in stage.all("SELECT status, attempt, webhook_id FROM deliveries ORDER BY webhook_id::int")]
    assert calls == [(204, 1, str(decision)) for decision in decisions]
    assert [machinery.stop(name) for name in ("worker", "dispatcher")] == [0, 0]


def test_it_applies_once_however_often_the_bell_rings(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    hook.misbehave(lose_rate=0.1, delay_seconds=0.2, delay_rate=0.3, seed=1)
    decisions = mixed(stage, stage.project(url=hook.url), 60)
    machinery.start("valkey")
    queue = doorbell.queue(machinery.admin())
    for row in stage.all("SELECT id FROM outbox"):
        for push in (1001, 1002, 1003):
            doorbell.ring(queue, row.id, push)
    for name in ("worker1", "worker2", "dispatcher1", "dispatcher2"):
        machinery.start(name)
    machinery.drained()
    agree(stage, hook, decisions)


def _flush(machinery: Machinery) -> None:
    machinery.admin().flushall()


def _kill_valkey(machinery: Machinery) -> None:
    machinery.kill("valkey")
    settle(1.5)
    machinery.start("valkey")


def _kill_worker(machinery: Machinery) -> None:
    machinery.kill("worker1")
    machinery.start("worker1")


def _kill_dispatcher(machinery: Machinery) -> None:
    machinery.kill("dispatcher")
    settle(1.0)
    machinery.start("dispatcher")


def _hang_worker(machinery: Machinery) -> None:
    """Longer than a lease: it comes back to find that others did its work."""
    machinery.pause("worker1", signal.SIGSTOP)
    settle(outbox.LEASE_SECONDS + 4)
    machinery.pause("worker1", signal.SIGCONT)


def _kill_backends(machinery: Machinery) -> None:
    for _ in range(15):
        machinery.stage.run(KILL, share=1)
        settle(0.2)


@pytest.mark.parametrize("fault", [_flush, _kill_valkey, _kill_worker, _kill_dispatcher, _hang_worker, _kill_backends])
def test_it_applies_once_through_a_fault(stage: Stage, machinery: Machinery, hook: Hook, fault: Callable[[Machinery], None]) -> None:
    hook.misbehave(delay_seconds=0.6, delay_rate=0.5, seed=2)
    project = stage.project(url=hook.url)
    decisions = mixed(stage, project, 40)
    for name in ("valkey", "worker1", "worker2", "dispatcher"):
        machinery.start(name)
    machinery.wait(lambda: len(hook.entries()) >= 5)
    fault(machinery)
    assert stage.open() or fault is _hang_worker, "the fault came too late to show anything"
    decisions += mixed(stage, project, 6)
    machinery.drained()
    agree(stage, hook, decisions)


def test_it_catches_up_once_valkey_is_started(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    decisions = mixed(stage, stage.project(url=hook.url), 10)
    for name in ("worker", "dispatcher"):
        machinery.start(name)
    machinery.wait(lambda: "misses Redis" in machinery.words("dispatcher") and "waits for Redis" in machinery.words("worker"))
    settle(2.0)
    assert not hook.entries() and stage.open() == 20
    machinery.start("valkey")
    machinery.drained()
    agree(stage, hook, decisions)


def test_it_applies_without_any_valkey(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    """The dispatcher does it itself, once Redis has been away for long."""
    decisions = mixed(stage, stage.project(url=hook.url), 20)
    machinery.start("dispatcher1", "--redis-away", "1")
    machinery.start("dispatcher2", "--redis-away", "1")
    machinery.drained()
    agree(stage, hook, decisions)
    assert machinery.stop("dispatcher1") == 0


def test_it_applies_without_any_worker(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    """The dispatcher does what it has rung for again and again."""
    decisions = mixed(stage, stage.project(url=hook.url), 10)
    for name in ("valkey", "dispatcher"):
        machinery.start(name)
    machinery.wait(lambda: stage.one("SELECT max(unanswered) FROM outbox") == 1)
    settle(2.0)
    assert not hook.entries()
    for _ in range(3):
        stage.run("UPDATE outbox SET push_due = clock_timestamp() WHERE unanswered > 0")  # as if the time had passed
        settle(1.0)
    machinery.drained()
    agree(stage, hook, decisions)


def test_it_lets_a_slow_receiver_delay_nobody_else(stage: Stage, machinery: Machinery, hook: Hook, make_hook: Callable[[], Hook]) -> None:
    slow = make_hook()
    slow.misbehave(delay_seconds=8.0)
    late = stage.project(url=slow.url, standing=False)
    stage.outcomes(late, 60)
    quick = stage.project(url=hook.url)
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    machinery.wait(lambda: slow.entries())
    decisions = stage.outcomes(quick, 20)
    machinery.wait(lambda: len(hook.entries()) == 20 and stage.states(quick.standing) == {"done": 20})
    assert hook.effects() == Counter(decisions) and stage.states(late.webhook).get("pending", 0) > 40
    in_flight = stage.one(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM deliveries WHERE effect_id = %(e)s GROUP BY date_trunc('second', at)) x",
        e=late.webhook,
    )
    assert (in_flight or 0) <= outbox.AT_ONCE + 1


def test_it_repeats_what_was_answered_after_the_deadline(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    hook.misbehave(delay_seconds=12.0)
    decision = stage.outcome(stage.project(url=hook.url, standing=False))
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    machinery.wait(lambda: stage.all("SELECT FROM deliveries"))
    assert "within 10 seconds" in stage.one("SELECT error FROM deliveries") and stage.row(decision).state == "pending"
    hook.misbehave()
    machinery.drained()
    assert hook.effects() == {decision: 1} and len(hook.entries("duplicate")) == 1
    assert [row.webhook_id for row in stage.all("SELECT webhook_id FROM deliveries")] == [str(decision)] * 2


def test_it_tries_a_failing_receiver_again_and_leaves_a_refusing_one_to_an_operator(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    hook.misbehave(fail_rate=1.0, fail_status=503)
    first = stage.outcome(stage.project(url=hook.url, standing=False))
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    machinery.wait(lambda: stage.row(first).attempts >= 2)
    hook.misbehave(fail_rate=1.0, fail_status=400)
    machinery.wait(lambda: stage.row(first).state == "dead")
    assert stage.row(first).last_error == "The receiver answered 400."
    hook.misbehave()
    settle(3.0)
    assert not hook.entries()
    outbox.retry(stage.web, outbox_id=stage.row(first).id, me=stage.dov)
    machinery.drained()
    agree(stage, hook, [first])


def test_it_delivers_a_partition_in_order_and_holds_it_behind_a_dead_one(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    hook.misbehave(lose_rate=0.2, delay_seconds=0.1, delay_rate=0.5, seed=3)
    project = stage.project(url=hook.url)
    decisions = stage.outcomes(project, 12, "ledger")
    for name in ("valkey", "worker1", "worker2", "dispatcher1", "dispatcher2"):
        machinery.start(name)
    machinery.drained()
    hook.misbehave(fail_rate=1.0, fail_status=422)
    more = stage.outcomes(project, 4, "ledger")
    machinery.wait(lambda: stage.states().get("dead"))
    hook.misbehave()
    settle(2.0)
    assert list(hook.effects()) == decisions, "the receiver saw another order, or something behind the dead one"
    outbox.skip(stage.web, outbox_id=stage.row(more[0], project.webhook).id, me=stage.dov, reason="told by telephone")
    machinery.drained()
    assert list(hook.effects()) == decisions + more[1:]
    assert stage.states() == {"done": 31, "skipped": 1}


def test_it_goes_through_a_hot_partition_without_waiting_for_the_bell(stage: Stage, machinery: Machinery, hook: Hook) -> None:
    decisions = stage.outcomes(stage.project(url=hook.url), 60, "ledger")
    for name in ("valkey", "worker", "dispatcher"):
        machinery.start(name)
    machinery.drained()
    assert list(hook.effects()) == decisions
    assert stage.one("SELECT sum(pushes) FROM outbox") <= 40, "the bell rang for nearly each"


def test_it_commits_a_standing_with_its_applied_row_or_not_at_all(stage: Stage, machinery: Machinery) -> None:
    """Backends are killed all the while; each snapshot agrees."""
    project = stage.project()
    stage.outcomes(project, 300)
    for name in ("valkey", "worker1", "worker2", "dispatcher"):
        machinery.start(name)
    stop = threading.Event()
    killer = threading.Thread(target=lambda: [_kill_some(stage) for _ in iter(lambda: stop.wait(0.5), True)])
    machinery.wait(lambda: stage.all("SELECT FROM applied LIMIT 1"))
    killer.start()
    try:
        processes.wait_until(lambda: _check(stage) == 300, 20)
    finally:
        stop.set()
        killer.join()
    machinery.wait(lambda: _check(stage) == 300)
    assert stage.one("SELECT count(*) FROM standings WHERE times = 1") == 300


def _kill_some(stage: Stage) -> None:
    other = Stage(stage.conninfos)
    other.run(KILL, share=0.4)
    other.end()


def _check(stage: Stage) -> int:
    ((standings, applied, done),) = stage.all("""
        SELECT (SELECT COALESCE(sum(times), 0)::int FROM standings) AS standings, (SELECT count(*)::int FROM applied) AS applied,
               (SELECT count(*)::int FROM outbox WHERE state = 'done') AS done""")
    assert standings == applied == done
    return done
