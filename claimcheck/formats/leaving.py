"""A project's items with their outcomes, out in one of the formats, row by row however many; each item is on record before it is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from claimcheck import canonical, errors
from claimcheck.access import masking
from claimcheck.access.people import Person
from claimcheck.db import Database
from claimcheck.formats import label_studio, tables
from claimcheck.projects import Project
from claimcheck.proof import exports
from claimcheck.store import Store

PAGE = 200
FILES = {"label-studio": "tasks.json", "csv": "items.csv", "jsonl": "items.jsonl"}
TYPES = {"label-studio": "application/json", "csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


@dataclass(frozen=True, slots=True)
class Row:
    """An item on its way out; the outcome's columns are None while it is open."""

    item_id: int
    idempotency_key: str
    version: int
    size: int
    sha256: bytes
    object_key: str
    masked: list[str]
    revealed: list[str]
    files: list[str]
    decision_id: int | None
    outcome: str | None
    answer: Any
    reason_code: str | None
    note: str | None
    decided_by: str | None
    decided_by_id: int | None
    decided_at: datetime | None

    def decided(self) -> dict[str, Any] | None:
        """The outcome in force."""
        if self.decision_id is None or self.decided_at is None:
            return None
        said = {"decision_id": self.decision_id, "outcome": self.outcome, "answer": self.answer, "reason_code": self.reason_code}
        return {**said, "note": self.note, "decided_by": self.decided_by, "decided_at": self.decided_at.isoformat()}


@dataclass(frozen=True, slots=True)
class _Field:
    field: str


def fields(db: Database, project: Project) -> list[str]:
    """The names of all fields of a project's items."""
    return [row.field for row in db.all("evidence/export_fields", _Field, project_id=project.id)]


def written(db: Database, store: Store, *, project: Project, me: Person, form: str, purpose: str | None = None) -> Iterator[bytes]:
    """The file's bytes. To all but its customer masked fields read `[masked]` without a purpose; files are named, not carried.

    Raises Invalid for another format or a purpose that is none of the project's, and what the first page raises; later on
    PayloadMissing, PayloadDamaged or StoreUnavailable in the middle.
    """
    if form not in FILES:
        raise errors.Invalid.field("format", f"must be one of {', '.join(FILES)}")
    masks = me.role != "customer"
    reveal = exports.revealing(project.parsed, purpose) if masks else masking.NOTHING
    asked = {"project_id": project.id, "me": me.id, "masks": masks, "reveal": [*reveal.fields], "for_purpose": reveal.purpose}
    first = _page(db, asked, 0)  # what can't be put on record fails here, before the first byte
    found = ((row, _payload(store, row)) for row in chain(first, _rest(db, asked, first)))
    match form:
        case "csv":
            return tables.written(found, fields(db, project))
        case "jsonl":
            return (canonical.encode(_object(row, payload), sort_keys=False) + b"\n" for row, payload in found)
    return label_studio.written(found, project.parsed, fields(db, project))


def _page(db: Database, asked: dict[str, Any], after: int) -> list[Row]:
    return db.all("evidence/export_newest", Row, **asked, after=after, limit=PAGE)


def _rest(db: Database, asked: dict[str, Any], page: list[Row]) -> Iterator[Row]:
    while len(page) == PAGE:
        page = _page(db, asked, page[-1].item_id)
        yield from page


def _payload(store: Store, row: Row) -> dict[str, Any]:
    data = store.read(row.object_key, row.size)
    if hashlib.sha256(data).digest() != row.sha256:
        raise errors.PayloadDamaged(f"item {row.item_id}: the store gives other bytes than were taken in")
    return masking.redact(canonical.parse_json(data), [name for name in row.masked if name not in row.revealed])


def _object(row: Row, payload: dict[str, Any]) -> dict[str, Any]:
    facts = {"idempotency_key": row.idempotency_key, "item_id": row.item_id, "evidence_version": row.version}
    return {**facts, "payload": payload, "files": row.files, "outcome": row.decided()}
