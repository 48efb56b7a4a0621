"""Batches: one sending of rows, of any length, taken in by chunks, and what became of them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors, items, lines
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database

CHUNK_BYTES = 24 * 1024 * 1024  # of a chunk's lines
PATIENCE_SECONDS, PAUSE_SECONDS = 30.0, 0.25  # how long a stream is kept waiting while the store catches up


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as its sender sees it. `closed_at` is None while rows may still come (or where the stream was cut)."""

    id: int
    project_id: int
    created_at: datetime
    closed_at: datetime | None
    repeated: int
    accepted: int
    claimable: int
    refused: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A batch in its project's list. `settled` of its `items` when it was last forecast; `ended_at`: when the last item was settled."""

    id: int
    created_at: datetime
    closed_at: datetime | None
    items: int
    refused: int
    settled: int | None
    state: str | None
    miss_probability: float | None
    said_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a sending: `accepted` rows are new, `repeated` were here with the same content, `refused` are dead letters."""

    batch_id: int
    accepted: int
    repeated: int
    refused: int


@dataclass(frozen=True, slots=True)
class _Opened:
    batch_id: int


def open(db: Database | Connection, *, project_id: int, by: int) -> int:
    """A new batch's id. Raises what `items.room` raises."""
    items.room(db, project=project_id)
    row = db.one("batches/open", _Opened, project_id=project_id, by=by)
    if row is None:
        raise errors.ProjectCancelled("The project was cancelled; it takes no more items.")
    return row.batch_id


def first(db: Database, *, project_id: int) -> int | None:
    """The project's first batch, that of its creation."""
    row = db.one("batches/first", _Opened, project_id=project_id)
    return row and row.batch_id


def pipeline(connection: Connection, *, project_id: int, by: int) -> int:
    """The project's one batch of messages, within the caller's transaction, which raises errors.Again when it is to be run anew."""
    row = connection.one("batches/pipeline", _Opened, project_id=project_id, by=by)
    if row is None:
        raise errors.Again()
    return row.batch_id


def close(db: Database | Connection, *, batch_id: int) -> None:
    """Says that every row was read."""
    db.run("batches/close", batch_id=batch_id)


def load(db: Database, *, batch_id: int, person: Person) -> Batch:
    """One batch. Raises NotFound where the person may not see it; its refused rows come from `dead_letters.of_batch`."""
    row = db.one("batches/load", Batch, batch_id=batch_id, person_id=person.id)
    if row is None:
        raise errors.NotFound()
    return row


def page(db: Database, *, project_id: int, limit: int = 20) -> list[Listed]:
    """A project's newest batches that have anything in them."""
    return db.all("batches/page", Listed, project_id=project_id, limit=limit)


def take(db: Database, *, project: int, by: int, rows: Iterable[Any], batch_id: int | None = None) -> Sent:
    """Takes rows of any number in, chunk by chunk: values of `canonical.parse_json`, or the lines of `lines.read(stream)`.

    Raises QueueSaturated at once, or in the middle after PATIENCE_SECONDS; what was taken stays, and the same rows
    sent again are repeats. Raises also NotFound and ProjectCancelled.
    """
    batch_id = batch_id or open(db, project_id=project, by=by)
    read = accepted = repeated = refused = 0
    for chunk in _chunks(rows):
        done = _accept(db, project=project, batch_id=batch_id, rows=chunk, by=by, first=read)
        read += len(chunk)
        accepted, repeated, refused = accepted + done.accepted, repeated + done.repeated, refused + len(done.refused)
    close(db, batch_id=batch_id)
    return Sent(batch_id, accepted, repeated, refused)


def _chunks(rows: Iterable[Any]) -> Iterator[list[Any]]:
    chunk: list[Any] = []
    size = 0
    for row in rows:
        more = len(row) if isinstance(row, bytes) else lines.KEPT_BYTES if isinstance(row, lines.TooLong) else 0
        if chunk and (len(chunk) == items.CHUNK_ROWS or size + more > CHUNK_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(row)
        size += more
    if chunk:
        yield chunk


def _accept(db: Database, *, batch_id: int, **chunk: Any) -> items.AcceptedChunk:
    """One chunk; while too much waits for the store, the stream is not read on, which holds its sender back."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return items.accept(db, batch_id=batch_id, **chunk)
        except errors.QueueSaturated as error:
            if time.monotonic() > until:
                raise errors.QueueSaturated(batch_id=batch_id) from error
            time.sleep(PAUSE_SECONDS)
