"""The pool: bounded, in order within a sequence, side by side across them, and drained in good order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from claimcheck import errors
from claimcheck.intake import parameters
from claimcheck.intake.pool import Pool
from tests import looping


@dataclass(frozen=True)
class Some:
    """A run of a made-up source."""

    sequence: str
    numbers: tuple[int, ...]
    alone: bool = False
    bytes: int = 0

    @property
    def size(self) -> int:
        return len(self.numbers)


class Made:
    """A source of runs that were made up; its handlers wait until they are let go."""

    name = "made"

    def __init__(self, *runs: Some):
        self.left, self.open = list(runs), asyncio.Event()
        self.handled: list[Some] = []
        self.at_work: list[Some] = []
        self.most_at_work = self.most_waiting = 0
        self.back: list[Some] = []
        self.off: list[Some] = []
        self.extended = 0
        self.fails: Callable[[Sequence[Some]], Exception | None] = lambda runs: None

    async def pull(self, room: int) -> list[Some]:
        taken: list[Some] = []
        while self.left and sum(run.size for run in taken) + self.left[0].size <= room:
            taken.append(self.left.pop(0))
        return taken

    async def handle(self, runs: Sequence[Some]) -> None:
        self.at_work += runs
        self.most_at_work = max(self.most_at_work, len(self.at_work))
        assert len({run.sequence for run in self.at_work}) == len(self.at_work), "one handler a sequence"
        try:
            await self.open.wait()
            if fault := self.fails(runs):
                raise fault
        finally:
            for run in runs:
                self.at_work.remove(run)
        self.handled += runs

    async def extend(self, runs: Sequence[Some]) -> None:  # noqa: ARG002
        self.extended += 1

    async def hand_back(self, runs: Sequence[Some]) -> None:
        self.back += runs

    async def put_off(self, run: Some, error: str) -> None:  # noqa: ARG002
        self.off.append(run)

    async def close(self) -> None: ...


def settings(**changed: Any) -> parameters.Version:
    return parameters.Version(1, parameters.DEFAULTS.settings | changed, "file", "a test", "Dov", None)


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.005)


def played(source: Callable[[], Made], play: Callable[[Made, Pool], Awaitable[None]], **changed: Any) -> tuple[Made, bool]:
    """A pool on a source runs while the play goes on; whether it finished what was in flight."""

    async def main() -> tuple[Made, bool]:
        made = source()
        pool = Pool(made, lambda: settings(**changed))
        running = asyncio.create_task(pool.run())
        await play(made, pool)
        pool.stop()
        return made, await running

    return looping.run(main())


def test_it_keeps_no_more_than_its_queue_holds() -> None:
    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: pool.status.queued == 20)
        await asyncio.sleep(0.02)
        assert pool.status.queued == 20 and pool.status.in_flight == 2 and len(made.left) == 78
        made.open.set()
        await until(lambda: len(made.handled) == 100)

    runs = [Some(f"{n}", (n,)) for n in range(100)]
    played(lambda: Made(*runs), play, queue_maxsize=20, prefetch=10, handlers=2, run_messages=1)


def test_it_keeps_no_more_bytes_than_its_queue_holds() -> None:
    """Long messages fill the memory before they are many: the pulling suspends until handlers have made room."""
    mib = parameters.MIB

    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: pool.status.queued == 4 and pool.status.in_flight == 2)
        await asyncio.sleep(0.02)
        assert pool.status.queued == 4 and len(made.left) == 14
        made.open.set()
        await until(lambda: len(made.handled) == 20)

    runs = [Some(f"{n}", (n,), bytes=mib) for n in range(20)]
    played(lambda: Made(*runs), play, prefetch=1, run_messages=1, handlers=2, prefetch_bytes=mib, queue_max_bytes=4 * mib)


def test_it_gives_a_handler_no_more_bytes_than_a_pull_takes() -> None:
    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: pool.status.queued + pool.status.in_flight == 9)
        assert len(made.at_work) <= 2
        made.open.set()
        await until(lambda: len(made.handled) == 9)

    runs = [Some(f"{n}", (n,), bytes=parameters.MIB // 2) for n in range(9)]
    made, _ = played(lambda: Made(*runs), play, handlers=1, prefetch_bytes=parameters.MIB)
    assert made.most_at_work == 2


def test_it_waits_longer_each_time_while_handlers_can_t(monkeypatch: pytest.MonkeyPatch) -> None:
    paused, faults = list[float](), [errors.Unavailable() for _ in range(7)]

    async def play(made: Made, pool: Pool) -> None:
        async def pause(seconds: float) -> None:
            paused.append(seconds)
            await asyncio.sleep(0)

        monkeypatch.setattr(pool, "_pause", pause)
        made.fails = lambda runs: faults.pop() if faults else None
        made.open.set()
        await until(lambda: len(made.handled) == 1)

    played(lambda: Made(Some("P", (1,))), play)
    idle = (0.06, 0.12, 0.24, 0.3)
    assert [seconds for seconds in paused if seconds not in idle][:7] == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    quiet = [seconds for seconds in paused if seconds in idle]
    assert quiet[:6] == [*idle, 0.3, 0.3], "a source that has nothing is asked less often, too"


def test_it_handles_a_sequence_in_order_and_others_beside_it() -> None:
    runs = [Some("PQRS"[n % 4], (n,)) for n in range(40)]

    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: len(made.at_work) == 4)
        made.open.set()
        await until(lambda: len(made.handled) == 40)

    made, _ = played(lambda: Made(*runs), play, handlers=9, run_messages=1)
    for sequence in "PQRS":
        assert [run for run in made.handled if run.sequence == sequence] == [run for run in runs if run.sequence == sequence]
    assert made.most_at_work == 4


def test_it_goes_on_beside_a_sequence_that_is_stuck() -> None:
    async def play(made: Made, pool: Pool) -> None:
        stuck, whole = asyncio.Event(), made.handle

        async def handle(runs: Sequence[Some]) -> None:
            if runs[0].sequence == "hot":
                await stuck.wait()
            await whole(runs)

        made.handle = handle  # type: ignore[method-assign]
        made.open.set()
        await until(lambda: len(made.handled) == 10)
        assert {run.sequence for run in made.handled} == {"cold"}
        stuck.set()
        await until(lambda: len(made.handled) == 20)

    runs = [Some(sequence, (n,)) for n in range(10) for sequence in ("hot", "cold")]
    played(lambda: Made(*runs), play, handlers=2, run_messages=1)


def test_it_gives_a_handler_as_many_runs_as_it_may_have_together() -> None:
    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: len(made.at_work) == 5)
        made.open.set()
        await until(lambda: len(made.handled) == 12)

    played(lambda: Made(*(Some(f"{n}", (n, n)) for n in range(12))), play, handlers=1, run_messages=10)


def test_it_tries_again_what_is_nobodys_fault_in_the_same_order() -> None:
    faults = [errors.Unavailable(), errors.QueueSaturated()]

    async def play(made: Made, pool: Pool) -> None:
        made.fails = lambda runs: faults.pop() if faults else None
        made.open.set()
        await until(lambda: len(made.handled) == 5)

    made, _ = played(lambda: Made(*(Some("P", (n,)) for n in range(5))), play)
    assert [run.numbers[0] for run in made.handled] == [0, 1, 2, 3, 4] and not made.off


def test_it_leaves_what_others_have_by_now() -> None:
    async def play(made: Made, pool: Pool) -> None:
        made.fails = lambda runs: errors.LeaseExpired(lost=["Q"]) if any(run.sequence == "Q" for run in runs) else None
        made.open.set()
        await until(lambda: len(made.handled) == 2)

    made, _ = played(lambda: Made(Some("P", (1,)), Some("Q", (2,)), Some("R", (3,))), play)
    assert {run.sequence for run in made.handled} == {"P", "R"} and not made.off and not made.back


def test_it_finds_the_run_whose_fault_it_is() -> None:
    async def play(made: Made, pool: Pool) -> None:
        made.fails = lambda runs: ValueError("poison") if any(run.sequence == "Q" for run in runs) else None
        made.open.set()
        await until(lambda: len(made.handled) == 2 and made.off)

    bad, after = Some("Q", (2,)), Some("Q", (4,))
    made, _ = played(lambda: Made(Some("P", (1,)), bad, Some("R", (3,)), after), play)
    assert made.off == [bad] and {run.sequence for run in made.handled} == {"P", "R"}
    assert made.back == [after], "what comes after it does not overtake it"


def test_it_drains() -> None:
    """What is in flight is finished, the rest handed back, and nothing more pulled."""

    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: len(made.at_work) == 2 and pool.status.queued == 8)
        pool.stop()
        await until(lambda: pool.status.state == "draining")
        made.open.set()

    made, finished = played(lambda: Made(*(Some(f"{n}", (n,)) for n in range(50))), play, handlers=2, run_messages=1, queue_maxsize=8, prefetch=8)
    assert finished and [run.numbers[0] for run in made.handled] == [0, 1]
    assert [run.numbers[0] for run in made.back] == list(range(2, 10)) and len(made.left) == 40


def test_it_waits_no_longer_than_it_may() -> None:
    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: len(made.at_work) == 1)

    made, finished = played(lambda: Made(Some("P", (1,)), Some("P", (2,))), play, drain_timeout_ms=20)
    assert not finished and made.back == [Some("P", (2,))]


@pytest.mark.parametrize("what", ["pull", "extend"])
def test_it_goes_on_after_what_nobody_foresaw(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """A pool that still stands there and does nothing is worse than one that has gone."""

    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: made.extended)
        made.open.set()
        await until(lambda: len(made.handled) == 1)

    def flawed() -> Made:
        made, faults = Made(Some("P", (1,))), [ValueError("nobody foresaw it")]
        whole = getattr(made, what)

        async def work(given: Any) -> Any:
            if faults:
                raise faults.pop()
            return await whole(given)

        monkeypatch.setattr(made, what, work)
        return made

    played(flawed, play, lease_timeout_ms=100)


def test_it_extends_by_the_lease_that_is_in_force() -> None:
    """Whoever was about to wait for the third of an hour must not, once leases are short."""

    async def main() -> None:
        made, lease = Made(Some("P", (1,))), [3_600_000]
        pool = Pool(made, lambda: settings(lease_timeout_ms=lease[0]))
        running = asyncio.create_task(pool.run())
        await until(lambda: made.at_work)
        lease[0] = 100
        await until(lambda: made.extended)
        made.open.set()
        pool.stop()
        await running

    looping.run(main())


def test_it_extends_what_it_has() -> None:
    async def play(made: Made, pool: Pool) -> None:
        await until(lambda: made.extended >= 2)
        made.open.set()

    played(lambda: Made(Some("P", (1,))), play, lease_timeout_ms=100)


def test_it_measures_its_handlers() -> None:
    async def play(made: Made, pool: Pool) -> None:
        made.open.set()
        await until(lambda: len(made.handled) == 9)
        status = pool.status
        assert (status.handled, status.measured, status.queued, status.in_flight) == (9, 9, 0, 0)
        assert status.p99_ms is not None and status.p99_ms >= 0

    played(lambda: Made(*(Some("P", (n,)) for n in range(9))), play, handlers=1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"prefetch": 200, "queue_maxsize": 100}, "is 200, more than queue_maxsize, which is 100"),
        ({"prefetch_bytes": 1 << 27}, "is 134217728, more than queue_max_bytes, which is 67108864"),
        ({"lease_timeout_ms": 2_000, "expected_p99_ms": 2_000}, "is 2000, not above expected_p99_ms, which is 2000"),
    ],
)
def test_it_says_the_numbers_of_an_interlock(changed: dict[str, int], said: str) -> None:
    with pytest.raises(errors.Invalid, match=said):
        parameters.check(settings(**changed).parameters)
