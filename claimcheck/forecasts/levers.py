"""What would move a forecast: more experts, fewer items, a higher price. Pure functions, standard library only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from claimcheck.forecasts import estimate, ratios
from claimcheck.forecasts.estimate import AT_RISK, Forecast, Line
from claimcheck.forecasts.ratios import Past

ELASTICITY = 0.1  # of looks an hour by price: open crowds hardly follow it (docs/forecast.md)
MOST_EXPERTS = 10_000


@dataclass(frozen=True, slots=True)
class Help:
    """What brings the chance of missing the deadline to one in five: so many more experts of a skill, or so many items fewer.

    None: it can't be done that way. `skill` is None where nothing is needed or nothing is known. `leads`: it waits for leads, who are meant then.
    """

    skill: str | None = None
    experts: int | None = None
    items: int | None = None
    leads: bool = False


NOTHING = Help()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a lead asks "what if" of: experts by skill, leads likewise, a price for a look (minor units), and so many items. None: as it is."""

    experts: dict[str, int]
    price: int | None = None
    items: int | None = None
    elasticity: float = ELASTICITY
    leads: dict[str, int] = field(default_factory=dict)


def would_help(found: Forecast, *, hours_left: float | None, open_items: int, past: Iterable[Past]) -> Help:
    """What would help a forecast that is at risk or late; nothing past the deadline."""
    if found.state not in ("at_risk", "late") or not hours_left or hours_left <= 0 or found.line is None or found.raw_last is None:
        return NOTHING
    allowed = hours_left / ratios.of(past, found.bucket, "last").above(AT_RISK)
    line = found.line
    looks = line.ahead + line.looks
    return Help(line.skill, _experts(line, looks / allowed), _items(line, allowed, open_items), line.led)


def _experts(line: Line, rate: float) -> int | None:
    if not line.rate or not line.experts:
        return None
    more = math.ceil(rate / (line.rate / line.experts) - line.experts - 1e-9)
    return more if 0 < more <= MOST_EXPERTS else None


def _items(line: Line, hours: float, open_items: int) -> int | None:
    if not line.rate or not line.looks or not line.items:
        return None
    fewer = math.ceil((line.ahead + line.looks - hours * line.rate) / (line.looks / line.items) - 1e-9)
    return fewer if 0 < fewer < open_items else None


def planned(lines: Sequence[Line], plan: Plan, *, price: int, items: int, settled: int) -> list[Line]:
    """The lines as they would be. A skill's rate goes with its experts; who is new works as fast as those who are there.

    Fewer or more items change what is open in proportion; what is settled stays.
    """
    paid = (plan.price / price) ** plan.elasticity if plan.price and price else 1.0
    scope = 1.0 if plan.items is None else max(0, plan.items - settled) / max(1, items - settled)
    return [_planned(line, (plan.leads if line.led else plan.experts).get(line.skill), 1.0 if line.led else paid, scope) for line in lines]


def _planned(line: Line, experts: int | None, paid: float, scope: float) -> Line:
    looks, number = line.looks * scope, round(line.items * scope)
    each = line.rate / line.experts if line.rate and line.experts else None
    there = line.experts if experts is None else experts
    rate = (each * there if each else line.rate if experts is None else None) or None
    return replace(line, looks=looks, items=number, experts=there, rate=rate * paid if rate else None)


def cost(lines: Iterable[Line], price: int) -> float:
    """What the looks that are still wanted cost, in minor units."""
    return sum(line.looks for line in lines) * price


def moved(lines: Sequence[Line], plan: Plan, *, price: int, items: int, settled: int, **rest: object) -> Forecast:
    """The forecast under a plan; `rest` as `estimate.forecast` takes it."""
    then = planned(lines, plan, price=price, items=items, settled=settled)
    return estimate.forecast(then, items=items if plan.items is None else max(plan.items, settled), settled=settled, **rest)  # pyright: ignore[reportArgumentType]
