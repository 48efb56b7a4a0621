"""How long it takes until a decision where some leases end without one: the Kaplan–Meier estimate (Kaplan and Meier, J. Am. Stat. Assoc. 53, 1958).

A lease that was given up says that its decision would have come later; leaving it out makes people look faster than they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Ended:
    """Leases that lasted so many whole seconds: how many were decided then, and how many ended without."""

    seconds: int
    decided: int
    undecided: int


@dataclass(frozen=True, slots=True)
class Point:
    """The share of leases that are not decided after so many seconds."""

    seconds: int
    share: float


def curve(ended: Sequence[Ended]) -> list[Point]:
    """The estimate after each time at which somebody decided, earliest first; empty where nobody did.

    What ended without a decision at a time counts as held until then. Raises ValueError where the times do not rise.
    """
    if any(a.seconds >= b.seconds for a, b in pairwise(ended)):
        raise ValueError("the times must rise")
    held, share, found = sum(e.decided + e.undecided for e in ended), 1.0, list[Point]()
    for one in ended:
        if one.decided:
            share *= 1 - one.decided / held
            found.append(Point(one.seconds, share))
        held -= one.decided + one.undecided
    return found


def quantile(points: Sequence[Point], p: float) -> int | None:
    """The seconds by which a share p has decided; None where the leases seen do not say, because too many ended before."""
    return next((one.seconds for one in points if one.share <= 1 - p + 1e-12), None)


def undecided(points: Sequence[Point], seconds: float) -> float:
    """The share that has not decided after so many seconds: what a lease of that length cuts off."""
    return min((one.share for one in points if one.seconds <= seconds), default=1.0)
