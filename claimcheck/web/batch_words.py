"""Words for the pages of batch decisions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from claimcheck.bulk import groups

PARTS = {"queue": "Queue", "counterparty": "Counterparty", "match_decision": "Match", "currency": "Currency", "band": "Variance"}
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
    return [(PARTS[name], value) for name, value in zip(groups.PARTS, same, strict=True) if value]


def per_cent(share: float) -> str:
    """2 %, 0.4 %."""
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def surely(confidence: Fraction) -> str:
    """99.2 %, 99.968 %: to the first place that tells it from certainty."""
    return f"{float(100 * confidence):.3f}".rstrip("0").removesuffix(".") + " %"


FILTERS = {f.__name__: f for f in (batch_state, batch_end, alike_parts, per_cent, surely)}
