"""Words for the pages of batch decisions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from claimcheck.bulk import groups

PARTS = {"queue": "Queue", "counterparty": "Counterparty", "match_decision": "Match", "currency": "Currency", "band": "Variance"}
BAND = re.compile(r"(-?)(?:(\d{1,40}) to|under) (\d{1,40})")
STATES = {
    "gathering": ("making the list", "ask"),
    "sampling": ("to be looked at", "ask"),
    "deciding": ("being decided", "ask"),
    "decided": ("decided", "ok"),
    "undoing": ("being undone", "ask"),
    "undone": ("undone", "no"),
    "dropping": ("being given back", ""),
    "dropped": ("dropped", ""),
}
ENDS = {"decided": ("decided", "ok"), "opened": ("looked at", "ok"), "stale": ("left out", "ask")}


def batch_state(state: str) -> tuple[str, str]:
    """How far a batch decision is, and the mark beside it."""
    return STATES[state]


def batch_end(came_to: str | None) -> tuple[str, str]:
    """What came of a member, and the mark beside it."""
    return ENDS[came_to] if came_to else ("waits", "")


def alike_parts(same: Sequence[str | None]) -> list[tuple[str, str]]:
    """What a group has in common, as (what, value), without what its items lack or may differ in."""
    found = dict(zip(groups.PARTS, same, strict=True))
    return [(PARTS[name], band_words(value) if name == "band" else value) for name, value in found.items() if value]


def band_words(band: str, currency: str = "") -> str:
    """A band of amounts as every page says it, in whichever of the ways it is kept: `10 to 100`, `-10 to 100`, `under 100`, `0`."""
    found = BAND.fullmatch(band)
    if not found:
        return "no variance" if band == "0" else band
    high = int(found[3])
    low = int(found[2]) if found[2] else high // 10 if high > 10 else 0
    ends = [f"{'−' if found[1] and end else ''}{end:,}".replace(",", "\u202f") for end in (low, high)]
    return f"{ends[0]} to {ends[1]} {currency}".rstrip()


def per_cent(share: float) -> str:
    """2 %, 0.4 %."""
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def surely(confidence: Fraction) -> str:
    """99.2 %, 99.968 %: to the first place that tells it from certainty."""
    return f"{float(100 * confidence):.3f}".rstrip("0").removesuffix(".") + " %"


FILTERS = {f.__name__: f for f in (batch_state, batch_end, alike_parts, band_words, per_cent, surely)}
