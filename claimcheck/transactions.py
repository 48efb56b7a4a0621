"""Transactions beyond one statement: waiting for those that write to a table now, so that no gap closes later, and one that is taken back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from claimcheck.db import Connection, Database

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Writer:
    """A transaction that is under way, as the server calls it."""

    writer: str


class _Undone(Exception):
    """Carries what would have come of it out of a transaction that is rolled back."""

    def __init__(self, found: Any):
        self.found = found


def undone(db: Database, work: Callable[[Connection], Found]) -> Found:
    """What `work` does in one transaction, which is rolled back: it meets all that the real one meets, and leaves nothing."""
    try:
        db.together(lambda connection: _undo(work(connection)))
    except _Undone as done:
        return done.found
    raise AssertionError("it is always undone")


def _undo(found: Any) -> None:
    raise _Undone(found)


def await_writers(db: Database, *tables: str, patience: float) -> bool:
    """Waits until every transaction that writes to one of the tables now has ended; False where that takes over `patience` seconds.

    Where nobody writes that is at once, else some milliseconds. Who begins meanwhile is not waited for.
    """
    those = _writers(db, tables)
    until, pause = time.monotonic() + patience, 0.001
    while those:
        if time.monotonic() > until:
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.1)
        those &= _writers(db, tables)
    return True


def _writers(db: Database, tables: Sequence[str]) -> set[str]:
    return {row.writer for row in db.all("transactions/writers", Writer, tables=[*tables])}
