"""Words for the pages of bulk overturns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claimcheck.bulk.bulk_overturns import BulkOverturn
from claimcheck.rules import Rules
from claimcheck.triage.choices import Choice
from claimcheck.web import controls

STATES = {
    "gathering": ("making the list", "ask"),
    "listed": ("not asked for yet", "ask"),
    "pending": ("waits for another lead", "ask"),
    "rejected": ("rejected", "no"),
    "withdrawn": ("withdrawn", ""),
    "running": ("under way", "ask"),
    "paused": ("paused", "ask"),
    "stopped": ("stopped", "no"),
    "done": ("done", "ok"),
}
ENDS = {"overturned": ("overturned", "ok"), "left_out": ("left out", "ask"), "waits": ("waits", "")}
STEPS = {"begun": "began it", "listed": "made its list", "asked": "asked for it", "done": "finished it"}
PARTS = {"reviewer": "Reviewer", "reason": "Reason", "queue": "Queue", "match": "Match", "stood": "Outcome", "since": "Since", "until": "Until"}
DESK = "the desk itself"


def overturn_state(state: str, waiting: int = 1) -> tuple[str, str]:
    """How far one is, and the mark beside it; nobody asks for one in which nothing waits to be overturned."""
    return ("nothing to overturn", "") if state == "listed" and not waiting else STATES[state]


def overturn_end(came_to: str | None) -> tuple[str, str]:
    """What came of a member, and the mark beside it."""
    return ENDS[came_to or "waits"]


def overturn_moved(one: BulkOverturn) -> str:
    """What somebody did while the page was open."""
    word = {"running": "it goes on", "pending": "asked for", "listed": "its list is made"}.get(one.state, STATES[one.state][0]).capitalize()
    return word if one.moved_by == "system" else f"{word}, by {one.moved_by}"


def overturn_step(kind: str) -> str:
    """What somebody did with it: began it, approved it."""
    done = kind.partition(".")[2]
    return STEPS.get(done, f"{done} it")


def overturn_said(outcome: str, answer: Any, rules: Rules | None = None) -> str:
    """What holds, or is to hold instead, as the project names it."""
    if outcome == "reopen":
        return "Open again"
    return controls.words(rules, verdict=None if outcome == "answer" else outcome, answer=answer)


def overturn_parts(one: BulkOverturn, reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """What was searched by, as (what, value); moments apart."""
    reviewer = one.reviewer if one.reviewer_id else DESK
    found = [("Reviewer", reviewer if one.reviewer_id is not None else None), ("Reason", one.reason and reasons.get(one.reason, one.reason))]
    found += [("Queue", one.queue), ("Match", one.match_decision), ("Outcome", one.stood)]
    return [(what, value) for what, value in found if value]


def told_parts(told: Mapping[str, str], named: Mapping[str, list[Choice]]) -> list[tuple[str, str]]:
    """The filters of an address, as (what, value)."""
    labels = {(choice.filter, choice.value): choice.label for some in named.values() for choice in some} | {("reviewer", "0"): DESK}
    return [(what, labels.get((name, told[name]), told[name])) for name, what in PARTS.items() if told.get(name)]


def effect_words(kind: str) -> str:
    """What hears of an overturn."""
    return {"webhook": "The customer's webhook", "standing": "The results"}.get(kind, kind.capitalize())


FILTERS = {f.__name__: f for f in (overturn_state, overturn_end, overturn_moved, overturn_step, overturn_said, overturn_parts, effect_words)}
