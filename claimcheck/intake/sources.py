"""Where a pool's messages come from: one interface, whatever keeps them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Protocol, TypeVar

from claimcheck.db import Database
from claimcheck.intake import handling, inbox, parameters

Settings = Callable[[], parameters.Version]  # the version in force
BACKOFF_SECONDS, LONGEST_SECONDS = 0.2, 30.0  # until what failed is tried again, doubling
HELPERS = 4  # threads for what is short, so that no pull and no lease waits for a handler
OTHERS = 8

Result = TypeVar("Result")
R = TypeVar("R", bound="Run")


class Run(Protocol):
    """Messages that were pulled together. What shares a `sequence` is handled in the order of its pulling; what stands `alone` may be poison."""

    @property
    def sequence(self) -> Hashable: ...
    @property
    def size(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def alone(self) -> bool: ...


class Source(Protocol[R]):
    """At least once: a run that is neither handled nor handed back comes again, here or elsewhere, and handling it twice does no harm."""

    name: ClassVar[str]

    async def pull(self, room: int) -> Sequence[R]:
        """At most `room` messages of `prefetch_bytes` together, none where nothing is due. Raises errors.Error while it can't."""
        ...

    async def handle(self, runs: Sequence[R]) -> None:
        """Comes back when all of it is durable and taken from the source. Raises LeaseExpired with `lost`, the sequences that others have by now."""
        ...

    async def extend(self, runs: Sequence[R]) -> None:
        """Keeps them from others for another lease's time."""
        ...

    async def hand_back(self, runs: Sequence[R]) -> None:
        """Leaves them to others, unhandled."""
        ...

    async def put_off(self, run: R, error: str) -> None:
        """It failed by its own fault; it comes again in a while."""
        ...

    async def close(self) -> None: ...


class Threads:
    """Keeps the event loop free of what waits or computes. Handlers have threads of their own, what is short has, and what goes on beside them."""

    def __init__(self, handlers: int = 64):
        self.handlers, self.helpers, self.others = (
            ThreadPoolExecutor(n, name) for n, name in ((handlers, "handler"), (HELPERS, "helper"), (OTHERS, "other"))
        )

    async def handle(self, work: Callable[..., Result], *args: Any, **more: Any) -> Result:
        return await _run(self.handlers, work, *args, **more)

    async def help(self, work: Callable[..., Result], *args: Any, **more: Any) -> Result:
        return await _run(self.helpers, work, *args, **more)

    async def aside(self, work: Callable[..., Result], *args: Any, **more: Any) -> Result:
        return await _run(self.others, work, *args, **more)

    def end(self) -> None:
        """Waits for nobody."""
        for threads in (self.handlers, self.helpers, self.others):
            threads.shutdown(wait=False, cancel_futures=True)


async def _run(threads: ThreadPoolExecutor, work: Callable[..., Result], *args: Any, **more: Any) -> Result:
    return await asyncio.get_running_loop().run_in_executor(threads, functools.partial(work, *args, **more))


class InboxSource:
    """Admitted messages, which become items."""

    name: ClassVar[str] = "inbox"
    Handle = Callable[..., Any]

    def __init__(self, db: Database, threads: Threads, worker: str, settings: Settings, handle: Handle = handling.handle):
        self.db, self.threads, self.worker, self.settings, self._handle = db, threads, worker, settings, handle

    async def pull(self, room: int) -> Sequence[inbox.Run]:
        return await self.threads.help(inbox.pull, self.db, self.settings(), room)

    async def handle(self, runs: Sequence[inbox.Run]) -> None:
        await self.threads.handle(self._handle, self.db, runs, worker=self.worker, settings=self.settings())

    async def extend(self, runs: Sequence[inbox.Run]) -> None:
        await self.threads.help(inbox.extend, self.db, runs, self.settings())

    async def hand_back(self, runs: Sequence[inbox.Run]) -> None:
        await self.threads.help(inbox.hand_back, self.db, runs, worker=self.worker, settings=self.settings())

    async def put_off(self, run: inbox.Run, error: str) -> None:
        tried = max((message.attempts for message in run.messages), default=0)
        seconds = min(LONGEST_SECONDS, BACKOFF_SECONDS * 2**tried)
        await self.threads.help(inbox.put_off, self.db, run, seconds, error, worker=self.worker, settings=self.settings())

    async def close(self) -> None:
        """Nothing of it stays open."""
