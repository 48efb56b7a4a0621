"""Counts what the control room shows, away from any page: each decision and event once, in whatever order transactions commit, killed or not.

Decisions and events are read by their numbers up to a mark. A lower number may be committed after a higher one, so a mark is only set
once every transaction has ended that was writing there when its number was the newest. The row that holds the mark is locked while it is
read: several workers take turns, and what was counted and how far it was read are committed together.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from claimcheck import transactions
from claimcheck.control import gaps
from claimcheck.db import Connection, Database

SECONDS, HOURLY = 15.0, 3600.0  # between two counts at least; and twenty times what the last one took
AT_ONCE = 5_000  # decisions or events of a transaction
LONGEST = 20.0  # seconds of reading on, before what else is due has its turn
PATIENCE = 1.0  # seconds for those who write; behind one who takes longer nothing is read until a later turn


@dataclass(frozen=True, slots=True)
class _Due:
    name: str


@dataclass(frozen=True, slots=True)
class _Newest:
    decisions: int
    events: int


@dataclass(frozen=True, slots=True)
class _Turn:
    name: str


@dataclass(frozen=True, slots=True)
class _Read:
    more: bool


def waits(db: Database) -> bool:
    """Whether anything is due."""
    return bool(_due(db, SECONDS, HOURLY))


def run(db: Database, *, seconds: float = SECONDS, hourly: float = HOURLY) -> list[str]:
    """Counts what was last counted so many seconds ago; the names of what was. May be killed at any time, and run by several at once."""
    return [name for name in _due(db, seconds, hourly) if (_read_on(db, name) if name in READ else _once(db, name))]


def _due(db: Database, seconds: float, hourly: float) -> list[str]:
    return [one.name for one in db.all("control/due", _Due, seconds=seconds, hourly=hourly)]


def _once(db: Database, name: str) -> bool:
    """Counts from the beginning; False where somebody else does."""

    def work(connection: Connection) -> bool:
        began = time.monotonic()
        if connection.one("control/take", _Turn, name=name) is None:
            return False
        WHOLE[name](connection)
        return bool(connection.run("control/stamp", name=name, took=time.monotonic() - began))

    return db.together(work)


def _read_on(db: Database, name: str) -> bool:
    """Reads up to the mark; False where somebody else does, or where somebody has been writing there for long."""
    began = time.monotonic()
    if not _mark(db, name):
        return False
    while (more := db.together(lambda connection: _part(connection, name))) and time.monotonic() - began < LONGEST:
        pass
    return more is not None


def _mark(db: Database, name: str) -> bool:
    """Up to what was newest, once all who may have drawn a lower number have ended; False where they take too long."""
    newest = db.one("control/newest", _Newest)
    if newest is None or not transactions.await_writers(db, name, patience=PATIENCE):
        return False
    db.run("control/mark", name=name, next_to=newest.decisions if name == "decisions" else newest.events)
    return True


def _part(connection: Connection, name: str) -> bool | None:
    """Whether there is more to read; None where somebody else reads."""
    if connection.one("control/take", _Turn, name=name) is None:
        return None
    read = connection.one(READ[name], _Read, limit=AT_ONCE)
    if read is None or read.more:
        return True
    connection.run("control/stamp", name=name, took=0.0)
    return False


def _count_open(connection: Connection) -> None:
    connection.run("control/count_open")
    connection.run("control/count_desk")


READ = {"decisions": "control/read_decisions", "events": "control/read_events"}
WHOLE: dict[str, Callable[[Connection], object]] = {
    "open": _count_open,
    "forecasts": lambda connection: connection.run("control/count_forecasts"),
    "gaps": gaps.count,
}
