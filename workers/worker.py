"""`python -m workers.worker`: applies outcomes and does chores when the doorbell rings, until told to stop. As many may run as are wanted."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import redis

from claimcheck import config, logs
from claimcheck.db import Database
from claimcheck.operations import tracing
from claimcheck.outbound import applying, deliveries
from workers import apply, chores, doorbell

AWAY_SECONDS = 1.0  # between two attempts to reach Redis

log = logs.get("worker")


class Stop:
    """The first signal asks to finish what is under way, a second one, a second later at least, to leave it."""

    def __init__(self) -> None:
        self.asked, self.since = threading.Event(), 0.0

    def ask(self) -> None:
        """What the first signal does."""
        self.since = time.monotonic()
        self.asked.set()

    def listen(self) -> None:
        """Takes the signals, from RQ too."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hear)

    def _hear(self, *_: Any) -> None:
        if not self.asked.is_set():
            self.ask()
        elif time.monotonic() - self.since > 1:
            os._exit(1)  # leases lapse, and others go on


def work(url: str, stop: Stop) -> None:
    """Listens, until told to stop. Redis may be away, come late or lose everything meanwhile."""
    while not stop.asked.is_set():
        client = doorbell.connect(url, doorbell.WORKER_TTL)
        try:
            _refuse_eviction(client)
            _listen(client, stop)
        except redis.RedisError as error:
            log.warning("worker waits for Redis", error=type(error).__name__)
        finally:
            client.close()
        stop.listen()
        stop.asked.wait(AWAY_SECONDS)


def _listen(client: redis.Redis, stop: Stop) -> None:
    worker = doorbell.worker(client)
    log.info("worker listens", queue=doorbell.QUEUE)
    worker.work(with_scheduler=False, logging_level="WARNING")
    if worker.told_to_stop:
        stop.ask()


def _refuse_eviction(client: redis.Redis) -> None:
    if policy := doorbell.evicts(client):
        sys.exit(f"Redis evicts keys when it is full (maxmemory-policy {policy}); set it to noeviction")


def main() -> None:
    """Runs with the settings of the environment; SIGTERM and SIGINT end it in good order."""
    logs.configure()
    settings, stop = config.load(), Stop()
    config.require(settings, "database_url_worker", "redis_url", "secret_key")
    tracing.begin(settings, "worker")
    stop.listen()
    db = Database(str(settings.database_url_worker), max_size=10, name="worker")
    apply.applier, apply.chores = applying.Applier(db, deliveries.sender(settings)), chores.of(settings, db)
    pulse = chores.pulse(db, "worker", apply.applier, apply.chores).start()
    try:
        work(str(settings.redis_url), stop)
    finally:
        stop.listen()
        apply.applier.stop()
        pulse.stop()
        db.close()
        tracing.end()


if __name__ == "__main__":
    main()
