"""The inbox: who gets which messages and when, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest

from claimcheck import errors, projects
from claimcheck.access import people
from claimcheck.intake import inbox, parameters
from tests import pipeline
from tests.intake import World, at_once, row, without
from tests.pipeline import admit, hand_back, handle, items, keys, lapse, message, pull, put_off, send

LARGE = {"routes": [{"queue": "large", "skill": "senior", "at_least": "1000", "priority": 5}]}


@pytest.fixture
def project(world: World) -> int:
    pipeline.clear(world)
    return world.project(thresholds=LARGE)


def open_of(world: World, project: int) -> dict[str, int]:
    return dict(world.all("SELECT key, open FROM inbox_partitions WHERE project_id = %s", project))


def records(world: World, project: int, decision: str) -> list[tuple[str, str | None]]:
    return world.all("SELECT idempotency_key, queue FROM pipeline_records WHERE project_id = %s AND decision = %s ORDER BY id", project, decision)


def test_it_turns_messages_into_items_in_the_queues_of_their_routes(world: World, project: int) -> None:
    send(world, project, "small", variance_amount="1")
    send(world, project, "great", variance_amount="-1000.00", match_decision="PARTIAL")
    send(world, project, "even", variance_amount="0")
    runs = pull(world)
    assert keys(runs) == [["small", "great", "even"]]
    assert handle(world, runs).routed == 3
    found = world.all("SELECT idempotency_key, queue, priority, message_id FROM items WHERE project_id = %s ORDER BY partition_no", project)
    assert [(r.idempotency_key, r.queue, r.priority) for r in found] == [("small", "review", 0), ("great", "large", 5), ("even", "automatic", 0)]
    assert records(world, project, "routed") == [("small", "review"), ("great", "large"), ("even", "automatic")]
    assert open_of(world, project) == {"P": 0} and not world.all("SELECT FROM inbox") and not pull(world)


def test_it_carries_them_to_their_outcomes_in_order(world: World, project: int) -> None:
    people.give_skill(world.web, person_id=world.cast.ada.id, skill="senior")
    for n, amount in enumerate(["1", "0", "5000", "0", "0", "2"]):
        send(world, project, f"{n}", variance_amount=amount)
    handle(world, pull(world))
    pipeline.settle(world)
    order = world.all("SELECT i.idempotency_key FROM outbox o JOIN decisions d ON d.id = o.decision_id JOIN items i ON i.id = d.item_id "
                      "WHERE i.project_id = %s ORDER BY o.effect_no", project)  # fmt: skip
    assert [key for (key,) in order] == ["0", "1", "2", "3", "4", "5"] and not world.disagreements()


def test_it_shows_the_break_with_its_money(world: World, project: int) -> None:
    send(world, project, "jpy", currency="JPY", variance_amount="-7")
    handle(world, pull(world))
    assert world.one("SELECT fields FROM evidence e JOIN items i ON i.id = e.item_id WHERE i.project_id = %s", project) == [
        "currency", "ledger_entity", "match_decision", "ours", "theirs", "variance_amount"]  # fmt: skip


def test_it_leases_a_partition_to_one_handler(world: World, project: int) -> None:
    send(world, project, "1", "2")
    [run] = pull(world)
    assert not pull(world)
    send(world, project, "3")
    assert not pull(world), "what comes meanwhile waits behind it"
    handle(world, [run])
    assert keys(pull(world)) == [["3"]]


def test_it_takes_no_more_than_there_is_room_for(world: World, project: int) -> None:
    for partition in "PQR":
        send(world, project, *(f"{partition}{n}" for n in range(4)), partition=partition)
    first = pull(world, room=7)
    assert keys(first) == [["P0", "P1", "P2", "P3"]]
    second = pull(world, room=2)
    assert keys(second) == [["Q0", "Q1"]]
    assert keys(pull(world, room=100, run_messages=3)) == [["R0", "R1", "R2"]]


def test_it_goes_round_the_partitions(world: World, project: int) -> None:
    """A hot partition gets a run, then the others theirs."""
    send(world, project, *(f"hot{n}" for n in range(9)), partition="hot")
    send(world, project, "cold1", "cold2", "cold3", partition="cold")
    send(world, project, "mild1", "mild2", partition="mild")
    order = []
    while runs := pull(world, room=2):
        order += [key for run in keys(runs) for key in run]
        handle(world, runs)
    assert order[:11] == ["hot0", "hot1", "cold1", "cold2", "mild1", "mild2", "hot2", "hot3", "cold3", "hot4", "hot5"]


def test_it_gives_a_message_to_one_of_many(world: World, project: int) -> None:
    for partition in range(40):
        send(world, project, f"{partition}", partition=f"P{partition}")

    def work(_: int) -> list[str]:
        got = []
        while runs := pull(world, room=3):
            handle(world, runs)
            got += [key for run in keys(runs) for key in run]
        return got

    found = [key for part in at_once(6, work) for key in part]
    assert sorted(found) == sorted(map(str, range(40))) and len(items(world, project)) == 40


def test_it_passes_a_lapsed_lease_on_and_fences_the_first_handler_off(world: World, project: int) -> None:
    send(world, project, "1")
    first = pull(world)
    inbox.begin(world.web, first)
    lapse(world)
    second = pull(world)
    assert second[0].lapsed and second[0].messages[0].attempts == 1
    with pytest.raises(errors.LeaseExpired) as refused:
        handle(world, first)
    assert refused.value.facts["lost"] == [first[0].partition_id]
    assert not items(world, project), "nothing was written"
    assert world.one("SELECT n FROM pipeline_signals WHERE code = 'LEASE_EXPIRED' ORDER BY minute DESC LIMIT 1") >= 1
    handle(world, second)
    with pytest.raises(errors.LeaseExpired):
        handle(world, first)
    assert items(world, project) == ["1"] and len(records(world, project, "routed")) == 1


def test_it_fences_off_whoever_lost_the_lease_after_it_began(world: World, project: int) -> None:
    send(world, project, "1")
    first, whole = pull(world), inbox.begin

    def begin(*given: Any) -> None:
        whole(*given)
        lapse(world)
        pull(world)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(errors.LeaseExpired):
        patch.setattr(inbox, "begin", begin)
        handle(world, first)
    assert not items(world, project) and world.one("SELECT count(*) FROM inbox") == 1 and not records(world, project, "routed")


def test_it_takes_a_lapsed_handlers_work_while_nobody_else_came(world: World, project: int) -> None:
    send(world, project, "1")
    runs = pull(world)
    lapse(world)
    assert handle(world, runs).routed == 1


def test_it_keeps_a_lease_that_is_extended(world: World, project: int) -> None:
    send(world, project, "1")
    runs = pull(world, lease_timeout_ms=100)
    inbox.extend(world.web, runs, pipeline.settings(lease_timeout_ms=60_000))
    assert world.one("SELECT lease_until > clock_timestamp() + interval '50 s' FROM inbox_partitions WHERE id = %s", runs[0].partition_id)
    lapse(world)
    again = pull(world)
    inbox.extend(world.web, runs, pipeline.settings(lease_timeout_ms=60_000))
    assert world.one("SELECT lease_until FROM inbox_partitions WHERE id = %s", again[0].partition_id) == again[0].lease_until, "another's"


def test_it_extends_what_its_producers_never_leave_last(world: World, project: int) -> None:
    """The others first, and then it waits for its turn: else the lease would run out however often it is extended."""
    send(world, project, "1")
    send(world, project, "2", partition="Q")
    runs = pull(world)
    until = "SELECT lease_until - clock_timestamp() > interval '1 min' FROM inbox_partitions WHERE id = %s"
    with world.web.transaction() as producer:
        producer.run("inbox/hold", project_ids=[project], keys=["P"])

        def extended(n: int) -> None:
            if n:
                inbox.extend(world.web, runs, pipeline.settings(lease_timeout_ms=3_600_000))
                return
            waited = any(world.somebody_waits() for _ in range(5_000))
            found = [world.one(until, run.partition_id) for run in runs]
            producer.raw.execute("COMMIT")
            producer.raw.execute("BEGIN")
            assert waited and found == [False, True]

        at_once(2, extended)
    assert [world.one(until, run.partition_id) for run in runs] == [True, True]


def test_it_makes_admission_wait_for_no_handler(world: World, project: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it takes the messages off the inbox, at the end of its transaction, a handler holds nothing that producers need."""
    send(world, project, "1")
    whole, meanwhile = inbox.leave, list[str]()

    def leave(*given: Any, **named: Any) -> None:
        if not meanwhile:
            meanwhile.extend(answer.result for answer in admit(world, [message(project, "2")]))
        whole(*given, **named)

    monkeypatch.setattr(inbox, "leave", leave)
    handle(world, pull(world))
    assert meanwhile == ["admitted"] and items(world, project) == ["1"] and open_of(world, project) == {"P": 1}


def test_it_counts_only_what_was_begun(world: World, project: int) -> None:
    """A pool is killed: what waited in its memory is nobody's failed attempt, and is not tried alone."""
    send(world, project, "1", "2")
    send(world, project, "3", "4", partition="Q")
    begun, _ = sorted(pull(world), key=lambda run: run.key)
    inbox.begin(world.web, [begun])
    lapse(world)
    found = {run.key: [(m.idempotency_key, m.attempts) for m in run.messages] for run in pull(world)}
    assert found == {"P": [("1", 1)], "Q": [("3", 0), ("4", 0)]}
    lapse(world)
    assert {run.key: run.messages[0].attempts for run in pull(world)} == {"P": 1, "Q": 0}


def test_it_begins_nothing_that_others_have(world: World, project: int) -> None:
    send(world, project, "1")
    first = pull(world)
    lapse(world)
    pull(world)
    with pytest.raises(errors.LeaseExpired) as refused:
        inbox.begin(world.web, first)
    assert refused.value.facts["lost"] == [first[0].partition_id] and not world.one("SELECT begun FROM inbox_partitions WHERE project_id = %s", project)


def test_it_takes_no_more_bytes_than_there_is_room_for(world: World, project: int) -> None:
    """Whole messages, in their order, at least one; partitions of which there was none are free for others."""
    wide = {"payload": {"text": "x" * 600_000}}
    for partition in "PQ":
        send(world, project, f"{partition}0", f"{partition}1", partition=partition, **wide)
    taken = list[str]()
    for _ in range(4):
        runs = pull(world, prefetch_bytes=parameters.MIB)
        [found] = keys(runs)
        taken += found
        handle(world, runs)
    assert taken == ["P0", "Q0", "P1", "Q1"] and not pull(world)


def test_it_hands_back_what_was_not_begun(world: World, project: int) -> None:
    send(world, project, "1", "2")
    runs = pull(world)
    hand_back(world, *runs)
    again = pull(world)
    assert keys(again) == [["1", "2"]] and not again[0].lapsed and [m.attempts for m in again[0].messages] == [0, 0]
    assert [key for key, _ in records(world, project, "handed_back")] == ["1", "2"]
    hand_back(world, *runs)
    assert not pull(world), "a lease that is another's stays"


def test_it_puts_off_what_failed_and_tries_it_alone(world: World, project: int) -> None:
    send(world, project, "1", "2", "3")
    [run] = pull(world)
    put_off(world, run, 3600)
    assert not pull(world)
    world.sql.execute("UPDATE inbox_partitions SET due = clock_timestamp()")
    for key in ("1", "2", "3"):
        [run] = pull(world)
        assert keys([run]) == [[key]] and run.alone and run.messages[0].last_error == "it broke"
        handle(world, [run])


def test_it_finds_poison_that_kills_its_handlers(world: World, project: int) -> None:
    """Whoever has to do with `2` never comes back."""
    send(world, project, "1", "2", "3")
    killed = 0
    while runs := pull(world, max_attempts=3):
        if any(m.idempotency_key == "2" and m.attempts < 3 for m in runs[0].messages):
            killed += 1
            assert killed < 9
            inbox.begin(world.web, runs)
            lapse(world)
        else:
            handle(world, runs, max_attempts=3)
    assert killed == 3 and items(world, project) == ["1", "3"]
    [letter] = world.refused(project)
    assert (letter.code, letter.cause, letter.idempotency_key, letter.attempts, letter.source) == ("POISON_MESSAGE", "handler_failed", "2", 3, "pool")
    assert bytes(letter.body) == message(project, "2") and letter.message_id and "did not come back" in letter.detail
    assert records(world, project, "refused") == [("2", None)]


def test_it_tells_no_sender_what_an_exception_said(world: World, project: int) -> None:
    send(world, project, "1")
    for _ in range(2):
        put_off(world, pull(world, max_attempts=2)[0], error="KeyError('a secret of ours')")
        world.sql.execute("UPDATE inbox_partitions SET due = clock_timestamp()")
    handle(world, pull(world), max_attempts=2)
    [letter] = world.refused(project)
    assert "secret" not in letter.detail and "2 attempts" in letter.detail and "in the desk's log" in letter.detail


def test_it_keeps_what_the_gates_hold_back_now(world: World, project: int) -> None:
    """The gates of today judge what those of yesterday let in."""
    send(world, project, "1", "2")
    world.sql.execute("UPDATE inbox SET body = %s WHERE message_id = (SELECT min(message_id) FROM inbox)", [b"not JSON"])
    done = handle(world, pull(world))
    assert (done.routed, done.refused) == (1, 1) and items(world, project) == ["2"]
    [letter] = world.refused(project)
    assert (letter.gate, letter.idempotency_key, bytes(letter.body)) == ("structural", "1", b"not JSON") and letter.message_id


def test_it_keeps_what_a_cancelled_project_no_longer_takes(world: World, project: int) -> None:
    send(world, project, "1")
    projects.cancel(world.web, project, world.cast.eve.id)
    assert handle(world, pull(world)).refused == 1
    assert [letter.code for letter in world.refused(project)] == ["PROJECT_CANCELLED"]


def test_it_keeps_a_key_that_came_through_another_door_with_other_content(world: World, project: int) -> None:
    world.accept(project, [row("1")])
    send(world, project, "1", "2")
    done = handle(world, pull(world))
    assert (done.routed, done.refused) == (1, 1)
    [letter] = world.refused(project)
    assert (letter.code, letter.gate, letter.source) == ("DUPLICATE_KEY", "idempotency", "pool") and letter.message_id


def test_it_keeps_the_order_of_a_partition_that_several_send_to(world: World, project: int) -> None:
    for n in range(6):
        sender = {"person_id": world.cast.eve.id if n % 2 else 0, "customer_id": None, "source": "stream"}
        admit(world, [message(project, f"{n}")], **sender)
    handle(world, pull(world))
    assert items(world, project) == ["0", "1", "2", "3", "4", "5"]


def test_it_waits_for_a_partition_that_its_producers_never_leave(world: World, project: int) -> None:
    send(world, project, "1")
    world.sql.execute("UPDATE inbox_partitions SET due = clock_timestamp() - interval '1 min' WHERE project_id = %s", [project])
    with world.web.transaction() as producer:
        producer.run("inbox/hold", project_ids=[project], keys=["P"])

        def pulled(n: int) -> list[list[str]]:
            if n:
                return keys(pull(world))
            while not world.somebody_waits():
                pass
            producer.raw.execute("COMMIT")
            producer.raw.execute("BEGIN")
            return []

        assert at_once(2, pulled) == [[], [["1"]]]


def test_it_takes_no_message_that_waits_again_for_an_old_one(world: World, project: int) -> None:
    send(world, project, "1", "2")
    first, second = (row.message_id for row in world.all("SELECT message_id FROM inbox ORDER BY message_id"))
    world.sql.execute("DELETE FROM inbox WHERE message_id = %s", [first])
    world.sql.execute("UPDATE inbox SET since = clock_timestamp() - interval '5 s'")
    with world.sql.transaction():
        world.sql.execute("SET LOCAL session_replication_role = replica")
        world.sql.execute("UPDATE messages SET received_at = received_at - interval '1 day'")
    world.web.run("inbox/again", message_ids=[first], bodies=[message(project, "1")])
    oldest = inbox.oldest(world.web)
    assert oldest is not None and oldest.message_id == second and 5 <= oldest.seconds < 600


def test_it_knows_what_waits_and_for_how_long(world: World, project: int) -> None:
    assert inbox.oldest(world.web) is None
    send(world, project, "1", "2", trace_id="t-1")
    oldest = inbox.oldest(world.web)
    assert oldest is not None and oldest.trace_id == "t-1" and 0 <= oldest.seconds < 600


def test_it_does_not_mind_which_handler_is_late(world: World, project: int) -> None:
    """A handler that was taken over commits first, or the one who took over does: one item, one record."""
    send(world, project, *(f"{n}" for n in range(20)))
    first = pull(world)
    lapse(world)
    second = pull(world)

    def finish(n: int) -> str:
        try:
            handle(world, (first, second)[n])
        except errors.LeaseExpired:
            return "lost"
        return "handled"

    assert at_once(2, finish) == ["lost", "handled"]
    while runs := pull(world):
        handle(world, runs)
    assert items(world, project) == [f"{n}" for n in range(20)] and len(records(world, project, "routed")) == 20


MUTANTS = [
    ("inbox/begin", "AND p.lease = g.lease", "", test_it_begins_nothing_that_others_have),
    ("inbox/handled", "AND p.lease = g.lease", "", test_it_fences_off_whoever_lost_the_lease_after_it_began),
    ("inbox/lease", "p.pull_at <= (SELECT now FROM clock)", "p.open > 0 AND p.due <= (SELECT now FROM clock)", test_it_leases_a_partition_to_one_handler),
    ("inbox/lease", "FOR NO KEY UPDATE SKIP LOCKED", "", test_it_gives_a_message_to_one_of_many),
    ("inbox/lease", "ORDER BY p.pull_at LIMIT", "ORDER BY p.id LIMIT", test_it_goes_round_the_partitions),
    ("inbox/lease", "WHERE d.upto <= %(room)s::int", "", test_it_takes_no_more_than_there_is_room_for),
    ("inbox/read", "ORDER BY h.message_id LIMIT CASE WHEN head.attempts = 0 AND", "ORDER BY h.message_id DESC LIMIT CASE WHEN head.attempts = 0 AND",
     test_it_takes_no_more_than_there_is_room_for),
    ("inbox/read", "WHERE head.lapsed AND", "WHERE false AND", test_it_finds_poison_that_kills_its_handlers),
    ("inbox/read", "head.attempts = 0 AND NOT head.lapsed", "true", test_it_puts_off_what_failed_and_tries_it_alone),
    ("inbox/extend", "AND p.lease = g.lease", "", test_it_keeps_a_lease_that_is_extended),
    ("inbox/extend", "SKIP LOCKED", "", test_it_extends_what_its_producers_never_leave_last),
    ("inbox/lease", "begun = false, ", "", test_it_counts_only_what_was_begun),
    ("inbox/lease", "old.begun AS lapsed", "old.lease IS NOT NULL AS lapsed", test_it_counts_only_what_was_begun),
    ("inbox/read", "i.upto <= %(bytes)s::bigint OR ", "%(bytes)s::bigint > 0 OR ", test_it_takes_no_more_bytes_than_there_is_room_for),
    ("inbox/oldest", "ORDER BY 2, 1", "ORDER BY 1", test_it_takes_no_message_that_waits_again_for_an_old_one),
    ("inbox/hand_back", "AND p.lease = g.lease", "", test_it_hands_back_what_was_not_begun),
    ("inbox/handled", "due = clock_timestamp(), ", "", test_it_goes_round_the_partitions),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "guard", "instead", "test"), MUTANTS, ids=[f"{m[0]} {m[1][:30]}" for m in MUTANTS])
def test_it_would_notice_a_missing_guard(world: World, project: int, statement: str, guard: str, instead: str, test) -> None:
    with without(statement, guard, instead), pytest.raises((AssertionError, errors.Error, ValueError, pytest.fail.Exception)):
        test(world, project)


def test_it_admits_what_it_refused_for_its_key_never(world: World, project: int) -> None:
    send(world, project, "1")
    handle(world, pull(world))
    answers = admit(world, [message(project, "1"), message(project, "1", variance_amount="13.00")])
    assert [answer.result for answer in answers] == ["repeated", "refused"] and not pull(world)


def test_it_keeps_the_place_of_what_comes_again_in_the_same_call(world: World, project: int) -> None:
    """Messages and items alike: a repeat moves nothing."""
    admit(world, [message(project, key) for key in ("0", "1", "0")])
    handle(world, pull(world))
    other = world.project()
    world.accept(other, [row(key, partition_key="P") for key in ("0", "1", "0")])
    assert items(world, project) == items(world, other) == ["0", "1"]
