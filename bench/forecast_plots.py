"""The back-test's plots, as SVG: what was said against what happened, and each band with the time that it took."""

from __future__ import annotations

import math
from collections.abc import Sequence

from claimcheck.forecasts import measuring
from claimcheck.forecasts.judged import Said

COLOURS = ("#2b5cc4", "#2f7d6b", "#855400", "#9b3fa5", "#ab2f27", "#62666f")
LOW, HIGH = -1.5, 2.5  # of the axes: 10^LOW to 10^HIGH hours
TICKS = ((0.1, "6 min"), (1, "1 h"), (10, "10 h"), (100, "100 h"))


def _svg(width: int, height: int, label: str, *parts: str) -> str:
    body = "".join(parts)
    style = "<style>text{font:12px sans-serif;fill:currentColor}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{style}{body}</svg>\n'


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def scatter(said: Sequence[Said], size: int = 520) -> str:
    """Said (across) against actual hours (up), both by powers of ten; on the diagonal they are equal."""
    left, top, side = 60.0, 48.0, size - 110.0

    def at(hours: float) -> float:
        return (min(HIGH, max(LOW, math.log10(max(hours, 1e-9)))) - LOW) / (HIGH - LOW) * side

    frame = f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" stroke="#8d8a80"/>'
    line = f'<path d="M{left} {top + side}L{left + side} {top}" stroke="#8d8a80" stroke-dasharray="4 4"/>'
    ticks = "".join(_text(left + at(h), top + side + 18, w, "middle") + _text(left - 6, top + side - at(h) + 4, w, "end") for h, w in TICKS)
    dots = "".join(
        f'<circle cx="{left + at(s.point):.1f}" cy="{top + side - at(s.actual):.1f}" r="3.5" fill="{COLOURS[s.bucket]}" fill-opacity=".7"/>'
        for s in said
    )
    names = measuring.buckets()
    keys = "".join(
        f'<circle cx="{left + 82 * n}" cy="14" r="4" fill="{COLOURS[b]}"/>{_text(left + 82 * n + 8, 18, names[b])}'
        for n, b in enumerate(sorted({s.bucket for s in said}))
    )
    words = _text(left + side / 2, size - 6, "hours said, to 95 % of the looks", "middle") + _text(left, top - 6, "hours that it took", "start")
    return _svg(size, size, "Hours said against hours that it took, by progress", frame, line, ticks, dots, keys, words)


def bands(said: Sequence[Said], width: int = 760, height: int = 300) -> str:
    """Each forecast's band as a bar, by what was said, and the time that it took as a dot: within it or not."""
    left, bottom, top = 60.0, height - 28.0, 30.0
    ordered = sorted(said, key=lambda s: s.point)
    step = (width - left - 10) / max(1, len(ordered))

    def up(hours: float) -> float:
        return bottom - (min(HIGH, max(LOW, math.log10(max(hours, 1e-9)))) - LOW) / (HIGH - LOW) * (bottom - top)

    parts = [
        f'<path d="M{left} {up(h):.1f}H{width - 10}" stroke="#8d8a80" stroke-opacity=".35"/>{_text(left - 6, up(h) + 4, w, "end")}' for h, w in TICKS
    ]
    for n, s in enumerate(ordered):
        x, inside = left + (n + 0.5) * step, s.low <= s.actual <= s.high
        parts.append(
            f'<path d="M{x:.1f} {up(s.low):.1f}V{up(s.high):.1f}" stroke="#2b5cc4" stroke-opacity=".35" stroke-width="{max(1, step - 0.6):.1f}"/>'
        )
        shape = f'<circle cx="{x:.1f}" cy="{up(s.actual):.1f}" r="2" fill="currentColor"/>'
        cross = f'<path d="M{x - 3:.1f} {up(s.actual) - 3:.1f}l6 6m0 -6l-6 6" stroke="#ab2f27" stroke-width="1.6"/>'
        parts.append(shape if inside else cross)
    held = sum(s.low <= s.actual <= s.high for s in said)
    words = _text(
        left, 18, f"80 % bands to 95 % of the looks, by what was said; {held} of {len(said)} held the time that it took (dot), the others not (cross)"
    )
    return _svg(width, height, f"Bands of {len(said)} forecasts, {held} held", words, *parts)
