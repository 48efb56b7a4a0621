"""The pools as they last said themselves, for whoever looks after them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of today. `silent`: it says that it works, and has said nothing for a minute. `p99_ms` is over the last `measured` handlers."""

    name: str
    source: str
    settings_version: int
    started_at: datetime
    seen_at: datetime
    stopped_at: datetime | None
    state: str
    queued: int
    in_flight: int
    handled: int
    measured: int
    p99_ms: float | None
    silent: bool

    @property
    def at_work(self) -> bool:
        return self.state == "running" and not self.silent


def lately(db: Database) -> list[Pool]:
    """Those that were heard of today, the ones at work first."""
    return db.all("pipeline_workers/lately", Pool)
