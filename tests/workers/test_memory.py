"""The pool's memory is bounded by its queue, not by what waits in front of it: a hundred thousand messages of a made-up source, thousands of the real ones."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from claimcheck.intake.pool import Pool
from tests import looping, pipeline
from tests.doors import Door
from tests.pipeline import message
from tests.workers.test_pool import Made, Some, settings, until

MESSAGES, BYTES = int(os.environ.get("DESK_MESSAGES", "100000")), 2_000  # a million by hand
REAL = int(os.environ.get("DESK_REAL_MESSAGES", "3000"))  # of the real sources: each is written to PostgreSQL, and a test stays under a minute on busy cores
SLACK = 40 * 1024 * 1024


class Endless(Made):
    """As many messages as are asked for, each with its bytes, made when they are pulled."""

    def __init__(self, count: int):
        super().__init__()
        self.left_over, self.done, self.open_seen = count, 0, 0
        self.bodies: dict[int, bytes] = {}

    async def pull(self, room: int) -> list[Some]:
        n = min(room, self.left_over)
        self.left_over -= n
        runs = [Some(f"{self.left_over + i}", (self.left_over + i,)) for i in range(n)]
        self.bodies |= {run.numbers[0]: os.urandom(BYTES) for run in runs}
        self.open_seen = max(self.open_seen, len(self.bodies))
        return runs

    async def handle(self, runs: Sequence[Some]) -> None:
        await asyncio.sleep(0)  # slower than the pull, which gives as many as there is room for
        for run in runs:
            del self.bodies[run.numbers[0]]
        self.done += len(runs)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_its_memory_stays_flat() -> None:
    asked = settings(queue_maxsize=1_000, prefetch=200, run_messages=50)

    async def main() -> tuple[Endless, list[int]]:
        made, seen = Endless(MESSAGES), list[int]()
        pool = Pool(cast(Any, made), lambda: asked)
        running = asyncio.create_task(pool.run())
        while made.done < MESSAGES:
            await asyncio.sleep(0.02)
            seen.append(resident())
        pool.stop()
        await running
        return made, seen

    made, seen = looping.run(main())
    most = asked.parameters.queue_maxsize + asked.parameters.handlers * asked.parameters.run_messages
    assert made.open_seen <= most and not made.bodies
    warm = seen[len(seen) // 5]
    assert max(seen) - warm < SLACK, (warm, max(seen))


# The real inbox and the real stream


class Gated:
    """A real source whose handlers take as many messages as they are allowed to; it counts what is pulled and not yet handled."""

    def __init__(self, source: Any):
        self.source, self.name = source, source.name
        self.allowed, self.pulled, self.handled, self.most_open, self.pulls = asyncio.Semaphore(0), 0, 0, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    async def pull(self, room: int) -> Any:
        runs = await self.source.pull(room)
        self.pulls += 1
        self.pulled += sum(run.size for run in runs)
        self.most_open = max(self.most_open, self.pulled - self.handled)
        return runs

    async def handle(self, runs: Sequence[Any]) -> None:
        for _ in range(sum(run.size for run in runs)):
            await self.allowed.acquire()
        await self.source.handle(runs)
        self.handled += sum(run.size for run in runs)


def hold(door: Door, count: int) -> None:
    project, asked = door.world.project(), pipeline.settings(queue_maxsize=60, prefetch=20, run_messages=10, handlers=2, lease_timeout_ms=60_000)
    allowance, most = count // 10, asked.parameters.queue_maxsize + asked.parameters.handlers * asked.parameters.prefetch

    async def main() -> None:
        door.send([message(project, f"{n}", f"p{n % 50}", payload={"text": "x" * BYTES}) for n in range(count)])
        gated, seen = Gated(door.consumer()), list[int]()
        pool = Pool(cast(Any, gated), lambda: asked)
        running = asyncio.create_task(pool.run())
        await until(lambda: pool.status.queued >= asked.parameters.queue_maxsize)
        pulls = gated.pulls
        await asyncio.sleep(0.3)
        assert gated.pulls == pulls and gated.handled == 0, "suspended: the rest waits in the source"
        for n in range(1, 11):
            for _ in range(allowance):
                gated.allowed.release()
            await until(lambda n=n: gated.handled >= n * allowance - (most if n < 10 else 0))
            assert gated.handled <= n * allowance, "no faster than its consumer"
            assert pool.status.queued <= asked.parameters.queue_maxsize
            seen.append(resident())
        pool.stop()
        await running
        await gated.close()
        assert gated.pulled == gated.handled == count and gated.most_open <= most
        assert max(seen) - seen[2] < SLACK, seen

    door.play(main)
    door.become_items()
    assert door.world.one("SELECT count(*) FROM items WHERE project_id = %s", project) == count and door.left() == 0


def test_it_holds_no_more_of_a_real_source_than_its_queue_takes(door: Door) -> None:
    """Producers are far ahead of a slow consumer: the pool stops pulling until there is room, and goes on as fast as the consumer does."""
    hold(door, REAL)


def test_that_test_notices_a_queue_without_bound(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "_room", lambda pool: pool.settings().parameters.prefetch)
    with pytest.raises(AssertionError):
        hold(door, 500)
