"""Where approvals stand. Nothing here tells what was proposed while somebody may still have to look at the item for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors
from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Open:
    """One that waits. `may`: whether the asker may be its second pair of eyes; `anybody`: whether somebody may.

    Its state is `pending`, or `rejected`: two saw it differently, and a lead decides.
    """

    id: int
    item_id: int
    project_id: int
    project: str
    idempotency_key: str
    title: str
    state: str
    version: int
    asked_at: datetime
    server_now: datetime
    cancelled: bool
    paused: bool
    held: bool
    may: bool
    anybody: bool


@dataclass(frozen=True, slots=True)
class Approval:
    """One with what was proposed, which is None while it is open. `decision_id`: what it came to; None where what stood stays."""

    id: int
    item_id: int
    project_id: int
    project: str
    idempotency_key: str
    state: str
    version: int
    asked_at: datetime
    moved_at: datetime
    decision_id: int | None
    overturns: bool | None
    proposed: str | None
    answer: Any
    reason_code: str | None
    proposed_by: str | None
    rule: dict[str, str] | None
    approved_by: str | None


@dataclass(frozen=True, slots=True)
class OfItem:
    """An item's approval, as its page shows it. `voided_by`: of a voided one, what changed: evidence, rules, or undone."""

    id: int
    state: str
    version: int
    asked_at: datetime
    moved_at: datetime
    decision_id: int | None
    approved_by: str | None
    voided_by: str | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A project's numbers. `for_leads`: of those waiting, how many two people saw differently."""

    project_id: int
    project: str
    waiting: int
    for_leads: int
    oldest: datetime
    oldest_seconds: float


def page(db: Database, *, me: int, project_id: int | None = None, after: int = 0, limit: int = 50) -> list[Open]:
    """Those that are open, oldest first, beyond one."""
    return db.all("approvals/page", Open, me=me, project_id=project_id, after=after, limit=limit)


def load(db: Database, *, approval_id: int) -> Approval:
    """One. Raises NotFound. That the asker leads is the caller's to see to."""
    found = db.one("approvals/load", Approval, approval_id=approval_id)
    if found is None:
        raise errors.NotFound()
    return found


def of_item(db: Database, *, item_id: int) -> list[OfItem]:
    """An item's, oldest first."""
    return db.all("approvals/of_item", OfItem, item_id=item_id)


def waiting(db: Database) -> list[Waiting]:
    """What waits for a second pair of eyes, by project, the longest first."""
    return db.all("approvals/waiting", Waiting)
