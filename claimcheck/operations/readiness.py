"""Whether the desk can work, each server by itself: name, answer, milliseconds. Redis is only a doorbell: its absence is told, and stops nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import redis

from claimcheck import logs, migrations
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.store import Store

DOORBELL = "doorbell"
SECONDS = 1.0  # for Redis to answer

log = logs.get("claimcheck.readiness")


@dataclass(frozen=True, slots=True)
class Check:
    """One server, and what asking it took."""

    name: str
    ok: bool
    ms: float


@dataclass(frozen=True, slots=True)
class _Rights:
    writes: bool
    as_web: bool


def checks(settings: Settings, db: Database, store: Store) -> list[Check]:
    """Each of them, asked now. Never raises; why one fails stands in the log."""
    asked: dict[str, Callable[[], bool]] = {
        "database": lambda: _writes(db),
        "migrations": lambda: not migrations.pending(settings.database_url_web or ""),
        "store": store.ready,
        DOORBELL: lambda: _rings(settings.redis_url or ""),
    }
    return [_check(name, ask) for name, ask in asked.items()]


def is_ready(found: list[Check]) -> bool:
    """Whether work can be done."""
    return all(check.ok for check in found if check.name != DOORBELL)


def _check(name: str, ask: Callable[[], bool]) -> Check:
    began = time.perf_counter()
    try:
        ok = ask()
    except Exception as error:
        log.warning("readyz.failing", check=name, error=f"{type(error).__name__}: {error}")
        ok = False
    return Check(name, ok, round((time.perf_counter() - began) * 1000, 1))


def _writes(db: Database) -> bool:
    """Whether the database takes writes, from a role with the web's rights and no more."""
    row = db.one("operations/ready", _Rights)
    if row and not row.as_web:
        log.error("readyz.role", detail="the role of DATABASE_URL_WEB has other rights than claimcheck_web: see deploy/roles.sql")
    return row is not None and row.writes and row.as_web


def _rings(url: str) -> bool:
    client = redis.Redis.from_url(url, socket_connect_timeout=SECONDS, socket_timeout=SECONDS)
    try:
        return bool(client.ping())
    finally:
        client.close()
