"""Items in: each row once for ever, good ones whatever their neighbours, nothing half-written."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from claimcheck import canonical, errors, items, lines, payloads
from claimcheck.intake import dead_letters
from tests.intake import PNG, World, at_once, file, row, without

DEEP = b'{"idempotency_key": "deep", "payload": {"a": ' + b"[" * 10_000 + b"]" * 10_000 + b"}}"
ZIP = b"PK\x03\x04" + b"\0" * 60
BIG = "x" * (1024 * 1024)
BAD: list[tuple[str, Any, str, str, str]] = [  # what, row, code, field, a part of the fix
    ("no key", {"payload": {"a": "b"}}, "INVALID_ROW", "items[0].idempotency_key", "is required"),
    ("an empty key", row(""), "INVALID_ROW", "items[0].idempotency_key", "at least 1"),
    ("a number as key", row("k") | {"idempotency_key": 7}, "INVALID_ROW", "items[0].idempotency_key", "must be text"),
    ("a field that is none of ours", row("k", color="red"), "INVALID_ROW", "items[0].color", "remove it"),
    ("no object", ["k"], "INVALID_ROW", "items[0]", "must be an object"),
    ("no payload", {"idempotency_key": "k"}, "INVALID_ROW", "items[0].payload", "is required"),
    ("a payload of text", {"idempotency_key": "k", "payload": "hi"}, "INVALID_ROW", "items[0].payload", "must be an object"),
    ("an empty payload", {"idempotency_key": "k", "payload": {}}, "INVALID_ROW", "items[0].payload", "put fields or files"),
    ("a priority too high", row("k", priority=21), "INVALID_ROW", "items[0].priority", "at most 20"),
    ("fields over the limit", row("k", BIG), "INVALID_ROW", "items[0].payload", "move the largest into `files`"),
    ("NUL in a line", b'{"idempotency_key": "k", "payload": {"a": "b\x00"}}', "INVALID_JSON", "items[0]", "NUL"),
    ("NUL in an escape", b'{"idempotency_key": "k", "payload": {"a": "b\\u0000"}}', "INVALID_JSON", "items[0].payload.a", "NUL"),
    ("half a character", b'{"idempotency_key": "k", "payload": {"a": "\\ud800"}}', "INVALID_JSON", "items[0].payload.a", "surrogate"),
    ("broken UTF-8", b'{"idempotency_key": "k", "payload": {"a": "\xff"}}', "INVALID_JSON", "items[0]", "not UTF-8"),
    ("10,000-deep JSON", DEEP, "INVALID_JSON", "items[0]", "flatten"),
    ("no JSON", b"hello", "INVALID_JSON", "items[0]", "not JSON"),
    ("a key twice", b'{"idempotency_key": "k", "idempotency_key": "l"}', "INVALID_JSON", "items[0]", "twice"),
    ("NaN", b'{"idempotency_key": "k", "payload": {"a": NaN}}', "INVALID_JSON", "items[0].payload.a", "NaN"),
    ("a line too long", lines.TooLong(b'{"idem', 30_000_000), "TOO_LARGE", "items[0]", "/v1/uploads"),
]
BAD_FILES: list[tuple[str, Any, str, str]] = [
    ("no list", {"name": "x"}, "items[0].payload.files", "must be a list"),
    ("no base64", [{"name": "a.txt", "content_type": "text/plain"}], "items[0].payload.files[0].base64", "exactly one"),
    ("broken base64", [file() | {"base64": "a b c"}], "items[0].payload.files[0].base64", "encode the file's bytes again"),
    ("an empty file", [file(b"")], "items[0].payload.files[0].base64", "empty file"),
    ("a zip posing as a PDF", [file(ZIP, "a.pdf", "application/pdf")], "items[0].payload.files[0].content_type", "ZIP archive"),
    ("text posing as a picture", [file(b"hello", "a.png", "image/png")], "items[0].payload.files[0].content_type", "PNG"),
    ("a picture posing as text", [file(PNG)], "items[0].payload.files[0].content_type", "text/plain"),
    ("no media type", [file(content_type="picture")], "items[0].payload.files[0].content_type", "media type"),
    ("a path as name", [file(name="../../etc/passwd")], "items[0].payload.files[0].name", "bare name"),
    ("the desk's own name", [file(name="payload.json")], "items[0].payload.files[0].name", "payload.json"),
    ("a NUL in a name", [file(name="a\0b")], "items[0].payload.files[0].name", "control characters"),
    ("a name twice", [file(), file(b"other")], "items[0].payload.files[1].name", "its own name"),
    ("too many", [file(name=f"{n}.txt") for n in range(51)], "items[0].payload.files", "limit is 50"),
    ("an upload that nobody sent", [{"name": "a", "content_type": "text/plain", "upload": "1f2e3d4c-0000-4000-8000-000000000000"}],
     "items[0].payload.files[0].upload", "/v1/uploads"),
    ("an upload that is no id", [file() | {"base64": None, "upload": "x"}], "items[0].payload.files[0].upload", "/v1/uploads"),
    ("both ways", [file(upload="1f2e3d4c-0000-4000-8000-000000000000")], "items[0].payload.files[0].base64", "exactly one"),
]  # fmt: skip


def _check_refusal(world: World, bad: Any, code: str, field: str, fix: str) -> None:
    project = world.project()
    done = world.accept(project, [bad, row("good")])
    (kept,) = done.refused
    assert (kept.code, kept.field) == (code, field)
    assert fix in kept.detail
    assert [t.idempotency_key for t in done.taken] == ["good"]
    (letter,) = world.refused(project)
    assert (letter.id, letter.detail) == (kept.dead_letter_id, kept.detail)
    body = bad if isinstance(bad, bytes) else bad.beginning if isinstance(bad, lines.TooLong) else canonical_or_json(bad)
    assert (letter.body, letter.source_hash) == (body, hashlib.sha256(body).digest())


def canonical_or_json(value: Any) -> bytes:
    return items._written(value)


@pytest.mark.parametrize(("bad", "code", "field", "fix"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_it_refuses_a_bad_row_by_name_and_keeps_its_bytes(world: World, bad: Any, code: str, field: str, fix: str) -> None:
    _check_refusal(world, bad, code, field, fix)


@pytest.mark.parametrize(("files", "field", "fix"), [b[1:] for b in BAD_FILES], ids=[b[0] for b in BAD_FILES])
def test_it_refuses_a_bad_file_by_name_and_keeps_its_bytes(world: World, files: Any, field: str, fix: str) -> None:
    _check_refusal(world, {"idempotency_key": "k", "payload": {"a": "b", "files": files}}, "INVALID_ROW", field, fix)


def test_it_refuses_a_row_that_is_too_large(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert payloads.INLINE_BYTES == 20 * 1024 * 1024
    monkeypatch.setattr(payloads, "INLINE_BYTES", 1000)
    _check_refusal(world, row("k") | {"payload": {"files": [file(b"x" * 800)]}}, "INVALID_ROW", "items[0].payload", "/v1/uploads")


def test_it_keeps_what_came_byte_for_byte(world: World) -> None:
    project = world.project()
    line = b'{"idempotency_key":"k","payload":{"amount":12.50,"name":"Zo\xc3\xab","files":[%s]}}' % (
        b'{"name":"a.png","content_type":"image/png","base64":"%s"}' % base64.b64encode(PNG)
    )
    world.accept(project, [line])
    parts = world.all("SELECT p.*, s.bytes FROM evidence_parts p JOIN spool s USING (item_id, version, n) ORDER BY n")
    assert [p.bytes for p in parts] == [b'{"amount":12.50,"name":"Zo\xc3\xab"}', PNG]
    assert [(p.name, p.content_type, p.size) for p in parts] == [("payload.json", "application/json", 30), ("a.png", "image/png", len(PNG))]
    assert all(p.sha256 == hashlib.sha256(p.bytes).digest() and p.object_key == f"p{project}/{p.sha256.hex()}" for p in parts)


def test_it_calls_an_item_by_the_field_that_the_rules_name_else_by_its_first_text(world: World) -> None:
    project = world.project(title="number")
    world.accept(
        project,
        [
            {"idempotency_key": k, "payload": p}
            for k, p in [("a", {"x": "first", "number": 7}), ("b", {"z": 1, "x": " a\nb "}), ("c", {"z": 1})]
        ],
    )
    rows = world.all("SELECT e.title FROM evidence e JOIN items i ON i.id = e.item_id WHERE project_id = %s ORDER BY i.id", project)
    assert [r.title for r in rows] == ["7", "a b", "c"]


def test_it_takes_the_same_row_once_whichever_way_it_is_written(world: World) -> None:
    project = world.project()
    first = world.accept(project, [b'{"idempotency_key":"k","payload":{"a":1,"b":"2"},"trace_id":"one"}'])
    again = world.accept(project, [b' {"payload": {"b": "2", "a": 1}, "idempotency_key": "k", "trace_id": "two"}\r', row("new")])
    assert (first.accepted, first.repeated, again.accepted, again.repeated, again.refused) == (1, 0, 1, 1, [])
    assert again.taken[-1].item_id == first.taken[0].item_id
    assert [b.repeated for b in world.all("SELECT repeated FROM batches WHERE project_id = %s ORDER BY id", project)] == [0, 1]


def _check_other_content_is_refused(world: World) -> None:
    project = world.project()
    world.accept(project, [row("k", "first")])
    done = world.accept(project, [row("k", "second"), row("k", "first"), row("l", "third"), row("l", "fourth"), row("l", "third")])
    assert [(r.idempotency_key, r.code, r.field) for r in done.refused] == [
        ("k", "DUPLICATE_KEY", "items[0].idempotency_key"),
        ("l", "DUPLICATE_KEY", "items[3].idempotency_key"),
    ]
    assert (done.accepted, done.repeated) == (1, 2)
    assert [r.body for r in world.refused(project)] == [canonical.encode(row("k", "second")), canonical.encode(row("l", "fourth"))]
    assert [
        r.title
        for r in world.all("SELECT title FROM evidence e JOIN items i ON i.id = e.item_id WHERE project_id = %s ORDER BY i.id", project)
    ] == [
        "first",
        "third",
    ]


def test_it_refuses_other_content_under_a_known_key(world: World) -> None:
    _check_other_content_is_refused(world)


def test_that_test_notices_when_contents_are_not_compared(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "_judged", lambda row, known: row)
    with pytest.raises(AssertionError):
        _check_other_content_is_refused(world)


def _check_storm(world: World) -> None:
    """Eight senders: the same forty rows in different orders, half of them partitioned, a rival for each key, and rows of one's own."""
    project = world.project()
    batch = world.batch(project)
    same = [row(f"k{n}", partition_key=["a", "b", None, None][n // 10]) for n in range(40)]
    rivals = [row(f"k{n}", "rival", partition_key=["b", "a", None, None][n // 10]) for n in range(40)]

    def send(i: int) -> list[items.AcceptedChunk]:
        rows = rivals if i % 4 == 3 else same
        own = [row(f"own {i} {n}", partition_key="a") for n in range(5)]
        chunks = [own, rows[:20][:: -1 if i % 2 else 1], rows[20:][:: -1 if i % 2 else 1]]
        return [world.accept(project, chunk, batch_id=batch) for chunk in chunks[:: -1 if i > 3 else 1]]

    done = [chunk for chunks in at_once(8, send) for chunk in chunks]
    assert sum(d.accepted for d in done) == 40 + 8 * 5
    assert sum(d.accepted + d.repeated + len(d.refused) for d in done) == 8 * 45
    assert world.one("SELECT count(*) FROM items WHERE project_id = %s", project) == 80
    assert len(world.refused(project)) == sum(len(d.refused) for d in done)
    numbers = world.all(
        "SELECT p.accepted_no, array_agg(i.partition_no ORDER BY i.id) AS nos FROM partitions p JOIN items i ON i.partition_id = p.id "
        "WHERE p.project_id = %s GROUP BY p.id",
        project,
    )
    assert all(n.nos == list(range(1, n.accepted_no + 1)) for n in numbers)
    assert (
        world.one("SELECT count(*) FROM items i WHERE project_id = %s AND NOT EXISTS (SELECT FROM spool s WHERE s.item_id = i.id)", project)
        == 0
    )


def test_it_takes_each_key_once_in_a_storm(world: World) -> None:
    _check_storm(world)


NO_KEY = "DROP INDEX items_key_once; CREATE INDEX items_key_once ON items (project_id, idempotency_key)"
MENDED = """
SET session_replication_role = replica;
DELETE FROM spool; DELETE FROM evidence_parts; DELETE FROM evidence; DELETE FROM items; DELETE FROM partitions;
RESET session_replication_role;
DROP INDEX items_key_once;
CREATE UNIQUE INDEX items_key_once ON items (project_id, idempotency_key) WHERE NOT gold"""


def test_that_test_notices_a_missing_unique_key(world: World) -> None:
    world.sql.execute(NO_KEY)
    try:
        with pytest.raises((AssertionError, errors.Error)):
            _until_noticed(world)
    finally:
        world.sql.execute(MENDED)


def test_that_test_notices_numbers_that_are_given_without_the_partitions_locks(world: World) -> None:
    unlocked = without("partitions/hold", "UPDATE SET accepted_no = p.accepted_no", "NOTHING")
    of_snapshot = "(SELECT p.accepted_no FROM partitions p WHERE p.id = turn.id) + fresh.step AS partition_no"
    with (
        unlocked,
        without("items/accept", "turn.before + fresh.step AS partition_no", of_snapshot),
        pytest.raises((AssertionError, errors.Error)),
    ):
        _until_noticed(world)


def _until_noticed(world: World) -> None:
    for _ in range(20):
        _check_storm(world)


@pytest.mark.parametrize("statement", ["items/accept", "dead_letters/keep", "batches/repeat"])
def test_it_writes_nothing_of_a_chunk_that_fails(world: World, statement: str) -> None:
    project = world.project()
    world.accept(project, [row("old")])
    batch = world.batch(project)
    before = world.one("SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM spool) + (SELECT count(*) FROM dead_letters)")
    with (
        without(statement, "%(project_id)s::int" if statement != "batches/repeat" else "%(rows)s::int", "(1 / 0)"),
        pytest.raises(errors.Error),
    ):
        world.accept(project, [row("new", partition_key="p"), row("old"), b"bad"], batch_id=batch)
    assert world.one("SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM spool) + (SELECT count(*) FROM dead_letters)") == before
    assert world.all("SELECT FROM partitions WHERE project_id = %s", project) == []
    assert world.accept(project, [row("new", partition_key="p"), row("old"), b"bad"], batch_id=batch).accepted == 1


def test_it_takes_nothing_for_a_project_that_is_cancelled_or_not_there(world: World) -> None:
    project = world.project()
    batch = world.batch(project)
    world.sql.execute("UPDATE projects SET cancelled_at = clock_timestamp() WHERE id = %s", (project,))
    with pytest.raises(errors.ProjectCancelled, match="takes no more items"):
        world.accept(project, [row("k")], batch_id=batch)
    with pytest.raises(errors.NotFound):
        world.accept(10**6, [row("k")], batch_id=batch)


@pytest.mark.parametrize(("limit", "value"), [("SPOOL_PARTS", 4), ("SPOOL_BYTES", 60)])
def test_it_asks_senders_to_wait_while_the_spool_is_full(world: World, monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    monkeypatch.setattr(items, limit, value)
    project = world.project()
    world.accept(project, [row(f"k{n}") for n in range(5)])
    with pytest.raises(errors.QueueSaturated) as told:
        world.accept(project, [row("more")], batch_id=1)
    assert (told.value.status, told.value.retry_after) == (429, 5)
    world.publish()
    assert world.accept(project, [row("more")]).accepted == 1


def test_it_shows_dead_letters_to_those_who_may_see_them(world: World) -> None:
    project = world.project()
    kept = world.accept(project, [b"bad"]).refused[0]
    cast = world.cast
    for who, sees, reads in [("eve", True, True), ("chi", True, True), ("dov", True, False), ("ada", False, False)]:
        person = getattr(cast, who)
        assert [d.id for d in dead_letters.page(world.web, person=person, wanted=dead_letters.Filter(project_id=project))] == ([kept.dead_letter_id] if sees else [])
        if reads:
            assert dead_letters.body(world.web, dead_letter_id=kept.dead_letter_id, person=person) == b"bad"
        else:
            with pytest.raises(errors.NotFound):
                dead_letters.body(world.web, dead_letter_id=kept.dead_letter_id, person=person)


def test_it_finds_an_item_by_its_key(world: World) -> None:
    project = world.project()
    (taken,) = world.accept(project, [row("k")]).taken
    assert items.find(world.web, project_id=project, idempotency_key="k") == taken.item_id
    with pytest.raises(errors.NotFound):
        items.find(world.web, project_id=project, idempotency_key="l")
