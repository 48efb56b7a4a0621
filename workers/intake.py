"""`python -m workers.intake`: admits what comes by stream and by file, makes items of messages, resolves what resolves by itself.

Several may run. SIGTERM drains; a second one ends at once, and nothing is lost by it: leases run out, and entries stay pending.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import redis.asyncio

from claimcheck import config, errors, logs
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.formats.watching import Folders
from claimcheck.intake import records, resolving, watching
from claimcheck.intake.dropping import DropFolder
from claimcheck.intake.pool import Pool
from claimcheck.intake.sources import InboxSource, Source, Threads
from claimcheck.intake.streams import StreamSource
from claimcheck.operations.pulse import Pulse
from claimcheck.store import Store

IDLE_SECONDS, AWAY_SECONDS = 0.2, 1.0  # between rounds that found nothing; while a server does not answer
LOOK_SECONDS, LAG_SECONDS = 1.0, 10.0
ASIDE = 8  # database connections beside the handlers'

log = logs.get("intake")


class Stop:
    """The first signal asks to drain; a second one, a second later at least, ends at once."""

    def __init__(self) -> None:
        self.asked, self.threads, self.since = asyncio.Event(), threading.Event(), 0.0

    def listen(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._hear)

    def _hear(self) -> None:
        if not self.asked.is_set():
            self.since = time.monotonic()
            self.asked.set()
            self.threads.set()
        elif time.monotonic() - self.since > 1:
            os._exit(1)


class Intake:
    """One process."""

    def __init__(self, settings: Settings, db: Database, in_force: watching.InForce, stop: Stop):
        self.settings, self.db, self.in_force, self.stop = settings, db, in_force, stop
        self.name, self.threads = f"{socket.gethostname()}:{os.getpid()}", Threads()
        self.pools = {source.name: Pool(source, in_force) for source in self._sources()}
        self.pulse = Pulse(db, "intake", lambda: sum(pool.status.queued + pool.status.in_flight for pool in self.pools.values()))
        self.drop = DropFolder(settings.drop_folder or settings.home / "drop", db, self.name, stop.threads, in_force)

    def _sources(self) -> list[Source[Any]]:
        sources: list[Source[Any]] = [InboxSource(self.db, self.threads, self.name, self.in_force)]
        if self.settings.streams_url:
            client = redis.asyncio.Redis.from_url(self.settings.streams_url, socket_timeout=5, socket_connect_timeout=2)
            sources.append(StreamSource(client, self.db, self.threads, self.name, self.in_force))
        return sources

    async def run(self) -> bool:
        """Until told to stop. Whether everything that was in flight was finished. Raises what a pool ended by, which must not be missed."""
        rounds = [self._resolve, functools.partial(records.relay, self.db, records.log(self.settings.home)), self.drop.round]
        rounds += [Folders(self.db, Store(self.settings), self.stop.threads).round] if self.settings.s3_secret_key else []
        await self.threads.help(self.pulse.start)
        aside = [asyncio.create_task(self._rounds(self._unless_resting(work), IDLE_SECONDS)) for work in rounds]
        aside += [asyncio.create_task(self._rest()), asyncio.create_task(self._rounds(self._look, LOOK_SECONDS))]
        aside += [asyncio.create_task(self._rounds(self._lag, LAG_SECONDS))]
        running = [asyncio.create_task(pool.run()) for pool in self.pools.values()]
        log.info("intake listens", sources=[*self.pools], settings_version=self.in_force.version.version)
        await self._asked_or_broken(running)
        until = time.monotonic() + self.in_force.version.parameters.drain_timeout_ms / 1000  # for all of it together
        for pool in self.pools.values():
            pool.stop()
        finished = await asyncio.gather(*running)
        await asyncio.wait(aside, timeout=max(0.0, until - time.monotonic()))
        await self._end()
        return all(finished) and all(task.done() for task in aside)

    async def _asked_or_broken(self, running: list[asyncio.Task[bool]]) -> None:
        asked = asyncio.create_task(self.stop.asked.wait())
        done, _ = await asyncio.wait([asked, *running], return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        for task in running:
            if task in done and (error := task.exception()):
                raise error

    async def _rounds(self, work: Callable[[], Any], idle: float) -> None:
        """Rounds of something until told to stop; outages are waited out."""
        while not self.stop.asked.is_set():
            try:
                pause = 0.0 if await self.threads.aside(work) else idle
            except errors.Error as error:
                log.warning("intake waits", error=error.code, detail=error.detail, settings_version=self.in_force.version.version)
                pause = AWAY_SECONDS
            except Exception as error:  # one that nobody foresaw must not end the rounds
                log.error("a round failed", error=repr(error)[:1000], settings_version=self.in_force.version.version)
                pause = AWAY_SECONDS
            if pause:
                await self._pause(pause)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.stop.asked.wait(), seconds)

    def _unless_resting(self, work: Callable[[], Any]) -> Callable[[], Any]:
        def unless_resting() -> Any:
            if self.pulse.resting.is_set():
                return None
            with self.pulse.round():
                return work()

        return unless_resting

    async def _rest(self) -> None:
        """Keeps the pools as the operators want them."""
        while not self.stop.asked.is_set():
            for pool in self.pools.values():
                pool.rest(self.pulse.resting.is_set())
            await self._pause(IDLE_SECONDS)

    def _resolve(self) -> int:
        return len(resolving.resolve(self.db, worker=self.name, settings_version=self.in_force.version.version))

    def _look(self) -> None:
        for source, pool in self.pools.items():
            watching.say(self.db, f"{source}@{self.name}", source, pool.status, self.in_force.version)
        self.in_force.look()

    def _lag(self) -> None:
        watching.lag(self.db, self.in_force.version)

    async def _end(self) -> None:
        for pool in self.pools.values():
            await pool.source.close()
        try:
            await self.threads.help(self._look)
            await self.threads.help(self.pulse.stop)
        except errors.Error as error:
            log.warning("intake can't say that it stops", error=error.code)
        log.info("intake ends", settings_version=self.in_force.version.version)


async def _main(settings: Settings, db: Database, in_force: watching.InForce) -> bool:
    stop = Stop()
    stop.listen()
    return await Intake(settings, db, in_force, stop).run()


def main() -> None:
    """Runs with the settings of the environment."""
    logs.configure()
    settings = config.load()
    config.require(settings, "database_url_web")
    db = Database(str(settings.database_url_web), max_size=64 + ASIDE, name="intake")
    try:
        in_force = watching.InForce(db)
    except errors.Error as error:
        sys.exit(f"the pipeline can't begin: {error.detail}")
    try:
        finished = asyncio.run(_main(settings, db, in_force))
    except Exception as error:
        log.critical("intake broke", error=repr(error)[:1000], settings_version=in_force.version.version)
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # threads that still work would keep the process from its end, and whoever starts it again waiting
    if not finished:
        sys.stderr.flush()
        os._exit(0)  # what still runs is rolled back, and its leases run out
    db.close()


if __name__ == "__main__":
    main()
