"""Two databases of one server, asked in turn, call by call, so that whatever else the machine does befalls both."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from claimcheck.db import Database
from claimcheck.review import assignments, decisions, tasks

WARM = 10  # calls of each side before those that count


@dataclass
class Side:
    """A reviewer at a database."""

    db: Database
    me: int


Step = Callable[[Side], dict[str, float]]  # what was done → seconds


def open_side(web: str, me: int) -> Side:
    return Side(Database(web, max_size=1), me)


def claim(side: Side) -> dict[str, float]:
    """A claim; the item is given back outside the measured time."""
    began = time.perf_counter()
    claimed = tasks.claim(side.db, me=side.me)
    took = time.perf_counter() - began
    assert claimed is not None and not claimed.again
    assignments.release(side.db, assignment_id=claimed.assignment_id, lease_token=claimed.lease_token, me=side.me)
    return {"claim": took}


def submit(side: Side, claimed: tasks.Claim) -> None:
    decisions.submit(
        side.db,
        assignment_id=claimed.assignment_id,
        lease_token=claimed.lease_token,
        me=side.me,
        evidence_hash=claimed.evidence_hash,
        verdict="approve",
        reason_code="ok",
    )


def look(side: Side) -> dict[str, float]:
    """A claim, a heartbeat and a submit."""
    first = time.perf_counter()
    claimed = tasks.claim(side.db, me=side.me)
    second = time.perf_counter()
    assert claimed is not None and not claimed.again
    assignments.heartbeat(side.db, assignment_id=claimed.assignment_id, lease_token=claimed.lease_token, me=side.me)
    third = time.perf_counter()
    submit(side, claimed)
    return {"claim": second - first, "heartbeat": third - second, "submit": time.perf_counter() - third}


def percentile(seconds: Sequence[float], share: float) -> float:
    """In milliseconds."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def look_once(side: Side) -> None:
    """A claim and a submit, nothing between."""
    claimed = tasks.claim(side.db, me=side.me)
    assert claimed is not None
    submit(side, claimed)


@dataclass
class Rounds:
    """Milliseconds of each round, by (side's number, what was done)."""

    p50: dict[tuple[int, str], list[float]] = field(default_factory=dict)
    p99: dict[tuple[int, str], list[float]] = field(default_factory=dict)

    def add(self, taken: dict[tuple[int, str], list[float]]) -> None:
        for key, seconds in taken.items():
            self.p50.setdefault(key, []).append(percentile(seconds, 0.5))
            self.p99.setdefault(key, []).append(percentile(seconds, 0.99))


def in_turn(sides: Sequence[Side], step: Step, rounds: int, times: int) -> Rounds:
    """Every side does the step, one after the other, `times` in each round."""
    found = Rounds()
    for side in sides:
        for _ in range(WARM):
            step(side)
    for _ in range(rounds):
        taken: dict[tuple[int, str], list[float]] = {}
        for n in range(times * len(sides)):
            which = n % len(sides)
            for what, seconds in step(sides[which]).items():
                taken.setdefault((which, what), []).append(seconds)
        found.add(taken)
    return found
