"""Words and pictures for forecasts: when, how sure, and what would help."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup

from claimcheck.forecasts import ratios
from claimcheck.forecasts.estimate import Band
from claimcheck.forecasts.judged import Said
from claimcheck.forecasts.measuring import Told
from claimcheck.web import skill_words

STATES = {
    "no_deadline": ("No deadline", ""),
    "on_time": ("On time", "ok"),
    "at_risk": ("At risk", "ask"),
    "late": ("Likely late", "no"),
    "unknown": ("Not known", "ask"),
}
WIDTH = 100.0  # of the drawing, whatever its size on the page
DECADES = (-1.5, 2.5)  # of the report card's axes: powers of ten of an hour


@dataclass(frozen=True)
class Bar:
    """A band as it is drawn, from 0 to 100 across."""

    x: float
    width: float
    point: float


@dataclass(frozen=True)
class Drawn:
    """Both bands and the deadline on one line of time that begins now. `deadline` is None where it is past or there is none."""

    most: Bar
    last: Bar
    deadline: float | None


def drawn(told: Told) -> Drawn | None:
    """The picture of a forecast; None where nothing is open or nothing is known."""
    most, last, left = told.found.most, told.found.last, told.subject.hours_left
    if most is None or last is None or not told.open_items or last.high <= 0:
        return None
    whole = max(last.high, left or 0.0) * 1.06
    if left and left > 6 * last.high:  # a far deadline would leave the bands no room
        whole, left = last.high * 1.4, None

    def bar(band: Band) -> Bar:
        low, high, point = (WIDTH * hours / whole for hours in (band.low, band.high, band.point))
        return Bar(round(low, 2), round(max(0.4, high - low), 2), round(point, 2))

    return Drawn(bar(most), bar(last), round(WIDTH * left / whole, 2) if left and left > 0 else None)


def state_word(state: str | None, chance: float | None = None) -> str:
    """With the chance of missing a deadline, what is late already is told from what probably will be."""
    return "Late" if state == "late" and chance == 1 else STATES.get(state or "", ("", ""))[0]


def state_shape(state: str | None) -> str:
    return STATES.get(state or "", ("", ""))[1]


def chance(share: float | None) -> str:
    """A probability as people say it; never 0 or 100 %, which no forecast knows."""
    if share is None:
        return ""
    return "under 1 %" if share < 0.01 else "over 99 %" if share > 0.99 else f"{share:.0%}".replace("%", " %")


def date(moment: datetime) -> Markup:
    """A moment that is still to come, as a date; `when` would say how long that is, which the reader of a deadline has to add up."""
    moment = moment.astimezone(UTC)
    return Markup('<time datetime="{}" class="date">{}</time>').format(moment.isoformat(timespec="seconds"), f"{moment.day} {moment:%b %H:%M} UTC")


def in_short(told: Told) -> str:
    """What is to be expected, in a sentence."""
    found, left = told.found, told.subject.hours_left
    if told.subject.cancelled_at:
        return "Cancelled: nothing more will be settled."
    if not told.open_items:
        return "Everything is settled." if told.subject.items else "Nothing has come yet."
    if left is not None and left <= 0:
        return (
            f"The deadline passed {skill_words.hours(-left)} ago, and {told.open_items:,} {'item is' if told.open_items == 1 else 'items are'} open."
        )
    if found.last is None:
        if found.line and found.line.led:
            return "What is open waits for the leads, and none has taken any of it in six hours."
        of = f" at “{found.line.skill}”" if found.line else ""
        return f"Nobody has worked{of} yet, so no date can be told."
    if found.miss_probability is None:
        return f"Done in about {skill_words.hours(found.last.point)}."
    return f"Done in about {skill_words.hours(found.last.point)}; {chance(found.miss_probability)} likely to miss the deadline."


def helps(told: Told) -> str:
    """What would bring the chance of missing down to one in five; nothing where nothing is needed, or would do."""
    ways, would = [], told.help
    if would.experts:
        ways.append(f"{_people(would.experts, would.leads)} “{would.skill}” at work")
    if would.items:
        ways.append(f"{would.items:,} {'item' if would.items == 1 else 'items'} fewer")
    if ways:
        return f"{' or '.join(ways)} would bring the chance of missing it down to one in five.".replace(",", "\u202f")
    if told.found.state == "unknown" and told.found.line:
        return f"somebody has to begin with “{told.found.line.skill}”."
    return "No number of experts or items brings it back in time." if told.found.state in ("at_risk", "late") and told.open_items else ""


def _people(more: int, leads: bool) -> str:
    who, of = ("lead", "for what goes to leads from") if leads else ("expert", "of")
    return f"{more:,} more {who}{'' if more == 1 else 's'} {of}"


def basis(told: Told) -> str:
    """What the band stands on."""
    if told.learned:
        finished = len({p.ended for p in told.past})
        return f"The band is what {finished} finished projects and batches took, by their plain rate."
    return f"The band is what open crowds took; this desk uses its own record once {ratios.LEAST_FINISHED} projects or batches are finished."


def dot(said: Said) -> tuple[float, float, bool]:
    """Where a forecast stands on the report card: said across, actual up, each 0 to 100 by powers of ten; and whether its band held."""

    def at(hours: float) -> float:
        low, high = DECADES
        return round(100 * (min(high, max(low, math.log10(max(hours, 1e-9)))) - low) / (high - low), 2)

    return at(said.point), 100 - at(said.actual), said.low <= said.actual <= said.high


FILTERS = {f.__name__: f for f in (date, state_word, state_shape, chance, in_short, helps, basis, drawn)}
