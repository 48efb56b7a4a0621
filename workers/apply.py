"""The one function that RQ may call: the doorbell rang, for an outbox row or for a chore."""

from __future__ import annotations

from collections.abc import Mapping

from claimcheck.operations.chores import Chore
from claimcheck.outbound.applying import Applier

SECONDS = 10.0  # to wait for a free thread; then the bell is rung again some day
applier: Applier | None = None  # the worker's own, set before it listens
chores: Mapping[int, Chore] = {}  # likewise, by number (workers/chores.py)


def run(outbox_id: int) -> None:
    """Has an outbox row or a chore seen to; comes back as soon as a thread has taken it, for Postgres knows what becomes of it."""
    if applier is None:
        raise RuntimeError("no worker listens in this process")
    if applier.resting.is_set():
        return  # the bell is rung again once work is taken again
    if outbox_id in chores:
        chores[outbox_id].take()
    else:
        applier.take(outbox_id, SECONDS)
