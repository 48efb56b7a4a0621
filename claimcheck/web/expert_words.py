"""Words for what experts read of themselves: amounts, what a line is for, where they stand and what comes next."""

from __future__ import annotations

from datetime import datetime

from claimcheck.experts import payouts, standing
from claimcheck.experts.payouts import Line
from claimcheck.experts.standings import Mine, Result
from claimcheck.quality import beta, exam

WORK = {
    "review": "Review",
    "adjudication": "Adjudication",
    "escalation": "Escalation",
    "approval": "Approval",
    "relabel": "Second look",
    "golds": "Golds",
}
STATUS = {"exam": "Entry exam", "active": "Active", "soft_paused": "Paused for extra golds", "paused": "Paused"}
SHAPES = {"exam": "ask", "active": "ok", "soft_paused": "ask", "paused": "no"}
TIERS = ("new", "steady", "strong", "best")
PURPOSES = {"exam": "entry exam", "ordinary": "among live work", "extra": "extra gold"}


def money(line: Line | payouts.Total) -> str:
    """An amount in its currency's places."""
    return payouts.written(line.amount_minor, line.currency)


def month_name(moment: datetime) -> str:
    return f"{moment:%B %Y}"


def work_word(line: Line) -> str:
    """What was done for it."""
    return WORK.get(line.kind, line.kind.capitalize())


def status_word(mine: Mine) -> str:
    return "Held back: gold only" if mine.status == "active" and mine.held_back else STATUS[mine.status]


def status_shape(mine: Mine) -> str:
    return "ask" if mine.held_back else SHAPES[mine.status]


def handed(mine: Mine) -> str:
    """What somebody is handed in a skill, in a sentence."""
    if mine.status == "active" and mine.held_back:
        return "For now you are handed golds only; right ones bring live items back."
    if mine.status == "active":
        return "You are handed live items up to your tier, and now and then a gold."
    if mine.status == "soft_paused" and mine.extra_left:
        return f"What you hold you may finish. Then come {standing.EXTRA} golds: {standing.EXTRA_RIGHT} right ones lift the pause."
    if mine.status == "exam":
        return f"You are handed golds only. The exam ends as soon as it is clear, after {exam.LONGEST} at the latest."
    return "You are handed nothing in this skill until a lead lifts the pause. What you did before stays, and is paid."


def tier_word(mine: Mine) -> str:
    return f"Tier {mine.tier} · {TIERS[mine.tier]}"


def next_tier(mine: Mine) -> str:
    """What the next tier asks for."""
    if mine.pinned:
        return "A lead set it by hand; scores leave it alone."
    if mine.tier == 0:
        return f"Tier 1 comes once the bar begins at {percent(beta.STANDARD)} or more."
    if mine.tier == 1:
        return f"Tier 2 comes once the bar begins at {percent(beta.TRUSTED)} or more, with {beta.SEASONED} golds at least."
    return "The highest that golds alone give."


def percent(share: float) -> str:
    return f"{round(100 * share)}\u202f%"


def purpose_word(result: Result) -> str:
    return PURPOSES[result.purpose]


FILTERS = {f.__name__: f for f in (money, month_name, work_word, status_word, status_shape, handed, tier_word, next_tier, percent, purpose_word)}
