"""Access events: who saw which payload, written before its first byte left (by the statements that `evidence` opens parts with)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class AccessEvent:
    """One reveal of one part."""

    id: int
    at: datetime
    person_id: int
    pseudonym: str
    role: str
    evidence_version: int
    part: str
    purpose: str


def of_item(db: Database, *, item_id: int, after: int = 0, limit: int = 200) -> list[AccessEvent]:
    """An item's, oldest first, with ids beyond `after`. Whether the asker may see them is the caller's to judge."""
    return db.all("access_events/of_item", AccessEvent, item_id=item_id, after=after, limit=limit)
