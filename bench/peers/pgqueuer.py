"""pgqueuer over asyncpg, one job a claim: what people do cannot be taken in batches."""

from __future__ import annotations

import asyncio
import contextlib
import time
from datetime import timedelta

import asyncpg
from pgqueuer import AsyncpgDriver, PgQueuer, Queries

from bench.peers.places import Places

NAME = "pgqueuer, batch 1"
DONE: list[float] = []


def prepare(places: Places) -> None:
    async def go() -> None:
        connection = await asyncpg.connect(places.database)
        await Queries(AsyncpgDriver(connection)).install()
        await connection.close()

    asyncio.run(go())


def add(places: Places, n: int) -> None:
    async def go() -> None:
        connection = await asyncpg.connect(places.database)
        queries = Queries(AsyncpgDriver(connection))
        for _ in range(0, n, 1000):
            await queries.enqueue(["nothing"] * 1000, [None] * 1000, [0] * 1000)
        await connection.close()

    asyncio.run(go())


def work(places: Places, end: float) -> list[float]:
    async def go() -> None:
        queuer = PgQueuer.from_asyncpg_connection(await asyncpg.connect(places.database))

        @queuer.entrypoint("nothing")
        async def nothing(_: object) -> None:
            DONE.append(time.monotonic())

        task = asyncio.create_task(queuer.run(batch_size=1, dequeue_timeout=timedelta(seconds=1)))
        await asyncio.sleep(end - time.monotonic())
        task.cancel()

    with contextlib.suppress(TimeoutError, asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(go(), end - time.monotonic() + 1))
    return DONE
