"""What resolves by itself: an item without variance gets the system's outcome when its partition's turn comes."""

from __future__ import annotations

from dataclasses import dataclass

from claimcheck.db import Database

LIMIT = 200  # of one round, which is one transaction


@dataclass(frozen=True, slots=True)
class Resolved:
    """An item and the outcome that it got; None where that waits for a second pair of eyes."""

    decision_id: int | None
    item_id: int


def resolve(db: Database, *, worker: str, settings_version: int) -> list[Resolved]:
    """One round; an empty one says that nothing is due. What follows in a partition has its turn in the next round."""
    return db.all("decisions/resolve", Resolved, worker=worker, settings_version=settings_version, limit=LIMIT)
