"""What a review screen says beside the payload: what is held, what became of a lost lease, why nothing is here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors
from claimcheck.db import Connection, Database


@dataclass(frozen=True, slots=True)
class Holding:
    """The assignment that a person holds now; its lease may have run out without anybody taking the item."""

    assignment_id: int
    item_id: int
    title: str
    idempotency_key: str
    project: str
    queue: str
    lease_expires: datetime
    server_now: datetime

    @property
    def seconds_left(self) -> int:
        return max(0, int((self.lease_expires - self.server_now).total_seconds()))


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What became of an assignment of the caller's. `holding_id` is the live one that they hold instead."""

    id: int
    task_id: int
    item_id: int
    lease_expires: datetime
    ended_at: datetime | None
    end_reason: str | None
    server_now: datetime
    ended_as: str | None
    cancelled: bool
    taken: bool
    free: bool
    holding_id: int | None
    holding_item_id: int | None

    @property
    def state(self) -> str:
        """One word for the screen: submitted, yours, lapsed, cancelled, again, passed_on, taken, free or closed."""
        if self.end_reason == "submitted":
            return "submitted"
        if self.ended_at is None and self.lease_expires > self.server_now:
            return "yours"
        if self.cancelled:
            return "cancelled"
        if self.ended_at is None:
            return "lapsed"
        return self._ended()

    def _ended(self) -> str:
        if self.holding_id is not None and self.holding_item_id == self.item_id:
            return "again"
        if self.ended_as is not None:
            return "passed_on"
        if self.taken:
            return "taken"
        return "free" if self.free else "closed"


@dataclass(frozen=True, slots=True)
class WhyNothing:
    """What may keep work from a person. `skills` are those in which live items are handed to them, of the others each stands once."""

    skills: list[str]
    exam_skills: list[str]
    extra_skills: list[str]
    held_back_skills: list[str]
    paused_skills: list[str]
    projects: list[str]
    paused_projects: list[str]
    storing: bool
    any_sent: bool

    @property
    def cause(self) -> str:
        """The first that holds: exam, extra, held_back, skills_paused, no_skill, no_project, projects_paused, storing, nothing_sent, all_done."""
        if not self.skills:
            return next((cause for cause, skills in self.apart if skills), "no_skill")
        if not self.projects:
            return "projects_paused" if self.paused_projects else "no_project"
        if self.storing:
            return "storing"
        return "all_done" if self.any_sent else "nothing_sent"

    @property
    def apart(self) -> list[tuple[str, list[str]]]:
        """Skills in which no live item is handed out, by cause."""
        return [("exam", self.exam_skills), ("extra", self.extra_skills), ("held_back", self.held_back_skills), ("skills_paused", self.paused_skills)]


@dataclass(frozen=True, slots=True)
class _SentBack:
    note: str


@dataclass(frozen=True, slots=True)
class _Fresh:
    fresh: bool


@dataclass(frozen=True, slots=True)
class Escalation:
    """A task in the leads' queue: why it came (`because`, and what the look that asked for it said), and who holds it."""

    task_id: int
    item_id: int
    kind: str
    project: str
    title: str
    idempotency_key: str
    created_at: datetime
    server_now: datetime
    because: str | None
    votes: list[str] | None
    abandoned: int | None
    reason: str | None
    note: str | None
    assignment_id: int | None
    holder: str | None
    lease_expires: datetime | None
    mine: bool
    barred: bool


@dataclass(frozen=True, slots=True)
class Disputed:
    """A look that an adjudication is about, without its author. `seconds`: how long it was held."""

    verdict: str | None
    answer: Any
    reason_code: str
    reason: str
    note: str
    seconds: float

    @property
    def chosen(self) -> list[Any]:
        """The verdict, the answer, or each option of several."""
        return [self.verdict] if self.verdict is not None else self.answer if isinstance(self.answer, list) else [self.answer]


@dataclass(frozen=True, slots=True)
class LateLook:
    """The opinion in a submit that came after its lease was lost. It counts for nothing."""

    assignment_id: int
    task_id: int
    person_id: int
    person: str
    verdict: str | None
    answer: Any
    reason_code: str
    note: str
    at: datetime


def holding(db: Database, *, me: int) -> Holding | None:
    """What the caller holds, if anything."""
    return db.one("looks/holding", Holding, me=me)


def whereabouts(db: Database, *, assignment_id: int, me: int) -> Whereabouts:
    """What became of one of the caller's own assignments. Raises NotFound."""
    row = db.one("looks/whereabouts", Whereabouts, assignment_id=assignment_id, me=me)
    if row is None:
        raise errors.NotFound()
    return row


def why_nothing(db: Database, *, me: int) -> WhyNothing:
    """What may keep work from the caller."""
    row = db.one("looks/why_nothing", WhyNothing, me=me)
    assert row is not None
    return row


def escalations(db: Database, *, me: int) -> list[Escalation]:
    """The leads' open tasks, oldest first."""
    return db.all("looks/escalations", Escalation, me=me)


def disputed(db: Database | Connection, *, assignment_id: int, me: int) -> list[Disputed]:
    """The looks of a held adjudication, in an order that is this assignment's own; none for anybody but its holder."""
    return db.all("looks/disputed", Disputed, assignment_id=assignment_id, me=me)


def sent_back(db: Database, *, task_id: int) -> str | None:
    """A lead's note on a task that they sent back to the reviewers."""
    row = db.one("looks/sent_back", _SentBack, task_id=task_id)
    return row and row.note


def fresh_left(db: Database, *, me: int) -> bool:
    """Whether something waits for the caller beside what they skipped."""
    row = db.one("looks/fresh_left", _Fresh, me=me)
    return row is not None and row.fresh


def late_looks(db: Database, *, item_id: int) -> list[LateLook]:
    """Those of an item, oldest first; none while one of its tasks still waits for looks."""
    return db.all("late_looks/of_item", LateLook, item_id=item_id)
