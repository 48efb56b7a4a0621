"""What operators did, from the events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck.db import Database

SHOWN = 30


@dataclass(frozen=True, slots=True)
class Act:
    """One act. Its `detail` holds the reason, where one was given."""

    id: int
    at: datetime
    kind: str
    by: str
    project: str | None
    detail: dict[str, Any]


def lately(db: Database) -> list[Act]:
    """The newest first."""
    return db.all("operations/history", Act, limit=SHOWN)
