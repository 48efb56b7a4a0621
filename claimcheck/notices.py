"""Notices: what a project's webhook is told beside outcomes, once each, through the same outbox."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.outbound.webhook import Type


@dataclass(frozen=True, slots=True)
class Notice:
    """A message of its own, and when the thing happened."""

    id: int
    project_id: int
    kind: Type
    body: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def put(db: Database | Connection, *, project_id: int, kind: Type, key: str, body: dict[str, Any]) -> int | None:
    """Tells a project's webhook, in the caller's transaction; None where this key was told before. A project without a webhook keeps it too."""
    row = db.one("notices/put", _Id, project_id=project_id, kind=kind, key=key, body=Jsonb(body))
    return row.id if row else None


def load(db: Database, *, notice_id: int) -> Notice:
    """One. Raises NotFound."""
    row = db.one("notices/load", Notice, notice_id=notice_id)
    if row is None:
        raise errors.NotFound()
    return row
