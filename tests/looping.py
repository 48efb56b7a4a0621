"""Runs asyncio beside Playwright, whose own loop stays in the main thread for as long as its browser is open."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """What the coroutine gives, from a loop in a thread of its own."""
    with ThreadPoolExecutor(1, "loop") as threads:
        return threads.submit(asyncio.run, work).result()
