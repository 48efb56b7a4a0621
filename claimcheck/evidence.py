"""Evidence: what an item consists of at one time, versioned and hashed; shown to those who may see it, and on record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from claimcheck import canonical, errors
from claimcheck.db import Connection, Database
from claimcheck.people import Person
from claimcheck.store import Store

MIB = 1024 * 1024
WHOLE = 32 * MIB  # bytes of a part that is verified before its first byte leaves
PAGE = 500  # tasks that are hashed anew at once: a claim walks past locked rows


@dataclass(frozen=True, slots=True)
class Part:
    """A stored object of an item's evidence; `size` in bytes, part 0 is `payload.json`, the payload's fields."""

    item_id: int
    version: int
    n: int
    name: str
    content_type: str
    size: int
    sha256: bytes
    object_key: str


@dataclass(frozen=True, slots=True)
class OpenPart:
    """A part on its way to somebody who may see it. `stream` gives its bytes; close it where it is not read to its end."""

    name: str
    content_type: str
    size: int
    sha256: bytes
    stream: Iterator[bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Described:
    item_id: int
    version: int
    fields: list[str]
    shown_version: int
    show: list[str] | None


@dataclass(frozen=True, slots=True)
class _Stale:
    task_id: int
    item_id: int
    version: int
    fields: list[str]


def parts(db: Database | Connection, *, item_id: int, version: int) -> list[Part]:
    """A version's parts, in order. Whether the asker may see them is the caller's to judge."""
    return db.all("evidence/parts", Part, item_ids=[item_id], versions=[version])


def parts_of(db: Database | Connection, versions: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[Part]]:
    """The parts of several (item, version), in order."""
    found: dict[tuple[int, int], list[Part]] = {of: [] for of in versions}
    rows = db.all("evidence/parts", Part, item_ids=[item for item, _ in found], versions=[version for _, version in found])
    for part in rows:
        found[part.item_id, part.version].append(part)
    return found


def shown(show: list[str] | None, fields: list[str]) -> list[str]:
    """What is shown of an item: what the project's rules say, else every field."""
    return fields if show is None else show


def _canonical(parts: Iterable[Part]) -> list[canonical.Part]:
    return [canonical.Part(p.name, p.content_type, p.size, p.sha256.hex()) for p in parts]


def digest(item_id: int, version: int, shown_version: int, shown: list[str], parts: Iterable[Part]) -> bytes:
    """The evidence hash, 32 bytes."""
    return bytes.fromhex(canonical.evidence_hash(item_id, version, shown_version, shown, _canonical(parts)))


def document(db: Database, *, item_id: int, evidence_version: int, project_id: int, shown_version: int) -> dict[str, Any]:
    """The document whose hash a decision is bound to. Raises NotFound."""
    asked = {"item_id": item_id, "version": evidence_version, "project_id": project_id, "shown_version": shown_version}
    found = db.one("evidence/describe", _Described, **asked)
    if found is None:
        raise errors.NotFound()
    listed = _canonical(parts(db, item_id=item_id, version=evidence_version))
    return canonical.evidence_document(item_id, evidence_version, shown_version, shown(found.show, found.fields), listed)


def refresh_task(connection: Connection, *, task_id: int, item_id: int) -> None:
    """Gives a task the item's newest published evidence and the hash of what is shown now, in the caller's transaction."""
    found = connection.one("evidence/newest", _Described, item_id=item_id)
    if found is not None:
        listed = parts(connection, item_id=item_id, version=found.version)
        hashed = digest(item_id, found.version, found.shown_version, shown(found.show, found.fields), listed)
        connection.run(
            "evidence/refresh_task", task_id=task_id, version=found.version, shown_version=found.shown_version, evidence_hash=hashed
        )
