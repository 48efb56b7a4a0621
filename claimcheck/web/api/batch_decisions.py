"""`/v1/batch-decisions`: a lead decides alike items together, after looking at a random sample of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from claimcheck import errors, projects
from claimcheck.bulk import batch_decisions, groups
from claimcheck.bulk.batch_decisions import BatchDecision
from claimcheck.review import assignments
from claimcheck.validation import Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import answers, models, tasks
from claimcheck.web.api.requests import Body, Query
from claimcheck.web.api.routes import INT4, INT8, Call, route

LEAD = ("lead",)
UNTOLD: dict[str, Any] = {"verdict": None, "answer": None}


class Same(Model):
    """What the items have in common; a part that is left out may be anything, an empty one is one that they lack."""

    queue: str | None = None
    counterparty: str | None = Field(None, description="the ledger entity of their messages, else their partition key")
    match_decision: str | None = None
    currency: str | None = None
    band: str | None = Field(None, description="of the variance: `10 to 100`, `-100 to 1000`, `0`")


class Ask(Model):
    """A batch decision: of which items, and what is proposed for all of them."""

    project_id: int = Field(ge=1, le=INT4)
    same: Same
    verdict: Annotated[str, Field(max_length=20)] | None = None
    answer: Any = None
    reason_code: Annotated[str, Field(min_length=1, max_length=100)]
    note: Prose = ""
    most: int = Field(batch_decisions.MOST, ge=1, le=batch_decisions.LONGEST_LIST, description="items")
    tolerate: int = Field(0, ge=0, le=batch_decisions.TOLERATED, description="wrong ones that the sample has room for: more makes it larger")
    sample_size: int | None = Field(None, ge=1, le=batch_decisions.LONGEST_LIST, description="as many as the bound needs where absent")


class At(Model):
    """The state that you saw, so that nothing is done to another one."""

    version: int = Field(ge=1, le=INT4)


class Drop(At):
    why: Prose = ""


class GroupsQuery(Query):
    after: int = Field(0, ge=0, le=INT8)


class Page(Query):
    project_id: int | None = Field(None, ge=1, le=INT4)
    before: int = Field(batch_decisions.NEWEST, ge=1, le=batch_decisions.NEWEST)
    limit: int = Field(50, ge=1, le=200)


class MembersQuery(Query):
    after: int = Field(0, ge=0, le=INT4)
    limit: int = Field(100, ge=1, le=500)
    came_to: Literal["decided", "opened", "stale"] | None = None


class Group(models.Answer):
    same: Same
    items: int
    oldest: datetime


class Groups(models.Answer):
    groups: list[Group] = Field(description="the largest first")
    looked: int = Field(description="open tasks that were looked through for this page")
    next: str | None


class Line(models.Answer):
    id: int
    project_id: int
    project: str
    lead: str
    same: Same
    verdict: str | None
    answer: Any
    state: str
    members: int
    created_at: datetime


class Lines(models.Answer):
    batch_decisions: list[Line]
    next: str | None


class Bound(models.Answer):
    """What the sample says: of `rest` items that nobody opens at most `upper` are wrong, with the confidence asked for."""

    looked: int
    wrong: int
    left: int = Field(description="of the sample, to be looked at")
    void: int = Field(description="drawn, but changed or cancelled since: others stand in for them")
    rest: int
    upper: int
    share: float
    met: bool


class Drawn(models.Answer):
    place: int
    n: int
    item_id: int
    idempotency_key: str
    state: Literal["open", "looked", "void"]
    decision_id: int | None
    differs: bool = Field(description="of one that was looked at: from what is proposed")


class Batch(Line):
    version: int
    reason_code: str | None
    note: str | None
    at_most: float
    confidence: float
    undo_seconds: int
    seed: str | None = Field(description="given once the list was complete; the sample is the list's beginning by SHA-256 of `seed:item_id`")
    nth: int | None = Field(description="samples drawn for these items with this one; each further one has to be surer")
    sample: list[Drawn]
    bound: Bound | None
    why: str | None
    undo_until: datetime | None
    decided: int
    opened: int
    stale: int
    undone: int


class Member(models.Answer):
    n: int
    item_id: int
    idempotency_key: str
    place: int | None = Field(description="in the sample")
    came_to: str | None
    why: str | None
    decision_id: int | None
    superseded_by: int | None
    undone: bool


class Members(models.Answer):
    members: list[Member]
    next: str | None


class Made(models.Answer):
    id: int
    status_url: str


class Undone(models.Answer):
    decision_id: int


@route("GET", "/projects/{project_id}/alike", roles=LEAD, query=GroupsQuery, answers={200: Groups})
def alike(call: Call, project_id: int) -> Any:
    """Groups of alike items that wait, among the next open tasks of a project, by what intake kept of them; go on with `next`."""
    project = projects.load(desk().db, project_id, call.person)
    found = groups.page(desk().db, project_id=project.id, me=call.person.id, after=call.query.after)
    more = answers.again(f"/v1/projects/{project.id}/alike", call.query, after=found.last) if found.last else None
    return 200, {"groups": [{"same": g.parts, "items": g.items, "oldest": g.oldest} for g in found.groups], "looked": found.looked, "next": more}


@route("POST", "/batch-decisions", roles=LEAD, body=Body(Ask), answers={202: Made}, raises=(errors.ProjectCancelled, errors.NotFound))
def make(call: Call) -> Any:
    """Begins one: a worker holds what is alike as a fixed list, gives a seed, and draws the sample by it."""
    sent, db = call.body, desk().db
    project = projects.load(db, sent.project_id, call.person)
    given = sent.model_dump(exclude={"project_id"})
    made = batch_decisions.ask(db, project=project, me=call.person.id, **given)
    return 202, {"id": made, "status_url": answers.address(f"/v1/batch-decisions/{made}")}


@route("GET", "/batch-decisions", roles=LEAD, query=Page, answers={200: Lines})
def page(call: Call) -> Any:
    """Those begun so far, the newest first."""
    asked = call.query
    found = batch_decisions.page(desk().db, project_id=asked.project_id, before=asked.before, limit=asked.limit)
    more = answers.following("/v1/batch-decisions", asked, found, before="id")
    return 200, {"batch_decisions": [_line(line, call.person.id) for line in found], "next": more}


def _line(line: batch_decisions.Line, me: int) -> dict[str, Any]:
    told = {} if batch_decisions.tells(line, me) else UNTOLD
    return {**Line.of(line), "same": _parts(line.same), **told}


def _parts(same: list[str | None]) -> dict[str, str | None]:
    return dict(zip(groups.PARTS, same, strict=True))


@route("GET", "/batch-decisions/{batch_decision_id}", roles=LEAD, answers={200: Batch})
def get(call: Call, batch_decision_id: int) -> Any:
    """One: how far it is, its sample, and the bound that follows for the rest.

    Where the project has `four_eyes`, only its lead is told those and what is proposed.
    """
    one = batch_decisions.load(desk().db, batch_id=batch_decision_id)
    return 200, _shown(one, hidden=not batch_decisions.tells(one, call.person.id))


def _shown(one: BatchDecision, *, hidden: bool) -> dict[str, Any]:
    drawn, found = ([], None) if hidden else batch_decisions.sample(desk().db, one)
    return {
        **Batch.of(one),
        "same": _parts(one.same),
        "sample": [Drawn.of(d) for d in drawn],
        "bound": None if found is None else Bound.of(found),
        **(UNTOLD | {"reason_code": None, "note": None} if hidden else {}),
    }


@route("GET", "/batch-decisions/{batch_decision_id}/members", roles=LEAD, query=MembersQuery, answers={200: Members})
def members(call: Call, batch_decision_id: int) -> Any:
    """The list in its order, and what came of each item. Where the project has `four_eyes`, for its lead alone."""
    db, asked = desk().db, call.query
    one = batch_decisions.load(db, batch_id=batch_decision_id)
    if not batch_decisions.tells(one, call.person.id):
        raise errors.Forbidden("You may have to be the second pair of eyes on one of these items, so only the lead who began this sees the list.")
    found = batch_decisions.members(db, batch_id=one.id, after=asked.after, limit=asked.limit, came_to=asked.came_to)
    more = answers.following(f"/v1/batch-decisions/{one.id}/members", asked, found, after="n")
    return 200, {"members": [Member.of(m) for m in found], "next": more}


@route(
    "POST", "/batch-decisions/{batch_decision_id}/sample", roles=LEAD, answers={200: tasks.Task, 204: None},
    raises=(errors.Conflict, errors.BatchMoved),
)  # fmt: skip
def sample(call: Call, batch_decision_id: int) -> Any:
    """The next item of the sample, in your hands as any task: submit it like one. 204 once all of it was looked at."""
    db, me = desk().db, call.person.id
    claimed = batch_decisions.open_next(db, batch_id=batch_decision_id, me=me)
    if claimed is None:
        return 204, None
    with db.connection() as connection:
        return 200, tasks.shown(connection, assignments.load(connection, assignment_id=claimed.assignment_id, me=me))


@route(
    "POST", "/batch-decisions/{batch_decision_id}/decide", roles=LEAD, body=Body(At), answers={202: Made},
    raises=(errors.BatchMoved, errors.BoundNotMet),
)  # fmt: skip
def decide(call: Call, batch_decision_id: int) -> Any:
    """Has the rest decided, where the sample meets the bound: a decision for each item, those that are stale left out."""
    batch_decisions.decide(desk().db, batch_id=batch_decision_id, me=call.person.id, version=call.body.version)
    return 202, {"id": batch_decision_id, "status_url": answers.address(f"/v1/batch-decisions/{batch_decision_id}")}


@route("POST", "/batch-decisions/{batch_decision_id}/drop", roles=LEAD, body=Body(Drop), answers={202: Made}, raises=(errors.BatchMoved,))
def drop(call: Call, batch_decision_id: int) -> Any:
    """Gives every item back to its queue. What was looked at of the sample stays decided."""
    batch_decisions.drop(desk().db, batch_id=batch_decision_id, me=call.person.id, **call.body.model_dump())
    return 202, {"id": batch_decision_id, "status_url": answers.address(f"/v1/batch-decisions/{batch_decision_id}")}


@route("POST", "/batch-decisions/{batch_decision_id}/undo", roles=LEAD, answers={202: Made}, raises=(errors.UndoOver,))
def undo(call: Call, batch_decision_id: int) -> Any:
    """Takes back all that was decided unseen and whose effects have not gone out."""
    batch_decisions.undo(desk().db, batch_id=batch_decision_id, me=call.person.id)
    return 202, {"id": batch_decision_id, "status_url": answers.address(f"/v1/batch-decisions/{batch_decision_id}")}


@route(
    "POST", "/batch-decisions/{batch_decision_id}/members/{n}/undo", roles=LEAD, answers={201: Undone},
    raises=(errors.UndoOver, errors.AlreadyOverturned),
)  # fmt: skip
def undo_one(call: Call, batch_decision_id: int, n: int) -> Any:
    """Takes back a single one while its effects wait."""
    made = batch_decisions.undo_one(desk().db, batch_id=batch_decision_id, n=n, me=call.person.id)
    return 201, {"decision_id": made}
