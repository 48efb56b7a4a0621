"""Evidence: new versions while an item is held and after it was settled, new rules, and who sees what, on record first."""

from __future__ import annotations

import hashlib
import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from claimcheck import errors, evidence, publishing, revisions, rules, versions
from claimcheck.access import access_events
from claimcheck.evidence import OpenPart
from claimcheck.experts.ruling import BY_THE_STATEMENT
from claimcheck.intake import uploads
from claimcheck.review import decisions
from claimcheck.review.tasks import Claim
from tests.intake import World, at_once, eventually, file, row, without
from tests.sql.test_intake_publishing import check_durable


def _item(world: World, project: int, **payload: Any) -> int:
    (taken,) = world.accept(project, [{"idempotency_key": f"k{payload}"[:200], "payload": payload or {"name": "Ada", "age": 36}}]).taken
    world.publish()
    return taken.item_id


def _held(world: World, **payload: Any) -> tuple[int, Claim]:
    project = world.project()
    item_id = _item(world, project, **payload)
    claim = world.claim()
    assert claim is not None and claim.item_id == item_id
    return project, claim


def _submit(world: World, claim: Claim, evidence_hash: bytes) -> int:
    of = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "me": world.cast.ada.id}
    return decisions.submit(world.web, **of, evidence_hash=evidence_hash, verdict="approve", reason_code="fine")


def _revise(world: World, item_id: int, payload: Any, who: str = "eve") -> revisions.Revised:
    return revisions.revise(world.web, person=getattr(world.cast, who), item_id=item_id, payload=payload)


def _check_change_while_held(world: World) -> None:
    """I8: the lease stays, the first submit is told, and the decision is bound to what was looked at again."""
    project, claim = _held(world)
    assert _revise(world, claim.item_id, {"name": "Ada", "age": 37}) == revisions.Revised(claim.item_id, 2, new=True)
    (task,) = world.all("SELECT * FROM tasks WHERE id = %s", claim.task_id)
    assert task.evidence_hash == claim.evidence_hash, "nothing changes before it is durable"
    assert world.publish() == 1
    (task,) = world.all("SELECT * FROM tasks WHERE id = %s", claim.task_id)
    assert (task.evidence_version, task.state) == (2, "full") and task.evidence_hash != claim.evidence_hash
    check_durable(world, project, 1)
    with pytest.raises(errors.EvidenceChanged):
        _submit(world, claim, claim.evidence_hash)
    decision = decisions.load(world.web, decision_id=_submit(world, claim, task.evidence_hash))
    assert (decision.evidence_version, decision.evidence_hash) == (2, task.evidence_hash)
    assert evidence.fields(world.web, world.store, assignment_id=claim.assignment_id, person_id=world.cast.ada.id) == {
        "name": "Ada",
        "age": 37,
    }


def test_it_tells_the_holder_that_the_evidence_changed(world: World) -> None:
    _check_change_while_held(world)


def test_that_test_notices_when_open_tasks_keep_the_old_hash(world: World) -> None:
    with without("evidence/follow", "WHERE t.ended_as IS NULL", "WHERE false AND t.ended_as IS NULL"), pytest.raises(AssertionError):
        _check_change_while_held(world)


def _check_escalation_meanwhile(world: World) -> None:
    """A submit raises an escalation, and has not committed yet, when newer evidence is published."""
    _, claim = _held(world)
    _revise(world, claim.item_id, {"name": "Ada", "age": 37})
    of = {
        "assignment_id": claim.assignment_id,
        "lease_token": claim.lease_token,
        "me": world.cast.ada.id,
        "evidence_hash": claim.evidence_hash,
    }
    with ThreadPoolExecutor(1) as other:
        with world.web.transaction() as connection:
            what = {"verdict": "escalate", "answer": None, "vote": "escalate", "reason_code": "fine", "note": "", **BY_THE_STATEMENT}
            assert connection.run("decisions/submit", **of, **what) == 1
            published = other.submit(world.publish)
            eventually(world.somebody_waits)
        assert published.result() == 1
    (raised,) = world.all("SELECT * FROM tasks WHERE item_id = %s AND ended_as IS NULL", claim.item_id)
    assert (raised.kind, raised.evidence_version) == ("escalation", 2)


def test_it_gives_new_evidence_to_a_task_that_is_raised_meanwhile(world: World) -> None:
    _check_escalation_meanwhile(world)


def test_that_test_notices_when_tasks_follow_only_once(world: World) -> None:
    with without("evidence/follow", "SELECT count(*)::int AS stale", "SELECT 0 * count(*)::int AS stale"), pytest.raises(AssertionError):
        _check_escalation_meanwhile(world)


def test_it_keeps_both_hashes_of_an_item_that_changed_after_its_decision(world: World) -> None:
    _, claim = _held(world, text="as it was")
    decision_id = _submit(world, claim, claim.evidence_hash)
    _revise(world, claim.item_id, {"text": "as it is"})
    world.publish()
    decision = decisions.load(world.web, decision_id=decision_id)
    now = evidence.hashes(world.web, item_ids=[claim.item_id])[claim.item_id]
    assert (decision.evidence_version, decision.current_evidence_version) == (1, 2)
    assert decision.evidence_hash == claim.evidence_hash != now
    said = world.all("SELECT detail FROM events WHERE kind = 'evidence.published' AND item_id = %s ORDER BY id", claim.item_id)
    assert [s.detail["evidence_hash"] for s in said] == [claim.evidence_hash.hex(), now.hex()]
    old = evidence.open_item_part(world.web, world.store, person=world.cast.eve, item_id=claim.item_id, version=1, n=0, purpose="history")
    assert b"".join(old.stream) == b'{"text":"as it was"}'


def test_it_adds_no_version_for_the_same_content(world: World) -> None:
    item_id = _item(world, world.project(), name="Ada", files=[file()])
    again = {"files": [file()], "name": "Ada"}
    assert _revise(world, item_id, again) == revisions.Revised(item_id, 1, new=False)
    assert _revise(world, item_id, {"name": "Ada", "files": [file(b"new")]}).version == 2
    assert _revise(world, item_id, {"name": "Ada", "files": [file(b"new")]}) == revisions.Revised(item_id, 2, new=False)


@pytest.mark.parametrize(("payload", "field"), [({}, "payload"), ({"files": [file(b"")]}, "payload.files[0].base64"), (7, "payload")])
def test_it_refuses_a_bad_payload_by_name(world: World, payload: Any, field: str) -> None:
    item_id = _item(world, world.project())
    with pytest.raises(errors.Invalid) as told:
        _revise(world, item_id, payload)
    assert told.value.errors[0].field == field
    assert world.one("SELECT count(*) FROM evidence WHERE item_id = %s", item_id) == 1


@pytest.mark.parametrize("who", ["ada", "dov"])
def test_it_takes_new_evidence_from_nobody_else(world: World, who: str) -> None:
    with pytest.raises(errors.NotFound):
        _revise(world, _item(world, world.project()), {"a": "b"}, who)


def test_it_numbers_versions_that_come_at_once_and_ends_at_the_newest(world: World) -> None:
    project, claim = _held(world)
    done = at_once(8, lambda n: _revise(world, claim.item_id, {"name": "Ada", "age": n}))
    assert sorted(d.version for d in done) == list(range(2, 10))
    at_once(3, lambda _: [publishing.publish(world.worker, world.store) for _ in range(12)])
    world.publish()
    assert world.one("SELECT evidence_version FROM items WHERE id = %s", claim.item_id) == 9
    assert world.one("SELECT count(*) FROM evidence WHERE item_id = %s AND published_at IS NULL", claim.item_id) == 0
    check_durable(world, project, 1)


def test_it_makes_one_task_of_an_item_that_changes_before_it_is_published(world: World) -> None:
    project = world.project()
    (taken,) = world.accept(project, [row("k", "first", partition_key="p")]).taken
    _revise(world, taken.item_id, {"name": "second"})
    assert world.publish() == 2
    assert world.all("SELECT evidence_version, partition_no FROM tasks WHERE item_id = %s", taken.item_id) == [(2, 1)]
    check_durable(world, project, 1)


def _change_rules(world: World, project: int, **more: Any) -> None:
    given = {
        "name": world.one("SELECT name FROM projects WHERE id = %s", project),
        "skill": "documents",
        "reason_codes": ["fine", "wrong"],
    } | more
    versions.change(world.web, project, world.cast.chi.id, rules.parse(given), why="a test")


def test_it_hashes_open_tasks_anew_when_what_is_shown_changes(world: World) -> None:
    project, claim = _held(world)
    for n in range(3):
        _item(world, project, n=n)
    _change_rules(world, project, show=["name"])
    check_durable(world, project, 4)
    assert {t.shown_version for t in world.all("SELECT shown_version FROM tasks WHERE project_id = %s", project)} == {2}
    with pytest.raises(errors.EvidenceChanged):
        _submit(world, claim, claim.evidence_hash)
    assert _submit(world, claim, world.one("SELECT evidence_hash FROM tasks WHERE id = %s", claim.task_id))
    document = evidence.document(world.web, item_id=claim.item_id, evidence_version=1, project_id=project, shown_version=2)
    assert document["shown"] == ["name"]


def test_it_goes_on_with_the_hashing_after_a_crash(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.project()
    world.accept(project, [row(f"k{n}") for n in range(10)])
    world.publish()
    monkeypatch.setattr(evidence, "PAGE", 3)
    whole, left = evidence.parts_of, [3]

    def dies(*args: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            raise errors.Unavailable()
        return whole(*args)

    monkeypatch.setattr(evidence, "parts_of", dies)
    with pytest.raises(errors.Unavailable):
        _change_rules(world, project, show=["name"])
    monkeypatch.setattr(evidence, "parts_of", whole)
    stale = "SELECT count(*) FROM tasks WHERE project_id = %s AND shown_version = 1"
    assert world.one(stale, project) == 4
    assert evidence.rehash(world.worker) == 4
    assert (world.one(stale, project), evidence.rehash(world.worker)) == (0, 0)
    check_durable(world, project, 10)


def test_it_hashes_until_none_is_stale_and_not_only_until_it_could_change_none(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The task takes newer evidence after the pass has read it, and keeps the older rules."""
    project, claim = _held(world)
    whole = evidence.parts_of

    def overtaken(*args: Any) -> Any:
        monkeypatch.setattr(evidence, "parts_of", whole)
        for table in ("evidence", "evidence_parts"):
            named = world.one(
                "SELECT string_agg(attname, ', ') FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND attgenerated = '' AND attname <> 'version'",
                table,
            )
            world.all(f"INSERT INTO {table} (version, {named}) SELECT 2, {named} FROM {table} WHERE item_id = %s RETURNING 1", claim.item_id)
        world.sql.execute("UPDATE tasks SET evidence_version = 2 WHERE id = %s", (claim.task_id,))
        return whole(*args)

    monkeypatch.setattr(evidence, "parts_of", overtaken)
    _change_rules(world, project, show=["name"])
    assert world.all("SELECT evidence_version, shown_version FROM tasks WHERE id = %s", claim.task_id) == [(2, 2)]


def test_it_publishes_under_the_rules_of_now_when_they_change_meanwhile(world: World) -> None:
    project = world.project()
    world.accept(project, [row("k")])
    taken = world.worker.all("evidence/take", publishing._Taken, limit=10, bytes=10**9, lease_seconds=30)
    parts = evidence.parts_of(world.worker, [t.of for t in taken])
    publishing._store_all(world.worker, world.store, parts)
    _change_rules(world, project, show=["name"])
    assert publishing._publish_all(world.worker, taken, parts) == 0
    assert world.publish() == 1
    check_durable(world, project, 1)


def _open(world: World, claim: Claim, who: str, n: int = 0) -> OpenPart:
    return evidence.open_part(world.web, world.store, assignment_id=claim.assignment_id, person_id=getattr(world.cast, who).id, n=n)


def test_it_shows_parts_to_the_holder_and_to_who_decided_only(world: World) -> None:
    _, claim = _held(world, name="Ada", files=[file(b"hello")])
    opened = _open(world, claim, "ada", 1)
    assert (opened.name, opened.content_type, opened.size, b"".join(opened.stream)) == ("letter.txt", "text/plain", 5, b"hello")
    for who, n in [("ben", 1), ("chi", 1), ("eve", 1), ("dov", 1), ("ada", 2)]:
        with pytest.raises(errors.NotFound):
            _open(world, claim, who, n)
    _submit(world, claim, claim.evidence_hash)
    assert b"".join(_open(world, claim, "ada", 1).stream) == b"hello"
    seen = access_events.of_item(world.web, item_id=claim.item_id)
    assert [(s.person_id, s.part, s.purpose) for s in seen] == [
        (world.cast.ada.id, "letter.txt", "review"),
        (world.cast.ada.id, "letter.txt", "own decision"),
    ]


@pytest.mark.parametrize("end", ["released", "skipped", "revoked"])
def test_it_shows_nothing_after_an_assignment_was_given_back(world: World, end: str) -> None:
    _, claim = _held(world)
    world.sql.execute("UPDATE assignments SET ended_at = clock_timestamp(), end_reason = %s WHERE id = %s", (end, claim.assignment_id))
    with pytest.raises(errors.NotFound):
        _open(world, claim, "ada")


def test_it_shows_an_items_parts_to_leads_and_to_its_customer_only(world: World) -> None:
    item_id = _item(world, world.project())
    world.sql.execute("INSERT INTO customers (name) VALUES ('Another') ON CONFLICT DO NOTHING")
    stranger = "INSERT INTO people (name, role, customer_id) SELECT %s, 'customer', id FROM customers WHERE name = 'Another' RETURNING id"
    other = world.one(stranger, f"Another {item_id}")

    def opened(person_id: int) -> bytes:
        person = type("Person", (), {"id": person_id})()
        part = evidence.open_item_part(world.web, world.store, person=person, item_id=item_id, version=1, n=0, purpose="history")
        return b"".join(part.stream)

    assert opened(world.cast.chi.id) == opened(world.cast.eve.id) == b'{"age":36,"name":"Ada"}'
    for person in (world.cast.ada.id, world.cast.dov.id, other):
        with pytest.raises(errors.NotFound):
            opened(person)
    assert [s.pseudonym for s in access_events.of_item(world.web, item_id=item_id)] == [world.cast.chi.pseudonym, world.cast.eve.pseudonym]


def test_it_shows_no_version_that_is_not_published(world: World) -> None:
    item_id = _item(world, world.project())
    _revise(world, item_id, {"a": "b"})
    with pytest.raises(errors.NotFound):
        evidence.open_item_part(world.web, world.store, person=world.cast.chi, item_id=item_id, version=2, n=0, purpose="history")


def _check_record_comes_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """I20: where the record can't be written, the store is not even asked."""
    _, claim = _held(world)
    asked: list[str] = []
    monkeypatch.setattr(world.store, "read", lambda key, limit: asked.append(key) or b"")
    world.sql.execute("ALTER TABLE access_events ADD CONSTRAINT never CHECK (false) NOT VALID")
    try:
        with pytest.raises(errors.StatementFailed):
            _open(world, claim, "ada")
        assert asked == []
    finally:
        world.sql.execute("ALTER TABLE access_events DROP CONSTRAINT never")


def test_it_lets_no_byte_leave_before_the_access_is_on_record(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _check_record_comes_first(world, monkeypatch)


def test_that_test_notices_when_nothing_is_recorded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        without("evidence/open_part", "WHERE NOT withheld AND (n = 0", "WHERE false AND (n = 0"),
        pytest.raises((AssertionError, errors.Error, pytest.fail.Exception)),
    ):
        _check_record_comes_first(world, monkeypatch)


def test_it_shows_nothing_of_a_payload_that_is_missing_or_damaged(world: World) -> None:
    _, claim = _held(world, name="Ada", files=[file(b"hello"), file(b"other", "b.txt")])
    first, second = evidence.parts(world.web, item_id=claim.item_id, version=1)[1:]
    world.store.delete(first.object_key)
    with pytest.raises(errors.PayloadMissing):
        _open(world, claim, "ada", 1)
    world.store.put(second.object_key, b"o7her", 5, "text/plain", hashlib.sha256(b"o7her").hexdigest())
    with pytest.raises(errors.PayloadDamaged):
        _open(world, claim, "ada", 2)


def _large(world: World, data: bytes) -> Claim:
    project = world.project()
    sent = uploads.receive(world.web, world.store, person=world.cast.eve, name="long.txt", content_type="text/plain", file=io.BytesIO(data))
    named = {"name": "long.txt", "content_type": "text/plain", "upload": str(sent.public_id)}
    world.accept(project, [{"idempotency_key": "k", "payload": {"files": [named]}}])
    world.publish()
    claim = world.claim()
    assert claim is not None
    return claim


def test_it_streams_a_large_part_and_breaks_off_where_it_is_damaged(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "WHOLE", 1000)
    data = b"a long letter " * 20_000
    claim = _large(world, data)
    assert b"".join(_open(world, claim, "ada", 1).stream) == data
    (part,) = evidence.parts(world.web, item_id=claim.item_id, version=1)[1:]
    damaged = data[:-1] + b"!"
    world.store.put(part.object_key, damaged, len(damaged), "text/plain", hashlib.sha256(damaged).hexdigest())
    came: list[bytes] = []
    with pytest.raises(errors.PayloadDamaged):
        came.extend(_open(world, claim, "ada", 1).stream)
    assert 0 < len(b"".join(came)) < len(data)
    world.store.delete(part.object_key)
    with pytest.raises(errors.PayloadMissing):
        _open(world, claim, "ada", 1)
