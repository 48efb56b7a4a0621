"""What becomes of a label when somebody's looks are taken back: it stands without them, or it does not. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claimcheck.datasets.rows import Decision, standing
from claimcheck.experts import judging
from claimcheck.quality import agreement, posterior, weights
from claimcheck.rules import Rules

SURE = 0.90  # at .90 the labels that kept their looks were right in 83 to 96 % of cases (measured, docs/datasets.md)


@dataclass(frozen=True, slots=True)
class Touched(Decision):
    """A decision on an item that is touched, with how often its author is right in the skill."""

    item_id: int
    weight: float


@dataclass(frozen=True, slots=True)
class Fate:
    """`confirmed`: the label stands without the looks; else `pending`. `probability` is that of what the looks that are left say."""

    decision_id: int
    status: str
    why: str
    flips: bool
    probability: float


def fate(rules: Rules, skill: judging.Skill, decisions: Sequence[Touched], takes: Callable[[Decision], bool], up_to: int) -> Fate | None:
    """Of one item's label; None where it has none. `takes` says which looks go."""
    now = standing(decisions, up_to)
    if now is None:
        return None
    basis = _basis(decisions, now)
    if not any(takes(d) for d in basis):
        return Fate(now.id, "confirmed", "others decided it", False, 1.0)
    left = [d for d in basis if not takes(d) and d.verdict != "escalate"]
    if not left:
        return Fate(now.id, "pending", "no look at it is left", False, 1 / judging.classes(rules.question))
    kind = rules.question.ask
    votes = [posterior.Vote(agreement.comparable(kind, _said(d)), d.weight if skill.weighs else weights.START) for d in left]
    belief = posterior.likeliest(votes, judging.classes(rules.question), skill.temperature)
    flips = belief.answer != agreement.comparable(kind, now.answer if now.outcome == "answer" else now.outcome)
    if not flips and belief.probability >= SURE:
        return Fate(now.id, "confirmed", "the other looks are sure of it", False, belief.probability)
    why = "the other looks say something else" if flips else "the other looks are not sure enough"
    return Fate(now.id, "pending", why, flips, belief.probability)


def _basis(decisions: Sequence[Touched], now: Decision) -> list[Touched]:
    """The looks that an outcome rests on: itself where it is one, none where a lead or the desk decided, else those of its task."""
    if now.look or now.supersedes is not None:
        return [d for d in decisions if d.id == now.id and d.look]
    return [d for d in decisions if d.look and d.task_id == now.task_id]


def _said(one: Decision) -> object:
    return one.answer if one.verdict is None else one.verdict
