"""`/v1/projects`: open one, read it, change its rules, pause it, cancel it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from claimcheck import errors, projects, rules, versions
from claimcheck.intake import batches
from claimcheck.validation import Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import LARGE, Body, Query
from claimcheck.web.api.routes import Call, route

KEEPERS = ("customer", "lead")


class NewProject(rules.Rules):
    """A project's rules, and its first items. Every rule but the reason codes has a sensible default."""

    items: list[Any] = Field([], description="as for POST /v1/projects/{id}/items; may be empty")


class Change(Model):
    """The rules from now on, whole, and why they change."""

    rules: dict[str, Any]
    why: Prose = Field("", max_length=2000)


class Page(Query):
    after: int = Field(0, ge=0, le=2**31 - 1)
    limit: int = Field(50, ge=1, le=200)


class Nothing(Model):
    """Nothing needs to be said."""


class Started(models.Answer):
    """Rows were taken in; they become claimable as they are stored. The batch says how far that is."""

    batch_id: int
    status_url: str


class ProjectMade(Started):
    id: int
    webhook_secret: str | None = Field(None, description="signs webhooks; shown this once")


class Counts(models.Answer):
    """Items, by where they are; `refused` are rows kept as dead letters."""

    pending: int
    leased: int
    blocked: int
    escalated: int
    settled: int
    not_durable: int
    refused: int


class Project(models.Answer):
    id: int
    customer: str
    name: str
    version: int
    shown_version: int = Field(description="the last version that changed what is shown or asked; stands in evidence hashes")
    rules: rules.Rules
    counts: Counts
    created_at: datetime
    paused_at: datetime | None
    cancelled_at: datetime | None


class ProjectChanged(Project):
    webhook_secret: str | None = Field(None, description="of a webhook that is new; shown this once")


class Projects(models.Answer):
    projects: list[Project]
    next: str | None


class RulesVersion(models.Answer):
    version: int
    shown_version: int
    rules: rules.Rules
    why: str
    created_at: datetime
    by: str


class RulesVersions(models.Answer):
    versions: list[RulesVersion]
    next: str | None


@route(
    "POST", "/projects", roles=("customer",), body=Body(NewProject, LARGE, raw=True),
    answers={202: ProjectMade, 200: ProjectMade},
    raises=(errors.ProjectExists, errors.QueueSaturated, errors.ProjectCancelled),
)  # fmt: skip
def create(call: Call) -> Any:
    """Opens a project. The same name and rules again answer 200 with the same id, other rules under that name 409."""
    given = dict(call.body) if isinstance(call.body, dict) else call.body
    rows = listed(given.pop("items", [])) if isinstance(given, dict) else []
    db, me = desk().db, call.person
    made = projects.create(db, by=me, rules=rules.parse(given), settings=desk().settings)
    known = {"id": made.id, **({"webhook_secret": made.webhook_secret} if made.webhook_secret else {})}
    try:
        batch_id = batches.first(db, project_id=made.id) or batches.open(db, project_id=made.id, by=me.id)
        batches.take(db, project=made.id, by=me.id, rows=rows, batch_id=batch_id)
    except errors.Error as error:
        error.facts |= known  # the project stands, and its secret is shown this once
        raise
    return 202 if made.new else 200, {**known, **started(batch_id)}


def listed(given: Any) -> list[Any]:
    """The rows of a JSON body. Raises Invalid."""
    if not isinstance(given, list):
        raise errors.Invalid.field("items", "must be a list")
    return given


def started(batch_id: int) -> dict[str, Any]:
    """A batch, and where to ask how far it is."""
    return {"batch_id": batch_id, "status_url": answers.address(f"/v1/batches/{batch_id}")}


@route("GET", "/projects", roles=KEEPERS, query=Page, answers={200: Projects})
def page(call: Call) -> Any:
    """Your projects, a lead's all, by id; `after` is the last id of the page before."""
    found = projects.page(desk().db, call.person, after=call.query.after, limit=call.query.limit)
    counts = projects.counts(desk().db, [p.id for p in found])
    more = len(found) == call.query.limit
    following = answers.address(f"/v1/projects?after={found[-1].id}&limit={call.query.limit}") if more else None
    return 200, {"projects": [_shown(p, counts[p.id]) for p in found], "next": following}


@route("GET", "/projects/{project_id}", roles=KEEPERS, answers={200: Project})
def get(call: Call, project_id: int) -> Any:
    """One project: its rules in force, and where its items are."""
    return 200, _one(call, project_id)


def _one(call: Call, project_id: int) -> dict[str, Any]:
    found = projects.load(desk().db, project_id, call.person)
    return _shown(found, projects.counts(desk().db, [found.id])[found.id])


def _shown(project: projects.Project, counts: projects.Counts) -> dict[str, Any]:
    names = ("id", "customer", "name", "version", "shown_version", "rules", "created_at", "paused_at", "cancelled_at")
    return {**{name: getattr(project, name) for name in names}, "counts": counts.as_dict()}


@route("GET", "/projects/{project_id}/rules", roles=KEEPERS, query=Page, answers={200: RulesVersions})
def history(call: Call, project_id: int) -> Any:
    """The versions of a project's rules, newest first, each with its why; `after` is the last version of the page before."""
    project = projects.load(desk().db, project_id, call.person)
    found = versions.page(desk().db, project.id, after=call.query.after, limit=call.query.limit)
    more = bool(found) and found[-1].version > 1
    following = answers.address(f"/v1/projects/{project.id}/rules?after={found[-1].version}&limit={call.query.limit}") if more else None
    return 200, {"versions": [RulesVersion.of(v) for v in found], "next": following}


@route(
    "PUT", "/projects/{project_id}/rules", roles=KEEPERS, body=Body(Change), answers={200: ProjectChanged},
    raises=(errors.ProjectCancelled,),
)  # fmt: skip
def change(call: Call, project_id: int) -> Any:
    """Changes a project's rules: a new version, unless nothing changes. Name and skill stay."""
    found = projects.load(desk().db, project_id, call.person)
    new = rules.parse(call.body.rules)
    secret = versions.change(desk().db, found.id, call.person.id, new, why=call.body.why, settings=desk().settings)
    return 200, _one(call, project_id) | ({"webhook_secret": secret} if secret else {})


@route("POST", "/projects/{project_id}/pause", roles=("lead",), body=Body(Nothing, optional=True), answers={200: Project})
def pause(call: Call, project_id: int) -> Any:
    """Nothing more of it is handed out; what people hold, they may finish."""
    found = projects.load(desk().db, project_id, call.person)
    projects.pause(desk().db, found.id, call.person.id)
    return 200, _one(call, project_id)


@route("POST", "/projects/{project_id}/resume", roles=("lead",), body=Body(Nothing, optional=True), answers={200: Project})
def resume(call: Call, project_id: int) -> Any:
    """Its tasks are handed out again."""
    found = projects.load(desk().db, project_id, call.person)
    projects.resume(desk().db, found.id, call.person.id)
    return 200, _one(call, project_id)


@route("POST", "/projects/{project_id}/cancel", roles=KEEPERS, body=Body(Nothing, optional=True), answers={200: Project})
def cancel(call: Call, project_id: int) -> Any:
    """Stops its claims for good and pays what was submitted; a lease that is live now stays good until its end."""
    found = projects.load(desk().db, project_id, call.person)
    projects.cancel(desk().db, found.id, call.person.id)
    return 200, _one(call, project_id)
