"""How the intake's process ends: with the pool that broke, and within one deadline when it is told to."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from claimcheck.intake import records, watching
from claimcheck.intake.dropping import DropFolder
from claimcheck.intake.pool import Pool
from claimcheck.intake.sources import Threads
from claimcheck.operations.pulse import Pulse
from tests import looping
from tests.workers.test_pool import Made, settings
from workers import intake


class Still(intake.Intake):
    """An intake without a database: its pools are those of a made-up source, and `round_seconds` is what a round takes."""

    def __init__(self, folder: Path, round_seconds: float = 0.0):
        version = settings(drain_timeout_ms=2_000)
        in_force = cast(watching.InForce, SimpleNamespace(version=version))
        self.settings, self.db, self.in_force = cast(Any, SimpleNamespace(home=folder, s3_secret_key=None)), cast(Any, None), in_force
        self.stop, self.threads, self.name, self.round_seconds = intake.Stop(), Threads(2), "still", round_seconds
        self.made = Made()
        self.pools = {"made": Pool(cast(Any, self.made), lambda: version)}
        self.drop = cast(DropFolder, SimpleNamespace(round=lambda: 0))
        self.pulse = cast(Pulse, SimpleNamespace(start=lambda: None, stop=lambda: None, resting=threading.Event()))

    def _resolve(self) -> int:
        threading.Event().wait(self.round_seconds)
        return 0

    def _look(self) -> None: ...

    def _lag(self) -> None: ...


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "relay", lambda *_: 0)


def test_it_ends_with_a_pool_that_broke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stand there, and its supervisor would think that it works."""

    async def main() -> None:
        still = Still(tmp_path)

        async def broken() -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(still.pools["made"], "_hand_out", broken)
        try:
            async with asyncio.timeout(20):
                await still.run()
        finally:
            still.stop.asked.set()

    with pytest.raises(ZeroDivisionError):
        looping.run(main())


def test_it_drains_within_one_deadline(tmp_path: Path) -> None:
    """What is handled and what goes on beside it have the same time, not one after the other."""

    async def main() -> float:
        still = Still(tmp_path, round_seconds=5.0)
        still.made.left = [cast(Any, run) for run in [SimpleNamespace(sequence="P", size=1, bytes=1, alone=False, numbers=(1,))]]
        running = asyncio.create_task(still.run())
        async with asyncio.timeout(20):
            while not still.made.at_work:
                await asyncio.sleep(0.01)
        began = time.monotonic()
        still.stop.asked.set()
        assert await running is False
        return time.monotonic() - began

    assert looping.run(main()) < 3.5
