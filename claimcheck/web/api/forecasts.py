"""`/v1/…/forecast`: when a project or a batch will be done, how sure that is, and how good such words were before."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from claimcheck import projects
from claimcheck.forecasts import judged, measuring, record
from claimcheck.intake import batches
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.routes import Call, route

READERS = ("customer", "lead")


class SkillForecast(models.Answer):
    """What one skill still has to do; leads' tasks apart. No rate: nobody worked at it in six hours."""

    skill: str
    leads: bool
    looks_left: float
    looks_before: float = Field(description="of the project, which stand before a batch")
    experts: int = Field(description="who worked at it in the last six hours")
    looks_an_hour: float | None


class Helps(models.Answer):
    """What would bring the chance of missing the deadline to one in five, either of them; empty where nothing is needed, or would do."""

    skill: str | None
    experts: int | None = Field(description="so many more of the skill")
    items: int | None = Field(description="so many fewer")
    leads: bool = Field(description="it waits for leads at what the skill hands to them: `experts` are so many more of those")


class Forecast(models.Answer):
    """When the last item will be settled, and when 95 % of them, each with its 80 % band. No date: nothing is open, or nobody ever worked."""

    project_id: int
    batch_id: int | None
    at: datetime
    state: Literal["no_deadline", "on_time", "at_risk", "late", "unknown"]
    items: int
    settled: int
    open: int
    progress: float = Field(description="looks given, of all that it takes; 0 to 1")
    eta: datetime | None
    eta_low: datetime | None
    eta_high: datetime | None
    eta_95: datetime | None
    eta_95_low: datetime | None
    eta_95_high: datetime | None
    deadline: datetime | None
    miss_probability: float | None
    looks_an_item: float
    skills: list[SkillForecast]
    help: Helps
    learned: bool = Field(description="whether the band stands on this desk's own finished work; else on what open crowds did")
    resting_since: datetime | None = Field(description="nobody works now: the rate is that of the last week, nights included")


class Card(models.Answer):
    """Forecasts of what is finished by now: median error and bias of the point, coverage and width of the 80 % band."""

    forecasts: int
    finished: int
    error: float = Field(description="median of |said - actual| / actual")
    bias: float = Field(description="median of said / actual; below 1 is hopeful")
    coverage: float
    width: float = Field(description="median of the band's upper end by its lower")


class Report(models.Answer):
    most: Card | None = Field(description="of 95 % of the items")
    last: Card | None = Field(description="of the last item")


@route("GET", "/projects/{project_id}/forecast", roles=READERS, answers={200: Forecast})
def of_project(call: Call, project_id: int) -> Any:
    """When a project will be done, from what is open in it and who works at it now."""
    found = projects.load(desk().db, project_id, call.person)
    return 200, shown(_tell(found.id))


@route("GET", "/batches/{batch_id}/forecast", roles=READERS, answers={200: Forecast})
def of_batch(call: Call, batch_id: int) -> Any:
    """When a batch will be done: what is open in it, and what of its project stands before it."""
    found = batches.load(desk().db, batch_id=batch_id, person=call.person)
    return 200, shown(_tell(found.project_id, found.id))


@route("GET", "/forecasts/report", roles=READERS, answers={200: Report})
def report(call: Call) -> Any:
    """How good the forecasts of your finished work were; a lead's: of everybody's."""
    rows = record.judged(desk().db, customer_id=projects.reach(call.person))
    cards = judged.card([s for r in rows if (s := r.of_most())]), judged.card([r.of_last() for r in rows])
    return 200, {name: asdict(card) if card else None for name, card in zip(("most", "last"), cards, strict=True)}


def _tell(project_id: int, batch_id: int | None = None) -> measuring.Told:
    db = desk().db
    return measuring.tell(db, project_id=project_id, batch_id=batch_id, before=record.before(db, project_id, batch_id))


def shown(told: measuring.Told) -> dict[str, Any]:
    """A forecast as a program reads it."""
    subject, found = told.subject, told.found
    most, last = (found.most, found.last) if told.open_items else (None, None)
    return {
        "project_id": subject.project_id, "batch_id": subject.batch_id, "at": subject.now, "state": found.state,
        "items": subject.items, "settled": told.settled, "open": told.open_items, "progress": found.progress,
        **_dates(told, "eta", last), **_dates(told, "eta_95", most),
        "deadline": subject.deadline, "miss_probability": found.miss_probability, "looks_an_item": told.looks_an_item,
        "skills": [{"skill": line.skill, "leads": line.led, "looks_left": line.looks, "looks_before": line.ahead, "experts": line.experts,
                    "looks_an_hour": line.rate} for line in told.lines],
        "help": asdict(told.help), "learned": told.learned, "resting_since": told.resting_since,
    }  # fmt: skip


def _dates(told: measuring.Told, name: str, band: Any) -> dict[str, datetime | None]:
    hours = (band.point, band.low, band.high) if band else (None, None, None)
    return dict(zip((name, f"{name}_low", f"{name}_high"), map(told.moment, hours), strict=True))
