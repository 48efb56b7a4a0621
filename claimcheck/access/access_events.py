"""Access events: who saw which payload, written before its first byte left (by the statements that `evidence` opens parts with)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from claimcheck import errors, spreadsheets
from claimcheck.access import people
from claimcheck.db import Database

NEWEST = 2**63 - 1
EVER, NEVER = datetime(2000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
PAGE = 1000  # rows of a CSV that are read at once
COLUMNS = ("id", "at", "person", "role", "project", "item_id", "idempotency_key", "evidence_version", "part", "field", "purpose")


@dataclass(frozen=True, slots=True)
class AccessEvent:
    """One reveal of one part; of a masked field or file where `field` names it."""

    id: int
    at: datetime
    person_id: int
    pseudonym: str
    role: str
    evidence_version: int
    part: str
    field: str | None
    purpose: str


@dataclass(frozen=True, slots=True)
class Sight:
    """One reveal as the log tells it. `decided`: the person has decided the item, by now."""

    id: int
    at: datetime
    person_id: int
    name: str
    pseudonym: str
    role: str
    customer_id: int
    project_id: int
    project: str
    item_id: int
    idempotency_key: str
    evidence_version: int
    part: str
    field: str | None
    purpose: str
    decided: bool
    server_now: datetime


@dataclass(frozen=True, slots=True)
class Filter:
    """Which events: of a customer's data, of one person, or both; an item is one of a customer. `copies`: those of copies of gold too."""

    customer_id: int | None = None
    person_id: int | None = None
    item_id: int | None = None
    since: datetime = EVER
    until: datetime = NEVER
    copies: bool = True


@dataclass(frozen=True, slots=True)
class _Seen:
    seen: int


def of_item(db: Database, *, item_id: int, after: int = 0, limit: int = 200) -> list[AccessEvent]:
    """An item's, oldest first, with ids beyond `after`. Whether the asker may see them is the caller's to judge."""
    return db.all("access_events/of_item", AccessEvent, item_id=item_id, after=after, limit=limit)


def page(db: Database, wanted: Filter, *, before: int = NEWEST, limit: int = 100) -> list[Sight]:
    """What the filter names, newest first, those before the event `before`. Whether the asker may see them is the caller's to judge."""
    within = {"since": wanted.since, "until": wanted.until, "before": before, "limit": limit}
    if wanted.customer_id is not None:
        within |= {"copies": wanted.copies}
    if wanted.item_id is not None:
        whose = {"customer_id": wanted.customer_id, "person_id": wanted.person_id}
        return db.all("access_events/of_one_item", Sight, item_id=wanted.item_id, **whose, **within)
    if wanted.customer_id is None:
        return db.all("access_events/of_person", Sight, person_id=wanted.person_id, **within)
    if wanted.person_id is None:
        return db.all("access_events/of_customer", Sight, customer_id=wanted.customer_id, **within)
    return db.all("access_events/of_customer_by", Sight, customer_id=wanted.customer_id, person_id=wanted.person_id, **within)


def copies(db: Database, wanted: Filter) -> int:
    """How often copies of gold were opened among a customer's data in this time, on days (UTC) that are over; 1,001 for more than a thousand."""
    found = db.one("access_events/copies", _Seen, customer_id=wanted.customer_id, since=wanted.since, until=wanted.until)
    return found.seen if found else 0


def known(db: Database, pseudonym: str) -> people.Person:
    """Who goes by this name in the log. Raises Invalid."""
    found = db.one("people/by_pseudonym", people.Person, pseudonym=pseudonym)
    if found is None:
        raise errors.Invalid.field("person", "nobody has this name in the log; copy it from a line, such as p-1a2b3c4d5e")
    return found


def written(db: Database, wanted: Filter) -> Iterator[str]:
    """The same as CSV, row by row, however many; people by the names that they have on receipts."""
    before, sights = NEWEST, page(db, wanted, limit=PAGE)  # a filter that fails does so before the first line
    return chain([spreadsheets.lines([COLUMNS])], _rows(db, wanted, before, sights))


def _rows(db: Database, wanted: Filter, before: int, sights: list[Sight]) -> Iterator[str]:
    while sights:
        yield from (spreadsheets.lines([_cells(sight)]) for sight in sights)
        before = sights[-1].id
        sights = page(db, wanted, before=before, limit=PAGE)


def _cells(s: Sight) -> tuple[Any, ...]:
    at = s.at.astimezone(UTC).isoformat()
    return (s.id, at, s.pseudonym, s.role, s.project, s.item_id, s.idempotency_key, s.evidence_version, s.part, s.field, s.purpose)
