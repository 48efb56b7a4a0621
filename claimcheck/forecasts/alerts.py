"""Alerts: a project's deadline comes into danger, is past hope, or is safe again. Each change is told once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from claimcheck import projects
from claimcheck.access import people
from claimcheck.db import Connection, Database
from claimcheck.forecasts import measuring
from claimcheck.forecasts.estimate import State
from claimcheck.forecasts.measuring import Told
from claimcheck.outbound import notices

UNKNOWN_HOURS = 4.0  # before the deadline of a project at which nobody has ever worked
STATES = ("on_time", "at_risk", "late")
TYPE = "deadline.changed"


@dataclass(frozen=True, slots=True)
class Alert:
    """A change of state, with the forecast behind it and what would help. `done`, `pending` and `dead` count its notices."""

    id: int
    project_id: int
    at: datetime
    state: State
    was: State
    deadline: datetime
    miss_probability: float | None
    eta: datetime | None
    eta_low: datetime | None
    eta_high: datetime | None
    open_items: int
    skill: str | None
    experts: int | None
    items: int | None
    done: int
    pending: int
    dead: int


@dataclass(frozen=True, slots=True)
class _Watched:
    project_id: int
    state: State
    no: int


@dataclass(frozen=True, slots=True)
class _Raised:
    id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class _Count:
    n: int


def run(db: Database) -> int:
    """Raises what has changed; how many."""
    watched, raised = db.all("alerts/watched", _Watched), 0
    past = measuring.past(db) if watched else []
    for one in watched:
        told = measuring.tell(db, project_id=one.project_id, before=one.state, known=past)
        state = _state(told)
        if state is not None and state != one.state:
            raised += db.together(partial(_raise, told=told, before=one, state=state))
    return raised


def _state(told: Told) -> State | None:
    """What is to be told; None where nothing is known and there is time yet, or where the last item came too late."""
    if not told.open_items and (told.subject.hours_left or 0) <= 0:
        return None
    if told.found.state in STATES:
        return told.found.state
    hours = told.subject.hours_left
    return "at_risk" if told.found.state == "unknown" and hours is not None and hours < UNKNOWN_HOURS else None


def _raise(connection: Connection, told: Told, before: _Watched, state: State) -> int:
    """On record, with a notice to the project's webhook and a letter to each who is to be told. 0: somebody else was first."""
    last = told.found.last if told.open_items else None
    low, point, high = (last.low, last.point, last.high) if last else (None, None, None)
    change = {"state": state, "was": before.state, "deadline": told.subject.deadline, "miss_probability": told.found.miss_probability}
    change |= {"eta": told.moment(point), "eta_low": told.moment(low), "eta_high": told.moment(high)}
    ways = {"skill": told.help.skill, "experts": None if told.help.leads else told.help.experts, "items": told.help.items}
    project_id, about = before.project_id, change | ways | {"open_items": told.open_items}
    raised = connection.one("alerts/raise", _Raised, project_id=project_id, no=before.no + 1, me=people.SYSTEM, **about)
    if raised is None:
        return 0
    named = {"alert_id": raised.id, "project_id": project_id, "project": told.subject.project}
    body = {name: _utc(value) for name, value in (named | change).items()} | {"open": told.open_items, "help": ways}
    notices.put(connection, project_id=project_id, kind=TYPE, key=f"alert {raised.id}", body=body, alert_id=raised.id, at=raised.at)
    notices.write(connection, project_id=project_id, kind=TYPE, key=f"alert {raised.id}", body=body, alert_id=raised.id, at=raised.at)
    return 1


def _utc(value: Any) -> Any:
    return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if isinstance(value, datetime) else value


def page(db: Database, *, project_id: int, limit: int = 5) -> list[Alert]:
    """A project's newest."""
    return db.all("alerts/page", Alert, project_id=project_id, limit=limit)


def in_danger(db: Database, person: people.Person) -> int:
    """How many projects that this person may see are at risk or late. Raises Forbidden."""
    row = db.one("alerts/in_danger", _Count, customer_id=projects.reach(person))
    return row.n if row else 0
