"""Items: taken in by chunks, each all or nothing, each row once for ever under its idempotency key."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from uuid import uuid4

from pydantic import Field, model_validator

from claimcheck import canonical, errors, lines, payloads
from claimcheck.db import Connection, Database
from claimcheck.intake import dead_letters, uploads
from claimcheck.intake.dead_letters import Refused
from claimcheck.validation import Model, Name, validated, wrong

CHUNK_ROWS = 500
UNFIT = re.compile(r"a line of \d+ cells under \d+ columns")  # what formats/reading calls such a line
SPOOL_PARTS, SPOOL_BYTES = 20_000, 256 * 1024 * 1024  # more than that waiting for the store, and intake asks senders to wait


class Item(Model):
    """One row of intake."""

    idempotency_key: Name
    payload: Any = Field(description="an object of fields to show, and `files`: [{name, content_type, base64 | upload}]")
    partition_key: Name | None = None
    priority: Annotated[int, Field(ge=-10, le=20)] | None = None
    trace_id: Name | None = None

    @model_validator(mode="before")
    @classmethod
    def _line_fits(cls, row: Any) -> Any:
        for odd in [name for name in row if isinstance(name, str) and UNFIT.fullmatch(name)] if isinstance(row, dict) else []:
            raise wrong(odd, "does not fit: it takes one cell a column, and a cell that holds the separator stands in quotes")
        return row


@dataclass(frozen=True, slots=True)
class Routed:
    """A row that the pipeline sends: the fields of an Item, the queue that its route named, its message and that one's bytes."""

    item: Mapping[str, Any]
    queue: str
    message_id: int
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Taken:
    """A row that is in: its item, and whether this chunk brought it."""

    idempotency_key: str
    item_id: int
    new: bool


@dataclass(frozen=True, slots=True)
class AcceptedChunk:
    """What became of a chunk's rows. `accepted` are new, `repeated` were here with the same content."""

    accepted: int
    repeated: int
    refused: list[dead_letters.Kept]
    taken: list[Taken]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a project asks of new items, and how much waits for the store."""

    priority: int
    customer_id: int
    cancelled: bool
    title_field: str | None
    masked: list[str]
    facets: list[str]
    parts: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Draft:
    """A row that was read, before its uploads are looked up."""

    item: Item
    payload: payloads.Payload
    body: bytes
    trace_id: str
    queue: str = "review"
    message_id: int | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """A row that can go in."""

    draft: _Draft
    parts: tuple[payloads.Part, ...]
    source_hash: bytes


@dataclass(frozen=True, slots=True)
class _Found:
    item_id: int


@dataclass(frozen=True, slots=True)
class _Known:
    item_id: int
    key: str
    source_hash: bytes
    new: bool


def room(db: Database | Connection, *, project: int) -> Terms:
    """The project's terms for new items. Raises NotFound, ProjectCancelled, or QueueSaturated while too much waits for the store."""
    row = db.one("items/room", Terms, project_id=project, limit=SPOOL_PARTS + 1)
    if row is None:
        raise errors.NotFound()
    if row.cancelled:
        raise errors.ProjectCancelled("The project was cancelled; it takes no more items.")
    if row.parts > SPOOL_PARTS or row.bytes > SPOOL_BYTES:
        raise errors.QueueSaturated()
    return row


def accept(db: Database, *, project: int, batch_id: int, rows: Sequence[Any], by: int, first: int = 0) -> AcceptedChunk:
    """Takes a chunk of at most CHUNK_ROWS rows in one transaction; bad rows become dead letters, good ones go in beside them.

    A row is a value of `canonical.parse_json`, or a line's bytes (or lines.TooLong). `first` is the number of the
    first one, for messages. Raises what `room` raises.
    """
    terms, ready = prepare(db, project=project, rows=rows, by=by, first=first)
    return db.together(lambda connection: insert(connection, project, batch_id, ready, terms, by))


def prepare(db: Database | Connection, *, project: int, rows: Sequence[Any], by: int, first: int = 0) -> tuple[Terms, list[Ready | Refused]]:
    """A chunk's rows, read and judged one by one, for `insert`. Raises what `room` raises."""
    terms = room(db, project=project)
    drafts = [_read(row, f"items[{first + n}]", terms) for n, row in enumerate(rows)]
    known = uploads.find(db, project_id=project, by=by, names=[u for d in drafts if isinstance(d, _Draft) for u in d.payload.uploads()])
    return terms, [_complete(d, project, known) if isinstance(d, _Draft) else d for d in drafts]


def find(db: Database, *, project_id: int, idempotency_key: str) -> int:
    """The id of the project's item under a key. Raises NotFound."""
    row = db.one("items/find", _Found, project_id=project_id, idempotency_key=idempotency_key)
    if row is None:
        raise errors.NotFound()
    return row.item_id


def _read(row: Any, within: str, terms: Terms) -> _Draft | Refused:
    if isinstance(row, Routed):
        draft = _read(row.item, within, terms)
        return replace(draft, body=row.body, **({"queue": row.queue, "message_id": row.message_id} if isinstance(draft, _Draft) else {}))
    if isinstance(row, lines.TooLong):
        detail = f"is a line of {row.size:,} bytes; the limit is {lines.LINE_BYTES:,}: send large files ahead through POST /v1/uploads"
        return Refused(None, "TOO_LARGE", within, detail, uuid4().hex, row.beginning)
    body = row if isinstance(row, bytes) else _written(row)
    try:
        value = canonical.parse_json(row) if isinstance(row, bytes) else row
    except canonical.InvalidJSON as error:
        return Refused(None, "INVALID_JSON", within + error.path.removeprefix("$"), error.detail, uuid4().hex, body)
    try:
        item = validated(Item, value, within)
        payload = payloads.read(item.payload, f"{within}.payload", terms.title_field, terms.masked, terms.facets)
        return _Draft(item, payload, body, item.trace_id or uuid4().hex)
    except errors.Invalid as error:
        return _refused(error, value, body)


def _written(value: Any) -> bytes:
    try:
        return canonical.encode(value, sort_keys=False)
    except canonical.InvalidJSON:
        return json.dumps(value, default=str).encode()


def _refused(error: errors.Invalid, value: Any, body: bytes) -> Refused:
    worst = error.errors[0]
    more = "".join(f"; {other.field} {other.message}" for other in error.errors[1:4])
    key, trace_id = _name(value, "idempotency_key"), _name(value, "trace_id") or uuid4().hex
    return Refused(key, "INVALID_ROW", worst.field, worst.message + more, trace_id, body)


def _name(value: Any, field: str) -> str | None:
    """A field of a row that is wrong elsewhere, if it is a name."""
    name = value.get(field) if isinstance(value, Mapping) else None
    return name if isinstance(name, str) and 0 < len(name) <= 200 and name.isprintable() else None


def _complete(draft: _Draft, project: int, known: Mapping[str, payloads.Upload]) -> Ready | Refused:
    try:
        parts = payloads.parts(draft.payload, project, known)
    except errors.Invalid as error:
        return _refused(error, draft.item.model_dump(exclude={"payload"}), draft.body)
    content = draft.item.model_dump(exclude={"payload", "trace_id"}, exclude_none=True)  # a repeat may be traced anew
    content["payload"] = payloads.content(draft.payload, parts)
    return Ready(draft, parts, hashlib.sha256(canonical.encode(content, max_depth=canonical.MAX_DEPTH + 2)).digest())


def insert(connection: Connection, project: int, batch_id: int, rows: Sequence[Ready | Refused], terms: Terms, by: int) -> AcceptedChunk:
    """Takes prepared rows in within the caller's transaction, which raises errors.Again when it is to be run anew."""
    ready = [row for row in rows if isinstance(row, Ready)]
    firsts: dict[str, Ready] = {}
    for row in ready:
        firsts.setdefault(row.draft.item.idempotency_key, row)
    once = list(firsts.values())  # each where its key came first
    partitions = sorted({row.draft.item.partition_key for row in once if row.draft.item.partition_key})
    if partitions:
        connection.run("partitions/hold", project_id=project, keys=partitions)
    answers = connection.all("items/accept", _Known, **_params(once, project, batch_id, terms, by)) if once else []
    known = {answer.key: answer for answer in answers}
    refused = [r for r in (_judged(row, known) for row in rows) if isinstance(r, Refused)]
    kept = dead_letters.keep(connection, project_id=project, batch_id=batch_id, refused=refused, received_by=by)
    new = sum(answer.new for answer in answers)
    repeated = len(rows) - len(refused) - new
    if repeated:
        connection.run("batches/repeat", batch_id=batch_id, rows=repeated)
    return AcceptedChunk(new, repeated, kept, [Taken(a.key, a.item_id, a.new) for a in answers])


def _judged(row: Ready | Refused, known: Mapping[str, _Known]) -> Ready | Refused:
    """The row, or why it can't be taken beside what its key stands for already."""
    if isinstance(row, Refused) or known[row.draft.item.idempotency_key].source_hash == row.source_hash:
        return row
    field = row.draft.payload.within.removesuffix(".payload") + ".idempotency_key"
    detail = "was used before with other content, which stands; send other content under another key"
    refused = Refused(row.draft.item.idempotency_key, errors.DuplicateKey.code, field, detail, row.draft.trace_id, row.draft.body)
    return replace(refused, gate="idempotency", source="pool", message_id=row.draft.message_id) if row.draft.message_id else refused


def _params(rows: Sequence[Ready], project: int, batch_id: int, terms: Terms, by: int) -> dict[str, Any]:
    """The chunk as arrays: its rows, their parts, and the bytes that are to be spooled."""
    drafts = [row.draft for row in rows]
    return {
        "project_id": project,
        "batch_id": batch_id,
        "by": by,
        "keys": [d.item.idempotency_key for d in drafts],
        "source_hashes": [row.source_hash for row in rows],
        "trace_ids": [d.trace_id for d in drafts],
        "priorities": [terms.priority if d.item.priority is None else d.item.priority for d in drafts],
        "partition_keys": [d.item.partition_key for d in drafts],
        "titles": [d.payload.title or d.item.idempotency_key for d in drafts],
        "fields": [json.dumps(list(d.payload.fields)) for d in drafts],
        "facets": [canonical.encode(d.payload.facets).decode() for d in drafts],
        "queues": [d.queue for d in drafts],
        "message_ids": [d.message_id for d in drafts],
        **part_params((n, part) for n, row in enumerate(rows, 1) for part in row.parts),
    }


def part_params(numbered: Iterable[tuple[int, payloads.Part]]) -> dict[str, Any]:
    """Parts as arrays, each with the number of its row."""
    pairs = list(numbered)
    spooled = [(n, part) for n, part in pairs if part.data is not None]
    return {
        "part_rows": [n for n, _ in pairs],
        "part_ns": [part.n for _, part in pairs],
        "part_names": [part.name for _, part in pairs],
        "part_types": [part.content_type for _, part in pairs],
        "part_sizes": [part.size for _, part in pairs],
        "part_hashes": [part.sha256 for _, part in pairs],
        "part_keys": [part.object_key for _, part in pairs],
        "spool_rows": [n for n, _ in spooled],
        "spool_ns": [part.n for _, part in spooled],
        "spool_bytes": [part.data for _, part in spooled],
    }
