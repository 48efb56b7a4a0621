"""procrastinate: its asynchronous worker, eight jobs at once in a process, jobs kept as it does by itself."""

from __future__ import annotations

import asyncio
import time

import procrastinate

from bench.peers.places import Places

NAME = "procrastinate"
DONE: list[float] = []
TASKS = procrastinate.Blueprint()


@TASKS.task(name="nothing")
async def nothing() -> None:
    DONE.append(time.monotonic())


def _app(places: Places) -> procrastinate.App:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=places.database, min_size=2, max_size=10))
    app.add_tasks_from(TASKS, namespace="bench")
    return app


def prepare(places: Places) -> None:
    async def go() -> None:
        async with _app(places).open_async() as app:
            await app.schema_manager.apply_schema_async()

    asyncio.run(go())


def add(places: Places, n: int) -> None:
    async def go() -> None:
        async with _app(places).open_async() as app:
            for _ in range(0, n, 1000):
                await app.configure_task("bench:nothing").batch_defer_async(*[{} for _ in range(1000)])

    asyncio.run(go())


def work(places: Places, end: float) -> list[float]:
    async def go() -> None:
        async with _app(places).open_async() as app:
            task = asyncio.create_task(app.run_worker_async(concurrency=8, install_signal_handlers=False))
            await asyncio.sleep(end - time.monotonic())
            task.cancel()

    asyncio.run(go())
    return DONE
