"""Drafts: unfinished decisions, kept on the server; they belong to a task and a person and come back with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Draft:
    """What was typed (`body`: the form's fields) and when it was kept."""

    body: dict[str, Any]
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class _Saved:
    saved_at: datetime


def save(db: Database, *, assignment_id: int, me: int, body: dict[str, Any]) -> datetime | None:
    """Keeps the draft; when it was kept, or None where the task has ended and it is of no use any more."""
    row = db.one("drafts/save", _Saved, assignment_id=assignment_id, me=me, body=Jsonb(body))
    return row.saved_at if row else None


def load(db: Database, *, task_id: int, me: int) -> Draft | None:
    """The caller's draft for a task."""
    return db.one("drafts/load", Draft, task_id=task_id, me=me)


def forget(db: Database, *, task_id: int, me: int) -> None:
    """Throws the caller's draft away."""
    db.run("drafts/forget", task_id=task_id, me=me)
