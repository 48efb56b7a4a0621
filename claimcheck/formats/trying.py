"""A dry run of an import: the first items as their reviewer will see them, and what would become of the rows. It leaves nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from claimcheck import errors, evidence, items, payloads, rendering, transactions
from claimcheck.db import Connection, Database
from claimcheck.formats.reading import Row
from claimcheck.intake import batches, dead_letters
from claimcheck.projects import Project
from claimcheck.rendering.views import View
from claimcheck.rules import Rules

SHOWN = 5
MOST = 2_000  # rows that are tried


@dataclass(frozen=True, slots=True)
class Seen:
    """An item as its reviewer will see it."""

    key: str
    title: str
    views: tuple[View, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """What would come of the first `rows` rows, each as if it came alone; `more`: the file goes on."""

    first: list[Seen]
    rows: int
    accepted: int
    repeated: int
    refused: list[dead_letters.Kept]
    more: bool


def tried(db: Database, *, project: Project, by: int, rows: Iterable[Row]) -> Tried:
    """Takes rows in, chunk by chunk, and takes it all back. Raises Invalid, and what stops every sender: QueueSaturated, ProjectCancelled."""
    read, rules = iter(rows), project.parsed
    first: list[Seen] = []
    count = accepted = repeated = 0
    refused: list[dead_letters.Kept] = []
    while count < MOST and (chunk := [*islice(read, items.CHUNK_ROWS)]):
        ready, done = transactions.undone(db, lambda connection, chunk=chunk, at=count: _taken(connection, project.id, by, chunk, at))
        lost = {row.field.partition(".")[0] for row in done.refused}
        good = (row for row in ready if row.draft.payload.within.partition(".")[0] not in lost)
        first += [seen(row, rules) for row in islice(good, SHOWN - len(first))]
        count, accepted, repeated = count + len(chunk), accepted + done.accepted, repeated + done.repeated
        refused += done.refused
    if not count:
        raise errors.Invalid.field("file", "has no row")
    return Tried(first, count, accepted, repeated, refused, more=next(read, None) is not None)


def _taken(connection: Connection, project_id: int, by: int, rows: list[Row], at: int) -> tuple[list[items.Ready], items.AcceptedChunk]:
    batch_id = batches.open(connection, project_id=project_id, by=by)
    terms, ready = items.prepare(connection, project=project_id, rows=rows, by=by, first=at)
    return [row for row in ready if isinstance(row, items.Ready)], items.insert(connection, project_id, batch_id, ready, terms, by)


def seen(row: items.Ready, rules: Rules) -> Seen:
    """Masked, as for a reviewer: nothing is revealed here."""
    draft, data = row.draft, {part.n: _shown_bytes(part, rules.masked) for part in row.parts}

    def read(part: rendering.Part, limit: int) -> bytes:
        found = data[part.n]
        if found is None:
            raise rendering.NotShown("It lies in the store already, and is shown once the item is in.")
        return found[:limit]

    parts = [rendering.Part(p.n, p.name, p.content_type, p.size) for p in row.parts]
    shown = rendering.Rules.of(rules.show or (), [p.model_dump() for p in rules.pairs], rules.masked)
    return Seen(draft.item.idempotency_key, draft.payload.title or draft.item.idempotency_key, rendering.show(parts, read, shown))


def _shown_bytes(part: payloads.Part, masked: list[str]) -> bytes | None:
    hidden = part.n == 0 and masked
    return evidence.redacted(part.data, masked) if hidden and part.data is not None else None if part.name in masked else part.data
