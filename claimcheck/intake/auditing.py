"""The log stream against the database: each record, and where each message is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from claimcheck.db import Database
from claimcheck.intake import movement, records
from claimcheck.intake.movement import Fault, Movement, Reading, Said
from claimcheck.intake.records import Record

PAGE = 1000


@dataclass(frozen=True, slots=True)
class _Kept(Record):
    unlogged: bool


@dataclass(frozen=True, slots=True)
class _Fact:
    id: int
    idempotency_key: str
    waiting: bool
    item_id: int | None
    queue: str | None
    dead_letter_id: int | None
    records: list[int]
    resolved: bool

    @property
    def state(self) -> str:
        if self.item_id is not None:
            return "resolved" if self.resolved and self.queue == "automatic" else "routed"
        return "waiting" if self.waiting else "refused"


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs. `behind` records are not in the log yet; `lost` ones should be."""

    faults: list[Fault]
    records: int
    messages: int
    behind: int
    lost: frozenset[int]


def compare(db: Database, found: Reading) -> Compared:
    """Every record of the database with its line, then every message with its movement. Only what the log tells completely is compared."""
    faults: list[Fault] = []
    kept: set[int] = set()
    lost: set[int] = set()
    behind = 0
    for record in _records(db):
        kept.add(record.id)
        said = found.records.get(record.id)
        if said is None:
            behind += record.unlogged
            lost |= set() if record.unlogged else {record.id}
        else:
            faults += _differing(record, said)
    faults += [Fault("missing", f"record {n}: the log has no line of it") for n in sorted(lost)]
    faults += [Fault("unknown", f"record {n}: the database has none") for n in sorted(found.records.keys() - kept)]
    moved = movement.movements(found)
    messages = 0
    for fact in _facts(db):
        messages += 1
        if all(n in found.records for n in fact.records):
            faults += _elsewhere(fact, moved.get(fact.id))
    return Compared(faults, len(kept), messages, behind, frozenset(lost))


def _records(db: Database) -> Iterator[_Kept]:
    after = 0
    while page := db.all("pipeline_records/page", _Kept, after=after, limit=PAGE):
        yield from page
        after = page[-1].id


def _facts(db: Database) -> Iterator[_Fact]:
    after = 0
    while page := db.all("messages/facts", _Fact, after=after, limit=PAGE):
        yield from page
        after = page[-1].id


def _differing(record: Record, said: Said) -> Iterable[Fault]:
    """What else the line carries is whoever's who passed it on."""
    right = json.loads(records.line(record))
    names = [name for name, value in right.items() if said.get(name) != value]
    return [Fault("differs", f"record {record.id}: {name} is {said.get(name)!r} in the log, {right[name]!r} in the database") for name in names]


def _elsewhere(fact: _Fact, moved: Movement | None) -> Iterable[Fault]:
    said = (moved.state, moved.item_id, moved.queue, moved.dead_letter_id) if moved else ("unknown", None, None, None)
    refused = fact.dead_letter_id if fact.state == "refused" else None
    right = (fact.state, fact.item_id, fact.queue, refused)
    names = ("state", "item", "queue", "dead letter")
    return [
        Fault("elsewhere", f"message {fact.id} ({fact.idempotency_key}): {name} is {a!r} by the log, {b!r} in the database")
        for name, a, b in zip(names, said, right, strict=True)
        if a != b
    ]
