"""Batch decisions: a lead decides alike items together, after looking at a random sample of them; each item gets a decision of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors, projects, rules
from claimcheck.bulk import groups, samples
from claimcheck.bulk.samples import Bound, Drawn
from claimcheck.db import Connection, Database
from claimcheck.projects import Project
from claimcheck.quality import hypergeometric
from claimcheck.review import decisions, tasks

MOST, LONGEST_LIST, TOLERATED = 2000, 5000, 5  # items of a list: where nothing is said, and at all; wrong ones that a sample may have room for
UNDONE = {"desk.undone": "The batch decision was undone"}
NEWEST = 2**62


@dataclass(frozen=True, slots=True)
class BatchDecision:
    """One. `same` is what its items have in common; `decided`, `opened`, `stale` count members that ended so, `undone` those taken back.

    `nth`: that many samples were drawn for these items with this one, by anybody; each further one has to be surer (`of_draw`).
    `blind`: its project wants a second pair of eyes on some decisions, which may be those of any other lead.
    """

    id: int
    project_id: int
    project: str
    project_version: int
    led_by: int
    lead: str
    same: list[str | None]
    verdict: str | None
    answer: Any
    reason_code: str
    note: str
    at_most: float
    confidence: float
    undo_seconds: int
    most: int
    tolerate: int
    state: str
    version: int
    members: int
    seed: str | None
    nth: int | None
    sample_size: int | None
    looked: int | None
    wrong: int | None
    rest: int | None
    upper: int | None
    why: str | None
    created_at: datetime
    undo_until: datetime | None
    server_now: datetime
    blind: bool
    decided: int
    opened: int
    stale: int
    undone: int

    @property
    def sure(self) -> Fraction:
        """The confidence that this draw has to give."""
        return hypergeometric.of_draw(self.confidence, self.nth if self.nth is not None else 1)

    @property
    def undoable(self) -> bool:
        """Whether it can still be undone as a whole."""
        return self.state == "deciding" or (self.state == "decided" and self.undo_until is not None and self.undo_until > self.server_now)


@dataclass(frozen=True, slots=True)
class Line:
    """One in a list."""

    id: int
    project_id: int
    project: str
    led_by: int
    lead: str
    same: list[str | None]
    verdict: str | None
    answer: Any
    state: str
    members: int
    created_at: datetime
    blind: bool


@dataclass(frozen=True, slots=True)
class Member:
    """An item of the list. `place` is its place in the sample; `came_to` says how it ended: `decided`, `opened` by the lead, or `stale` and why."""

    n: int
    item_id: int
    idempotency_key: str
    title: str
    place: int | None
    came_to: str | None
    why: str | None
    decision_id: int | None
    superseded_by: int | None
    undone: bool


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


@dataclass(frozen=True, slots=True)
class _Kept:
    kept: int


@dataclass(frozen=True, slots=True)
class _Undone:
    decision_id: int


def ask(
    db: Database, *, project: Project, me: int, same: Mapping[str, str | None], reason_code: str, verdict: str | None = None, answer: Any = None,
    note: str = "", most: int = MOST, tolerate: int = 0, sample_size: int | None = None,
) -> int:  # fmt: skip
    """Begins one; its id. A worker makes its list and draws the sample. Raises Invalid, Forbidden or ProjectCancelled."""
    in_force = projects.rules(db, project.id, project.version)
    answer = _checked(in_force, verdict, answer, reason_code)
    _in_range("most", most, 1, LONGEST_LIST)
    _in_range("tolerate", tolerate, 0, TOLERATED)
    if sample_size is not None:
        _in_range("sample_size", sample_size, 1, LONGEST_LIST)
    limits, said = in_force.batch_decision_bound, decisions.cleaned(note)
    asked: dict[str, Any] = {"same": groups.same(same), "verdict": verdict, "reason_code": reason_code, "note": said}
    asked |= {"at_most": limits.share, "confidence": limits.confidence, "undo_seconds": in_force.undo_seconds, "most": most, "tolerate": tolerate}
    asked |= {"project_id": project.id, "me": me, "answer": None if answer is None else Jsonb(answer), "sample_asked": sample_size}
    return db.together(lambda connection: _ask(connection, asked))


def _checked(in_force: rules.Rules, verdict: str | None, answer: Any, reason_code: str) -> Any:
    """The answer in its canonical form. Raises Invalid, also where a single look is not enough for an item."""
    if in_force.first_wanted != 1:
        raise errors.Invalid.field("project_id", "asks for several independent looks at an item; a batch decision would be a single one")
    if verdict == "escalate":
        raise errors.Invalid.field("verdict", "can't be escalate: a lead decides, or drops the batch decision")
    return rules.check_decision(in_force, "review", verdict=verdict, answer=answer, reason_code=reason_code)


def _in_range(field: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise errors.Invalid.field(field, f"must be a whole number from {low} to {high:,}")


def _ask(connection: Connection, asked: dict[str, Any]) -> int:
    connection.run("reason_codes/put", project_id=asked["project_id"], codes=[*UNDONE], labels=[*UNDONE.values()], reserved=True)
    made = connection.one("batch_decisions/ask", _Id, **asked)
    if made is None:
        raise errors.ProjectCancelled("The project was cancelled; nothing more is decided in it.")
    return made.id


def tells(one: BatchDecision | Line, me: int) -> bool:
    """Whether somebody may be told what is proposed, and of which items; nobody who may have to look at one of them blindly."""
    return one.led_by == me or not one.blind


def load(db: Database | Connection, *, batch_id: int) -> BatchDecision:
    """One. Raises NotFound."""
    found = db.one("batch_decisions/load", BatchDecision, batch_id=batch_id)
    if found is None:
        raise errors.NotFound()
    return found


def page(db: Database, *, project_id: int | None = None, before: int = NEWEST, limit: int = 50) -> list[Line]:
    """Those begun so far, the newest first."""
    return db.all("batch_decisions/page", Line, project_id=project_id, before=before, limit=limit)


def members(db: Database, *, batch_id: int, after: int = 0, limit: int = 100, came_to: str | None = None) -> list[Member]:
    """The list, from a place on; with `came_to` only those that ended so."""
    return db.all("batch_decisions/members", Member, batch_id=batch_id, after=after, limit=limit, came_to=came_to)


def sample(db: Database | Connection, one: BatchDecision) -> tuple[list[Drawn], Bound | None]:
    """The whole sample as it stands, and what it says; no bound before it was drawn."""
    drawn = samples.load(db, batch_id=one.id)
    return drawn, None if one.sample_size is None else _bound(one, one.sample_size, samples.judge(drawn))


def progress(db: Database | Connection, one: BatchDecision) -> Bound | None:
    """What the sample says, without a look at each of its items."""
    return None if one.sample_size is None else _bound(one, one.sample_size, samples.tally(db, batch_id=one.id))


def _bound(one: BatchDecision, size: int, of: samples.Tally) -> Bound:
    return samples.bound(of, members=one.members, size=size, at_most=one.at_most, confidence=one.sure)


def of_assignment(db: Database, *, assignment_id: int) -> int | None:
    """The batch decision in whose sample this assignment's item is, while its lead looks at the sample."""
    found = db.one("batch_decisions/of_assignment", _Id, assignment_id=assignment_id)
    return found.id if found else None


def open_next(db: Database, *, batch_id: int, me: int) -> tasks.Claim | None:
    """Claims the next item of the sample for its lead, as any review; None once all were looked at. Raises Forbidden or Conflict."""
    one = _led(db, batch_id, me)
    if one.state != "sampling":
        raise errors.BatchMoved()
    db.run("batch_decisions/touch", batch_id=one.id)
    for _ in range(3):  # one may come to nothing while it is asked for; another stands in
        samples.stand_in(db, batch_id=one.id, members=one.members, size=one.sample_size or 0)
        waiting = db.one("batch_decisions/next_drawn", _Id, batch_id=one.id)
        if waiting is None:
            return None
        claim = tasks.claim(db, me=me, item_id=waiting.id)
        if claim is not None and claim.item_id != waiting.id:
            raise errors.Conflict("You hold another item: decide it, or give it back first.")
        if claim is not None:
            return claim
    raise errors.BatchMoved()


def _led(db: Database | Connection, batch_id: int, me: int) -> BatchDecision:
    one = load(db, batch_id=batch_id)
    if one.led_by != me:
        raise errors.Forbidden("Only the lead who began this batch decision looks at its sample and decides the rest.")
    return one


def decide(db: Database, *, batch_id: int, me: int, version: int) -> None:
    """Has the rest decided, by a worker. Raises Forbidden, BoundNotMet, or BatchMoved where it is not as this version says any more."""
    db.together(lambda connection: _decide(connection, batch_id, me, version))


def _decide(connection: Connection, batch_id: int, me: int, version: int) -> None:
    one = _led(connection, batch_id, me)
    if one.state != "sampling" or one.version != version:
        raise errors.BatchMoved()
    _, found = sample(connection, one)
    assert found is not None
    if not found.met:
        raise errors.BoundNotMet(samples.short_of(found, at_most=one.at_most))
    figures = {"looked": found.looked, "wrong": found.wrong, "rest": found.rest, "upper": found.upper}
    if not connection.run("batch_decisions/go_on", batch_id=one.id, me=me, version=version, **figures):
        raise errors.BatchMoved()


def drop(db: Database, *, batch_id: int, me: int, version: int, why: str = "") -> None:
    """Gives every item back. Raises BatchMoved where it is not as this version says any more, or was decided."""
    load(db, batch_id=batch_id)
    if not db.run("batch_decisions/drop", batch_id=batch_id, me=me, version=version, why=decisions.cleaned(why).strip() or "by its lead"):
        raise errors.BatchMoved()


def undo(db: Database, *, batch_id: int, me: int) -> None:
    """Takes back what was decided unseen, all of it whose effects have not gone out; a worker opens the items again. Raises UndoOver."""
    load(db, batch_id=batch_id)
    if db.one("batch_decisions/undo", _Kept, batch_id=batch_id, me=me) is None:
        raise errors.UndoOver()


def undo_one(db: Database, *, batch_id: int, n: int, me: int) -> int:
    """Takes back a single one while its effects wait; the superseding decision's id. Raises NotFound, UndoOver or AlreadyOverturned."""
    found = members(db, batch_id=batch_id, after=n - 1, limit=1)
    if not found or found[0].n != n or found[0].came_to != "decided":
        raise errors.NotFound()
    if found[0].superseded_by is not None:
        raise errors.AlreadyOverturned()
    return db.together(lambda connection: _undo_one(connection, batch_id, found[0].decision_id, me))


def _undo_one(connection: Connection, batch_id: int, decision_id: int | None, me: int) -> int:
    connection.run("batch_decisions/ask_undo", batch_id=batch_id, decision_id=decision_id, me=me)
    made = undo_some(connection, batch_id=batch_id, decision_ids=[decision_id], me=me)
    if not made:
        raise errors.UndoOver()
    return made[0]


def undo_some(connection: Connection, *, batch_id: int, decision_ids: list[int | None], me: int) -> list[int]:
    """Supersedes those of these outcomes whose effects never went out; the new decisions. Their items are open again, with their newest evidence."""
    rows = connection.all("batch_decisions/undo_some", _Undone, batch_id=batch_id, decision_ids=decision_ids, me=me)
    for row in rows:
        decisions.refresh_reopened(connection, row.decision_id)
    return [row.decision_id for row in rows]
