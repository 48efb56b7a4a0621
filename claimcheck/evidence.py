"""Evidence: what an item consists of at one time, versioned and hashed; shown to those who may see it, and on record."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from claimcheck import canonical, errors, transactions
from claimcheck.access import masking
from claimcheck.access.masking import Reveal
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database
from claimcheck.store import Store

MIB = 1024 * 1024
WHOLE = 32 * MIB  # bytes of a part that is verified before its first byte leaves
PATIENCE = 5.0  # seconds for transactions that raise tasks while others are hashed anew
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
class _Step:
    last: int | None
    changed: int


@dataclass(frozen=True, slots=True)
class _Opened(Part):
    masked: list[str]
    purposes: list[str]
    withheld: bool
    revealed: list[str]


@dataclass(frozen=True, slots=True)
class OpenPart:
    """A part on its way to somebody who may see it, masked. `stream` gives its bytes; close it where it is not read to its end."""

    name: str
    content_type: str
    size: int
    sha256: bytes
    stream: Generator[bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Described:
    item_id: int
    version: int
    fields: list[str]
    shown_version: int
    show: list[str] | None


@dataclass(frozen=True, slots=True)
class _Stale(_Described):
    task_id: int


@dataclass(frozen=True, slots=True)
class _Rules:
    project_id: int
    shown_version: int


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


def document_hash(db: Database, *, item_id: int, evidence_version: int, project_id: int, shown_version: int) -> bytes:
    """The evidence hash, 32 bytes, of any version of an item under any version of its project's rules. Raises NotFound."""
    of = document(db, item_id=item_id, evidence_version=evidence_version, project_id=project_id, shown_version=shown_version)
    return hashlib.sha256(canonical.encode(of)).digest()


def hashes(db: Database | Connection, *, item_ids: Sequence[int]) -> dict[int, bytes]:
    """The evidence hash of each item's newest published version, as a decision of now would be bound to."""
    found = db.all("evidence/newest_of", _Described, item_ids=list(item_ids))
    listed = parts_of(db, [(f.item_id, f.version) for f in found])
    return {f.item_id: _digest(f, listed[f.item_id, f.version]) for f in found}


def _digest(found: _Described, listed: Iterable[Part]) -> bytes:
    return digest(found.item_id, found.version, found.shown_version, shown(found.show, found.fields), listed)


def refresh_task(connection: Connection, *, task_id: int, item_id: int) -> None:
    """Gives a task the item's newest published evidence and the hash of what is shown now, in the caller's transaction."""
    found = connection.one("evidence/newest", _Described, item_id=item_id)
    if found is not None:
        hashed = _digest(found, parts(connection, item_id=item_id, version=found.version))
        given = {"version": found.version, "shown_version": found.shown_version, "evidence_hash": hashed}
        connection.run("evidence/refresh_task", task_id=task_id, **given)


def rehash(db: Database, *, project_id: int | None = None) -> int:
    """Hashes open tasks anew where what is shown or asked has changed, of one project or of all; how many there were.

    A crash in the middle loses nothing: a task says itself which rules its hash is of, and the project whether all are done.
    """
    return sum(_rehash(db, rules) for rules in db.all("evidence/unhashed_projects", _Rules, project_id=project_id))


def _rehash(db: Database, rules: _Rules) -> int:
    _, done = _rehash_all(db, rules)
    complete = transactions.await_writers(db, "tasks", patience=PATIENCE)  # one may be raised behind it
    while (step := _rehash_all(db, rules))[0]:  # until a whole pass finds none that is stale, whether or not it could change any
        done += step[1]
    if complete:
        db.run("evidence/rehashed", project_id=rules.project_id, shown_version=rules.shown_version, tasks=done)
    return done


def _rehash_all(db: Database, rules: _Rules) -> tuple[int, int]:
    """One pass: how many stale tasks there were, and how many it changed."""
    found = done = after = 0
    while page := db.all("evidence/stale_tasks", _Stale, project_id=rules.project_id, after=after, limit=PAGE):
        listed = parts_of(db, [(task.item_id, task.version) for task in page])
        hashes = [_digest(task, listed[task.item_id, task.version]) for task in page]
        ids = {"task_ids": [t.task_id for t in page], "versions": [t.version for t in page]}
        done += db.run("evidence/rehash", project_id=rules.project_id, shown_version=page[0].shown_version, hashes=hashes, **ids)
        found, after = found + len(page), page[-1].task_id
    return found, done


def untitle(db: Database, *, project_id: int) -> None:
    """Calls every item of a project by its key: what its title was made of may be masked now."""
    step = _Step(0, 0)
    while step and step.last is not None:
        step = db.one("evidence/untitle", _Step, project_id=project_id, after=step.last, limit=PAGE)


def open_part(db: Database, store: Store, *, assignment_id: int, person_id: int, n: int, reveal: Reveal = masking.NOTHING) -> OpenPart:
    """Part `n` for who holds the assignment, or submitted it; the access is on record before this returns, each revealed field by itself.

    Raises NotFound, PayloadMissing, PayloadDamaged or StoreUnavailable: then nothing can be shown. Raises Masked for a masked
    file without a purpose, Invalid for a reveal that can't be.
    """
    asked = {"assignment_id": assignment_id, "person_id": person_id, "n": n}
    return _open(store, db.one("evidence/open_part", _Opened, **asked, reveal=[*reveal.fields], for_purpose=reveal.purpose), reveal)


def open_item_part(
    db: Database, store: Store, *, person: Person, item_id: int, version: int, n: int, purpose: str, reveal: Reveal = masking.NOTHING
) -> OpenPart:
    """Part `n` of a published version for a lead, or, unmasked, for the customer whose item it is; as `open_part` otherwise."""
    asked = {"person_id": person.id, "item_id": item_id, "version": version, "n": n, "purpose": purpose}
    return _open(store, db.one("evidence/open_item_part", _Opened, **asked, reveal=[*reveal.fields], for_purpose=reveal.purpose), reveal)


def fields(db: Database, store: Store, *, assignment_id: int, person_id: int) -> dict[str, Any]:
    """The payload's fields, for who holds the assignment or submitted it; raises as `open_part`."""
    opened = open_part(db, store, assignment_id=assignment_id, person_id=person_id, n=0)
    return canonical.parse_json(b"".join(opened.stream))


def _open(store: Store, part: _Opened | None, reveal: Reveal) -> OpenPart:
    if part is None:
        raise errors.NotFound()
    if part.withheld:
        raise masking.refusal(masked=part.masked, purposes=part.purposes, part=part.name, reveal=reveal)
    hidden = [name for name in part.masked if name not in part.revealed]
    if part.n == 0 and hidden:
        data = redacted(b"".join(_whole(store, part)), hidden)
        return OpenPart(part.name, part.content_type, len(data), hashlib.sha256(data).digest(), (chunk for chunk in (data,)))
    stream = _whole(store, part) if part.size <= WHOLE else verified(store, part.object_key, part.sha256)
    return OpenPart(part.name, part.content_type, part.size, part.sha256, stream)


def redacted(fields: bytes, hidden: Sequence[str]) -> bytes:
    """The payload's fields as they were sent, with masks in their places."""
    return canonical.encode(masking.redact(canonical.parse_json(fields), hidden))


def _whole(store: Store, part: Part) -> Generator[bytes]:
    data = store.read(part.object_key, part.size)
    if hashlib.sha256(data).digest() != part.sha256:
        raise errors.PayloadDamaged()
    return (chunk for chunk in (data,))


def verified(store: Store, object_key: str, sha256: bytes) -> Generator[bytes]:
    """An object as it is read; its last chunk is held back until the whole is known to be right, else the stream breaks off."""
    stream = _reading(store, object_key, sha256)
    next(stream)  # opens the object, so that a missing one is known before anything is answered
    return stream


def _reading(store: Store, object_key: str, sha256: bytes) -> Generator[bytes]:
    digest, held = hashlib.sha256(), b""
    with store.open(object_key) as chunks:
        yield b""
        for chunk in chunks:
            if held:
                yield held
            digest.update(chunk)
            held = chunk
    if digest.digest() != sha256:
        raise errors.PayloadDamaged()
    yield held
