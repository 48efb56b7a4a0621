"""Tasks: requests for a look at an item, and the claim that hands them out."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from claimcheck import errors
from claimcheck.db import Database

EMPTY_ATTEMPTS = 3  # of an empty claim that other claims in flight may have hidden
ROUNDS = 50  # of lapsed leases that a single call closes on its way


@dataclass(frozen=True, slots=True)
class Claim:
    """A task in a reviewer's hands. `lease_token` is the fence; `again` says that they held it already."""

    assignment_id: int
    task_id: int
    item_id: int
    project_id: int
    kind: str
    lease_token: UUID
    lease_no: int
    lease_expires: datetime
    evidence_version: int
    evidence_hash: bytes
    again: bool


@dataclass(frozen=True, slots=True)
class _Claimed:
    result: str
    assignment_id: int | None
    task_id: int | None
    item_id: int | None
    project_id: int | None
    kind: str | None
    lease_token: UUID | None
    lease_no: int | None
    lease_expires: datetime | None
    evidence_version: int | None
    evidence_hash: bytes | None
    again: bool


@dataclass(frozen=True, slots=True)
class _AnyLeft:
    any_left: bool


@dataclass(frozen=True, slots=True)
class _Skill:
    id: int


@dataclass(frozen=True, slots=True)
class Left:
    """What is left for a person. `waiting` and `held` stop at 200; `next_free_seconds` is when the next held one comes back."""

    waiting: int
    held: int
    next_free_seconds: int | None
    done_today: int
    lanes: int


def claim(db: Database, *, me: int, skill: str | None = None, queue: str | None = None, item_id: int | None = None) -> Claim | None:
    """The caller's next task, or the one they hold already; None when there is nothing for them.

    `skill`, `queue` and `item_id` narrow the choice. Raises Invalid for a skill that does not exist.
    """
    ask = {"me": me, "skill_id": _skill_id(db, skill), "queue": queue, "item_id": item_id}
    for _ in range(EMPTY_ATTEMPTS + 1):
        claimed = _claim(db, ask)
        if claimed is not None:
            return claimed
        if item_id is not None or not (lapse_meant(db) or _any_left(db, ask)):
            return None
        time.sleep(random.uniform(0.001, 0.006))  # noqa: S311 (no secret)
    return None


def _claim(db: Database, ask: dict[str, object]) -> Claim | None:
    """One claim, going on past lapsed leases that it had to close."""
    for _ in range(ROUNDS):
        row = db.one("tasks/claim", _Claimed, **ask)
        if row is None:
            return None
        if row.result == "claimed":
            return Claim(*(getattr(row, name) for name in Claim.__slots__))
    return None


def lapse_meant(db: Database) -> int:
    """What was kept for somebody whose time is over is anybody's again; how many at most 500 were."""
    return db.run("tasks/lapse_meant")


def _any_left(db: Database, ask: dict[str, object]) -> bool:
    row = db.one("tasks/any_left", _AnyLeft, me=ask["me"], skill_id=ask["skill_id"], queue=ask["queue"])
    return row is not None and row.any_left


def _skill_id(db: Database, skill: str | None) -> int | None:
    if skill is None:
        return None
    row = db.one("skills/by_name", _Skill, name=skill)
    if row is None:
        raise errors.Invalid.field("skill", f"there is no skill {skill!r}; leave it out to take from all of yours")
    return row.id


def left(db: Database, *, me: int) -> Left:
    """What waits for the caller, what others hold, and how many looks the caller submitted today (UTC)."""
    row = db.one("tasks/left", Left, me=me)
    assert row is not None
    return row
