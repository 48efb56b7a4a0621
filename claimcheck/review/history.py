"""What was done: an item's history, and a person's decisions of today. No payload is read here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors
from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing done with an item.

    `kind`: look, outcome (the desk's, of several looks), overturn; released, skipped, expired, revoked (a look that was
    left); held, lapsed; moved, sent_back; acted, by a lead, `reason` says what. `seconds` is how long it was held.
    `hidden`: its task still waits for other looks.
    """

    at: datetime
    kind: str
    pseudonym: str
    task_kind: str
    decision_id: int | None
    supersedes: int | None
    hidden: bool
    verdict: str | None
    answer: Any
    outcome: str | None
    reason: str | None
    note: str
    seconds: float | None
    evidence_version: int
    evidence_hash: bytes | None

    @property
    def decided(self) -> bool:
        return self.decision_id is not None


@dataclass(frozen=True, slots=True)
class Today:
    """A decision of the caller's, and what they asked about it."""

    decision_id: int
    item_id: int
    task_id: int
    project: str
    project_id: int
    project_version: int
    title: str
    idempotency_key: str
    verdict: str | None
    answer: Any
    outcome: str | None
    reason: str
    note: str
    created_at: datetime
    kind: str
    seconds: float
    superseded_by: int | None
    asked: str | None
    asked_at: datetime | None
    answered: str | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Facts:
    """An item: what it is, where it stands, and the outcome in force."""

    id: int
    customer_id: int
    project_id: int
    project: str
    project_version: int
    shown_version: int
    batch_id: int
    idempotency_key: str
    source_hash: bytes
    trace_id: str
    priority: int
    partition_key: str | None
    partition_no: int | None
    evidence_version: int
    created_at: datetime
    title: str
    task_kind: str | None
    task_state: str | None
    lease_count: int | None
    kept_for: str | None
    kept_until: datetime | None
    outcome_id: int | None
    outcome: str | None
    verdict: str | None
    answer: Any
    reason_code: str | None
    settled_at: datetime | None
    outcome_version: int | None
    outcome_rules: int | None
    server_now: datetime

    @property
    def changed_since(self) -> bool:
        """Whether the evidence changed after the outcome in force."""
        return self.outcome_version is not None and self.outcome_version < self.evidence_version


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an item's evidence. `parts`: n, name, content_type, size, sha256 (hex)."""

    version: int
    created_at: datetime
    published_at: datetime | None
    last_error: str | None
    sent_by: str
    evidence_hash: bytes | None
    parts: list[dict[str, Any]] | None


def of_item(db: Database, *, item_id: int) -> list[Entry]:
    """All that was done with an item, oldest first. Whether the reader may see it is the caller's to judge."""
    return db.all("items/history", Entry, item_id=item_id)


def today(db: Database, *, me: int) -> list[Today]:
    """The caller's decisions since midnight UTC, and older ones whose question was answered since, newest first."""
    return db.all("decisions/today", Today, me=me)


def facts(db: Database, *, item_id: int, customer_id: int | None) -> Facts:
    """An item's facts; with `customer_id` only that customer's. Raises NotFound."""
    row = db.one("items/facts", Facts, item_id=item_id, customer_id=customer_id)
    if row is None:
        raise errors.NotFound()
    return row


def versions(db: Database, *, item_id: int) -> list[Version]:
    """The item's evidence, newest version first."""
    return db.all("items/versions", Version, item_id=item_id)
