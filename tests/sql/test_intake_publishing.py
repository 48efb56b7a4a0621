"""From the spool to the queue: nothing is claimable before its payload is durable and its hash known (I6), partitions stay in order."""

from __future__ import annotations

import hashlib
import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from claimcheck import errors, evidence, items, projects, publishing, store
from claimcheck.intake import uploads
from tests.intake import PNG, World, at_once, file, row, without

SECONDS = 60  # until all must be published
I6 = """
SELECT t.id, t.item_id, t.evidence_version, t.evidence_hash, i.project_id, t.shown_version, i.evidence_version AS durable, e.published_at
  FROM tasks t JOIN items i ON i.id = t.item_id LEFT JOIN evidence e ON e.item_id = t.item_id AND e.version = t.evidence_version
 WHERE t.project_id = %s ORDER BY t.id"""


def check_durable(world: World, project: int, tasks: int) -> None:
    """I6: every task's evidence is published, every byte of it in the store, and its hash that of the document."""
    found = world.all(I6, project)
    assert len(found) == tasks
    for task in found:
        assert task.published_at is not None and task.durable >= task.evidence_version
        of = {"item_id": task.item_id, "evidence_version": task.evidence_version}
        document = evidence.document(world.web, **of, project_id=project, shown_version=task.shown_version)
        assert hashlib.sha256(publishing.evidence.canonical.encode(document)).digest() == task.evidence_hash
        for part in evidence.parts(world.web, item_id=task.item_id, version=task.evidence_version):
            assert hashlib.sha256(world.store.read(part.object_key, part.size)).digest() == part.sha256
    assert (
        world.one("SELECT count(*) FROM spool s JOIN tasks t USING (item_id) WHERE s.version <= t.evidence_version AND t.project_id = %s", project)
        == 0
    )


def _check_items_are_claimable_when_durable(world: World) -> None:
    project = world.project()
    world.accept(
        project,
        [row(f"k{n}", str(n)) | {"payload": {"n": n, "files": [file(PNG, "a.png", "image/png"), file(b"%d" % n)]}} for n in range(7)],
    )
    assert world.claim() is None
    assert world.publish() == 7
    check_durable(world, project, 7)
    assert world.claim() is not None


def test_it_makes_items_claimable_once_they_are_durable_and_hashed(world: World) -> None:
    _check_items_are_claimable_when_durable(world)


def test_that_test_notices_when_nothing_is_put(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "_put", lambda *_: None)
    world.store.delete(f"p{world.named + 1}/none")
    with pytest.raises((AssertionError, errors.Error)):
        _check_items_are_claimable_when_durable(world)


def _upload(world: World, data: bytes, name: str = "long.txt") -> uploads.Upload:
    return uploads.receive(world.web, world.store, person=world.cast.eve, name=name, content_type="text/plain", file=io.BytesIO(data))


def _naming(key: str, upload: uploads.Upload) -> dict[str, Any]:
    named = {"name": "long.txt", "content_type": "text/plain", "upload": str(upload.public_id)}
    return {"idempotency_key": key, "payload": {"files": [named]}}


def test_it_takes_uploads_by_name_and_only_looks_at_them(world: World) -> None:
    project, data = world.project(), b"a long letter " * 1000
    done = world.accept(project, [_naming("k", _upload(world, data)), _naming("k", _upload(world, data)), _naming("k", _upload(world, b"another"))])
    assert (done.accepted, done.repeated, [r.code for r in done.refused]) == (1, 1, ["DUPLICATE_KEY"])
    assert world.publish() == 1
    check_durable(world, project, 1)


def test_it_refuses_an_upload_of_another_customer_or_of_another_type(world: World) -> None:
    project, upload = world.project(), _upload(world, b"mine")
    world.sql.execute("UPDATE uploads SET customer_id = NULL, person_id = %s WHERE public_id = %s", (world.cast.ben.id, upload.public_id))
    pdf = _naming("l", _upload(world, b"text"))
    pdf["payload"]["files"][0]["content_type"] = "application/pdf"
    refused = world.accept(project, [_naming("k", upload), pdf]).refused
    assert [r.field for r in refused] == ["items[0].payload.files[0].upload", "items[1].payload.files[0].content_type"]


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7 hello"])
def test_it_refuses_an_upload_that_is_empty_or_not_what_it_says(world: World, data: bytes) -> None:
    with pytest.raises(errors.Invalid) as told:
        uploads.receive(world.web, world.store, person=world.cast.eve, name="a", content_type="image/png", file=io.BytesIO(data))
    assert told.value.errors[0].field == "file"


def test_it_puts_off_an_item_whose_object_is_missing_and_publishes_its_neighbours(world: World) -> None:
    project, data = world.project(), b"here today"
    upload = _upload(world, data)
    world.store.delete(upload.object_key)
    world.accept(project, [row("a"), _naming("b", upload), row("c")])
    assert world.publish() == 2
    (left,) = world.all("SELECT e.* FROM evidence e JOIN items i ON i.id = e.item_id WHERE project_id = %s AND published_at IS NULL", project)
    assert left.attempts == 1 and "does not have this object" in left.last_error and left.publish_until is not None
    world.store.put(upload.object_key, data, len(data), "text/plain", hashlib.sha256(data).hexdigest())
    world.sql.execute("UPDATE evidence SET publish_until = clock_timestamp() WHERE item_id = %s", (left.item_id,))
    assert world.publish() == 1
    check_durable(world, project, 3)


def test_it_publishes_nothing_whose_object_is_another(world: World) -> None:
    project, upload = world.project(), _upload(world, b"the first")
    other = b"the other"
    world.store.put(upload.object_key, other, len(other), "text/plain", hashlib.sha256(other).hexdigest())
    world.accept(project, [_naming("k", upload)])
    assert world.publish() == 0
    assert world.all(I6, project) == []


ORDER = """
SELECT count(*) FROM partitions p
 WHERE p.last_no <> (SELECT count(*) FROM tasks t WHERE t.partition_id = p.id)
    OR p.last_no <> COALESCE((SELECT max(t.partition_no) FROM tasks t WHERE t.partition_id = p.id), 0)
    OR EXISTS (SELECT FROM tasks t WHERE t.partition_id = p.id AND t.waits <> (t.partition_no > p.promoted_no))"""


def _check_order_of_partitions(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four publishers, bites of seven, and a referee who looks on."""
    monkeypatch.setattr(publishing, "LIMIT", 7)
    project = world.project()
    world.accept(project, [row(f"k{n}", partition_key=["a", "b", "c", None][n % 4]) for n in range(120)])
    done, broken = threading.Event(), []
    with psycopg.connect(world.conninfos.superuser, autocommit=True) as watching:

        def watch() -> None:
            while not done.is_set():
                broken.append(watching.execute(ORDER).fetchone()[0])  # type: ignore[index]

        referee = threading.Thread(target=watch)
        referee.start()
        try:
            at_once(4, lambda _: _publish_all(world, project))
        finally:
            done.set()
            referee.join()
    assert not any(broken)
    assert [t.partition_no for t in world.all("SELECT partition_no FROM tasks WHERE project_id = %s AND partition_no = 1", project)] == [
        1,
        1,
        1,
    ]
    check_durable(world, project, 120)


def _publish_all(world: World, project: int) -> None:
    until = time.monotonic() + SECONDS
    while world.one("SELECT count(*) FROM items WHERE not_durable_in = %s", project):
        assert time.monotonic() < until, "items are left behind"
        publishing.publish(world.worker, world.store)


def test_it_publishes_partitions_in_order_with_several_publishers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _check_order_of_partitions(world, monkeypatch)


def test_that_test_notices_when_nobody_asks_whose_turn_it_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with without("items/publish", "before = last_no", "true"), pytest.raises((AssertionError, errors.Error)):
        _repeatedly(world, monkeypatch)


def test_that_test_notices_a_lost_wake_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.sql.test_intake_publishing.SECONDS", 3)
    with without("partitions/wake", "AND e.waits", "AND false"), pytest.raises(AssertionError, match="left behind"):
        _repeatedly(world, monkeypatch)


def _repeatedly(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        _check_order_of_partitions(world, monkeypatch)


def test_it_lets_a_long_partition_wait_outside_the_publishers_sight(world: World) -> None:
    project = world.project()
    for n in range(0, 450, 150):
        world.accept(project, [row(f"k{m}", partition_key="hot") for m in range(n, n + 150)])
    assert world.one("SELECT count(*) FROM evidence e JOIN items i ON i.id = e.item_id WHERE e.waits AND project_id = %s", project) == 250
    assert world.publish() == 450
    assert world.all("SELECT accepted_no, last_no, promoted_no FROM partitions WHERE project_id = %s", project) == [(450, 450, 1)]


def _check_a_partition_of_several_queues(world: World) -> None:
    project = world.project()
    given = [(n, queue) for n, queue in enumerate(["automatic", "review", "review"] * 10)]
    world.accept(project, [items.Routed(row(f"k{n}", partition_key="p"), queue, None, b"") for n, queue in given])
    assert publishing.publish(world.worker, world.store).published == 30
    assert [t.partition_no for t in world.all("SELECT partition_no FROM tasks WHERE project_id = %s ORDER BY id", project)] == [*range(1, 31)]


def test_it_publishes_a_partition_of_several_queues_in_one_round(world: World) -> None:
    """Else all that was passed over is stored again in each round, and a hot partition keeps the store from the others."""
    _check_a_partition_of_several_queues(world)


def test_that_test_notices_when_queues_are_not_taken_in_turn(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "_placed", lambda taken: [((0, publishing._group(t)), t) for t in taken])
    with pytest.raises(AssertionError):
        _check_a_partition_of_several_queues(world)


def test_it_hands_urgent_items_out_first_and_each_in_its_place(world: World) -> None:
    project = world.project(priority=2)
    world.accept(project, [row("low", priority=-10), row("usual"), row("usual 2"), row("urgent", priority=20)])
    world.publish()
    found = world.all(
        "SELECT i.idempotency_key AS key, t.* FROM tasks t JOIN items i ON i.id = t.item_id WHERE t.project_id = %s ORDER BY rank", project
    )
    assert [(t.key, t.priority, t.state) for t in found] == [
        ("urgent", 20, "pending"), ("usual", 2, "pending"), ("usual 2", 2, "pending"), ("low", -10, "pending"),
    ]  # fmt: skip
    assert all(abs((t.created_at - t.since).total_seconds() - t.priority * 600) < 1 for t in found)


def test_it_publishes_paused_projects_as_paused(world: World) -> None:
    project = world.project()
    world.accept(project, [row("k")])
    projects.pause(world.web, project, world.cast.chi.id)
    world.publish()
    assert [t.state for t in world.all("SELECT state FROM tasks WHERE project_id = %s", project)] == ["paused"]
    projects.resume(world.web, project, world.cast.chi.id)
    assert world.claim() is not None


def test_it_drops_what_a_cancelled_project_has_in_the_spool(world: World) -> None:
    project = world.project()
    world.accept(project, [row(f"k{n}", partition_key="a" if n < 250 else None) for n in range(300)])
    projects.cancel(world.web, project, world.cast.chi.id)
    assert world.publish() == 0
    assert world.all(I6, project) == []
    found = world.all("SELECT e.*, i.not_durable_in FROM evidence e JOIN items i ON i.id = e.item_id WHERE project_id = %s", project)
    assert {(e.last_error, e.published_at, e.not_durable_in) for e in found} == {
        ("the project was cancelled before this was published; its bytes were dropped", None, project)
    }
    assert world.one("SELECT count(*) FROM spool s JOIN items i ON i.id = s.item_id WHERE project_id = %s", project) == 0
    assert publishing.publish(world.worker, world.store).taken == 0


@contextmanager
def _committed_while_publishing(world: World, statement: str, project: int) -> Iterator[None]:
    """The change is made but not yet committed when the block begins, and committed half a second later."""
    with psycopg.connect(world.conninfos.superuser) as rival:
        rival.execute(statement, (project,))  # type: ignore[call-overload]
        timer = threading.Timer(0.5, rival.commit)
        timer.start()
        yield
        timer.join()


CHANGES = {
    "cancelled_at": "UPDATE projects SET cancelled_at = clock_timestamp() WHERE id = %s",
    "paused_at": "UPDATE projects SET paused_at = clock_timestamp() WHERE id = %s",
}


def _check_change_is_not_missed(world: World, column: str, states: list[str]) -> None:
    project = world.project()
    world.accept(project, [row("k")])
    taken = world.worker.all("evidence/take", publishing._Taken, limit=10, bytes=10**9, lease_seconds=30)
    parts = evidence.parts_of(world.worker, [t.of for t in taken])
    publishing._store_all(world.worker, world.store, parts)
    with _committed_while_publishing(world, CHANGES[column], project):
        publishing._publish_all(world.worker, taken, parts)
    assert [t.state for t in world.all("SELECT state FROM tasks WHERE project_id = %s", project)] == states


@pytest.mark.parametrize(("column", "states"), [("cancelled_at", []), ("paused_at", ["paused"])])
def test_it_misses_no_cancel_and_no_pause_that_comes_meanwhile(world: World, column: str, states: list[str]) -> None:
    _check_change_is_not_missed(world, column, states)


@pytest.mark.parametrize(("column", "states"), [("cancelled_at", []), ("paused_at", ["paused"])])
def test_that_test_notices_when_the_project_is_not_locked(world: World, column: str, states: list[str]) -> None:
    with without("items/publish", "FOR SHARE"), pytest.raises(AssertionError):
        _check_change_is_not_missed(world, column, states)


def test_it_publishes_the_same_once_when_two_have_taken_it(world: World) -> None:
    project = world.project()
    world.accept(project, [row(f"k{n}", partition_key="a") for n in range(20)])
    taken = world.worker.all("evidence/take", publishing._Taken, limit=100, bytes=10**9, lease_seconds=30)
    parts = evidence.parts_of(world.worker, [t.of for t in taken])
    publishing._store_all(world.worker, world.store, parts)
    assert sum(at_once(4, lambda _: publishing._publish_all(world.worker, taken, parts))) == 20
    check_durable(world, project, 20)


def test_it_takes_no_more_bytes_at_once_than_it_can_store_before_its_lease_ends(world: World) -> None:
    project = world.project()
    world.accept(project, [row(f"k{n}") for n in range(5)])
    size = world.one("SELECT max(size) FROM evidence_parts p JOIN items i ON i.id = p.item_id WHERE project_id = %s", project)
    taken = world.worker.all("evidence/take", publishing._Taken, limit=100, bytes=2 * size, lease_seconds=30)
    assert len(taken) == 2


def _check_bulk_holds_nobody_up(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "LIMIT", 20)
    bulk, single = world.project(), world.project()
    world.accept(bulk, [row(f"k{n}") for n in range(100)])
    world.accept(single, [row("k")])
    publishing.publish(world.worker, world.store)
    check_durable(world, single, 1)
    assert world.publish() > 70


def test_it_lets_nobody_wait_behind_somebody_elses_bulk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _check_bulk_holds_nobody_up(world, monkeypatch)


def test_that_test_notices_when_only_the_oldest_are_taken(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with without("evidence/take", "WHERE (SELECT count(*) FROM oldest) =", "WHERE -1 ="), pytest.raises(AssertionError):
        _check_bulk_holds_nobody_up(world, monkeypatch)


def test_it_looks_whether_the_store_has_what_it_was_given(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    put = world.store.client.put_object
    monkeypatch.setattr(
        world.store.client,
        "put_object",
        lambda bucket, key, data, size, *a, **k: put(bucket, key, io.BytesIO(data.read(size)[:-1]), size - 1, *a, **k),
    )
    with pytest.raises(errors.PayloadDamaged):
        world.store.put("p0/short", b"hello", 5, "text/plain", hashlib.sha256(b"hello").hexdigest())
    assert isinstance(store.Missing(), errors.PayloadMissing)
    assert items.CHUNK_ROWS == 500
