"""`python -m workers.dispatcher`: rings the doorbell for what is due in the outbox, until told to stop. Several may run.

It polls: a NOTIFY in the submit's statement would make all commits wait for each other. Where Redis has been away for long, it
applies outcomes itself, and so it does with what no worker comes for.
"""

from __future__ import annotations

import argparse
import signal
import threading
import time
from collections.abc import Mapping

import redis

from claimcheck import config, errors, logs
from claimcheck.db import Database
from claimcheck.operations.chores import Chore
from claimcheck.outbound import applying, deliveries, outbox
from workers import chores, doorbell

IDLE_SECONDS = 0.25
DEPTH = 40  # rings in the queue at most: a longer one only grows old
AWAY_SECONDS = 30.0
PATIENCE = 3  # rings in nearly a minute, before the dispatcher sees to a row itself
CHORE_SECONDS = 1.0  # between two looks at whether something waits for a chore
PAUSE_SECONDS = 1.0  # while the database does not answer

log = logs.get("dispatcher")


class Bell:
    """Redis, as long as it is there."""

    def __init__(self, url: str):
        self.queue = doorbell.queue(doorbell.connect(url))
        self.away_since: float | None = None

    def room(self) -> int:
        """How many rings the queue still takes; 0 while Redis is away."""
        try:
            room = max(0, DEPTH - self.queue.count)
        except redis.RedisError as error:
            self._away(error)
            return 0
        if self.away_since is not None:
            log.info("dispatcher has Redis again", away_seconds=round(self.away(), 1))
            self.away_since = None
        return room

    def ring(self, push: outbox.Push) -> None:
        """Rings once. What Redis does not take is due again in a few seconds."""
        try:
            doorbell.ring(self.queue, push.outbox_id, push.push)
        except redis.RedisError as error:
            self._away(error)

    def ring_for_chore(self, number: int, push: int) -> None:
        """Rings for a chore; `push` counts up."""
        self.ring(outbox.Push(number, push, 0))

    def _away(self, error: redis.RedisError) -> None:
        if self.away_since is None:
            log.warning("dispatcher misses Redis", error=type(error).__name__)
            self.away_since = time.monotonic()

    def away(self) -> float:
        """Seconds that Redis has been away."""
        return 0.0 if self.away_since is None else time.monotonic() - self.away_since


def run(
    db: Database, bell: Bell, applier: applying.Applier, ours: Mapping[int, Chore], stop: threading.Event, away_seconds: float = AWAY_SECONDS
) -> None:
    """Rounds until `stop` is set."""
    due = Chores(ours, bell, away_seconds)
    while not stop.is_set():
        if applier.resting.is_set():
            stop.wait(IDLE_SECONDS)
            continue
        try:
            due.look()
            pause = 0 if _round(db, bell, applier, away_seconds) else IDLE_SECONDS
        except errors.Error as error:
            log.warning("dispatcher waits", error=error.code, detail=error.detail)
            pause = PAUSE_SECONDS
        stop.wait(pause)


class Chores:
    """Rings for the chores that something waits for; where Redis is away for long, does them here."""

    def __init__(self, chores: Mapping[int, Chore], bell: Bell, away_seconds: float):
        self.chores, self.bell, self.away_seconds = chores, bell, away_seconds
        self.pushes, self.next = int(time.time() * 1000), 0.0

    def look(self) -> None:
        """At most once a second."""
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + CHORE_SECONDS
        for number, chore in self.chores.items():
            if chore.waits():
                self._ring(number, chore)

    def _ring(self, number: int, chore: Chore) -> None:
        if self.bell.away() > self.away_seconds:
            chore.take()
        elif self.bell.room() > DEPTH // 2:  # where nobody answers, rings for chores leave room for effects
            self.pushes += 1
            self.bell.ring_for_chore(number, self.pushes)


def _round(db: Database, bell: Bell, applier: applying.Applier, away_seconds: float) -> int:
    """Rows that the bell was rung for, or that were seen to here: all while Redis is away for long, else those that no worker came for."""
    room, here = bell.room(), bell.away() > away_seconds
    pushes = outbox.ring(db, room=applier.free if here else room) if here or room else []
    for push in pushes:
        if here or push.unanswered >= PATIENCE:
            applier.take(push.outbox_id, 0)
        elif bell.away_since is None:
            bell.ring(push)
    return len(pushes)


def main() -> None:
    """Runs with the settings of the environment; SIGTERM and SIGINT end it in good order."""
    options = argparse.ArgumentParser(prog="python -m workers.dispatcher", description=__doc__)
    options.add_argument("--redis-away", type=float, default=AWAY_SECONDS, metavar="SECONDS", help="after which it applies outcomes itself")
    away_seconds = options.parse_args().redis_away
    logs.configure()
    settings, stop = config.load(), threading.Event()
    config.require(settings, "database_url_worker", "redis_url", "secret_key")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    db = Database(str(settings.database_url_worker), max_size=10, name="dispatcher")
    applier = applying.Applier(db, deliveries.sender(settings))
    ours = chores.of(settings, db)
    pulse = chores.pulse(db, "dispatcher", applier, ours).start()
    try:
        run(db, Bell(str(settings.redis_url)), applier, ours, stop, away_seconds)
    finally:
        applier.stop()
        pulse.stop()
        db.close()


if __name__ == "__main__":
    main()
