"""Waits for transactions that write to a table at this moment, so that what is read afterwards has no gap that closes later."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Writer:
    """A transaction that is under way, as the server calls it."""

    writer: str


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
