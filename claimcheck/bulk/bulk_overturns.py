"""Bulk overturns: a lead has outcomes superseded together, as a fixed list, once another lead who is new to its items has approved it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors, projects
from claimcheck.access.people import Person
from claimcheck.bulk import finding
from claimcheck.bulk.finding import Asked
from claimcheck.db import Database
from claimcheck.review import decisions

MOST = 5000  # outcomes of a list
NEWEST = 2**62
LONGEST_WHY = 2000  # characters
WAYS = {  # what people do with one: from which states, and where to
    "ask": (("listed",), "pending"),
    "approve": (("pending",), "running"),
    "reject": (("pending",), "rejected"),
    "withdraw": (("gathering", "listed", "pending"), "withdrawn"),
    "pause": (("running",), "paused"),
    "resume": (("paused",), "running"),
    "stop": (("running", "paused"), "stopped"),
}
SAY_WHY = ("reject", "stop")


@dataclass(frozen=True, slots=True)
class BulkOverturn:
    """One. `whole`: whether its list holds all that was asked for; `reached`: how far down it the workers are.

    `may`: whether the asker may approve it.
    """

    id: int
    project_id: int
    project: str
    requested_by: int
    lead: str
    reviewer_id: int | None
    reviewer: str | None
    reason: str | None
    queue: str | None
    match_decision: str | None
    stood: str | None
    since: datetime | None
    until: datetime
    outcome: str
    answer: Any
    reason_code: str
    note: str
    state: str
    version: int
    moved_by: str
    moved_at: datetime
    why: str
    approver: str | None
    listed: int
    whole: bool
    reached: int
    overturned: int
    left_out: int
    created_at: datetime
    may: bool

    @property
    def waiting(self) -> int:
        """Those of the list that are still to be overturned."""
        return self.listed - self.overturned - self.left_out


@dataclass(frozen=True, slots=True)
class Line:
    """One in a list."""

    id: int
    project_id: int
    project: str
    lead: str
    outcome: str
    answer: Any
    state: str
    listed: int
    overturned: int
    left_out: int
    created_at: datetime
    moved_at: datetime


@dataclass(frozen=True, slots=True)
class Member:
    """An outcome of the list. `came_to`: `overturned` by a decision of its own, or `left_out` and why; None: it waits."""

    n: int
    item_id: int
    idempotency_key: str
    title: str
    decision_id: int
    outcome: str
    answer: Any
    decided_by: str
    came_to: str | None
    why: str | None
    overturned_by: int | None


@dataclass(frozen=True, slots=True)
class Why:
    """Why so many were left out."""

    why: str
    items: int


@dataclass(frozen=True, slots=True)
class Eyes:
    """A lead who could approve it, and how many of its items they had in their hands; who had none may."""

    id: int
    name: str
    items: int


@dataclass(frozen=True, slots=True)
class Step:
    """A step that it took."""

    at: datetime
    kind: str
    who: str
    why: str


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def begin(
    db: Database, asked: Asked, *, me: int, reason_code: str, verdict: str | None = None, answer: Any = None, reopen: bool = False,
    note: str = "", most: int = MOST,
) -> int:  # fmt: skip
    """Begins one; its id. A worker makes its list; then it may be asked for. Raises Invalid or Forbidden."""
    if not asked.narrow:
        raise errors.Invalid.field("reviewer", "say which outcomes: whose, for which reason, of which queue, or from when to when")
    finding.check(asked)
    if not 1 <= most <= MOST:
        raise errors.Invalid.field("most", f"must be a whole number from 1 to {MOST:,}")
    in_force = projects.rules(db, asked.project_id, projects.version(db, asked.project_id))
    outcome, given = decisions.instead(in_force, verdict=verdict, answer=answer, reopen=reopen, reason_code=reason_code)
    said = {"outcome": outcome, "answer": None if given is None else Jsonb(given), "reason_code": reason_code, "note": decisions.cleaned(note)}
    if asked.reviewer_id is not None and not db.one("bulk_overturns/person", _Id, person_id=asked.reviewer_id):
        raise errors.Invalid.field("reviewer", "is the number of nobody here")
    made = db.one("bulk_overturns/begin", _Id, **asdict(asked), **said, me=me, most=most)
    if made is None:
        raise errors.Forbidden("Only a lead may overturn outcomes.")
    return made.id


def load(db: Database, *, bulk_id: int, me: int) -> BulkOverturn:
    """One. Raises NotFound."""
    found = db.one("bulk_overturns/load", BulkOverturn, bulk_id=bulk_id, me=me)
    if found is None:
        raise errors.NotFound()
    return found


def page(db: Database, *, project_id: int | None = None, before: int = NEWEST, limit: int = 50) -> list[Line]:
    """Those begun so far, the newest first."""
    return db.all("bulk_overturns/page", Line, project_id=project_id, before=before, limit=limit)


def pending(db: Database) -> list[Line]:
    """Those that wait for another lead, the longest first."""
    return db.all("bulk_overturns/pending", Line)


def members(db: Database, *, bulk_id: int, after: int = 0, limit: int = 100, came_to: str | None = None) -> list[Member]:
    """The list, from a place on; with `came_to` only those that ended so, or that wait (`waits`)."""
    return db.all("bulk_overturns/members", Member, bulk_id=bulk_id, after=after, limit=limit, came_to=came_to)


def reasons(db: Database, *, bulk_id: int) -> list[Why]:
    """Why some were left out."""
    return db.all("bulk_overturns/reasons", Why, bulk_id=bulk_id)


def eyes(db: Database, *, bulk_id: int) -> list[Eyes]:
    """Leads who could approve it, those who are new to its items first."""
    return db.all("bulk_overturns/eyes", Eyes, bulk_id=bulk_id)


def history(db: Database, *, bulk_id: int) -> list[Step]:
    """Each step that it took, who took it and why."""
    return db.all("bulk_overturns/history", Step, bulk_id=bulk_id)


def move(db: Database, act: str, *, bulk_id: int, me: Person, version: int, why: str = "") -> None:
    """Does with one what WAYS names. Raises Invalid, Forbidden, SameEyes, or OverturnsMoved where it is not as this version says any more."""
    ways, to = WAYS[act]
    one, said = load(db, bulk_id=bulk_id, me=me.id), decisions.cleaned(why).strip()
    if act in SAY_WHY and not said:
        raise errors.Invalid.field("why", "say why, for whoever asked for it and for the record")
    if len(said) > LONGEST_WHY:
        raise errors.Invalid.field("why", f"is {len(said)} characters long; {LONGEST_WHY:,} are the limit")
    if one.version != version or one.state not in ways:
        raise errors.OverturnsMoved()
    _may(act, one, me)
    if not db.run("bulk_overturns/move", bulk_id=bulk_id, me=me.id, version=version, ways=[*ways], to=to, why=said):
        raise errors.OverturnsMoved()


def _may(act: str, one: BulkOverturn, me: Person) -> None:
    """What the database refuses, in words."""
    mine = one.requested_by == me.id
    if act in ("ask", "withdraw") and not mine:
        raise errors.Forbidden("Only the lead who began it asks for it or withdraws it. You may approve or reject it.")
    if act == "ask" and not one.waiting:
        raise errors.Invalid("Nothing on this list can be overturned; withdraw it.")
    if act in ("approve", "reject") and mine:
        raise errors.SameEyes("You asked for it, so another lead approves or rejects it. You may withdraw it.")
    if act == "approve" and not one.may:
        raise errors.SameEyes(
            "A program may ask for it, but never approve it."
            if me.program
            else "You had items of it in your hands, so you can't approve it; another lead who is new to them may."
        )
