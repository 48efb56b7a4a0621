"""The outbox's statements: who gets a row and when, what ends it, and a partition's order."""

from __future__ import annotations

import threading
import uuid
from dataclasses import replace

import pytest

from claimcheck import errors
from claimcheck.outbound import outbox
from tests.workers.stage import Stage

HOOK = "http://127.0.0.1:9/hook"


def failed(stage: Stage, taken: outbox.Lease, **how: object) -> str | None:
    return outbox.failed(stage.worker, taken, **{"error": "The receiver answered 503.", "pause": 0.0, **how})  # type: ignore[arg-type]


def take(stage: Stage, decision: int, effect: int | None = None) -> outbox.Lease:
    taken = outbox.lease(stage.worker, outbox_id=stage.row(decision, effect).id)
    assert taken is not None and taken.lease is not None
    return taken


def test_it_applies_a_standing_with_its_applied_row(stage: Stage) -> None:
    decision = stage.outcome(stage.project())
    assert outbox.done(stage.worker, take(stage, decision))
    assert stage.row(decision).state == "done"
    assert [tuple(r) for r in stage.all("SELECT decision_id, outcome, times FROM standings")] == [(decision, "approve", 1)]
    assert stage.one("SELECT count(*) FROM applied WHERE decision_id = %(d)s", d=decision) == 1


def test_it_gives_a_row_to_one_of_many(stage: Stage) -> None:
    row, got = stage.row(stage.outcome(stage.project())).id, []
    threads = [threading.Thread(target=lambda: got.append(outbox.lease(stage.worker, outbox_id=row))) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len([lease for lease in got if lease]) == 1


def test_it_takes_nothing_from_a_lost_lease(stage: Stage) -> None:
    decision = stage.outcome(stage.project())
    taken = replace(take(stage, decision), lease=uuid.uuid4())
    assert not outbox.done(stage.worker, taken) and failed(stage, taken) is None
    assert stage.row(decision).state == "leased"
    assert not stage.all("SELECT FROM applied") and not stage.all("SELECT FROM standings")


def test_it_hands_a_lapsed_row_on_and_fences_the_first_worker_off(stage: Stage) -> None:
    decision = stage.outcome(stage.project())
    first = take(stage, decision)
    assert outbox.lease(stage.worker, outbox_id=first.outbox_id) is None
    stage.run("UPDATE outbox SET lease_until = clock_timestamp()")
    second = take(stage, decision)
    assert second.attempt == 2 and not outbox.done(stage.worker, first)
    assert outbox.done(stage.worker, second) and not outbox.done(stage.worker, second)
    assert stage.one("SELECT times FROM standings") == 1


def test_it_buries_a_row_that_kills_each_worker(stage: Stage) -> None:
    decision = stage.outcome(stage.project())
    stage.run("UPDATE outbox SET attempts = %(n)s", n=outbox.ATTEMPTS)
    taken = outbox.lease(stage.worker, outbox_id=stage.row(decision).id)
    assert taken is not None and taken.lease is None
    assert stage.row(decision).state == "dead" and "killed" in stage.row(decision).last_error


def test_it_keeps_the_newer_decision_standing_whatever_is_applied_first(stage: Stage) -> None:
    first = stage.outcome(stage.project())
    second = stage.overturn(first)
    stage.run("UPDATE outbox SET turn = true")  # as before there were turns for items
    for decision in (second, first):
        assert outbox.done(stage.worker, take(stage, decision))
    assert [tuple(r) for r in stage.all("SELECT decision_id, outcome, times FROM standings")] == [(second, "reject", 2)]


def test_it_tells_of_no_outcome_before_the_one_that_it_supersedes(stage: Stage) -> None:
    """Within an undo window, while a call is retried, and when it failed for good; what was undone holds nothing up."""
    project = stage.project(url=HOOK, standing=False)
    first = stage.outcome(project)
    stage.run("UPDATE outbox SET (due, push_due, not_before) = (at, at, at) FROM (SELECT clock_timestamp() + interval '5 min') undo_window (at)")
    second = stage.overturn(first)
    third = stage.overturn(second)
    assert not outbox.ring(stage.worker, room=9)
    assert outbox.lease(stage.worker, outbox_id=stage.row(second).id) is None
    stage.run("UPDATE outbox SET (due, push_due, not_before) = (clock_timestamp(), clock_timestamp(), NULL)")
    assert failed(stage, take(stage, first), permanent=True) == "dead"
    assert outbox.lease(stage.worker, outbox_id=stage.row(second).id) is None
    outbox.skip(stage.web, outbox_id=stage.row(first).id, me=stage.dov, reason="the receiver was told by telephone")
    assert outbox.lease(stage.worker, outbox_id=stage.row(third).id) is None
    assert outbox.done(stage.worker, take(stage, second)) and outbox.done(stage.worker, take(stage, third))
    undone = stage.outcome(project)
    stage.run("UPDATE outbox SET undone = true WHERE decision_id = %(d)s", d=undone)
    assert outbox.done(stage.worker, take(stage, stage.overturn(undone)))


def test_it_never_leaves_an_item_without_a_turn(stage: Stage) -> None:
    """An overturn that is written while the outcome before it ends: one of the two sees the other."""
    project, rounds = stage.project(), 40
    chain = [stage.outcome(project)]

    def overturn() -> None:
        other = Stage(stage.conninfos)
        try:
            for _ in range(rounds):
                chain.append(other.overturn(chain[-1]))
        finally:
            other.end()

    writer = threading.Thread(target=overturn)
    writer.start()
    order = []
    while writer.is_alive() or stage.open():
        ready = stage.all("SELECT id, decision_id FROM outbox WHERE ring_for IS NOT NULL AND state = 'pending'")
        assert ready or writer.is_alive() or not stage.open(), "the rest has no turn"
        for row in ready:
            taken = outbox.lease(stage.worker, outbox_id=row.id)
            if taken is not None:  # else the overturn has it locked
                assert outbox.done(stage.worker, taken)
                order.append(row.decision_id)
    writer.join()
    assert order == chain and len(chain) == rounds + 1


def test_it_hands_a_partitions_effects_out_in_order(stage: Stage) -> None:
    project = stage.project(url=HOOK)
    first, second = stage.outcomes(project, 2, partition="ledger")
    order = [(first, project.standing), (first, project.webhook), (second, project.standing), (second, project.webhook)]
    for n, (decision, effect) in enumerate(order):
        for later in order[n + 1 :]:
            assert outbox.lease(stage.worker, outbox_id=stage.row(*later).id) is None
        assert [push.outbox_id for push in outbox.ring(stage.worker, room=9)] == [stage.row(decision, effect).id]
        assert outbox.done(stage.worker, take(stage, decision, effect))
    assert stage.one("SELECT applied_no = effect_no AND applied_no = 4 FROM partitions")


def test_it_goes_on_with_the_partitions_next_effect(stage: Stage) -> None:
    project = stage.project(url=HOOK)
    decision = stage.outcome(project, "ledger")
    taken = take(stage, decision, project.standing)
    outbox.done(stage.worker, taken)
    assert outbox.after(stage.worker, taken) == [stage.row(decision, project.webhook).id]


def test_it_never_leaves_a_partition_without_a_turn(stage: Stage) -> None:
    """A submit that commits while the done statement runs is outside its snapshot; the server refuses the done, and it runs again."""
    project = stage.project()
    rounds = 60

    def submit() -> None:
        other = Stage(stage.conninfos)
        try:
            for _ in range(rounds):
                other.outcome(project, "ledger")
        finally:
            other.end()

    stage.keys = 1000
    writer = threading.Thread(target=submit)
    writer.start()
    while writer.is_alive() or stage.open():
        for push in stage.all("SELECT id FROM outbox WHERE ring_for IS NOT NULL AND state = 'pending'"):
            taken = outbox.lease(stage.worker, outbox_id=push.id)
            assert taken is not None and outbox.done(stage.worker, taken)
        assert writer.is_alive() or stage.one("SELECT bool_and(turn_no = least(applied_no + 1, effect_no)) FROM partitions")
        assert not stage.open() or stage.one("SELECT count(*) FROM outbox WHERE turn AND state = 'pending'") == 1 or writer.is_alive()
    writer.join()
    assert stage.one("SELECT applied_no FROM partitions") == rounds


def test_it_refuses_a_turn_given_twice_or_not_at_all(stage: Stage) -> None:
    project = stage.project()
    stage.outcomes(project, 2, partition="ledger")
    for statement in ("UPDATE outbox SET turn = true", "UPDATE partitions SET applied_no = 1", "UPDATE partitions SET turn_no = 2"):
        with pytest.raises(Exception, match=r"outbox_one_turn|partitions_turn_given"):
            stage.run(statement)


def test_it_holds_a_partition_behind_a_dead_effect_until_it_is_retried_or_skipped(stage: Stage) -> None:
    project = stage.project(url=HOOK, standing=False)
    first, second, third = stage.outcomes(project, 3, partition="ledger")
    assert failed(stage, take(stage, first), permanent=True) == "dead"
    assert not outbox.ring(stage.worker, room=9)
    with pytest.raises(errors.Conflict):
        outbox.skip(stage.web, outbox_id=stage.row(second).id, me=stage.dov, reason="not its turn")
    outbox.retry(stage.web, outbox_id=stage.row(first).id, me=stage.dov)
    taken = take(stage, first)
    assert taken.attempt == 1 and failed(stage, taken, permanent=True) == "dead"
    outbox.skip(stage.web, outbox_id=stage.row(first).id, me=stage.dov, reason="the receiver was told by telephone")
    for decision in (second, third):
        assert outbox.done(stage.worker, take(stage, decision))
    assert stage.row(first).state == "skipped" and not stage.all("SELECT FROM applied WHERE decision_id = %(d)s", d=first)
    kinds = [(r.kind, r.person_id) for r in stage.all("SELECT kind, person_id FROM events WHERE kind LIKE 'effect.%%' ORDER BY id")]
    assert kinds == [("effect.failed", 0), ("effect.retried", stage.dov), ("effect.failed", 0), ("effect.skipped", stage.dov)]


def test_it_wants_a_reason_for_a_skip(stage: Stage) -> None:
    decision = stage.outcome(stage.project())
    with pytest.raises(errors.Invalid, match="reason"):
        outbox.skip(stage.web, outbox_id=stage.row(decision).id, me=stage.dov, reason="  ")
    take(stage, decision)
    with pytest.raises(errors.Conflict):
        outbox.skip(stage.web, outbox_id=stage.row(decision).id, me=stage.dov, reason="on its way")


def test_it_waits_for_a_failed_rows_time(stage: Stage) -> None:
    project = stage.project(url=HOOK, standing=False)
    decision = stage.outcome(project)
    assert failed(stage, take(stage, decision), pause=60.0) == "pending"
    assert outbox.lease(stage.worker, outbox_id=stage.row(decision).id) is None and not outbox.ring(stage.worker, room=9)
    assert stage.one("SELECT due - clock_timestamp() BETWEEN '50 s' AND '60 s' AND push_due = due FROM outbox")
    stage.run("UPDATE outbox SET due = clock_timestamp(), push_due = clock_timestamp()")
    assert outbox.ring(stage.worker, room=9) and take(stage, decision).attempt == 2


def test_it_gives_up_after_three_days_or_the_last_attempt(stage: Stage) -> None:
    project = stage.project(url=HOOK, standing=False)
    old, often, fresh = stage.outcomes(project, 3)
    stage.run("UPDATE outbox SET first_tried = clock_timestamp() - interval '72 h' WHERE decision_id = %(d)s", d=old)
    stage.run("UPDATE outbox SET attempts = %(n)s WHERE decision_id = %(d)s", d=often, n=outbox.ATTEMPTS - 1)
    assert [failed(stage, take(stage, d)) for d in (old, often, fresh)] == ["dead", "dead", "pending"]


def test_it_counts_the_three_days_from_the_first_attempt(stage: Stage) -> None:
    """A row that waited long behind others, or was retried by an operator, is not given up at its first failure."""
    project = stage.project(url=HOOK, standing=False)
    decision = stage.outcome(project)
    stage.run("UPDATE outbox SET created_at = clock_timestamp() - interval '9 days'")
    assert failed(stage, take(stage, decision)) == "pending"
    stage.run("UPDATE outbox SET first_tried = clock_timestamp() - interval '9 days'")
    assert failed(stage, take(stage, decision)) == "dead"
    outbox.retry(stage.web, outbox_id=stage.row(decision).id, me=stage.dov)
    assert failed(stage, take(stage, decision)) == "pending"


def test_it_bounds_what_is_in_flight_to_one_endpoint(stage: Stage) -> None:
    slow, other = stage.project(url=HOOK, standing=False), stage.project(url=HOOK, standing=False)
    decisions = stage.outcomes(slow, 9)
    quick = stage.outcome(other)
    got = [outbox.lease(stage.worker, outbox_id=stage.row(d).id) for d in decisions]
    assert len([g for g in got if g]) == outbox.AT_ONCE
    assert [p.outbox_id for p in outbox.ring(stage.worker, room=40)] == [stage.row(quick).id]
    assert take(stage, quick)
    stage.run("UPDATE outbox SET lease_until = clock_timestamp() WHERE id = %(id)s", id=got[0].outbox_id)
    assert take(stage, decisions[-1])


def test_it_lets_an_endpoint_rest_that_fails_again_and_again(stage: Stage) -> None:
    project = stage.project(url=HOOK, standing=False)
    decisions = stage.outcomes(project, outbox.PATIENCE + 3)
    for decision in decisions[: outbox.PATIENCE]:
        failed(stage, take(stage, decision), blames_endpoint=True)
    left = decisions[outbox.PATIENCE :]
    assert outbox.lease(stage.worker, outbox_id=stage.row(left[0]).id) is None and not outbox.ring(stage.worker, room=9)
    stage.run("UPDATE effects SET rest_until = clock_timestamp()")
    assert len(outbox.ring(stage.worker, room=9)) == 1
    taken = take(stage, left[0])
    assert outbox.lease(stage.worker, outbox_id=stage.row(left[1]).id) is None  # one call tries whether it is well again
    assert outbox.done(stage.worker, taken)
    assert stage.one("SELECT failures = 0 AND rest_until IS NULL FROM effects") and take(stage, left[1]) and take(stage, left[2])


def test_it_lets_an_endpoint_rest_for_as_long_as_it_asks(stage: Stage) -> None:
    project = stage.project(url=HOOK, standing=False)
    for decision in stage.outcomes(project, outbox.PATIENCE):
        failed(stage, take(stage, decision), blames_endpoint=True, retry_after=1800.0)
    assert stage.one("SELECT rest_until > clock_timestamp() + interval '25 min' FROM effects")


def test_it_switches_an_effect_off_that_is_gone(stage: Stage) -> None:
    project = stage.project(url=HOOK, standing=False)
    first, second = stage.outcomes(project, 2)
    assert failed(stage, take(stage, first), gone=True, error="The receiver answered 410.") == "dead"
    assert stage.one("SELECT switched_off FROM effects") == "The receiver answered 410."
    assert outbox.lease(stage.worker, outbox_id=stage.row(second).id) is None and not outbox.ring(stage.worker, room=9)


def test_it_rings_again_for_what_nobody_came_for_ever_more_slowly(stage: Stage) -> None:
    decision = stage.outcome(stage.project())
    waits = []
    for n in range(7):
        (push,) = outbox.ring(stage.worker, room=9)
        assert push.push == n + 1 and not outbox.ring(stage.worker, room=9)
        waits.append(round(stage.one("SELECT extract(epoch FROM push_due - clock_timestamp())::float8 FROM outbox") / 8))
        stage.run("UPDATE outbox SET push_due = clock_timestamp()")
    assert waits == [1, 2, 4, 8, 16, 16, 16]
    take(stage, decision)
    assert not outbox.ring(stage.worker, room=9)
    stage.run("UPDATE outbox SET lease_until = clock_timestamp(), push_due = clock_timestamp()")
    assert [p.push for p in outbox.ring(stage.worker, room=9)] == [8]


def test_it_rings_for_no_more_than_there_is_room(stage: Stage) -> None:
    stage.outcomes(stage.project(), 7)
    assert len(outbox.ring(stage.worker, room=5)) == 5 and len(outbox.ring(stage.worker, room=5)) == 2


def test_it_rings_once_for_two_dispatchers(stage: Stage) -> None:
    stage.outcomes(stage.project(), 40)
    rung: list[int] = []

    def dispatch() -> None:
        for _ in range(20):
            rung.extend(push.outbox_id for push in outbox.ring(stage.worker, room=4))

    threads = [threading.Thread(target=dispatch) for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(rung) == len(set(rung)) == 40


def test_it_retries_everything_that_died(stage: Stage) -> None:
    project, other = stage.project(url=HOOK, standing=False), stage.project(url=HOOK, standing=False)
    for decision in stage.outcomes(project, 3) + stage.outcomes(other, 2):
        failed(stage, take(stage, decision), permanent=True)
    assert outbox.retry_all(stage.web, me=stage.dov, effect_id=other.webhook) == 2
    assert outbox.retry_all(stage.web, me=stage.dov) == 3 and stage.states() == {"pending": 5}
    assert outbox.retry_all(stage.web, me=stage.dov) == 0
    assert stage.one("SELECT count(*) FROM events WHERE kind = 'effect.retried'") == 5


def test_it_lists_what_waits_and_what_failed(stage: Stage) -> None:
    project = stage.project(url=HOOK)
    first, _ = stage.outcomes(project, 2, partition="ledger")
    outbox.done(stage.worker, take(stage, first, project.standing))
    failed(stage, take(stage, first, project.webhook), permanent=True, error="The receiver answered 400.")
    (row,) = outbox.dead(stage.web)
    assert (row.decision_id, row.behind, row.last_error, row.partition_key) == (first, 2, "The receiver answered 400.", "ledger")
    assert {(w.kind, w.pending, w.dead, w.held) for w in outbox.waiting(stage.web)} == {("standing", 0, 0, 1), ("webhook", 0, 1, 1)}
    assert outbox.trying(stage.web) == []
    outbox.retry(stage.web, outbox_id=row.outbox_id, me=stage.dov)
    assert [r.decision_id for r in outbox.trying(stage.web)] == [first] and outbox.dead(stage.web) == []
