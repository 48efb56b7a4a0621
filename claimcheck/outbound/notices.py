"""Notices: what a project's webhook, or people by letter, are told beside outcomes, once each, through the same outbox."""

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
    """A message of its own, and when the thing happened. A letter is one `person`'s; `email` is None where nobody is to be told there any more."""

    id: int
    project_id: int
    kind: Type
    body: dict[str, Any]
    created_at: datetime
    alert_id: int | None
    person: str | None
    email: str | None

    @property
    def webhook_id(self) -> str:
        """By which receivers deduplicate."""
        return f"notice_{self.id}" if self.alert_id is None else f"alert_{self.alert_id}"


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def put(
    db: Database | Connection, *, project_id: int, kind: Type, key: str, body: dict[str, Any], alert_id: int | None = None, at: datetime | None = None
) -> int | None:
    """Tells a project's webhook, in the caller's transaction; None where this key was told before. A project without a webhook keeps it too."""
    row = db.one("notices/put", _Id, project_id=project_id, kind=kind, key=key, body=Jsonb(body), alert_id=alert_id, at=at)
    return row.id if row else None


def write(connection: Connection, *, project_id: int, kind: Type, key: str, body: dict[str, Any], alert_id: int, at: datetime) -> int:
    """Tells a project's customer and the leads by letter, in the caller's transaction; how many letters."""
    connection.run("effects/put_letters", project_id=project_id)
    return connection.run("notices/write", project_id=project_id, kind=kind, key=key, body=Jsonb(body), alert_id=alert_id, at=at)


def load(db: Database, *, notice_id: int) -> Notice:
    """One. Raises NotFound."""
    row = db.one("notices/load", Notice, notice_id=notice_id)
    if row is None:
        raise errors.NotFound()
    return row
