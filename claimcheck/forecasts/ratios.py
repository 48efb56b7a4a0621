"""Actual hours by the hours that a plain rate gives: their quantiles by progress are the forecast's point, its band and its chances.

Pure functions, standard library only. A plain rate is too hopeful, by how much is learned from what came to its end.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist, median
from typing import Literal

Which = Literal["most", "last"]  # 95 % of the items, the last item

EDGES = (0.15, 0.30, 0.50, 0.70, 0.90)  # of progress, between two buckets
TAIL = 0.10  # on either side of the 80 % band
LEAST_FINISHED = 20  # of what came to its end, before its ratios are used
LEAST_IN_BUCKET = 10  # below, all buckets together
Z = NormalDist().inv_cdf(1 - TAIL)


@dataclass(frozen=True, slots=True)
class Ratios:
    """Three quantiles of actual by raw hours (10, 50, 90 %), and the sample they came from, sorted; empty: the initial ones."""

    low: float
    middle: float
    high: float
    sample: tuple[float, ...] = ()

    def chance_above(self, ratio: float) -> float:
        """The probability that it takes more than `ratio` times the raw hours."""
        if self.sample:
            above = len(self.sample) - bisect.bisect_right(self.sample, ratio)
            return (above + 0.5) / (len(self.sample) + 1)
        if ratio <= 0:
            return 1.0
        side = self.high if ratio > self.middle else self.low
        spread = abs(math.log(side / self.middle)) / Z
        return 1 - NormalDist().cdf(math.log(ratio / self.middle) / spread)

    def above(self, chance: float) -> float:
        """The ratio that is exceeded with this probability, by halving."""
        low, high = 1e-6, 1e6
        for _ in range(60):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self.chance_above(middle) > chance else (low, middle)
        return high


# Of 259 forecasts on 53 jobs of open crowds, before this desk has its own; the last item's at the same spread around 2.1 (docs/forecast.md).
INITIAL: dict[Which, Ratios] = {"most": Ratios(0.6, 1.6, 3.0), "last": Ratios(0.8, 2.1, 3.9)}


@dataclass(frozen=True, slots=True)
class Past:
    """What one finished project or batch took in one bucket of its progress, by raw hours. None: 95 % were there already."""

    ended: int
    bucket: int
    most: float | None
    last: float | None


def bucket(progress: float) -> int:
    """Which bucket a share of work done falls into, from 0."""
    return bisect.bisect_right(EDGES, progress)


def of(past: Iterable[Past], at: int, which: Which) -> Ratios:
    """The ratios for a forecast in bucket `at`: its own where ten or more finished ones were forecast there, else those of all."""
    by_bucket: dict[int, list[float]] = defaultdict(list)
    finished: set[int] = set()
    everywhere: dict[int, list[float]] = defaultdict(list)
    for row in past:
        finished.add(row.ended)
        ratio = row.most if which == "most" else row.last
        if ratio is not None and ratio > 0:
            by_bucket[row.bucket].append(ratio)
            everywhere[row.ended].append(ratio)
    if len(finished) < LEAST_FINISHED:
        return INITIAL[which]
    found = by_bucket[at] if len(by_bucket[at]) >= LEAST_IN_BUCKET else [median(r) for r in everywhere.values()]
    return learned(found) if found else INITIAL[which]


def learned(found: Iterable[float]) -> Ratios:
    """Quantiles of a sample, as split conformal prediction takes them: of n, the 90 % one is the ceil(0.9 (n + 1))-th."""
    sample = tuple(sorted(found))
    n = len(sample)
    low, high = math.floor(TAIL * (n + 1)), math.ceil((1 - TAIL) * (n + 1))
    return Ratios(sample[max(low, 1) - 1], median(sample), sample[min(high, n) - 1], sample)
