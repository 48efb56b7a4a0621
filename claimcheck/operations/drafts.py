"""Old drafts: what somebody began to write and left for many days is thrown away."""

from __future__ import annotations

from dataclasses import dataclass

from claimcheck import errors
from claimcheck.db import Database
from claimcheck.operations import reasons

LONGEST_DAYS = 3650


@dataclass(frozen=True, slots=True)
class _Count:
    n: int


def old(db: Database, *, days: int) -> int:
    """How many are older, and not of something that is held now. Raises Invalid."""
    row = db.one("operations/old_drafts", _Count, days=_days(days))
    return row.n if row else 0


def prune(db: Database, *, days: int, me: int, reason: str) -> int:
    """Throws them away, on record; how many. Raises Invalid."""
    said, gone = reasons.given(reason), 0
    while (some := db.all("operations/prune_drafts", _Count, days=_days(days), me=me, reason=said)[0].n) > 0:
        gone += some
    return gone


def _days(days: int) -> int:
    if not 1 <= days <= LONGEST_DAYS:
        raise errors.Invalid.field("days", f"should be a number from 1 to {LONGEST_DAYS}")
    return days
