"""The pool: pulls from a source as long as there is room, hands runs to handlers in order, and drains when it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from claimcheck import errors, logs
from claimcheck.intake.sources import Run, Settings, Source

IDLE_SECONDS, QUIET_SECONDS = 0.06, 0.3  # until the source is asked again that had nothing, doubling
AWAY_SECONDS, LONGEST_SECONDS = 0.2, 5.0  # while the database, the store or the source can't, doubling
LOOK_SECONDS = 1.0  # after which a shorter lease is known
MEASURED = 1000  # handlers that the p99 is taken over

log = logs.get("intake")
PASSING = (errors.Unavailable, errors.QueueSaturated, errors.Again)  # nobody's fault: the same runs are tried again


@dataclass(frozen=True, slots=True)
class Status:
    """How a pool is. `p99_ms` is over the `measured` last handlers."""

    state: Literal["running", "draining", "stopped"]
    queued: int
    in_flight: int
    handled: int
    measured: int
    p99_ms: float | None


class Pool:
    """One source's. `settings` gives the version in force, which may change at any time."""

    def __init__(self, source: Source[Any], settings: Settings):
        self.source, self.settings, self._log = source, settings, log.bind(source=source.name)
        self.state: Literal["running", "draining", "stopped"] = "running"
        self._waiting: deque[Run] = deque()
        self._busy: set[Hashable] = set()
        self._suspects: set[Hashable] = set()  # sequences of a batch that failed: each is tried by itself
        self._flying: dict[asyncio.Task[None], Sequence[Run]] = {}
        self._stopping, self._news, self._resting = asyncio.Event(), asyncio.Event(), False
        self._took: deque[float] = deque(maxlen=MEASURED)
        self._queued = self._bytes = self._handled = self._away = 0

    @property
    def status(self) -> Status:
        took = sorted(self._took)
        p99 = 1000 * took[math.ceil(0.99 * len(took)) - 1] if took else None
        in_flight = sum(run.size for runs in self._flying.values() for run in runs)
        return Status(self.state, self._queued, in_flight, self._handled, len(took), p99)

    def stop(self) -> None:
        """No more pulling; `run` comes back when what is in flight is done, or its time is over."""
        self._stopping.set()
        self._tell()

    def rest(self, resting: bool) -> None:
        """While it rests nothing is pulled; what was pulled is handled."""
        if resting != self._resting:
            self._resting = resting
            self._tell()

    async def run(self) -> bool:
        """Until `stop`. Whether everything in flight was finished in its time; the rest's leases run out by themselves."""
        pulling, extending = asyncio.create_task(self._pull()), asyncio.create_task(self._extend())
        try:
            await self._hand_out()
            return await self._drain(pulling)
        finally:
            pulling.cancel()
            extending.cancel()
            self.state = "stopped"

    def _tell(self) -> None:
        """Whoever waits looks again."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _until(self, holds: Callable[[], bool]) -> None:
        """Until it holds, or the pool is to stop."""
        while not self._stopping.is_set() and not holds():
            await self._news.wait()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    def _room(self) -> int:
        asked = self.settings().parameters
        if self._resting or (self._bytes and self._bytes + asked.prefetch_bytes > asked.queue_max_bytes):
            return 0
        return min(asked.prefetch, asked.queue_maxsize - self._queued)

    async def _pull(self) -> None:
        """Suspended while the queue is full: producers wait in the source, not here."""
        away = empty = 0
        while not self._stopping.is_set():
            await self._until(lambda: self._room() > 0)
            if self._stopping.is_set():
                return
            try:
                runs = await self.source.pull(self._room())
            except Exception as error:  # one that nobody foresaw must not end the pulling
                away = await self._wait_out("pulling", _known(error), away)
                continue
            away = 0
            self._put(runs)
            self._tell()
            empty = 0 if runs else empty + 1
            if empty:
                await self._pause(min(QUIET_SECONDS, IDLE_SECONDS * 2 ** min(empty - 1, 8)))

    def _put(self, runs: Iterable[Run]) -> None:
        for run in runs:
            self._waiting.append(run)
            self._count(run, 1)

    def _count(self, run: Run, sign: Literal[1, -1]) -> None:
        self._queued += sign * run.size
        self._bytes += sign * run.bytes

    async def _wait_out(self, what: str, error: errors.Error, away: int) -> int:
        self._log.warning("the pool waits", what=what, error=error.code, detail=error.detail, settings_version=self.settings().version)
        await self._pause(min(LONGEST_SECONDS, AWAY_SECONDS * 2 ** min(away, 8)))
        return away + 1

    async def _hand_out(self) -> None:
        while not self._stopping.is_set():
            await self._until(lambda: len(self._flying) < self.settings().parameters.handlers and self._next() is not None)
            while not self._stopping.is_set() and len(self._flying) < self.settings().parameters.handlers and (batch := self._take()):
                task = asyncio.create_task(self._work(batch))
                self._flying[task] = batch
                task.add_done_callback(self._landed)
                self._tell()  # there is room

    def _next(self) -> Run | None:
        """The first whose sequence nobody is at."""
        return next((run for run in self._waiting if run.sequence not in self._busy), None)

    def _take(self) -> list[Run]:
        """Runs for one handler: as many as `run_messages` hold, each of another sequence; one that may be poison goes by itself."""
        batch, passed, held, size, heavy = list[Run](), deque[Run](), set[Hashable](), 0, 0
        asked = self.settings().parameters
        while self._waiting:
            run = self._waiting.popleft()
            by_itself = run.alone or run.sequence in self._suspects
            if run.sequence in self._busy or run.sequence in held:
                passed.append(run)
                held.add(run.sequence)
            elif not batch or (size + run.size <= asked.run_messages and heavy + run.bytes <= asked.prefetch_bytes and not by_itself):
                batch.append(run)
                size, heavy = size + run.size, heavy + run.bytes
                self._count(run, -1)
                self._busy.add(run.sequence)
                if by_itself:
                    break
            else:
                self._waiting.appendleft(run)
                break
        self._waiting.extendleft(reversed(passed))
        return batch

    async def _work(self, batch: list[Run]) -> None:
        began = time.perf_counter()
        try:
            await self.source.handle(batch)
        except errors.LeaseExpired as error:
            lost: Any = error.facts.get("lost", ())
            self._back([run for run in batch if run.sequence not in lost])
        except PASSING as error:
            away = self._away  # that of several handlers at once counts once
            await self._wait_out("handling", error, away)
            self._away = max(self._away, away + 1)
            self._back(batch)
        except Exception as error:  # whatever it was, it is these messages'
            await self._failed(batch, error)
        else:
            self._took.append(time.perf_counter() - began)
            self._handled += sum(run.size for run in batch)
            self._away = 0
            self._suspects -= {run.sequence for run in batch}

    async def _failed(self, batch: list[Run], error: Exception) -> None:
        self._log.error("handling failed", runs=len(batch), error=repr(error)[:1000], settings_version=self.settings().version)
        sequences = {run.sequence for run in batch}
        if len(batch) > 1:  # whose fault it was shows when each is tried by itself
            self._suspects |= sequences
            self._back(batch)
            return
        self._suspects -= sequences
        after = [run for run in self._waiting if run.sequence in sequences]  # must not overtake it
        self._waiting = deque(run for run in self._waiting if run.sequence not in sequences)
        for run in after:
            self._count(run, -1)
        await self._try(self.source.put_off(batch[0], repr(error)))
        if after:
            await self._try(self.source.hand_back(after))

    async def _try(self, work: Awaitable[None]) -> None:
        """What only hurries things: where it fails, however it does, leases run out."""
        try:
            await work
        except Exception as error:
            known = _known(error)
            self._log.warning("the pool leaves it to its lease", error=known.code, detail=known.detail, settings_version=self.settings().version)

    def _back(self, runs: list[Run]) -> None:
        """They are the next ones again."""
        self._waiting.extendleft(reversed(runs))
        for run in runs:
            self._count(run, 1)

    def _landed(self, task: asyncio.Task[None]) -> None:
        self._busy -= {run.sequence for run in self._flying.pop(task)}
        if not task.cancelled() and (error := task.exception()):
            self._log.error("the pool stumbled", error=repr(error))
        self._tell()

    async def _extend(self) -> None:
        """Three times a lease, by the one that is in force now."""
        last = time.monotonic()
        while True:
            left = last + self.settings().parameters.lease_timeout_ms / 3000 - time.monotonic()
            if left > 0:
                await asyncio.sleep(min(left, LOOK_SECONDS))
                continue
            last = time.monotonic()
            ours = [*self._waiting, *(run for runs in self._flying.values() for run in runs)]
            if ours:
                await self._try(self.source.extend(ours))

    async def _drain(self, pulling: asyncio.Task[None]) -> bool:
        self.state = "draining"
        flying = list(self._flying)
        await asyncio.wait([pulling, *flying], timeout=self.settings().parameters.drain_timeout_ms / 1000)
        left, self._waiting, self._queued, self._bytes = list(self._waiting), deque(), 0, 0
        if left:
            await self._try(self.source.hand_back(left))
        late = [task for task in flying if not task.done()]
        sizes = {"handed_back": sum(run.size for run in left), "late": len(late)}
        self._log.info("the pool drained", **sizes, settings_version=self.settings().version)
        return not late


def _known(error: Exception) -> errors.Error:
    return error if isinstance(error, errors.Error) else errors.Error(repr(error)[:1000])
