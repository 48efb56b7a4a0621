"""`/v1/skills`: for leads: what each needs and has, its terms, and who stands how in it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from claimcheck.experts import standings
from claimcheck.experts.standings import Scarcity
from claimcheck.quality import cusum
from claimcheck.validation import Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.requests import Body
from claimcheck.web.api.routes import Call, route

LEADS = ("lead",)
Status = Literal["exam", "active", "soft_paused", "paused"]
Share = Annotated[
    float, BeforeValidator(lambda given: float(given) if isinstance(given, Decimal | int) and given is not True else given), Field(ge=0, le=1)
]


class Skill(models.Answer):
    id: int
    name: str
    exam: bool = Field(description="who is new sits one, on gold")
    gold_rate: float = Field(description="gold's share of looks, once 30 golds were answered")
    novice_rate: float = Field(description="its share until then")
    weighs: bool = Field(description="false: gold shows no gain over plain majority")
    looks_wanted: int
    median_seconds: float | None = Field(description="of a look in the last six hours")
    need_hours: float | None
    supply_hours: float | None = Field(description="worked in the last six hours")
    people_active: int
    people_in_exam: int
    people_paused: int
    people_at_work: int = Field(description="who submitted in the last six hours")
    golds_live: int
    exposures_left: int
    gold_short: bool = Field(description="the golds will not last for what waits")


class Skills(models.Answer):
    skills: list[Skill]


class Expert(models.Answer):
    person_id: int
    person: str
    program: bool
    disabled_at: datetime | None
    status: Status
    tier: int
    pinned: bool = Field(description="the tier was set by hand; scores leave it alone")
    novice: bool
    held_back: bool = Field(description="gold only, until they weigh more")
    said: str = Field(description="why, as they read it")
    since: datetime
    extra_left: int = Field(description="golds that a soft pause still asks for")
    ok: int = Field(description="golds answered rightly")
    n: int = Field(description="golds answered")
    level: float = Field(description=f"of the CUSUM; an alarm comes at {cusum.ALARM}")
    alarms: int
    mean: float | None = Field(description="of the share answered rightly")
    low: float | None = Field(description="its 5 % bound")
    high: float | None = Field(description="its 95 % bound")
    weight: float | None = Field(description="how often they are right, as looks are weighed")


class Experts(models.Answer):
    experts: list[Expert]


class Terms(Model):
    """Whether who is new sits an exam, and gold's share of looks, 0 to 1."""

    exam: bool
    gold_rate: Share
    novice_rate: Share


class Standing(Model):
    """A tier other than the present one is kept whatever gold says. `why` is read by the person."""

    status: Status
    tier: Annotated[int, Field(ge=0, le=3)]
    why: Annotated[Prose, Field(min_length=1, max_length=standings.LONGEST)]


@route("GET", "/skills", roles=LEADS, answers={200: Skills})
def page(call: Call) -> Any:  # noqa: ARG001 (every view is called alike)
    """Every skill: what waits, who is there, how much gold is left."""
    return 200, {"skills": [_shown(found) for found in standings.scarcity(desk().db)]}


def _shown(found: Scarcity) -> dict[str, Any]:
    return Skill.of(found)


@route("PUT", "/skills/{skill_id}", roles=LEADS, body=Body(Terms), answers={200: Skill})
def put_terms(call: Call, skill_id: int) -> Any:
    """Changes a skill's terms; on record."""
    sent: Terms = call.body
    given = {"exam": sent.exam, "gold_rate": sent.gold_rate, "novice_rate": sent.novice_rate}
    standings.put_terms(desk().db, skill_id=skill_id, **given, me=call.person.id)
    return 200, _shown(standings.skill(desk().db, skill_id=skill_id))


@route("GET", "/skills/{skill_id}/experts", roles=LEADS, answers={200: Experts})
def experts(call: Call, skill_id: int) -> Any:  # noqa: ARG001
    """Everybody who has the skill, the lowest bound first."""
    standings.skill(desk().db, skill_id=skill_id)
    return 200, {"experts": [asdict(found) for found in standings.of_skill(desk().db, skill_id=skill_id)]}


@route("PUT", "/skills/{skill_id}/experts/{person_id}", roles=LEADS, body=Body(Standing), answers={200: Expert})
def put_expert(call: Call, skill_id: int, person_id: int) -> Any:
    """Pauses, resumes or re-weighs somebody by hand; on record. Nobody changes their own standing."""
    sent, db = call.body, desk().db
    now = standings.expert(db, person_id=person_id, skill_id=skill_id)
    given = {"status": sent.status, "tier": sent.tier, "pinned": now.pinned or sent.tier != now.tier, "why": sent.why}
    standings.put(db, person_id=person_id, skill_id=skill_id, **given, me=call.person.id)
    return 200, asdict(standings.expert(db, person_id=person_id, skill_id=skill_id))
