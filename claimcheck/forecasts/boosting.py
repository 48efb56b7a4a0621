"""A project that is about to miss its deadline is served more often, as long as it is; leads see it and may take it off."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimcheck.access import people
from claimcheck.db import Connection, Database
from claimcheck.forecasts import measuring

BOOST = 8.0  # times its weight
LIKELY, CALM = 0.5, 0.25  # the chance of missing the deadline that begins a boost, and the one below which it ends
UNKNOWN_HOURS = 4.0  # before the deadline of a project at which nobody has ever worked


@dataclass(frozen=True, slots=True)
class Due:
    """A project with a deadline."""

    project_id: int
    boost: float
    hours_left: float


@dataclass(frozen=True, slots=True)
class Boost:
    """Whether a project is boosted (above 1), since when, and whether a lead took that off."""

    boost: float
    boosted_at: datetime | None
    boost_off: bool


def wanted(due: Due, *, chance: float | None, open_items: int) -> float:
    """The boost that a project should have now: 1, or 8 while it would sooner miss its deadline than keep it, by its forecast.

    Also past the deadline, and where nothing is known of its pace four hours before it.
    """
    if open_items == 0:
        return 1.0
    if chance is None:
        return BOOST if due.hours_left < UNKNOWN_HOURS else 1.0
    return BOOST if chance >= (CALM if due.boost > 1 else LIKELY) else 1.0


def run(db: Database) -> int:
    """Boosts what is about to be late and lets go of what is not any more; how many projects changed."""
    due, changed = db.all("projects/deadlines", Due), 0
    past = measuring.past(db) if due else []
    for one in due:
        told = measuring.tell(db, project_id=one.project_id, known=past)
        chance = told.found.miss_probability
        boost = wanted(one, chance=chance, open_items=told.open_items)
        if boost != one.boost:
            said = "its pace unknown" if chance is None else f"{chance:.0%} likely to miss the deadline"
            why = f"{told.open_items} items open, {one.hours_left:.1f} hours left, {said}"
            changed += db.run("projects/boost", project_id=one.project_id, boost=boost, why=why, me=people.SYSTEM)
    return changed


def of_project(db: Database, *, project_id: int) -> Boost:
    """A project's boost."""
    found = db.one("projects/boosted", Boost, project_id=project_id)
    assert found is not None
    return found


def switch(db: Database, *, project_id: int, off: bool, me: int) -> None:
    """A lead takes the boost off for good, or lets the desk boost again."""

    def work(connection: Connection) -> None:
        connection.run("projects/boost_off", project_id=project_id, off=off, me=me)
        if off:
            connection.run("projects/boost", project_id=project_id, boost=1.0, why="a lead took it off", me=me)

    db.together(work)
