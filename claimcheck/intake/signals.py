"""The pipeline's four signals: each a log line, a count for metrics, and a row that says what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from claimcheck import errors, logs
from claimcheck.db import Database

Code = Literal["QUEUE_SATURATED", "LEASE_EXPIRED", "POISON_MESSAGE", "CONSUMER_LAG"]
ADVICE: dict[str, str] = {
    "QUEUE_SATURATED": "Producers send faster than the pool handles. Give it more handlers, or raise inbox_limit.",
    "LEASE_EXPIRED": "A handler took longer than its lease. Raise lease_timeout_ms above the p99, or lower run_messages.",
    "POISON_MESSAGE": "Messages were refused for good. Open the dead letters, look at the commonest cause, mend it and replay them.",
    "CONSUMER_LAG": "The oldest message has waited longer than lag_s. See that a pool runs, then what its handlers wait for.",
}

HOURS = 24  # that the page looks back

log = logs.get("intake")


@dataclass(frozen=True, slots=True)
class Lately:
    """A signal in the last hours: how often, and what it said last, which may be longer ago."""

    code: str
    n: int
    last_at: datetime | None
    last_trace_id: str | None
    last_source_hash: bytes | None
    last_detail: str | None

    @property
    def advice(self) -> str:
        return ADVICE[self.code]


@dataclass(frozen=True, slots=True)
class Total:
    """How often a signal was given since the beginning."""

    code: str
    n: int


def note(
    db: Database,
    code: Code,
    detail: str,
    *,
    settings_version: int,
    trace_id: str | None = None,
    source_hash: bytes | None = None,
    n: int = 1,
) -> None:
    """Says it in the log and counts it. `n` are as many at once. What it tells of has happened: where it can't be counted, the log alone has it."""
    log.warning(
        code, detail=detail, trace_id=trace_id, source_hash=source_hash.hex() if source_hash else None, settings_version=settings_version, n=n
    )
    try:
        db.run("pipeline_signals/note", code=code, detail=detail[:2000], trace_id=trace_id, source_hash=source_hash, n=n)
    except errors.Error as error:
        log.warning("a signal is not counted", code=code, n=n, error=error.code, settings_version=settings_version)


def lately(db: Database) -> list[Lately]:
    """Each signal in the last HOURS, in the order of their advice."""
    return db.all("pipeline_signals/lately", Lately, codes=[*ADVICE], hours=HOURS)


def totals(db: Database) -> list[Total]:
    """Each signal's count for metrics."""
    return db.all("pipeline_signals/totals", Total)
