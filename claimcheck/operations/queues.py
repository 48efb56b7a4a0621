"""A project's queues, paused and resumed one by one: nothing more of one is handed out, what people hold they may finish."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimcheck import errors, sweeps
from claimcheck.db import Database
from claimcheck.operations import reasons

SHOWN = 200


@dataclass(frozen=True, slots=True)
class Queue:
    """One of an open project. The whole project may be paused besides."""

    id: int
    project_id: int
    project: str
    name: str
    paused_at: datetime | None
    project_paused_at: datetime | None


def page(db: Database, *, project_id: int | None = None) -> list[Queue]:
    """Those of all projects or of one, the paused ones first."""
    return db.all("operations/queues", Queue, project_id=project_id, limit=SHOWN)


def pause(db: Database, *, project_id: int, name: str, me: int, reason: str) -> bool:
    """Pauses a queue, on record; whether it was open. Raises Invalid without a reason, NotFound."""
    return _set(db, project_id, name, me, reasons.given(reason), paused=True)


def resume(db: Database, *, project_id: int, name: str, me: int, reason: str = "") -> bool:
    """Hands its tasks out again; whether it was paused. Raises NotFound."""
    return _set(db, project_id, name, me, reasons.optional(reason), paused=False)


def _set(db: Database, project_id: int, name: str, me: int, reason: str, *, paused: bool) -> bool:
    if name not in {queue.name for queue in page(db, project_id=project_id)}:
        raise errors.NotFound("No open project has this queue.")
    how = {"project_id": project_id, "name": name, "me": me, "reason": reason, "paused": paused}
    changed = db.run("operations/pause_queue", **how, seconds=sweeps.TURN_SECONDS)
    sweeps.halt(db, project_id=project_id)
    return bool(changed)
