"""Follows messages to the desk, and helps: where no pool runs, what was sent is handled, published and resolved here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claimcheck import errors, publishing
from claimcheck.db import Database
from claimcheck.intake import handling, inbox, parameters, resolving
from claimcheck.store import Store

PAUSE, TOLD = 0.1, 2.0  # seconds: before looking again while others work; between two lines of progress
PUT_OFF = 1.0  # seconds until a partition whose handler failed is tried again


@dataclass(frozen=True, slots=True)
class Progress:
    """How far some messages are: in the inbox, or items, and of those the durable ones."""

    waiting: int
    items: int
    durable: int

    @property
    def done(self) -> bool:
        return self.waiting == 0 and self.durable == self.items


def settle(
    db: Database, worker: Database, store: Store, *, message_ids: Sequence[int], name: str, tell: Callable[[Progress], None] = lambda _: None
) -> Progress:
    """Waits until every one of them can be claimed, is resolved or is a dead letter. `name` is whose hand it was, for the record."""
    told = time.monotonic()
    while not (there := progress(db, message_ids)).done:
        if time.monotonic() - told > TOLD:
            told = time.monotonic()
            tell(there)
        worked = _handle(db, name) + publishing.publish_once(worker, store)
        if not worked:
            time.sleep(PAUSE)
    while resolving.resolve(db, worker=name, settings_version=parameters.current(db).version):
        pass
    return there


def progress(db: Database, message_ids: Sequence[int]) -> Progress:
    """How far they are now."""
    row = db.one("messages/progress", Progress, message_ids=list(message_ids))
    assert row is not None
    return row


def _handle(db: Database, name: str) -> int:
    """One pull, and what is in it handled, as a pool does; how many messages."""
    settings = parameters.current(db)
    runs = inbox.pull(db, settings, settings.parameters.prefetch)
    if not runs:
        return 0
    try:
        handling.handle(db, runs, worker=name, settings=settings)
    except errors.LeaseExpired:
        return 0
    except (errors.QueueSaturated, errors.Unavailable):
        inbox.hand_back(db, runs, worker=name, settings=settings)
        return 0
    except errors.Error as error:
        for run in runs:
            inbox.put_off(db, run, PUT_OFF, error.detail, worker=name, settings=settings)
        return 0
    return sum(run.size for run in runs)
