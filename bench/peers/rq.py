"""RQ without a fork for each job, on Valkey as the desk runs it (an append-only file, synced every second: not durable as the others are)."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import redis
from rq import Queue, SimpleWorker

from bench.peers.places import Places

NAME = "RQ, no fork"


def nothing() -> None:
    pass


class Over(BaseException):
    """The window has ended."""


def _queue(places: Places) -> Queue:
    return Queue(connection=redis.Redis.from_url(places.valkey))


def prepare(places: Places) -> None:
    """Valkey is its own."""


def add(places: Places, n: int) -> None:
    queue = _queue(places)
    for _ in range(0, n, 1000):
        queue.enqueue_many([Queue.prepare_data(nothing, result_ttl=60) for _ in range(1000)])


def work(places: Places, end: float) -> list[float]:
    done: list[float] = []

    class Counting(SimpleWorker):
        def execute_job(self, *args: Any, **kwargs: Any) -> None:
            if time.monotonic() >= end:
                raise Over
            super().execute_job(*args, **kwargs)
            done.append(time.monotonic())

    queue = _queue(places)
    with contextlib.suppress(Over):
        Counting([queue], connection=queue.connection).work(burst=True, logging_level="ERROR")
    return done
