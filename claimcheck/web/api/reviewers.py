"""`/v1/reviewers/me`: the caller, and what waits for them."""

from __future__ import annotations

from typing import Any

from claimcheck.access import people
from claimcheck.review import looks, tasks
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.routes import Call, route
from claimcheck.web.api.tasks import WORKERS


class Skill(models.Answer):
    name: str
    tier: int
    status: str


class Me(models.Answer):
    """You, and what waits for you; counts stop at 200."""

    id: int
    name: str
    pseudonym: str
    role: str
    skills: list[Skill]
    waiting: int
    held: int
    next_free_seconds: int | None
    done_today: int
    assignment_id: int | None


@route("GET", "/reviewers/me", roles=WORKERS, answers={200: Me})
def me(call: Call) -> Any:
    """You, your skills, what waits for you, and what you hold."""
    db, person = desk().db, call.person
    left, held = tasks.left(db, me=person.id), looks.holding(db, me=person.id)
    return 200, {
        **{name: getattr(person, name) for name in ("id", "name", "pseudonym", "role")},
        "skills": [{"name": s.name, "tier": s.tier, "status": s.status} for s in people.skills(db, person_id=person.id)],
        **{name: getattr(left, name) for name in ("waiting", "held", "next_free_seconds", "done_today")},
        "assignment_id": held.assignment_id if held else None,
    }
