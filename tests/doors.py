"""Both sources of the pipeline for the same tests: how messages get in, and consumers that may be killed at any point."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, TypeVar

import redis
import redis.asyncio

from claimcheck.db import Connection, Database
from claimcheck.intake import admission, handling, rooms
from claimcheck.intake.sources import InboxSource, Threads
from claimcheck.intake.streams import READER, STREAM, StreamSource
from tests import looping, pipeline
from tests.intake import World

Result = TypeVar("Result")


class Killed(BaseException):
    """A consumer that is gone."""


class Dying:
    """A database whose next transaction is never committed: its process is killed before."""

    def __init__(self, db: Database):
        self._db = db

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def together(self, work: Any) -> Any:
        def die(connection: Connection) -> None:
            work(connection)
            raise Killed

        return self._db.together(die)


def mortal(work: Any, fate: list[str]) -> Any:
    """As `handling.handle` or `admission.admit`, but that it dies `before` or `after` its commit where that is the next fate."""

    def run(db: Database, *args: Any, **more: Any) -> Any:
        how = fate.pop() if fate else ""
        done = work(Dying(db) if how == "before" else db, *args, **more)
        if how == "after":
            raise Killed
        return done

    return run


class Door:
    """One source, with everything around it. Messages come as bytes; what is consumed ends as items."""

    def __init__(self, world: World, kind: str, valkey: str, valkey_admin: str):
        self.world, self.kind, self.valkey = world, kind, valkey
        self.admin = redis.Redis.from_url(valkey_admin)
        self.threads, self.settings = Threads(8), pipeline.settings(max_attempts=100)
        self.clients: list[redis.asyncio.Redis] = []
        self.clear()

    def play(self, main: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Runs it on a loop of its own, at whose end no connection is left open."""

        async def played() -> Result:
            try:
                return await main()
            finally:
                for client in self.clients:
                    await client.aclose()
                self.clients.clear()

        return looping.run(played())

    def clear(self) -> None:
        self.admin.flushdb()
        pipeline.clear(self.world)
        rooms._counts.clear()  # which was counted before

    def send(self, bodies: Sequence[bytes], at: float | None = None) -> None:
        """`at`: what the producer's clock shows, and which it tells of: in a header, in a field, and in the entry's id where the stream takes that."""
        told = {} if at is None else {"Date": format_datetime(datetime.fromtimestamp(at, UTC))}
        if self.kind == "inbox":
            pipeline.admit(self.world, bodies, headers=told)
        for body in bodies if self.kind == "stream" else ():
            self._add({"body": body, **told}, None if at is None else f"{int(at * 1000)}-0")

    def _add(self, fields: dict[Any, Any], entry_id: str | None) -> None:
        try:
            self.admin.xadd(STREAM, fields, entry_id or "*")
        except redis.ResponseError:  # a stream's ids only rise: whose clock is behind can't but leave the id to it
            self.admin.xadd(STREAM, fields)

    def consumer(self, fate: list[str] | None = None, name: str = pipeline.WORKER) -> Any:
        """One that works on the running loop."""
        fate = fate if fate is not None else []
        if self.kind == "inbox":
            return InboxSource(self.world.web, self.threads, name, lambda: self.settings, mortal(handling.handle, fate))
        client = redis.asyncio.Redis.from_url(self.valkey, socket_timeout=30)
        self.clients.append(client)
        return StreamSource(client, self.world.web, self.threads, name, lambda: self.settings, mortal(admission.admit, fate))

    def lapse(self) -> None:
        """Every lease runs out at this moment, also of those who are still there."""
        pipeline.lapse(self.world)
        self.admin.delete(READER)

    async def rest(self) -> None:
        """Somebody else consumes whatever is left; then it becomes items."""
        self.lapse()
        consumer = self.consumer()
        while runs := await consumer.pull(50):
            await consumer.handle(runs)
        await consumer.close()
        await asyncio.to_thread(self.become_items)

    def become_items(self) -> None:
        while runs := pipeline.pull(self.world, max_attempts=100):
            pipeline.handle(self.world, runs, max_attempts=100)

    def left(self) -> int:
        """Entries that are in the stream, or messages in the inbox."""
        waiting = self.world.one("SELECT count(*) FROM inbox")
        if self.kind == "inbox" or not self.admin.exists(STREAM):
            return waiting
        groups: Any = self.admin.xinfo_groups(STREAM)
        return waiting + sum(group["pending"] + (group["lag"] or 0) for group in groups)

    def end(self) -> None:
        self.threads.end()
        self.admin.close()
