"""A project that is about to miss its deadline is served more often, as long as it is; leads see it and may take it off."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimcheck import people
from claimcheck.db import Connection, Database

BOOST = 8.0  # times its weight
MARGIN_HOURS = 0.25
CALM = 1.5  # the boost ends when there is half as much time again as is needed
UNKNOWN_HOURS = 4.0  # before the deadline of a project of which nothing has settled lately


@dataclass(frozen=True, slots=True)
class Due:
    """A project with a deadline. `per_hour`: items that settled in an hour of work lately, None where none did."""

    project_id: int
    boost: float
    hours_left: float
    open_items: int
    per_hour: float | None


@dataclass(frozen=True, slots=True)
class Boost:
    """Whether a project is boosted (above 1), since when, and whether a lead took that off."""

    boost: float
    boosted_at: datetime | None
    boost_off: bool


def wanted(due: Due) -> float:
    """The boost that a project should have now: 1, or 8 while what is open takes longer than is left, a quarter of an hour to spare.

    Also past the deadline, and where nothing is known of its pace four hours before it.
    """
    if due.open_items == 0:
        return 1.0
    needed = UNKNOWN_HOURS if due.per_hour is None else due.open_items / due.per_hour
    slack = CALM if due.boost > 1 else 1.0
    return BOOST if due.hours_left < needed * slack + MARGIN_HOURS else 1.0


def run(db: Database) -> int:
    """Boosts what is about to be late and lets go of what is not any more; how many projects changed."""
    changed = 0
    for due in db.all("projects/deadlines", Due):
        boost = wanted(due)
        if boost != due.boost:
            pace = "unknown pace" if due.per_hour is None else f"{due.per_hour:.1f} items an hour"
            why = f"{due.open_items} items open, {due.hours_left:.1f} hours left, {pace}"
            changed += db.run("projects/boost", project_id=due.project_id, boost=boost, why=why, me=people.SYSTEM)
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
