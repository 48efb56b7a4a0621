"""Whether the inbox takes more: what waits is counted now and then, and what this process let in is added meanwhile."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from claimcheck import errors
from claimcheck.db import Database
from claimcheck.intake import inbox, parameters, signals

COUNTED_FOR = 0.5  # seconds


@dataclass(slots=True)
class _Count:
    """What waits, as this process knows it."""

    at: float = float("-inf")
    n: int = 0


_counts: WeakKeyDictionary[Database, _Count] = WeakKeyDictionary()
_lock = threading.Lock()


def check(db: Database, settings: parameters.Version) -> None:
    """Raises QueueSaturated, with the wait that producers are asked for, while `inbox_limit` messages wait or more."""
    allowed = settings.parameters
    with _lock:
        count = _counts.setdefault(db, _Count())
        stale = time.monotonic() - count.at >= COUNTED_FOR
        if stale:
            count.at = time.monotonic()  # whoever comes meanwhile goes by the last count
    if stale:
        count.n = inbox.depth(db, allowed.inbox_limit)
    if count.n < allowed.inbox_limit:
        return
    said = f"{count.n:,} messages wait, and inbox_limit is {allowed.inbox_limit:,}; send it again in {allowed.retry_after_s} s."
    if stale:
        signals.note(db, "QUEUE_SATURATED", said, settings_version=settings.version)
    error = errors.QueueSaturated(said)
    error.retry_after = allowed.retry_after_s
    raise error


def add(db: Database, n: int) -> None:
    """So many more wait."""
    with _lock:
        _counts.setdefault(db, _Count()).n += n
