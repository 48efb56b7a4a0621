"""chancy: its asynchronous executor, ten jobs at once, polling eagerly (by itself it polls every five seconds); completions are written once a second."""

from __future__ import annotations

import asyncio
import contextlib
import time

from chancy import Chancy, Job, Queue, Worker, job

from bench.peers.places import Places

NAME = "chancy"
DONE: list[float] = []


@job(queue="default")
async def nothing() -> None:
    DONE.append(time.monotonic())


def prepare(places: Places) -> None:
    async def go() -> None:
        async with Chancy(places.database) as chancy:
            await chancy.migrate()
            queue = Queue(name="default", concurrency=10, executor=Chancy.Executor.Async, eager_polling=True, polling_interval=1)
            await chancy.declare(queue, upsert=True)

    asyncio.run(go())


def add(places: Places, n: int) -> None:
    async def go() -> None:
        async with Chancy(places.database) as chancy:
            async for _ in chancy.push_many([Job.from_func(nothing) for _ in range(n)]):
                pass

    asyncio.run(go())


def work(places: Places, end: float) -> list[float]:
    async def go() -> None:
        async with Chancy(places.database) as chancy:
            await Worker(chancy, register_signal_handlers=False).start()
            await asyncio.sleep(end - time.monotonic())

    with contextlib.suppress(TimeoutError, asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(go(), end - time.monotonic() + 0.1))  # its own ending waits for more than our window
    return DONE
