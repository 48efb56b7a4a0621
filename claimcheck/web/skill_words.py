"""Words for the skills' pages: whether there is work, people and gold enough, and where somebody stands."""

from __future__ import annotations

from claimcheck.experts.standings import Expert, Scarcity
from claimcheck.quality import exam

WINDOW_HOURS = 6  # that skills/scarcity counts looks in
STATUSES = {
    "active": ("Active", "ok"),
    "exam": ("In the exam", "ask"),
    "soft_paused": ("Paused for extra golds", "ask"),
    "paused": ("Paused", "no"),
}


def hours(count: float) -> str:
    """A length of work: 20 min, 3.5 h, 240 h."""
    if count < 1 / 60:
        return "under a minute"
    if count < 1:
        return f"{round(60 * count)} min"
    return f"{count:.1f} h" if count < 10 else f"{count:,.0f} h".replace(",", "\u202f")


def demand(skill: Scarcity) -> str:
    """Need against supply, in a sentence."""
    if not skill.looks_wanted:
        return "Nothing waits."
    if not skill.people_active:
        return "Nobody may take it."
    if not skill.need_hours or not skill.supply_hours:
        return f"Nobody worked on it in {WINDOW_HOURS} h."
    return f"Done in about {hours(skill.need_hours / (skill.supply_hours / WINDOW_HOURS))} at this pace."


def demand_shape(skill: Scarcity) -> str:
    """no: nobody takes it; ask: more than a day's work of what is there; ok."""
    if not skill.looks_wanted:
        return "ok"
    if not skill.people_active or not skill.supply_hours:
        return "no"
    return "ask" if (skill.need_hours or 0) > 4 * skill.supply_hours else "ok"


def gold_warning(skill: Scarcity) -> str:
    """What is wrong with a skill's gold, with the numbers; nothing where it lasts."""
    if skill.exam and skill.golds_live < exam.LONGEST:
        live = f"{skill.golds_live} {'is' if skill.golds_live == 1 else 'are'} live"
        return f"An exam takes up to {exam.LONGEST} golds, and {live}: make more, or who is new may be stuck."
    if not skill.golds_live:
        return "No gold: nobody is measured here." if skill.people_active else ""
    if not skill.gold_short:
        return ""
    return (
        f"{skill.looks_wanted:,} looks by {skill.people_active} people at {percent(skill.gold_rate)} gold take {skill.golds_needed} golds "
        f"and {skill.exposures_needed} exposures: make more."
    )


def percent(share: float) -> str:
    """Whole per cent, with a place where it tells."""
    return f"{round(100 * share, 1):g}\u202f%"


def standing_word(expert: Expert) -> str:
    return "Held back: gold only" if expert.status == "active" and expert.held_back else STATUSES[expert.status][0]


def standing_shape(expert: Expert) -> str:
    return "ask" if expert.status == "active" and expert.held_back else STATUSES[expert.status][1]


FILTERS = {
    "hours": hours,
    "demand": demand,
    "demand_shape": demand_shape,
    "gold_warning": gold_warning,
    "per_cent": percent,
    "standing_word": standing_word,
    "standing_shape": standing_shape,
}
