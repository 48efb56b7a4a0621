"""Dead letters: what was refused, with its bytes, so that it can be looked at and sent again."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database

AGAIN = ("http", "file", "stream")  # doors through which producers send the same again
NAMES = frozenset(
    ("idempotency_key", "payload", "partition_key", "priority", "trace_id", "project_id", "files", "name", "content_type", "base64", "upload", "body")
)  # that a cause may be made of
DEPTH = 4
HEADERS, HEADER = 50, 500  # kept with a letter: how many, and characters of each name and value


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that can't be taken: which, why, where (`items[3].payload.files[0].base64`) and what to do about it."""

    key: str | None
    code: str
    field: str
    detail: str
    trace_id: str
    body: bytes = dataclasses.field(repr=False)
    gate: str | None = None
    cause: str = ""
    source: str = "items"
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    attempts: int = 0
    message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A refused row as its sender sees it."""

    dead_letter_id: int
    idempotency_key: str | None
    code: str
    field: str
    detail: str


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter without its bytes, which may be many.

    `came_again`: how often it was refused after the first time, for the same. `state`: open, or what came of its last replay (admitted, repeated,
    refused); one that was refused again stands open as `again_id`.
    """

    id: int
    project_id: int | None
    project: str | None
    batch_id: int | None
    idempotency_key: str | None
    source_hash: bytes
    code: str
    field: str
    detail: str
    bytes: int
    trace_id: str
    created_at: datetime
    source: str
    gate: str | None
    cause: str
    attempts: int
    message_id: int | None
    state: str
    again_id: int | None
    came_again: int


@dataclass(frozen=True, slots=True)
class Facts(DeadLetter):
    """A dead letter as its own page tells it, still without its bytes. `replay_of`: the letter whose replay it came of."""

    headers: dict[str, Any]
    customer: str | None
    received_by: str | None
    replay_of: int | None


@dataclass(frozen=True, slots=True)
class Cause:
    """Open letters that are wrong in the same way, counted to 10,000; `example` is what the newest of these says."""

    code: str
    cause: str
    letters: int
    bytes: int
    projects: int
    oldest: datetime
    newest: datetime
    gate: str | None
    example: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Which letters to list; None is any."""

    project_id: int | None = None
    code: str | None = None
    cause: str | None = None
    open: bool = False


ANY = Filter()


@dataclass(frozen=True, slots=True)
class Count:
    """Open letters of a code."""

    code: str
    letters: int


@dataclass(frozen=True, slots=True)
class _Again(Kept):
    sameness: bytes


@dataclass(frozen=True, slots=True)
class _Waiting:
    letters: int


@dataclass(frozen=True, slots=True)
class _Body:
    body: bytes


def keep(
    connection: Connection,
    *,
    project_id: int | None,
    batch_id: int | None,
    refused: Sequence[Refused],
    customer_id: int | None = None,
    received_by: int | None = None,
) -> list[Kept]:
    """Keeps them in the caller's transaction, in their order.

    Without a project they are their customer's; without one of these either, nobody's but the leads' and operators'.
    `received_by` is the person who sent them. A cause that is not named is the field without its numbers. What comes again through a door, and is
    refused for the same, is the letter that is open already.
    """
    whose = f"{project_id} {customer_id} {received_by}"
    samenesses = [None if batch_id is not None or r.source not in AGAIN else _sameness(r, whose) for r in refused]
    times = Counter(filter(None, samenesses))
    known = {row.sameness: row for row in _came_again(connection, times)}
    firsts = [n for n, same in enumerate(samenesses) if same is None or (same not in known and samenesses.index(same) == n)]
    columns = {"project_id": project_id, "batch_id": batch_id, "customer_id": customer_id, "received_by": received_by}
    made = _insert(connection, [refused[n] for n in firsts], [samenesses[n] for n in firsts], columns)
    kept: dict[int, Kept] = dict(zip(firsts, made, strict=True))
    _came_again(connection, Counter({same: more - 1 for same, more in times.items() if same not in known and more > 1}))
    there = known | {samenesses[n]: row for n, row in kept.items()}
    return [kept.get(n) or _as_kept(there[samenesses[n]]) for n in range(len(refused))]


def _as_kept(row: Kept) -> Kept:
    return Kept(row.dead_letter_id, row.idempotency_key, row.code, row.field, row.detail)


def _came_again(connection: Connection, times: Mapping[bytes, int]) -> list[_Again]:
    return connection.all("dead_letters/again", _Again, samenesses=[*times], times=[*times.values()]) if times else []


def _sameness(row: Refused, whose: str) -> bytes:
    said = "\0".join([whose, row.source, row.code, row.cause, row.field])
    return hashlib.sha256(said.encode(errors="backslashreplace") + b"\0" + row.body).digest()


def _insert(connection: Connection, refused: Sequence[Refused], samenesses: Sequence[bytes | None], columns: Mapping[str, Any]) -> list[Kept]:
    if not refused:
        return []
    return connection.all(
        "dead_letters/keep",
        Kept,
        **columns,
        keys=[r.key for r in refused],
        source_hashes=[hashlib.sha256(r.body).digest() for r in refused],
        codes=[r.code for r in refused],
        fields=[_printable(r.field[:1000]) for r in refused],
        details=[_printable(r.detail[:4000]) for r in refused],
        bodies=[r.body for r in refused],
        trace_ids=[r.trace_id for r in refused],
        gates=[r.gate for r in refused],
        causes=[_printable(r.cause[:200]) or _place(r.field) for r in refused],
        sources=[r.source for r in refused],
        headers=[Jsonb(_headers(r.headers)) for r in refused],
        attempts=[r.attempts for r in refused],
        message_ids=[r.message_id for r in refused],
        samenesses=samenesses,
    )


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    """As the database can hold them: a producer may have written anything."""
    return {_header(name): _header(value) for name, value in [*given.items()][:HEADERS]}


def _header(text: str) -> str:
    return _printable(text[:HEADER])


def _printable(text: str) -> str:
    """Senders' words stand in it: without what turns the text around it on a screen."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _place(field: str) -> str:
    """`items[3].payload.files[0].base64` → `payload.files.base64`: the same wherever it stands, and whatever names a sender gives."""
    names = re.sub(r"\[[^\]]*\]", "", field).removeprefix("items").removeprefix(".").split(".")[:DEPTH]
    return ".".join(name if name in NAMES else "…" for name in names if name)


def page(db: Database, *, person: Person, wanted: Filter = ANY, after: int = 0, limit: int = 100) -> list[DeadLetter]:
    """Those that the person may see, oldest first, with ids beyond `after`: a customer's own, an operator's and a lead's all."""
    named = {"project_id": wanted.project_id, "code": wanted.code, "cause": wanted.cause}
    asked = {"person_id": person.id, "after": after, "limit": limit, **named}
    if wanted.open:
        return db.all("dead_letters/page_open", DeadLetter, **asked)
    return db.all("dead_letters/page", DeadLetter, **asked)


def causes(db: Database, *, person: Person, project_id: int | None = None) -> list[Cause]:
    """What is wrong with the open ones that the person may see, the commonest first; the first 200 causes."""
    return db.all("dead_letters/causes", Cause, person_id=person.id, project_id=project_id)


def open_codes(db: Database) -> list[Count]:
    """How many are open, by code."""
    return db.all("dead_letters/open_codes", Count)


def waiting(db: Database) -> int:
    """How many are open, counted to a hundred."""
    row = db.one("dead_letters/waiting", _Waiting)
    return row.letters if row else 0


def load(db: Database, *, dead_letter_id: int, person: Person) -> Facts:
    """One, without its bytes. Raises NotFound."""
    row = db.one("dead_letters/load", Facts, dead_letter_id=dead_letter_id, person_id=person.id)
    if row is None:
        raise errors.NotFound()
    return row


def of_batch(db: Database, *, batch_id: int, after: int = 0, limit: int = 1000) -> list[Kept]:
    """A batch's refused rows with ids beyond `after`. Whether the asker may see the batch is the caller's to judge."""
    return db.all("dead_letters/of_batch", Kept, batch_id=batch_id, after=after, limit=limit)


def body(db: Database, *, dead_letter_id: int, person: Person) -> bytes:
    """The bytes as they came; that they were opened is on record. Raises NotFound, for operators too: they see no payloads."""
    row = db.one("dead_letters/body", _Body, dead_letter_id=dead_letter_id, person_id=person.id)
    if row is None:
        raise errors.NotFound()
    return row.body
