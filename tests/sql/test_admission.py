"""Messages in: each key once for ever, good ones whatever their neighbours, refused ones kept with their bytes, nothing half-written."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimcheck import errors, lines, projects, rules
from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.intake import admission, messages, parameters, rooms, sending
from tests.intake import World, at_once, without
from tests.messages import WORKER, admit, body, disagreements, message, sender, waiting


def records(world: World, project: int | None = None) -> list[Any]:
    return world.all("SELECT * FROM pipeline_records WHERE project_id IS NOT DISTINCT FROM %s ORDER BY id", project)


def test_it_takes_a_message_in_once(world: World) -> None:
    project = world.project()
    sent = body(project, "k", trace_id="t-1")
    [first] = admit(world, sent)
    [again] = admit(world, sent)
    assert (first.result, again.result) == ("admitted", "repeated")
    assert (first.message_id, first.trace_id, first.source_hash) == (again.message_id, again.trace_id, again.source_hash)
    [row] = world.all("SELECT * FROM messages WHERE project_id = %s", project)
    assert row.source_hash == hashlib.sha256(b"k:1200 receivables:12.50:PARTIAL").digest() == first.source_hash
    assert (row.trace_id, row.partition_key, row.ledger_entity, row.currency, str(row.variance_amount), row.match_decision, row.source) == (
        "t-1", "Acme", "1200 receivables", "EUR", "12.50", "PARTIAL", "http")  # fmt: skip
    [waits] = waiting(world, project)
    assert (waits.id, bytes(waits.body)) == (first.message_id, sent)
    assert [r.decision for r in records(world, project)] == ["admitted", "repeated"]
    assert {(r.trace_id, r.message_id, r.worker, r.settings_version) for r in records(world, project)} == {("t-1", first.message_id, WORKER, 0)}
    assert world.one("SELECT count(*) FROM pipeline_unlogged u JOIN pipeline_records r ON r.id = u.record_id WHERE r.project_id = %s", project) == 2


def test_it_gives_a_trace_id_where_there_is_none_and_the_same_to_a_repeat(world: World) -> None:
    project = world.project()
    [first] = admit(world, body(project, "k"))
    [again] = admit(world, body(project, "k", trace_id="somebody's"))
    assert len(first.trace_id) == 32 and again.trace_id == first.trace_id and again.result == "repeated"


def test_it_knows_a_message_however_it_is_written(world: World) -> None:
    project = world.project()
    one = body(project, "k", variance_amount="12.5", payload={"b": "1", "a": {"y": 1, "x": 2}})
    other = json.dumps(
        dict(reversed(message(project, "k", variance_amount="012.50", payload={"a": {"x": 2, "y": 1}, "b": "1"}).items())), indent=2
    ).encode()
    assert [a.result for a in admit(world, one, other)] == ["admitted", "repeated"]


OTHER = {
    "ledger_entity": "9",
    "partition_key": "B",
    "currency": "USD",
    "variance_amount": "12.51",
    "match_decision": "UNMATCHED",
    "payload": {"statement": "x"},
}


@pytest.mark.parametrize("name", OTHER)
@pytest.mark.parametrize("together", [True, False], ids=["in one call", "in two"])
def test_it_refuses_other_content_under_the_same_key_and_keeps_it(world: World, name: str, together: bool) -> None:
    project = world.project()
    bodies = body(project, "k"), body(project, "k", **{name: OTHER[name]})
    first, second = admit(world, *bodies) if together else [*admit(world, bodies[0]), *admit(world, bodies[1])]
    assert (first.result, second.result, second.code, second.gate, second.cause) == (
        "admitted",
        "refused",
        "DUPLICATE_KEY",
        "idempotency",
        "other_content",
    )
    [letter] = world.refused(project)
    assert (letter.id, bytes(letter.body), letter.code, letter.gate, letter.cause) == (
        second.dead_letter_id,
        bodies[1],
        "DUPLICATE_KEY",
        "idempotency",
        "other_content",
    )
    assert len(waiting(world, project)) == 1
    assert [(r.decision, r.code, r.dead_letter_id) for r in records(world, project)][1] == ("refused", "DUPLICATE_KEY", letter.id)


def test_it_judges_sameness_by_the_whole_message(world: World) -> None:
    """A colon in a key gives two messages one source hash; they are not the same for that."""
    project = world.project()
    first, second = admit(world, body(project, "a:b", ledger_entity="c"), body(project, "a", ledger_entity="b:c"))
    assert first.source_hash == second.source_hash and first.message_id != second.message_id
    assert (first.result, second.result) == ("admitted", "admitted")


def test_it_judges_sameness_by_the_whole_message_not_by_the_source_hash(world: World) -> None:
    project = world.project()
    answers = admit(world, body(project, "k", payload={"ledger": "1"}), body(project, "k", payload={"ledger": "2"}))
    assert answers[0].source_hash == answers[1].source_hash and answers[1].code == "DUPLICATE_KEY"


def test_it_keeps_what_it_refuses_with_everything_that_explains_it(world: World) -> None:
    project = world.project()
    by = sender(world, source="file", name="breaks.ndjson")
    bad = body(project, "bad", variance_amount=12.5, partition_key=..., trace_id="t-9")
    answers = admit(world, body(project, "good"), bad, body(project, "also good"), by=by)
    assert [a.result for a in answers] == ["admitted", "refused", "admitted"]
    assert [(r.gate, r.cause) for r in answers[1].refusals] == [("monetary", "float_on_the_wire"), ("ordering", "no_partition_key")]
    [letter] = world.refused(project)
    assert bytes(letter.body) == bad and letter.source_hash == hashlib.sha256(bad).digest()
    assert (letter.source, letter.headers, letter.trace_id, letter.idempotency_key, letter.received_by, letter.code, letter.gate, letter.cause, letter.field) == (
        "file", {"name": "breaks.ndjson"}, "t-9", "bad", world.cast.eve.id, "POISON_MESSAGE", "monetary", "float_on_the_wire", "variance_amount")  # fmt: skip
    assert "must be text" in letter.detail and "partition_key is required (ordering: no_partition_key)" in letter.detail
    [record] = [r for r in records(world, project) if r.decision == "refused"]
    assert (record.trace_id, record.code, record.dead_letter_id) == ("t-9", "POISON_MESSAGE", letter.id)
    assert [r["cause"] for r in record.detail["refusals"]] == ["float_on_the_wire", "no_partition_key"]
    signal = world.all("SELECT * FROM pipeline_signals WHERE code = 'POISON_MESSAGE' AND last_trace_id = 't-9'")
    assert signal and str(letter.id) in signal[0].last_detail


def test_it_keeps_how_a_message_begins_that_is_too_long(world: World) -> None:
    [answer] = admit(world, lines.TooLong(b'{"project_id": 1, "idemp', 30_000_000))
    assert (answer.cause, answer.gate) == ("too_large", "structural") and "30,000,000" in str(answer.detail)
    assert bytes(world.one("SELECT body FROM dead_letters WHERE id = %s", answer.dead_letter_id)) == b'{"project_id": 1, "idemp'


def southwind(world: World) -> int:
    """A project of somebody else's."""
    other = people.by_name(world.web, name="Sal") or people.add(world.web, name="Sal", role="customer", customer="Southwind", program=True)
    name = f"southern {world.named}"
    world.named += 1
    return projects.create(world.web, by=other, rules=rules.parse({"name": name, "skill": "documents", "reason_codes": ["fine"]})).id


def test_it_takes_nothing_for_somebody_elses_project_and_says_no_more_than_of_one_that_is_not(world: World) -> None:
    theirs = southwind(world)
    answers = admit(world, body(theirs, "k"), body(2**31 - 1, "k"))
    assert {(a.cause, a.detail, a.gate) for a in answers} == {("no_such_project", answers[0].detail, "structural")}
    letters = world.all("SELECT * FROM dead_letters WHERE id = ANY (%s)", [a.dead_letter_id for a in answers])
    assert {(letter.project_id, letter.customer_id) for letter in letters} == {(None, world.cast.eve.customer_id)}
    assert not waiting(world, theirs) and not records(world, theirs)
    assert [a.result for a in admit(world, body(theirs, "k"), by=admission.Sender(0, None, "file"))] == ["admitted"], "the desk's own command may"


def test_it_takes_nothing_for_a_project_that_can_not_settle_it(world: World) -> None:
    cancelled, graded = world.project(), world.project(question={"ask": "grade", "min": 1, "max": 5})
    projects.cancel(world.web, cancelled, world.cast.chi.id)
    answers = admit(world, body(cancelled, "k"), body(graded, "k"))
    assert [a.cause for a in answers] == ["project_cancelled", "asks_no_verdict"]
    assert [len(world.refused(p)) for p in (cancelled, graded)] == [1, 1]


def test_it_never_forgets_a_key(world: World) -> None:
    """Not when the message was handled, its row has left the inbox, and years went by."""
    project = world.project()
    [first] = admit(world, body(project, "k"))
    world.sql.execute("DELETE FROM inbox WHERE message_id = %s", [first.message_id])
    world.sql.execute("UPDATE inbox_partitions SET open = 0 WHERE project_id = %s", [project])
    for statement in ("UPDATE messages SET received_at = '2001-01-01'", "DELETE FROM messages", "TRUNCATE messages CASCADE"):
        with pytest.raises(Exception, match="rows there are facts"):
            world.sql.execute(statement)
    assert [a.result for a in admit(world, body(project, "k"), body(project, "k", ledger_entity="9"))] == ["repeated", "refused"]
    assert not waiting(world, project)


def test_it_orders_by_arrival_whatever_the_producers_clocks_say(world: World) -> None:
    """No time that a producer writes anywhere is read: neither order nor sameness nor age comes from it."""
    project = world.project()
    times = ["2031-01-01T00:00:00Z", "1999-12-31T23:59:59+14:00", "2026-11-29T12:00:00Z"]
    for n, at in enumerate(times):
        admit(world, body(project, f"k{n}", payload={"sent_at": at, "n": n}), by=sender(world, Date=at))
    assert [w.idempotency_key for w in waiting(world, project)] == ["k0", "k1", "k2"]
    age = world.one("SELECT max(abs(extract(epoch FROM clock_timestamp() - received_at))) FROM messages WHERE project_id = %s", project)
    assert age < 3600


def test_it_takes_no_more_than_it_can_at_once(world: World) -> None:
    with pytest.raises(ValueError, match="501"):
        admit(world, *[b"{}"] * 501)
    assert admit(world) == []


def test_it_leaves_a_partition_put_off_that_was_put_off(world: World) -> None:
    """What comes behind a head that failed doesn't have it tried sooner; the first one of an empty partition is due at once."""
    project = world.project()
    admit(world, body(project, "head"))
    world.sql.execute("UPDATE inbox_partitions SET due = 'infinity' WHERE project_id = %s", [project])
    admit(world, body(project, "behind"))
    assert world.one("SELECT pull_at = 'infinity' FROM inbox_partitions WHERE project_id = %s", project)
    world.sql.execute("DELETE FROM inbox i USING messages m WHERE m.id = i.message_id AND m.project_id = %s", [project])
    world.sql.execute("UPDATE inbox_partitions SET open = 0 WHERE project_id = %s", [project])
    admit(world, body(project, "anew"))
    assert world.one("SELECT pull_at <= clock_timestamp() FROM inbox_partitions WHERE project_id = %s", project)


# A model: of each key the first good content stands, and what is in stands in the order of its partition

STEPS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("PQ"), st.sampled_from(["1.00", "2.00", 3.5]), st.booleans()), min_size=1, max_size=25
)


@settings(max_examples=25, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_it_agrees_with_its_model(world: World, steps: list[tuple[str, str, Any, bool]]) -> None:
    """Each step is a message, and says whether a call ends behind it."""
    project = world.project()
    stands: dict[str, tuple[str, str]] = {}
    order: dict[str, list[str]] = {}
    expected: list[str] = []
    answers: list[admission.Answer] = []
    call: list[bytes] = []
    for key, partition, amount, ends in steps:
        call.append(body(project, key, partition_key=partition, variance_amount=amount))
        if isinstance(amount, float):
            expected.append("POISON_MESSAGE")
        elif key not in stands:
            stands[key] = (partition, amount)
            order.setdefault(partition, []).append(key)
            expected.append("admitted")
        else:
            expected.append("repeated" if stands[key] == (partition, amount) else "DUPLICATE_KEY")
        if ends:
            answers += admit(world, *call)
            call = []
    answers += admit(world, *call)
    assert [a.code or a.result for a in answers] == expected
    found = waiting(world, project)
    assert [w.idempotency_key for w in found] == [key for partition in sorted(order) for key in order[partition]]
    letters = {step[:3] for step, e in zip(steps, expected, strict=True) if e.isupper()}  # the same again is counted with the first
    came_again = world.one("SELECT COALESCE(sum(came_again), 0) FROM dead_letters_open WHERE project_id = %s", project)
    assert len(world.refused(project)) == len(letters) and len(letters) + came_again == sum(e.isupper() for e in expected)
    assert [r.code or r.decision for r in sorted(records(world, project), key=lambda r: r.id) if r.decision != "admitted"] == [
        e for call_of in _calls(steps, expected) for e in call_of if e != "admitted"
    ]
    assert not [p for p in disagreements(world) if p.id in {w.partition_id for w in found}]


def _calls(steps: list[tuple[str, str, Any, bool]], expected: list[str]) -> list[list[str]]:
    calls: list[list[str]] = [[]]
    for step, answer in zip(steps, expected, strict=True):
        calls[-1].append(answer)
        if step[3]:
            calls.append([])
    return calls


# Races


def test_it_takes_the_same_key_once_from_sixteen_threads(world: World) -> None:
    project = world.project()
    for n in range(5):
        answers = [a for part in at_once(16, lambda _, n=n: admit(world, body(project, f"k{n}"))) for a in part]
        assert Counter(a.result for a in answers) == {"admitted": 1, "repeated": 15}
        assert len({(a.message_id, a.trace_id) for a in answers}) == 1
    assert len(waiting(world, project)) == 5 and not disagreements(world)


def test_it_takes_one_of_a_key_that_races_over_two_partitions(world: World) -> None:
    project = world.project()
    for n in range(8):
        answers = [a for part in at_once(8, lambda i, n=n: admit(world, body(project, f"k{n}", partition_key=f"P{i % 2}"))) for a in part]
        won = {w.key for w in waiting(world, project) if w.idempotency_key == f"k{n}"}
        assert len(won) == 1
        assert Counter(a.result for a in answers) == {"admitted": 1, "repeated": 3, "refused": 4}
        assert {a.cause for a in answers if a.result == "refused"} == {"other_content"}
    assert len(waiting(world, project)) == 8 and not disagreements(world)


def test_it_takes_each_once_where_calls_overlap_in_any_order(world: World) -> None:
    project = world.project()
    keys = [f"k{n}" for n in range(60)]

    def send(i: int) -> Counter[str]:
        mine = random.Random(i).sample(keys, 40)
        return Counter(a.result for a in admit(world, *(body(project, k, partition_key=f"P{int(k[1:]) % 7}") for k in mine)))

    told = sum(at_once(12, send), Counter())
    there = {w.idempotency_key for w in waiting(world, project)}
    assert told["admitted"] == len(waiting(world, project)) == len(there) and told["admitted"] + told["repeated"] == 480
    assert not disagreements(world)


def test_it_gives_ids_in_the_order_of_a_partition_whoever_else_sends(world: World) -> None:
    """Each sender's messages stand in its order; and what was answered before another call began stands before that call's."""
    project = world.project()

    def send(i: int) -> list[list[int]]:
        return [
            [a.message_id or 0 for a in admit(world, *(body(project, f"{i}-{call}-{n}", partition_key=f"P{n % 2}") for n in range(6)))]
            for call in range(6)
        ]

    for calls in at_once(6, send):
        ids = [message_id for call in calls for message_id in call]
        assert ids == sorted(ids)
    assert not disagreements(world)


def test_it_lets_nobody_see_a_later_id_of_a_partition_before_an_earlier_one(world: World) -> None:
    """Ids are given under the partition's lock: while one call is not committed, no other one of its partition has an id."""
    project = world.project()
    admit(world, body(project, "first"))
    seen: list[int] = []

    def watch() -> None:
        found = [w.id for w in waiting(world, project)]
        assert found[: len(seen)] == seen, "something came in before what was seen already"
        seen[:] = found

    def send(i: int) -> None:
        if i == 0:
            while len(seen) < 1 + 5 * 20:
                watch()
        else:
            for n in range(20):
                admit(world, body(project, f"{i}-{n}"))

    at_once(6, send)


def test_it_is_in_wholly_or_not_at_all(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.project()

    def broken(*_: Any, **__: Any) -> None:
        raise errors.Unavailable()

    with monkeypatch.context() as patch:
        patch.setattr(admission, "_record", broken)
        with pytest.raises(errors.Unavailable):
            admit(world, body(project, "a"), b"bad", body(project, "b"))
    assert not waiting(world, project) and not world.refused(project) and not records(world, project) and not disagreements(world)
    assert [a.result for a in admit(world, body(project, "a"), body(project, "b"))] == ["admitted", "admitted"]


# Room


def limited(limit: int) -> parameters.Version:
    settings = {**parameters.DEFAULTS.settings, "inbox_limit": limit, "retry_after_s": 17}
    return parameters.Version(3, settings, "file", "a test", "system", None)


def test_it_asks_to_wait_while_the_inbox_is_full(world: World) -> None:
    world.sql.execute("DELETE FROM inbox")
    world.sql.execute("UPDATE inbox_partitions SET open = 0")
    project = world.project()
    fresh = Database(world.conninfos.web, max_size=2, name="test room")
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rooms, "COUNTED_FOR", 3600)  # what comes after the first count is only added
            admission.room(fresh, limited(2))
            admission.admit(fresh, [body(project, "a"), body(project, "b")], sender=sender(world), worker=WORKER, settings=limited(2))
            with pytest.raises(errors.QueueSaturated, match="2 messages wait, and inbox_limit is 2") as caught:
                admission.room(fresh, limited(2))
        assert (caught.value.status, caught.value.retry_after) == (429, 17)
        admission.room(fresh, limited(3))
    finally:
        fresh.close()
    other = Database(world.conninfos.web, max_size=2, name="another process")
    try:
        with pytest.raises(errors.QueueSaturated):
            admission.room(other, limited(2))
        assert world.one("SELECT n > 0 FROM pipeline_signals WHERE code = 'QUEUE_SATURATED' ORDER BY minute DESC LIMIT 1")
    finally:
        other.close()


def test_it_reads_no_further_while_a_patient_producer_waits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    project, read, asked = world.project(), [], []

    def bodies() -> Iterator[bytes]:
        for n in range(3 * admission.LIMIT):
            read.append(n)
            yield body(project, f"k{n}")

    def room(*_: Any) -> None:
        asked.append(len(read))
        if len(asked) in (2, 3, 4):
            raise errors.QueueSaturated()

    monkeypatch.setattr(admission, "room", room)
    monkeypatch.setattr(sending, "PAUSE_SECONDS", 0)
    sent = sending.take(world.web, bodies(), sender=sender(world), worker=WORKER, sent=sending.Sent(), patience=60)
    assert asked == [501, 1001, 1001, 1001, 1001, 1500], "one message ahead of the call, no more"
    assert (sent.lines, sent.accepted) == (1500, 1500)


def test_it_tells_an_impatient_one_at_once_how_far_it_came(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    project, sent, asked = world.project(), sending.Sent(), []

    def room(*_: Any) -> None:
        asked.append(1)
        if len(asked) == 2:
            raise errors.QueueSaturated()

    monkeypatch.setattr(admission, "room", room)
    with pytest.raises(errors.QueueSaturated):
        sending.take(world.web, (body(project, f"k{n}") for n in range(700)), sender=sender(world), worker=WORKER, sent=sent)
    assert (sent.lines, sent.accepted, len(waiting(world, project))) == (500, 500, 500)


# Each guard is needed

Test = Callable[[World], None]
MUTANTS: list[tuple[str, str, str, Test]] = [
    ("inbox/admit", "WHERE NOT EXISTS (SELECT FROM known WHERE known.nth = g.nth)", "WHERE true", test_it_takes_a_message_in_once),
    ("inbox/admit", "open = p.open + f.n", "open = p.open + 1", test_it_takes_each_once_where_calls_overlap_in_any_order),
    (
        "inbox/admit",
        "CASE WHEN p.open = 0 THEN clock_timestamp() ELSE p.due END",
        "clock_timestamp()",
        test_it_leaves_a_partition_put_off_that_was_put_off,
    ),
    ("inbox/admit", "CASE WHEN p.open = 0 THEN clock_timestamp() ELSE p.due END", "p.due", test_it_leaves_a_partition_put_off_that_was_put_off),
    ("inbox/admit", "ORDER BY g.nth) f", "ORDER BY g.nth DESC) f", test_it_gives_ids_in_the_order_of_a_partition_whoever_else_sends),
    ("inbox/hold", "DO UPDATE SET open = p.open", "DO NOTHING", test_it_lets_nobody_see_a_later_id_of_a_partition_before_an_earlier_one),
    ("inbox/projects", "p.cancelled_at IS NOT NULL AS cancelled", "false AS cancelled", test_it_takes_nothing_for_a_project_that_can_not_settle_it),
    ("inbox/depth", "SELECT count(*)::int AS n", "SELECT 0 AS n", test_it_asks_to_wait_while_the_inbox_is_full),
]


@pytest.mark.parametrize(("statement", "guard", "instead", "test"), MUTANTS, ids=[f"{m[0]} {m[2]}"[:50] for m in MUTANTS])
def test_it_would_notice_a_missing_guard(world: World, statement: str, guard: str, instead: str, test: Test) -> None:
    with without(statement, guard, instead), pytest.raises((AssertionError, errors.Error)):
        for _ in range(5):
            test(world)


PYTHON: list[tuple[Any, str, Any, Test]] = [
    (admission, "_of_project", lambda draft, _: draft, test_it_takes_nothing_for_somebody_elses_project_and_says_no_more_than_of_one_that_is_not),
    (admission, "_of_project", lambda draft, _: draft, test_it_takes_nothing_for_a_project_that_can_not_settle_it),
    (admission, "_judged", lambda draft, _: draft, test_it_judges_sameness_by_the_whole_message_not_by_the_source_hash),
    (admission, "_record", lambda *_: None, test_it_takes_a_message_in_once),
    (messages.Message, "content", lambda self: self.model_dump(), test_it_knows_a_message_however_it_is_written),
    (messages.Message, "message_hash", messages.Message.source_hash, test_it_judges_sameness_by_the_whole_message_not_by_the_source_hash),
    (rooms, "add", lambda *_: None, test_it_asks_to_wait_while_the_inbox_is_full),
]


@pytest.mark.parametrize(("module", "name", "instead", "test"), PYTHON, ids=[m[1] for m in PYTHON])
def test_it_would_notice_a_missing_step(world: World, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, instead: Any, test: Test) -> None:
    monkeypatch.setattr(module, name, instead)
    with pytest.raises((AssertionError, errors.Error, pytest.fail.Exception)):
        test(world)
