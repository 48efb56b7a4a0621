"""Assignments: a task in a reviewer's hands, for as long as the lease lasts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from claimcheck import errors, logs
from claimcheck.db import Connection, Database


@dataclass(frozen=True, slots=True)
class Assignment:
    """One of the caller's own assignments, live or ended, with what its screen needs.

    `evidence_version` and `evidence_hash` are the task's now; `claimed_hash` is what they were at the claim.
    """

    id: int
    task_id: int
    item_id: int
    project_id: int
    person_id: int
    kind: str
    queue: str
    lease_token: UUID
    lease_no: int
    claimed_at: datetime
    lease_expires: datetime
    hold_until: datetime
    idle_seconds: int
    ended_at: datetime | None
    end_reason: str | None
    evidence_version: int
    evidence_hash: bytes
    claimed_hash: bytes
    shown_version: int
    project_version: int
    project: str
    project_cancelled_at: datetime | None
    deadline: datetime | None
    idempotency_key: str
    trace_id: str
    arrived_at: datetime
    title: str
    task_state: str
    wanted: int
    looks: int
    lease_count: int
    parent_id: int | None
    decision_id: int | None
    server_now: datetime

    @property
    def live(self) -> bool:
        """Whether the lease still holds: not ended, and its time has not run out."""
        return self.ended_at is None and self.lease_expires > self.server_now


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The lease after a heartbeat. `idle`: the person was away too long, so it was not extended."""

    lease_expires: datetime
    idle: bool
    server_now: datetime


@dataclass(frozen=True, slots=True)
class _Released:
    assignment_id: int
    escalation_id: int | None


def load(db: Database | Connection, *, assignment_id: int, me: int) -> Assignment:
    """One of the caller's own assignments. Raises NotFound for anybody else's."""
    row = db.one("assignments/load", Assignment, assignment_id=assignment_id, me=me)
    if row is None:
        raise errors.NotFound()
    logs.trace(row.trace_id, "item_trace_id")
    return row


def heartbeat(db: Database, *, assignment_id: int, lease_token: UUID, me: int, idle_seconds: int = 0) -> Heartbeat:
    """Extends a live lease, up to the project's longest hold. Raises StaleLease, always once it has expired."""
    row = db.one(
        "assignments/heartbeat",
        Heartbeat,
        assignment_id=assignment_id,
        lease_token=lease_token,
        me=me,
        idle_seconds=min(idle_seconds, 10**6),
    )
    if row is None:
        raise errors.StaleLease()
    return row


def release(db: Database, *, assignment_id: int, lease_token: UUID, me: int, reason: str | None = None) -> None:
    """Gives the task back. Raises StaleLease."""
    _end(db, assignment_id, lease_token, me, skip=False, reason=reason)


def skip(db: Database, *, assignment_id: int, lease_token: UUID, me: int, reason: str) -> None:
    """Gives the task back; it comes to this person after all their other work. Raises StaleLease."""
    _end(db, assignment_id, lease_token, me, skip=True, reason=reason)


def _end(db: Database, assignment_id: int, lease_token: UUID, me: int, *, skip: bool, reason: str | None) -> None:
    row = db.one("assignments/release", _Released, assignment_id=assignment_id, lease_token=lease_token, me=me, skip=skip, reason=reason)
    if row is None:
        raise errors.StaleLease()
