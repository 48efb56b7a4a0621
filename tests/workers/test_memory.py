"""The pool's memory is bounded by its queue, not by what waits in front of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from claimcheck.intake.pool import Pool
from tests import looping
from tests.workers.test_pool import Made, Some, settings

MESSAGES, BYTES = int(os.environ.get("DESK_MESSAGES", "100000")), 2_000  # a million by hand
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
        pool = Pool(made, lambda: asked)
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
