"""Replaying: what was decided and not applied is due at once. A receiver knows a repeated one by its webhook-id; leases fence the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from claimcheck.db import Database
from claimcheck.operations import reasons
from claimcheck.operations.history import Act
from claimcheck.outbound import outbox

OLD_SECONDS = 60.0  # younger ones are on their way by themselves


@dataclass(frozen=True, slots=True)
class Unapplied:
    """What waits for longer than a minute, and what failed for good; each counted to 1,000."""

    waiting: int
    failed: int


@dataclass(frozen=True, slots=True)
class _Now:
    at: datetime


@dataclass(frozen=True, slots=True)
class _Page:
    touched: int
    at: datetime | None
    last: int | None


def unapplied(db: Database, *, seconds: float = OLD_SECONDS) -> Unapplied:
    """How much there is to replay."""
    return db.all("operations/unapplied", Unapplied, seconds=seconds)[0]


def last(acts: Sequence[Act]) -> Act | None:
    """The last replay among what operators did lately."""
    return next((act for act in acts if act.kind == "operations.replayed"), None)


def replay(db: Database, *, me: int, reason: str, failed: bool = False) -> int:
    """Has everything that waits be tried at once, what `failed` for good too if asked for; how many. Raises Invalid without a reason."""
    said, touched = reasons.given(reason), outbox.retry_all(db, me=me) if failed else 0
    now = db.all("operations/now", _Now)[0].at
    page = _Page(0, datetime(1, 1, 2, tzinfo=UTC), 0)
    while page.at is not None:
        page = db.all("operations/replay", _Page, me=me, reason=said, before=now, at=page.at, after=page.last)[0]
        touched += page.touched
    return touched
