"""The one function that RQ may call: the doorbell rang, for an outbox row or (0) for scoring."""

from __future__ import annotations

from claimcheck.applying import Applier
from claimcheck.experts.upkeep import Upkeep

SECONDS = 10.0  # to wait for a free thread; then the bell is rung again some day
SCORING = 0  # no outbox row has this number
applier: Applier | None = None  # the worker's own, set before it listens
upkeep: Upkeep | None = None  # likewise


def run(outbox_id: int) -> None:
    """Has an outbox row seen to; comes back as soon as a thread has taken it, for Postgres knows what becomes of it."""
    if applier is None or upkeep is None:
        raise RuntimeError("no worker listens in this process")
    if outbox_id == SCORING:
        upkeep.take()
    else:
        applier.take(outbox_id, SECONDS)
