"""Dead letters: what was refused, with its bytes, so that it can be looked at and sent again."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.people import Person

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

    `state`: open, or what came of its last replay (admitted, repeated, refused); one that was refused again stands open as `again_id`.
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


@dataclass(frozen=True, slots=True)
class Facts(DeadLetter):
    """A dead letter as its own page tells it, still without its bytes. `replay_of`: the letter whose replay it came of."""

    headers: dict[str, Any]
    customer: str | None
    received_by: str | None
    replay_of: int | None


@dataclass(frozen=True, slots=True)
class Cause:
    """Open letters that are wrong in the same way; `example` is what the newest of them says."""

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
    `received_by` is the person who sent them. A cause that is not named is the field without its numbers.
    """
    if not refused:
        return []
    return connection.all(
        "dead_letters/keep",
        Kept,
        project_id=project_id,
        batch_id=batch_id,
        customer_id=customer_id,
        received_by=received_by,
        keys=[r.key for r in refused],
        source_hashes=[hashlib.sha256(r.body).digest() for r in refused],
        codes=[r.code for r in refused],
        fields=[r.field[:1000] for r in refused],
        details=[r.detail[:4000] for r in refused],
        bodies=[r.body for r in refused],
        trace_ids=[r.trace_id for r in refused],
        gates=[r.gate for r in refused],
        causes=[r.cause[:200] or _place(r.field) for r in refused],
        sources=[r.source for r in refused],
        headers=[Jsonb(_headers(r.headers)) for r in refused],
        attempts=[r.attempts for r in refused],
        message_ids=[r.message_id for r in refused],
    )


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    """As the database can hold them: a producer may have written anything."""
    return {_header(name): _header(value) for name, value in [*given.items()][:HEADERS]}


def _header(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:HEADER])


def _place(field: str) -> str:
    """`items[3].payload.files[0].base64` → `payload.files.base64`: the same wherever it stands."""
    return re.sub(r"\[\d*\]", "", field).removeprefix("items").removeprefix(".")[:200]


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
