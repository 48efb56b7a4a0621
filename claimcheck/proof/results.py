"""Results: a project's outcomes in the order of settling, in pages that never leave one out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from claimcheck import evidence, spreadsheets, transactions
from claimcheck.db import Database

PATIENCE = 2.0  # seconds for submits that are on their way
OVER_BY_NOW = timedelta(seconds=75)  # no transaction runs that long (db.CONNECT)


@dataclass(frozen=True, slots=True)
class Result:
    """An outcome. `verdict` is `overturn` where it supersedes another; what holds then stands in `outcome` and `answer`."""

    decision_id: int
    item_id: int
    idempotency_key: str
    trace_id: str
    outcome: str
    verdict: str | None
    answer: Any
    reason_code: str
    note: str
    decided_by: str
    approved_by: str | None
    decided_at: datetime
    supersedes: int | None
    superseded_by: int | None
    project_version: int
    shown_version: int
    evidence_version: int
    evidence_hash: bytes
    current_evidence_version: int

    @property
    def evidence_changed(self) -> bool:
        """Whether the item's evidence changed after this decision."""
        return self.current_evidence_version > self.evidence_version


@dataclass(frozen=True, slots=True)
class _Newest:
    id: int
    server_now: datetime


@dataclass(frozen=True, slots=True)
class Page:
    """Outcomes, oldest first. Not `complete`: it ends early, since a submit has been on its way for long; ask again for the rest."""

    rows: list[Result]
    complete: bool


def page(db: Database, *, project_id: int, after: int = 0, limit: int = 100) -> Page:
    """Outcomes with ids beyond `after`.

    Ids are given before commits happen, so a lower one can appear after a higher one. A reader who goes on after the last
    row of this page misses none: the page ends before anything that might still be on its way.
    """
    newest = db.one("results/newest", _Newest)
    assert newest is not None
    complete = transactions.await_writers(db, "decisions", patience=PATIENCE)
    rows = db.all("results/page", Result, project_id=project_id, after=after, up_to=newest.id, limit=limit)
    if complete:
        return Page(rows, True)
    settled_before = newest.server_now - OVER_BY_NOW
    certain = [*takewhile(lambda row: row.decided_at < settled_before, rows)]
    return Page(certain, len(certain) == limit)


@dataclass(frozen=True, slots=True)
class Settled:
    """An outcome in a list of the newest."""

    decision_id: int
    item_id: int
    idempotency_key: str
    outcome: str
    answer: Any
    reason_code: str
    supersedes: int | None
    decided_at: datetime


def lately(db: Database, *, project_id: int, batch_id: int | None = None, limit: int = 10) -> list[Settled]:
    """The newest outcomes, newest first; of a batch those among the project's last 2,000."""
    return db.all("results/lately", Settled, project_id=project_id, batch_id=batch_id, limit=limit)


def hash_now(db: Database, project_id: int, result: Result) -> bytes:
    """The hash of the item's newest evidence, shown as it was for this decision: the decision's own unless it changed since."""
    if not result.evidence_changed:
        return result.evidence_hash
    newest = {"evidence_version": result.current_evidence_version, "shown_version": result.shown_version}
    return evidence.document_hash(db, item_id=result.item_id, project_id=project_id, **newest)


def to_csv(rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> str:
    """Rows as CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe; JSON carries the raw value."""
    return spreadsheets.lines([columns, *([row.get(name) for name in columns] for row in rows)])


def as_dict(db: Database, project_id: int, result: Result) -> dict[str, Any]:
    """A result's fields, and whether the evidence changed since, with its hash now."""
    return asdict(result) | {"current_evidence_hash": hash_now(db, project_id, result), "evidence_changed": result.evidence_changed}
