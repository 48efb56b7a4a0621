"""Revisions: a new version of an item's evidence. It is published like the first; the old ones stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from claimcheck import canonical, errors, evidence, items, payloads
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database
from claimcheck.intake import uploads


@dataclass(frozen=True, slots=True)
class Revised:
    """The version that the payload stands under. `new` is False where the newest one had this content already."""

    item_id: int
    version: int
    new: bool


@dataclass(frozen=True, slots=True)
class _Revisable:
    item_id: int
    project_id: int
    idempotency_key: str
    cancelled: bool
    title_field: str | None
    masked: list[str]
    facets: list[str]


@dataclass(frozen=True, slots=True)
class _Newest:
    item_id: int
    version: int


def revise(db: Database, *, person: Person, item_id: int, payload: Any) -> Revised:
    """Takes a new payload (a value of `canonical.parse_json`) for an item of the person's customer, or of anybody's for a lead.

    Raises NotFound, Invalid, ProjectCancelled or QueueSaturated.
    """
    item = db.one("evidence/revisable", _Revisable, person_id=person.id, item_id=item_id)
    if item is None:
        raise errors.NotFound()
    items.room(db, project=item.project_id)
    read = payloads.read(payload, "payload", item.title_field, item.masked, item.facets)
    known = uploads.find(db, project_id=item.project_id, by=person.id, names=list(read.uploads()))
    parts = payloads.parts(read, item.project_id, known)
    return db.together(lambda connection: _add(connection, item, read, parts, person))


def _add(connection: Connection, item: _Revisable, read: payloads.Payload, parts: Sequence[payloads.Part], person: Person) -> Revised:
    connection.run("evidence/hold", item_id=item.item_id)
    newest = connection.one("evidence/last", _Newest, item_id=item.item_id)
    if newest is None:
        raise errors.NotFound()
    if _same(evidence.parts(connection, item_id=item.item_id, version=newest.version), parts):
        return Revised(item.item_id, newest.version, new=False)
    version = newest.version + 1
    connection.run(
        "evidence/revise",
        item_id=item.item_id,
        version=version,
        title=read.title or item.idempotency_key,
        fields=list(read.fields),
        facets=canonical.encode(read.facets).decode(),
        project_id=item.project_id,
        by=person.id,
        **items.part_params((1, part) for part in parts),
    )
    return Revised(item.item_id, version, new=True)


def _same(old: Sequence[evidence.Part], new: Sequence[payloads.Part]) -> bool:
    return [(p.name, p.content_type, p.sha256) for p in old] == [(p.name, p.content_type, p.sha256) for p in new]
