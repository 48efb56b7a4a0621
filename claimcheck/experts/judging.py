"""What a look does to its task, by the project's way of agreeing. The submit's statement holds it to the looks that it was judged with."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from claimcheck import errors, questions
from claimcheck.quality import agreement, posterior, weights
from claimcheck.rules import Agreement, Rules

Ends = Literal["decided", "disputed", "escalated", "more"]
MOST_CLASSES = 1000  # answers that a posterior tells apart


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the task. `weight` is how often its author is right in the skill, 0 to 1."""

    verdict: str | None
    answer: Any
    weight: float = weights.START

    @property
    def said(self) -> Any:
        return self.answer if self.verdict is None else self.verdict


@dataclass(frozen=True, slots=True)
class Weighed:
    """A look as it is stored, with its author's weight in the skill."""

    person_id: int
    verdict: str | None
    answer: Any
    weight: float


@dataclass(frozen=True, slots=True)
class Ruling:
    """`ends_as` is None while other wanted looks are out, `more` where one more is asked for. `said` is the verdict or answer that settles."""

    ends_as: Ends | None
    because: str = ""
    said: Any = None


@dataclass(frozen=True, slots=True)
class Skill:
    """What gold says of a skill's posteriors: their temperature, and whether weights beat plain majority."""

    temperature: float = 1.0
    weighs: bool = False


def rule(rules: Rules, skill: Skill, *, wanted: int, looks: Sequence[Look]) -> Ruling:
    """What the last of `looks` does to a task that wants `wanted`."""
    if len(looks) < wanted:
        return Ruling(None)
    if any(look.verdict == "escalate" for look in looks):
        return Ruling("escalated", "escalated")
    if len(looks) == 1:
        return Ruling("decided", said=looks[0].said)
    ruling = _adaptive(rules, skill, looks) if rules.agreement.mode == "adaptive" else _fixed(rules, looks)
    if ruling.ends_as == "decided" and _same(looks) and random.random() < rules.agreement.audited:  # noqa: S311 (no secret)
        return Ruling("disputed", "audit")
    return ruling


def likeliest(rules: Rules, skill: Skill, looks: Sequence[Look]) -> Any:
    """The likeliest answer given, as an undecided item would be delivered: by weights. Where they do not count, what most gave; they break a tie."""
    kind = rules.question.ask
    votes = [posterior.Vote(agreement.comparable(kind, look.said), look.weight) for look in looks]
    if not skill.weighs:
        counts = Counter(vote.answer for vote in votes)
        votes = [vote for vote in votes if counts[vote.answer] == max(counts.values())]
    best = posterior.likeliest(votes, classes(rules.question), skill.temperature).answer
    return next(look.said for look in looks if agreement.comparable(kind, look.said) == best)


def _same(looks: Sequence[Look]) -> bool:
    return all(look.said == looks[0].said for look in looks)


def _fixed(rules: Rules, looks: Sequence[Look]) -> Ruling:
    if rules.agreement.mode == "unanimous":
        return Ruling("decided", said=looks[0].said) if _same(looks) else Ruling("disputed", "disputed")
    return _agreed(rules, looks) or Ruling("disputed", "disputed")


def _agreed(rules: Rules, looks: Sequence[Look]) -> Ruling | None:
    found = agreement.agreed(rules.question.ask, [look.said for look in looks], rules.agreement.tolerance)
    if found is None:
        return None
    if rules.question.by_verdict:
        return Ruling("decided", said=found)
    try:  # choices that each a majority holds may be more or fewer than the question allows
        return Ruling("decided", said=rules.question.canonical(found))
    except errors.Invalid:
        return None


def _adaptive(rules: Rules, skill: Skill, looks: Sequence[Look]) -> Ruling:
    by = rules.agreement
    ruling = _by_weight(rules, skill, looks) if skill.weighs else (_agreed(rules, looks) if len(looks) >= by.least else None)
    if ruling is not None:
        return ruling
    return Ruling("disputed", "disputed") if len(looks) >= by.most else Ruling("more")


def _by_weight(rules: Rules, skill: Skill, looks: Sequence[Look]) -> Ruling | None:
    by: Agreement = rules.agreement
    kind = rules.question.ask
    votes = [posterior.Vote(agreement.comparable(kind, look.said), look.weight) for look in looks]
    belief = posterior.likeliest(votes, classes(rules.question), skill.temperature)
    if posterior.stop(len(looks), belief.probability, by.least, by.most, by.sure) != "settle":
        return None
    return Ruling("decided", said=next(look.said for look in looks if agreement.comparable(kind, look.said) == belief.answer))


def classes(asked: questions.Question) -> int:
    """How many answers a question has, at least two."""
    match asked.ask:
        case "verdict":
            return 2
        case "grade":
            return asked.max - asked.min + 1
        case "preference":
            return max(2, len(asked.options))
        case _:
            return min(2 ** min(len(asked.options), 10), MOST_CLASSES)
