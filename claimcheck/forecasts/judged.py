"""Forecasts against what happened: the report card. Pure functions, standard library only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Said:
    """One forecast, and what happened, in hours from the moment it was said. `ended`: of what; forecasts of one are alike."""

    ended: int
    bucket: int
    point: float
    low: float
    high: float
    actual: float


@dataclass(frozen=True, slots=True)
class Card:
    """How good some forecasts were. `error`: the median of |said − actual| / actual; `bias`: the median of said / actual (1: fair).

    `coverage`: the share of actual times within the 80 % band; `width`: the median of its upper end by its lower.
    """

    forecasts: int
    finished: int
    error: float
    bias: float
    coverage: float
    width: float


def card(said: Sequence[Said]) -> Card | None:
    """The card of some forecasts; None of none."""
    fair = [s for s in said if s.actual > 0]
    if not fair:
        return None
    return Card(
        forecasts=len(fair),
        finished=len({s.ended for s in fair}),
        error=median(abs(s.point - s.actual) / s.actual for s in fair),
        bias=median(s.point / s.actual for s in fair),
        coverage=sum(s.low <= s.actual <= s.high for s in fair) / len(fair),
        width=median(s.high / s.low for s in fair if s.low > 0) if any(s.low > 0 for s in fair) else 0.0,
    )


def by_bucket(said: Iterable[Said]) -> dict[int, Card]:
    """A card for each bucket of progress that has one."""
    groups: dict[int, list[Said]] = defaultdict(list)
    for one in said:
        groups[one.bucket].append(one)
    return {bucket: found for bucket, group in sorted(groups.items()) if (found := card(group))}
