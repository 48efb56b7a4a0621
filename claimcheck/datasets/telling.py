"""Tells a customer's webhook of versions: that one is delivered, that labels were taken back, and, until it is acknowledged, again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.outbound import notices

REMIND_DAYS, REMINDERS = 3, 4  # days between reminders, and how many at most


@dataclass(frozen=True, slots=True)
class _Told:
    dataset_id: int
    project_id: int
    project: str
    version: int
    parent_version: int | None
    kind: str
    rows: int
    counts: dict[str, int]
    sha256: bytes
    reason: str | None


@dataclass(frozen=True, slots=True)
class _Due:
    dataset_id: int
    project_id: int
    reminders: int


def delivered(connection: Connection, project_id: int, dataset_id: int) -> None:
    """A version is there; in the transaction that makes it so."""
    body = _body(connection, dataset_id)
    kind = "labels.retracted" if body["kind"] == "retraction" else "dataset.delivered"
    notices.put(connection, project_id=project_id, kind=kind, key=f"dataset {dataset_id}", body=body)


def remind(db: Database) -> int:
    """Reminds of what took labels back and was not acknowledged; how many reminders. Each once, however many workers ask."""
    due = db.all("datasets/unacknowledged", _Due, days=REMIND_DAYS, most=REMINDERS)
    for one in due:
        body = {**_body(db, one.dataset_id), "reminder": one.reminders + 1}
        notices.put(db, project_id=one.project_id, kind="dataset.reminder", key=f"reminder {one.dataset_id} {one.reminders + 1}", body=body)
    return len(due)


def _body(db: Database | Connection, dataset_id: int) -> dict[str, Any]:
    told = db.one("datasets/told", _Told, dataset_id=dataset_id)
    if told is None:
        raise errors.NotFound()
    names = ("dataset_id", "project_id", "project", "version", "parent_version", "kind", "rows", "counts", "reason")
    return {**{name: getattr(told, name) for name in names}, "manifest_sha256": told.sha256.hex()}
