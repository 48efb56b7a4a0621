"""The control room's figures as they were last counted. Each reads a few rows that workers keep; none reads history, none a payload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import groupby

from claimcheck.control import worth
from claimcheck.db import Database

QUEUES, PEOPLE, BUSIEST = 40, 15, 8  # shown at most: queues with something open, people, queues with reasons
HOURS, DAYS, LEASE_DAYS, WEEKS = 168, 7, 28, 4  # that are looked back on


@dataclass(frozen=True, slots=True)
class Mark:
    """When one thing was counted last; None: not yet."""

    name: str
    counted_at: datetime | None
    took: float
    server_now: datetime

    @property
    def age(self) -> float | None:
        """In seconds."""
        return (self.server_now - self.counted_at).total_seconds() if self.counted_at else None


@dataclass(frozen=True, slots=True)
class Desk:
    """The whole desk. `given_up` are those of the unapplied outcomes that nobody tries any more; `outside` of `said` forecasts missed their band."""

    unapplied: int
    given_up: int
    oldest_unapplied: datetime | None
    letters: dict[str, int]
    oldest_letter: datetime | None
    finished: int
    late: int
    said: int
    outside: int
    pending: int
    open: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue with something open. `oldest` is the oldest that could be claimed."""

    queue_id: int
    queue: str
    project_id: int
    project: str
    pending: int
    held: int
    blocked: int
    paused: int
    oldest: datetime | None
    halted: bool
    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class Hour:
    """Items that came and that were settled in an hour, and tasks open at its end, where that was counted."""

    hour: datetime
    arrived: int
    settled: int
    reopened: int
    open: int | None


@dataclass(frozen=True, slots=True)
class Leases:
    """Tasks that ended on a day after so many leases; 6 stands for more."""

    day: date
    leases: int
    tasks: int


@dataclass(frozen=True, slots=True)
class Said:
    """One verdict or answer for one reason in one queue: how many looks, how many of them were overturned; `all_looks` are the queue's."""

    queue_id: int
    queue: str
    project_id: int
    project: str
    all_looks: int
    reason_code: str
    reason: str
    said: str
    looks: int
    overturned: int


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason in a queue: its looks, what most of them said, and whether that is worth automating."""

    code: str
    label: str
    said: str
    looks: int
    same: int
    overturned: int

    @property
    def bound(self) -> float:
        return worth.bound(self.same, self.overturned, self.looks)

    @property
    def automate(self) -> bool:
        return worth.automating(self.same, self.overturned, self.looks)


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons of a queue, the commonest first."""

    project_id: int
    project: str
    queue: str
    looks: int
    reasons: list[Reason]


@dataclass(frozen=True, slots=True)
class Route:
    """Items that intake knew the same of: how many were decided, what most said, and how many were overturned. `band` n: a variance under 10^n."""

    queue_id: int
    queue: str
    project_id: int
    project: str
    match_decision: str
    currency: str
    band: int
    outcomes: int
    same: int
    overturned: int
    said: str

    @property
    def bound(self) -> float:
        return worth.bound(self.same, self.overturned, self.outcomes)


@dataclass(frozen=True, slots=True)
class Did:
    """What a person did on a day; `seconds` are those of their submitted looks, from claim to submit."""

    person_id: int
    person: str
    day: date
    looks: int
    seconds: float
    overturned: int
    released: int
    skipped: int
    expired: int


@dataclass(frozen=True, slots=True)
class Load:
    """A person's days, oldest first."""

    person_id: int
    person: str
    days: list[Did] = field(default_factory=list)

    def total(self, name: str) -> int:
        return sum(getattr(day, name) for day in self.days)

    @property
    def left(self) -> int:
        """Taken and not decided."""
        return self.total("released") + self.total("skipped") + self.total("expired")

    @property
    def a_look(self) -> float | None:
        """Seconds of a look, on average."""
        looks = self.total("looks")
        return sum(day.seconds for day in self.days) / looks if looks else None


@dataclass(frozen=True, slots=True)
class Missed:
    """A project or a batch that was finished after its deadline."""

    project_id: int
    project: str
    batch_id: int | None
    items: int
    last_at: datetime
    deadline: datetime


def marks(db: Database) -> dict[str, Mark]:
    return {mark.name: mark for mark in db.all("control/marks", Mark)}


def desk(db: Database) -> Desk:
    [row] = db.all("control/desk", Desk)
    return row


def queues(db: Database, *, project_id: int = 0) -> list[Queue]:
    """The one that has waited longest first; a project's, or (0) everybody's, as with all that follows."""
    return db.all("control/queues", Queue, project_id=project_id, limit=QUEUES)


def hours(db: Database, *, project_id: int = 0) -> list[Hour]:
    """The last week's, oldest first; hours in which nothing was counted are missing."""
    return db.all("control/hours", Hour, project_id=project_id, hours=HOURS)


def leases(db: Database, *, project_id: int = 0) -> list[Leases]:
    """The last four weeks', oldest first."""
    return db.all("control/leases", Leases, project_id=project_id, days=LEASE_DAYS)


def reasons(db: Database, *, project_id: int = 0) -> list[Reasons]:
    """The queues with the most looks of the last weeks."""
    rows = db.all("control/reasons", Said, project_id=project_id, weeks=WEEKS, limit=BUSIEST)
    return [_queue(list(found)) for _, found in groupby(rows, key=lambda row: row.queue_id)]


def _queue(rows: list[Said]) -> Reasons:
    by_code: dict[str, list[Said]] = {}
    for row in rows:
        by_code.setdefault(row.reason_code, []).append(row)
    found = sorted((_reason(said) for said in by_code.values()), key=lambda reason: -reason.looks)
    return Reasons(rows[0].project_id, rows[0].project, rows[0].queue, rows[0].all_looks, found)


def _reason(rows: list[Said]) -> Reason:
    most = max(rows, key=lambda row: row.looks)
    return Reason(most.reason_code, most.reason, most.said, sum(row.looks for row in rows), most.looks, most.overturned)


def routes(db: Database, *, project_id: int = 0) -> list[Route]:
    """What is worth automating of the last weeks, by what intake knows before anybody looks; the most work first."""
    rows = db.all("control/routes", Route, project_id=project_id, weeks=WEEKS, limit=BUSIEST, enough=worth.ENOUGH, sure=worth.SURE)
    return [row for row in rows if worth.automating(row.same, row.overturned, row.outcomes)]


def load(db: Database, *, days: int = DAYS) -> list[Load]:
    """The people with the most looks of these days."""
    return list(_by_person(db.all("control/load", Did, days=days, limit=PEOPLE)))


def _by_person(rows: Iterable[Did]) -> Iterator[Load]:
    for (person_id, person), days in groupby(rows, key=lambda row: (row.person_id, row.person)):
        yield Load(person_id, person, list(days))


def missed(db: Database) -> list[Missed]:
    """The newest five."""
    return db.all("control/missed", Missed)
