"""`/v1/overturns`: a lead has outcomes superseded together, once another lead has approved the list."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from claimcheck import errors, projects
from claimcheck.bulk import bulk_overturns, finding
from claimcheck.validation import Model, Moment, Prose
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Body, Query
from claimcheck.web.api.routes import INT4, Call, route

LEAD = ("lead",)
Word = Annotated[str, Field(min_length=1, max_length=finding.LONGEST, pattern=r"^[^\x00]*$")]


class Filters(Query):
    """Which outcomes, each of them optional."""

    reviewer: str = Field("", description="number of whose they are, alone or together with others; 0: the desk's own")
    reason: str = Field("", description="code that they, or a look behind them, gave")
    queue: str = Field("", description="that the item came to: the route's rule")
    match: str = Field("", description="of the message that the item came with")
    stood: str = Field("", description=", ".join(finding.OUTCOMES))
    since: str = Field("", description="decided at or after: an age (12h, 3d) or a moment")
    until: str = Field("", description="decided before: an age or a moment")
    after: str = Field("", description="`next_after` of the page before")


class Outcome(models.Answer):
    id: int = Field(description="the decision's")
    item_id: int
    idempotency_key: str
    title: str
    outcome: str
    answer: Any
    reason_code: str
    decided_by: str
    created_at: datetime
    queue: str
    match_decision: str
    why: str | None = Field(description="why it could not be overturned; null where it could")


class Effect(models.Answer):
    """What hears of each overturn."""

    kind: str
    url: str | None
    switched_off: str | None


class Outcomes(models.Answer):
    """`looked_at` outcomes were looked through for this page; without `next_after` it is the last."""

    outcomes: list[Outcome]
    next_after: str | None
    looked_at: int


class Begin(Model):
    """Which outcomes of a project, at least one filter beside it, and what is to hold instead of them."""

    project_id: int = Field(ge=1, le=INT4)
    reviewer_id: int | None = Field(None, ge=0, le=INT4, description="whose they are, alone or together with others; 0: the desk's own")
    reason: Word | None = None
    queue: Word | None = None
    match_decision: Word | None = None
    stood: Literal["approve", "reject", "answer"] | None = None
    since: Moment | None = None
    until: Moment | None = Field(None, description="now where absent: what is decided later never comes onto the list")
    verdict: Annotated[str, Field(max_length=20)] | None = None
    answer: Any = None
    reopen: bool = False
    reason_code: Annotated[str, Field(min_length=1, max_length=100)]
    note: Prose = ""
    most: int = Field(bulk_overturns.MOST, ge=1, le=bulk_overturns.MOST, description="outcomes")


class Step(Model):
    """A step that somebody takes, and the state that they saw, so that nothing is done to another one."""

    step: Literal["ask", "approve", "reject", "withdraw", "pause", "resume", "stop"]
    version: int = Field(ge=1, le=INT4)
    why: Prose = Field("", description="needed to reject and to stop")


class Page(Query):
    project_id: int | None = Field(None, ge=1, le=INT4)
    before: int = Field(bulk_overturns.NEWEST, ge=1, le=bulk_overturns.NEWEST)
    limit: int = Field(50, ge=1, le=200)


class MembersQuery(Query):
    after: int = Field(0, ge=0, le=INT4)
    limit: int = Field(100, ge=1, le=500)
    came_to: Literal["overturned", "left_out", "waits"] | None = None


class Line(models.Answer):
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


class Lines(models.Answer):
    overturns: list[Line]
    next: str | None


class Why(models.Answer):
    why: str
    items: int


class Taken(models.Answer):
    at: datetime
    kind: str
    who: str
    why: str


class Overturn(Line):
    version: int
    reviewer_id: int | None
    reason: str | None
    queue: str | None
    match_decision: str | None
    stood: str | None
    since: datetime | None
    until: datetime
    reason_code: str
    note: str
    why: str = Field(description="what whoever took the last step said")
    approver: str | None
    whole: bool = Field(description="whether the list holds all that was asked for")
    waiting: int = Field(description="of the list, still to be overturned")
    may: bool = Field(description="whether you may approve it")
    effects: list[Effect] = Field(description="each of them hears of every one that is overturned")
    left_out_because: list[Why]
    steps: list[Taken]


class Member(models.Answer):
    n: int
    item_id: int
    idempotency_key: str
    decision_id: int
    outcome: str
    answer: Any
    decided_by: str
    came_to: str | None
    why: str | None
    overturned_by: int | None


class Members(models.Answer):
    members: list[Member]
    next: str | None


class Made(models.Answer):
    id: int
    status_url: str


@route("GET", "/projects/{project_id}/outcomes", roles=LEAD, query=Filters, answers={200: Outcomes}, raises=(errors.Invalid,))
def outcomes(call: Call, project_id: int) -> Any:
    """Outcomes of a project that a bulk overturn would list, the newest first."""
    project = projects.load(desk().db, project_id, call.person)
    given = call.query.model_dump()
    found = finding.search(desk().db, finding.read(given, project.id), after=given["after"])
    return 200, {**Outcomes.of(found), "outcomes": [Outcome.of(one) for one in found.outcomes]}


@route("POST", "/overturns", roles=LEAD, body=Body(Begin), answers={202: Made}, raises=(errors.NotFound,))
def begin(call: Call) -> Any:
    """Begins one: a worker makes its list, which is fixed from then on. Nothing is overturned before it was asked for and approved."""
    sent: Begin = call.body
    db, given = desk().db, sent.model_dump()
    project = projects.load(db, given.pop("project_id"), call.person)
    said = {name: given.pop(name) for name in ("verdict", "answer", "reopen", "reason_code", "note", "most")}
    made = bulk_overturns.begin(db, finding.Asked(project.id, **given), me=call.person.id, **said)
    return 202, {"id": made, "status_url": answers.address(f"/v1/overturns/{made}")}


@route("GET", "/overturns", roles=LEAD, query=Page, answers={200: Lines})
def page(call: Call) -> Any:
    """Those begun so far, the newest first."""
    asked = call.query
    found = bulk_overturns.page(desk().db, project_id=asked.project_id, before=asked.before, limit=asked.limit)
    more = answers.following("/v1/overturns", asked, found, before="id")
    return 200, {"overturns": [Line.of(line) for line in found], "next": more}


@route("GET", "/overturns/{overturn_id}", roles=LEAD, answers={200: Overturn})
def get(call: Call, overturn_id: int) -> Any:
    """One: how far it is, what it would come to, what hears of it, what was left out and why, and each step that it took."""
    return 200, _shown(bulk_overturns.load(desk().db, bulk_id=overturn_id, me=call.person.id))


def _shown(one: bulk_overturns.BulkOverturn) -> dict[str, Any]:
    db = desk().db
    return {
        **Overturn.of(one),
        "effects": [Effect.of(effect) for effect in finding.effects(db, project_id=one.project_id)],
        "left_out_because": [Why.of(why) for why in bulk_overturns.reasons(db, bulk_id=one.id)],
        "steps": [Taken.of(step) for step in bulk_overturns.history(db, bulk_id=one.id)],
    }


@route("GET", "/overturns/{overturn_id}/members", roles=LEAD, query=MembersQuery, answers={200: Members})
def members(call: Call, overturn_id: int) -> Any:
    """The list in its order, and what came of each outcome."""
    db, asked = desk().db, call.query
    one = bulk_overturns.load(db, bulk_id=overturn_id, me=call.person.id)
    found = bulk_overturns.members(db, bulk_id=one.id, after=asked.after, limit=asked.limit, came_to=asked.came_to)
    more = answers.following(f"/v1/overturns/{one.id}/members", asked, found, after="n")
    return 200, {"members": [Member.of(m) for m in found], "next": more}


@route(
    "POST", "/overturns/{overturn_id}/steps", roles=LEAD, body=Body(Step), answers={200: Overturn},
    raises=(errors.OverturnsMoved, errors.SameEyes),
)  # fmt: skip
def step(call: Call, overturn_id: int) -> Any:
    """Asks for it, approves or rejects it, withdraws it; pauses, resumes or stops it while it runs."""
    sent: Step = call.body
    bulk_overturns.move(desk().db, sent.step, bulk_id=overturn_id, me=call.person, version=sent.version, why=sent.why)
    return 200, _shown(bulk_overturns.load(desk().db, bulk_id=overturn_id, me=call.person.id))
