"""Charts as the server draws them: geometry for an SVG, and the same numbers for the table beneath it. Nothing here needs a script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640.0, 180.0
GAP = 0.25  # of a column's room
LABELS = 7  # under the columns at most


@dataclass(frozen=True)
class Series:
    """Numbers of one kind, one for each column; `shape` is their class in the stylesheet. None: not known."""

    name: str
    shape: str
    values: Sequence[float | None]


@dataclass(frozen=True)
class Rect:
    """A part of a column."""

    shape: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Chart:
    """Columns over a scale, and a line over its own. `ticks` and `marks` are words with where they stand; `rows` is the table.

    `uprights` are lines from top to bottom, each with its class; `left` and `right` are room for words beside.
    """

    label: str
    rects: list[Rect]
    line: str
    line_shape: str
    ticks: list[tuple[str, float]]
    line_ticks: list[tuple[str, float]]
    marks: list[tuple[str, float]]
    series: list[Series]
    rows: list[tuple[str, list[str]]]
    width: float = WIDTH
    height: float = HEIGHT
    uprights: Sequence[tuple[str, float]] = ()
    left: float = 44.0
    right: float = 10.0


def columns(label: str, names: Sequence[str], series: Sequence[Series], *, stacked: bool = True, line: Series | None = None) -> Chart:
    """Each name's numbers as a column: one on another, or side by side. `label` says what is seen, for who does not see it."""
    top = scale_top(max((_height(series, n, stacked) for n in range(len(names))), default=0))
    line_top = scale_top(max((v or 0 for v in line.values), default=0)) if line else 0.0
    step = WIDTH / max(1, len(names))
    rects = [rect for n in range(len(names)) for rect in _column(series, n, step, top, stacked)]
    every = math.ceil(len(names) / LABELS) or 1
    marks = [(name, round((n + 0.5) * step, 1)) for n, name in enumerate(names) if n % every == 0]
    shown = [*series, *([line] if line else [])]
    rows = [(name, [_said(one.values[n]) for one in shown]) for n, name in enumerate(names)]
    return Chart(
        label, rects, _line(line, step, line_top) if line else "", line.shape if line else "", _ticks(top), _ticks(line_top) if line else [],
        marks, shown, rows, right=48.0 if line else 10.0,
    )  # fmt: skip


def _height(series: Sequence[Series], n: int, stacked: bool) -> float:
    values = [one.values[n] or 0 for one in series]
    return sum(values) if stacked else max(values, default=0)


def _column(series: Sequence[Series], n: int, step: float, top: float, stacked: bool) -> list[Rect]:
    room = step * (1 - GAP) / (1 if stacked else len(series))
    found, base = list[Rect](), 0.0
    for k, one in enumerate(series):
        high = HEIGHT * (one.values[n] or 0) / top
        if high > 0:
            x = n * step + step * GAP / 2 + (0 if stacked else k * room)
            found.append(Rect(one.shape, round(x, 1), round(HEIGHT - base - high, 1), round(room, 1), round(high, 1)))
        base += high if stacked else 0.0
    return found


def _line(line: Series, step: float, top: float) -> str:
    return " ".join(f"{(n + 0.5) * step:.1f},{HEIGHT * (1 - v / top):.1f}" for n, v in enumerate(line.values) if v is not None)


def scale_top(most: float) -> float:
    """Where a scale from 0 ends: a number with one digit, or 1.5, 15, 150 …, at least 1."""
    if most <= 1:
        return 1.0
    power = 10 ** math.floor(math.log10(most))
    return float(next(step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= most))


def _ticks(top: float) -> list[tuple[str, float]]:
    """Lines of a scale, the base aside."""
    shares = (0.5, 1.0) if top != 1 else (1.0,)
    return [(short(top * share), round(HEIGHT * (1 - share), 1)) for share in shares]


def short(value: float) -> str:
    """A number in little room: 950, 1.5k, 20k, 3M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _said(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}".replace(",", "\u202f")


def meter(value: float, most: float) -> float:
    """The length of a bar from 0 to 100; what is not nothing can be seen."""
    return 0.0 if value <= 0 or most <= 0 else round(max(1.5, 100 * min(1.0, value / most)), 1)
