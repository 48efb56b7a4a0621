"""`/v1/reviewers/me/standings` and `…/appeals`: how the caller stands in each skill, why, and the appeal to a lead."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from claimcheck import errors
from claimcheck.db import Database
from claimcheck.experts import standings
from claimcheck.experts.standings import Mine
from claimcheck.validation import Code, Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.requests import Body
from claimcheck.web.api.routes import Call, route
from claimcheck.web.api.tasks import WORKERS

SHOWN = 25  # golds, one by one
SAME = ("skill", "status", "tier", "pinned", "novice", "held_back", "said", "since", "extra_left", "appealed", "answer", "answered_at", "appeal_from")


class Gold(models.Answer):
    """A look at an item whose answer is known."""

    item_id: int
    idempotency_key: str
    title: str
    purpose: Literal["exam", "ordinary", "extra"]
    correct: bool
    at: datetime


class Standing(models.Answer):
    skill: str
    status: Literal["exam", "active", "soft_paused", "paused"]
    tier: int
    pinned: bool = Field(description="the tier was set by hand; scores leave it alone")
    novice: bool
    held_back: bool = Field(description="gold only, until you weigh more")
    said: str = Field(description="why the status is what it is")
    since: datetime
    extra_left: int = Field(description="golds that a soft pause still asks for")
    golds: int = Field(description="answered; those among live work are counted once their day (UTC) is over, so that no count tells one")
    right: int
    exam_golds: int
    exam_right: int
    mean: float | None = Field(description="of the share that you answer rightly; null before any gold")
    low: float | None = Field(description="its 5 % bound")
    high: float | None = Field(description="its 95 % bound")
    appeal_id: int | None = Field(description="of an appeal that waits for a lead")
    appealed: str | None = Field(description="your last appeal")
    answer: str | None
    answered_at: datetime | None
    appeal_from: datetime | None = Field(description="an answered appeal's pause can be appealed again then; null: at any time")
    last: list[Gold] = Field(description=f"an exam's golds, and the wrong ones that a present pause came of; the newest first, {SHOWN} at most")


class Standings(models.Answer):
    standings: list[Standing]


class Appeal(Model):
    """Which skill, and what a lead should look at."""

    skill: Code
    note: Annotated[Prose, Field(min_length=1, max_length=standings.LONGEST)]


class Asked(models.Answer):
    id: int


@route("GET", "/reviewers/me/standings", roles=WORKERS, answers={200: Standings})
def mine(call: Call) -> Any:
    """How you stand in each of your skills, and why."""
    db, me = desk().db, call.person.id
    return 200, {"standings": [_shown(db, me, found) for found in standings.of_person(db, person_id=me)]}


def _shown(db: Database, me: int, found: Mine) -> dict[str, Any]:
    last = standings.results(db, person_id=me, skill_id=found.skill_id)[:SHOWN]
    measured = found if found.n else None
    return {
        **{name: getattr(found, name) for name in SAME},
        "golds": found.n,
        "right": found.ok,
        "exam_golds": found.exam_n,
        "exam_right": found.exam_ok,
        **{name: measured and getattr(measured, name) for name in ("mean", "low", "high")},
        "appeal_id": found.appeal_id,
        "last": [Gold.of(result) for result in last],
    }


@route("POST", "/reviewers/me/appeals", roles=WORKERS, body=Body(Appeal), answers={201: Asked}, raises=(errors.NothingToAppeal,))
def appeal(call: Call) -> Any:
    """Asks a lead to look at the pause of a skill of yours; one appeal at a time, and not again in the week after an answer."""
    sent, db, me = call.body, desk().db, call.person.id
    skill = next((m.skill_id for m in standings.of_person(db, person_id=me) if m.skill == sent.skill), None)
    if skill is None:
        raise errors.Invalid.field("skill", "must be a skill of yours")
    return 201, {"id": standings.appeal(db, me=me, skill_id=skill, note=sent.note)}
