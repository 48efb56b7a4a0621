"""`/v1/projects/{id}/retractions`: a lead takes somebody's labels back."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from claimcheck import projects
from claimcheck.datasets import retractions, versions
from claimcheck.validation import Model, Moment, Name, Prose
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.datasets import address
from claimcheck.web.api.requests import Body, Query
from claimcheck.web.api.routes import INT4, Call, route

Scope = Literal["all", "since", "change"]
SCOPE = "`all`; `since`: from a time on; `change`: since their golds turned bad, as the CUSUM has it"


class Which(Query):
    person_id: int = Field(ge=1, le=INT4)
    scope: Scope = Field("all", description=SCOPE)
    since: Moment | None = Field(None, description="with the scope `since`")


class Retract(Model):
    """Whose labels, from when on, and why; the customer reads the reason."""

    person_id: int = Field(ge=1, le=INT4)
    scope: Scope = Field("all", description=SCOPE)
    since: Moment | None = Field(None, description="with the scope `since`")
    reason: Annotated[Prose, Field(min_length=1, max_length=retractions.LONGEST)]
    relabel: bool = Field(True, description="labels that do not stand without the looks are asked for again; else withdrawn")
    idempotency_key: Name | None = None


class Page(Query):
    before: int = Field(retractions.NEWEST, ge=1, le=retractions.NEWEST)
    limit: int = Field(50, ge=1, le=200)


class Preview(models.Answer):
    since: datetime
    touched: int = Field(description="labels of items that this person looked at")
    delivered: int = Field(description="those of them that the newest version holds")
    confirmed: int = Field(description="stand without these looks")
    flips: int = Field(description="the looks that are left say something else")
    unsure: int = Field(description="the looks that are left are not sure enough, or there are none")
    open: int = Field(description="items without a label now: their looks are left alone")


class Made(models.Answer):
    id: int
    dataset_id: int
    status_url: str


class Line(models.Answer):
    id: int
    person_id: int
    person: str
    scope: str
    since: datetime
    reason: str
    dataset_id: int
    version: int = Field(description="of the dataset that it made")
    requested_by: str
    created_at: datetime


class Retraction(Line):
    project_id: int
    project: str
    looks_to: int
    relabel: bool
    confirmed: int
    withdrawn: int
    pending: int
    flips: int
    reopened: int = Field(description="of the pending ones: asked for again")
    settled: int = Field(description="of those: have a label again; the next version says which")


class Retractions(models.Answer):
    retractions: list[Line]
    next: str | None


@route("GET", "/projects/{project_id}/retractions/preview", roles=("lead",), query=Which, answers={200: Preview})
def preview(call: Call, project_id: int) -> Any:
    """What would become of somebody's labels if they were taken back now. Nothing is changed."""
    db, asked = desk().db, call.query
    project = projects.load(db, project_id, call.person)
    since = retractions.since_of(db, project_id=project.id, person_id=asked.person_id, scope=asked.scope, since=asked.since)
    found = retractions.preview(db, project_id=project.id, person_id=asked.person_id, since=since, looks_to=versions.cut(db))
    return 200, {"since": since, **asdict(found)}


@route("POST", "/projects/{project_id}/retractions", roles=("lead",), body=Body(Retract), answers={202: Made})
def make(call: Call, project_id: int) -> Any:
    """Takes somebody's labels back: the next version says which and why, and what does not stand is asked for anew. Old versions and pay stay."""
    db, asked = desk().db, call.body
    project = projects.load(db, project_id, call.person)
    made = retractions.retract(db, project=project, me=call.person, **asked.model_dump())
    found = retractions.load(db, retraction_id=made)
    return 202, {"id": made, "dataset_id": found.dataset_id, "status_url": address(found.dataset_id)}


@route("GET", "/projects/{project_id}/retractions", roles=("lead",), query=Page, answers={200: Retractions})
def page(call: Call, project_id: int) -> Any:
    """A project's retractions, the newest first."""
    project, asked = projects.load(desk().db, project_id, call.person), call.query
    found = retractions.page(desk().db, project_id=project.id, before=asked.before, limit=asked.limit)
    more = answers.following(f"/v1/projects/{project.id}/retractions", asked, found, before="id")
    return 200, {"retractions": [asdict(line) for line in found], "next": more}


@route("GET", "/retractions/{retraction_id}", roles=("lead",), answers={200: Retraction})
def get(call: Call, retraction_id: int) -> Any:
    """One: what it decided, and how much of what it opened again has a label."""
    found = retractions.load(desk().db, retraction_id=retraction_id)
    projects.load(desk().db, found.project_id, call.person)
    return 200, asdict(found)
