"""The one function that RQ may call: the doorbell rang."""

from __future__ import annotations

from claimcheck.applying import Applier

SECONDS = 10.0  # to wait for a free thread; then the bell is rung again some day
applier: Applier | None = None  # the worker's own, set before it listens


def run(outbox_id: int) -> None:
    """Has an outbox row seen to; comes back as soon as a thread has taken it, for Postgres knows what becomes of it."""
    if applier is None:
        raise RuntimeError("no worker listens in this process")
    applier.take(outbox_id, SECONDS)
