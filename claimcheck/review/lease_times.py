"""How long leases last until a decision, and what lease that asks for. Counted now and then by a worker: a page never reads history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from claimcheck.db import Database
from claimcheck.quality import survival
from claimcheck.quality.survival import Ended, Point

COUNT_SECONDS = 3600.0  # between two counts
LATEST = 50_000  # leases of the whole desk that are counted
ENOUGH = 200  # leases of a project, before their 99 % is believed
ABOVE = 2.0  # times the 99 %, or where that is not known
ABOVE_MEDIAN = 10.0  # times the median: 99 % of measured work took up to five times its median
SHORTEST, LONGEST = 120, 3600  # seconds
STEP = 60  # seconds, to which an advice is rounded up


@dataclass(frozen=True, slots=True)
class _Counted:
    counted_at: datetime
    seconds: list[int]
    decided: list[int]
    undecided: list[int]


@dataclass(frozen=True, slots=True)
class Times:
    """A project's leases as they were at `counted_at`; `points` is the share undecided over time, known up to `longest`.

    `advised` is in seconds, None while nothing can be said.
    """

    counted_at: datetime
    decided: int
    undecided: int
    points: tuple[Point, ...]
    longest: int
    advised: int | None

    @property
    def enough(self) -> bool:
        return self.decided + self.undecided >= ENOUGH

    def by(self, share: float) -> int | None:
        """Seconds by which this share is decided; None where too many leases ended before."""
        return survival.quantile(self.points, share)

    def cut(self, seconds: float) -> float:
        """The share of work that a lease of so many seconds would have cut off, had nothing extended it; where not `seen`, at most so much."""
        return survival.undecided(self.points, seconds)

    def seen(self, seconds: float) -> bool:
        """Whether any lease lasted so long, or everything was decided before."""
        return seconds <= self.longest or not self.cut(seconds)


def count(db: Database, *, seconds: float = COUNT_SECONDS) -> int:
    """Counts the leases of every project, unless that was done so many seconds ago; how many projects have some."""
    return db.run("lease_times/count", seconds=seconds, latest=LATEST)


def of_project(db: Database, *, project_id: int) -> Times | None:
    """A project's; None before any was counted."""
    row = db.one("lease_times/load", _Counted, project_id=project_id)
    if row is None:
        return None
    ended = [Ended(*one) for one in zip(row.seconds, row.decided, row.undecided, strict=True)]
    points = survival.curve(ended)
    decided, undecided = sum(row.decided), sum(row.undecided)
    return Times(row.counted_at, decided, undecided, tuple(points), row.seconds[-1], advise(points, leases=decided + undecided))


def advise(points: Sequence[Point], *, leases: int) -> int | None:
    """Twice the 99 % quantile; ten times the median where fewer than 200 leases are known or too many ended undecided. Within 2 and 60 minutes."""
    last = survival.quantile(points, 0.99) if leases >= ENOUGH else None
    median = survival.quantile(points, 0.5)
    if last is None and median is None:
        return None
    asked = ABOVE * last if last is not None else ABOVE_MEDIAN * (median or 0)
    return min(LONGEST, max(SHORTEST, STEP * math.ceil(asked / STEP)))
