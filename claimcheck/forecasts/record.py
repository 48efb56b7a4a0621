"""What was said each hour, when each came to its end, and the report card that the two make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from claimcheck.db import Database
from claimcheck.forecasts import measuring
from claimcheck.forecasts.estimate import Band, State
from claimcheck.forecasts.judged import Said
from claimcheck.forecasts.measuring import Told

AT_ONCE = 20  # projects and batches of one call


@dataclass(frozen=True, slots=True)
class _Due:
    project_id: int
    batch_id: int | None
    open: bool


@dataclass(frozen=True, slots=True)
class _Before:
    state: State


@dataclass(frozen=True, slots=True)
class Newest:
    """What was last said of a project."""

    project_id: int
    at: datetime
    progress: float
    last: float | None
    last_low: float | None
    last_high: float | None
    deadline: datetime | None
    miss_probability: float | None
    state: State


@dataclass(frozen=True, slots=True)
class Judged:
    """A forecast of something that came to its end. Hours from the moment `at`, when it was said."""

    ended: int
    project_id: int
    project: str
    batch_id: int | None
    items: int
    last_at: datetime
    at: datetime
    bucket: int
    progress: float
    most: float | None
    most_low: float | None
    most_high: float | None
    last: float
    last_low: float
    last_high: float
    most_actual: float
    last_actual: float

    def of_last(self) -> Said:
        return Said(self.ended, self.bucket, self.last, self.last_low, self.last_high, self.last_actual)

    def of_most(self) -> Said | None:
        """None where 95 % were there when it was said."""
        if self.most is None or self.most_low is None or self.most_high is None or self.most_actual <= 0:
            return None
        return Said(self.ended, self.bucket, self.most, self.most_low, self.most_high, self.most_actual)


def run(db: Database) -> int:
    """Says what is due in this hour, and writes down what came to its end; how many."""
    due = db.all("forecasts/due", _Due, limit=AT_ONCE)
    past = measuring.past(db) if any(one.open for one in due) else []
    for one in due:
        if one.open:
            log(db, measuring.tell(db, project_id=one.project_id, batch_id=one.batch_id, before=before(db, one.project_id, one.batch_id), known=past))
        else:
            db.run("forecasts/end", project_id=one.project_id, batch_id=one.batch_id)
    return len(due)


def before(db: Database, project_id: int, batch_id: int | None = None) -> State | None:
    """The state that was last said."""
    row = db.one("forecasts/before", _Before, project_id=project_id, batch_id=batch_id)
    return row and row.state


def log(db: Database, told: Told) -> bool:
    """Writes a forecast down; False where that was done in this hour, or there is nothing to forecast."""
    subject, found = told.subject, told.found
    if subject.items <= 0:
        return False
    measured = None if told.resting_since or found.line is None else found.line.rate
    return bool(
        db.run(
            "forecasts/log", project_id=subject.project_id, batch_id=subject.batch_id, items=subject.items, settled=told.settled,
            progress=found.progress, bucket=found.bucket, looks_left=sum(line.looks for line in told.lines), looks_an_hour=measured,
            experts=told.experts, raw_most=found.raw_most, raw_last=found.raw_last, **_band("most", found.most), **_band("last", found.last),
            deadline=subject.deadline, miss_probability=found.miss_probability, state=found.state,
        )
    )  # fmt: skip


def _band(name: str, band: Band | None) -> dict[str, float | None]:
    point, low, high = (band.point, band.low, band.high) if band else (None, None, None)
    return {name: point, f"{name}_low": low, f"{name}_high": high}


def newest(db: Database, project_ids: Iterable[int]) -> dict[int, Newest]:
    """What was last said of these projects in a day, by project."""
    return {row.project_id: row for row in db.all("forecasts/newest", Newest, project_ids=[*project_ids])}


def judged(db: Database, *, customer_id: int | None = None) -> list[Judged]:
    """Every forecast of the newest that came to their end; with `customer_id` only that customer's."""
    return db.all("forecasts/report", Judged, customer_id=customer_id)
