"""From looks that are wanted and looks that were given to hours: the plain rate, then the ratios. Pure functions, standard library only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from claimcheck.forecasts import ratios
from claimcheck.forecasts.ratios import Past, Ratios

State = Literal["no_deadline", "on_time", "at_risk", "late", "unknown"]

HALF_LIFE_HOURS = 2.0  # a look counts half as much when it is two hours older
QUARTERS_AN_HOUR = 4
MOST = 0.95
AT_RISK, LATE = 0.2, 0.8  # chances of missing the deadline
CALM = 0.5  # a state is left when the chance is half of what it was entered at


@dataclass(frozen=True, slots=True)
class Line:
    """What one skill still has to do, leads' tasks apart. `ahead`: looks that stand before it. `rate`: looks an hour; None: nobody worked."""

    skill: str
    led: bool
    items: int
    looks: float
    ahead: float
    experts: int
    rate: float | None

    def hours(self, share: float) -> float:
        """Raw hours until this share of its looks is left undone; infinite where nobody works."""
        need = self.ahead + self.looks * share if self.looks * share > 0 else 0.0
        return need / self.rate if self.rate else math.inf if need else 0.0


@dataclass(frozen=True, slots=True)
class Band:
    """Hours from now: the middle one, and the ends of the 80 % band."""

    point: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """Hours to 95 % of the items and to the last one. None where nobody has ever worked at one of its skills.

    `line` is the skill that takes longest. `raw_most` and `raw_last` are the hours by the plain rate.
    """

    progress: float
    bucket: int
    line: Line | None
    raw_most: float | None
    raw_last: float | None
    most: Band | None
    last: Band | None
    miss_probability: float | None
    state: State


def rate(quarters: Sequence[int]) -> float | None:
    """Looks an hour, from the looks in each quarter of an hour, newest first; recent ones weigh more. None where there were none.

    It counts from the first quarter in which there were any, so that work which has just begun is not taken for slow.
    """
    began = max((age for age, looks in enumerate(quarters) if looks), default=None)
    if began is None:
        return None
    weights = [0.5 ** ((age + 0.5) / QUARTERS_AN_HOUR / HALF_LIFE_HOURS) for age in range(began + 1)]
    return QUARTERS_AN_HOUR * sum(w * n for w, n in zip(weights, quarters, strict=False)) / sum(weights)


def still_wanted(*, tasks: int, wanted: int, had: int, looks_an_item: float) -> float:
    """Looks that tasks still take: what they want, or more where items like these took more lately (splits, adjudication)."""
    return max(wanted - had, tasks * looks_an_item - had, 0.0)


def forecast(lines: Sequence[Line], *, items: int, settled: int, past: Iterable[Past], looks_an_item: float, hours_left: float | None,
             before: State | None = None) -> Forecast:  # fmt: skip
    """The forecast of a project or a batch of so many items. `hours_left`: until the deadline; `before`: the state that was said last."""
    left = sum(line.looks for line in lines)
    progress = _progress(settled, items, left, looks_an_item)
    at, longest = ratios.bucket(progress), slowest(lines)
    of_most, of_last = (ratios.of(past, at, which) for which in ("most", "last"))
    raw_last = _raw(lines, 1.0)
    raw_most = _raw(lines, max(0.0, items - settled - (1 - MOST) * items) / max(1, items - settled))
    chance = None if hours_left is None else missing(raw_last, hours_left, of_last)
    said = state(chance, hours_left, before, done=left <= 0)
    return Forecast(progress, at, longest, raw_most, raw_last, band(raw_most, of_most), band(raw_last, of_last), chance, said)


def _progress(settled: int, items: int, left: float, looks_an_item: float) -> float:
    """Looks given, of all that it takes."""
    whole = max(items * looks_an_item, left, 1e-9)
    return 1.0 if settled >= items else min(1.0, max(0.0, 1 - left / whole))


def slowest(lines: Iterable[Line]) -> Line | None:
    """The line that takes longest; skills work side by side. Leads' tasks count where leads have worked."""
    open_lines = [line for line in lines if line.looks > 0]
    return max(open_lines, key=lambda line: (not line.led or bool(line.rate), line.hours(1.0)), default=None)


def _raw(lines: Sequence[Line], share: float) -> float | None:
    """Hours by the plain rate. A lead's task that nobody has taken in six hours makes the whole unknown only where nothing else is open."""
    others = [line for line in lines if line.rate or not line.led] if any(line.looks and not line.led for line in lines) else lines
    longest = max((line.hours(share) for line in others), default=0.0)
    return None if math.isinf(longest) else longest


def band(raw: float | None, by: Ratios) -> Band | None:
    """Raw hours times the ratios' quantiles."""
    return None if raw is None else Band(raw * by.middle, raw * by.low, raw * by.high)


def missing(raw: float | None, hours_left: float, by: Ratios) -> float | None:
    """The probability that the last item comes after the deadline. None where nothing is known."""
    if hours_left <= 0:
        return 1.0
    if raw is None:
        return None
    return by.chance_above(hours_left / raw) if raw > 0 else 0.0


def state(chance: float | None, hours_left: float | None, before: State | None = None, *, done: bool = False) -> State:
    """A word for a chance of missing. What was said before is left only when the chance is half of what brought it."""
    if hours_left is None:
        return "no_deadline"
    if done:
        return "on_time"
    if chance is None:
        return "unknown"
    if chance >= LATE or (before == "late" and chance >= LATE * CALM):
        return "late"
    return "at_risk" if chance >= AT_RISK or (before in ("at_risk", "late") and chance >= AT_RISK * CALM) else "on_time"
