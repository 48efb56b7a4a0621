"""Waits for transactions that write at this moment, so that what is read afterwards has no gap that closes later."""

from __future__ import annotations

import time
from dataclasses import dataclass

from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Number:
    """A transaction's number, as the server counts them."""

    number: int


def await_those_running(db: Database, patience: float) -> bool:
    """Waits until every transaction that has written by now has ended; False where that takes over `patience` seconds.

    In a quiet database that is at once, in a busy one some milliseconds.
    """
    begun = _number(db, "transactions/number")
    until, pause = time.monotonic() + patience, 0.001
    while _number(db, "transactions/oldest") <= begun:
        if time.monotonic() > until:
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.1)
    return True


def _number(db: Database, statement: str) -> int:
    row = db.one(statement, Number)
    assert row is not None
    return row.number
