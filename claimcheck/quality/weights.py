"""How often a voter is right in a skill: what gold and peers say of them, drawn to the skill's mean as far as its voters are alike."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimcheck.quality.posterior import Vote, evidence

LEAST, MOST = 0.05, 0.97
WEAKEST, ALIKE, UNKNOWN = 4.0, 500.0, 8.0  # how many answers the mean is worth: at least, at most, and before there are 50 answers of 3 voters
START = 0.65  # everybody's p before a skill's first count: a novice's, so that two of them alone do not settle a task of two classes
FLOOR, HELD_BACK = 0.60, 1 / 3


@dataclass(frozen=True, slots=True)
class Counts:
    """What is known of a voter in a skill: golds and right ones; looks with peers, and those that agree with what the peers say (`peers`)."""

    person: Hashable
    gold_n: float = 0.0
    gold_ok: float = 0.0
    peer_n: float = 0.0
    peer_ok: float = 0.0

    @property
    def n(self) -> float:
        return self.gold_n + self.peer_n

    @property
    def ok(self) -> float:
        return self.gold_ok + self.peer_ok


def peers(votes: Sequence[Vote], classes: int) -> list[tuple[int, int]]:
    """For each look at one task that is not gold: what it adds to its voter's (peer_n, peer_ok).

    The others decide alone, with their present p: a look agrees where its answer has the greatest sum of evidence without it (or one of the
    greatest). A lone look says nothing. In SQL: the sum by task and answer, less the look's own evidence, against the greatest of the rest.
    """
    if len(votes) < 2:
        return [(0, 0)] * len(votes)
    sums: dict[Hashable, float] = {}
    for vote in votes:
        sums[vote.answer] = sums.get(vote.answer, 0.0) + evidence(vote.p, classes)
    return [(1, int(_agrees(vote, sums, classes))) for vote in votes]


def _agrees(vote: Vote, sums: dict[Hashable, float], classes: int) -> bool:
    nobodys = 0.0 if len(sums) < classes else min(sums.values())
    others = max((s for answer, s in sums.items() if answer != vote.answer), default=0.0)
    return sums[vote.answer] - evidence(vote.p, classes) >= max(others, nobodys) - 1e-9


def mean(everybody: Sequence[Counts], classes: int = 2) -> float:
    """The skill's mean accuracy over all answers, from 7 of 10; never at chance or below, never above .95."""
    found = (sum(c.ok for c in everybody) + 7.0) / (sum(c.n for c in everybody) + 10.0)
    return min(0.95, max(found, 1.05 / classes))


def strength(everybody: Sequence[Counts]) -> float:
    """How many answers the mean is worth beside a voter's own, from 4 (voters differ) to 500 (they are alike), in answers.

    m (1 - m) / V - 1, V the variance between voters by the analysis of variance, as for the beta-binomial (Kleinman 1973).
    """
    known = [c for c in everybody if c.n > 0]
    total = sum(c.n for c in known)
    if total < 50 or len(known) < 3:
        return UNKNOWN
    m = sum(c.ok for c in known) / total
    between = sum(c.n * (c.ok / c.n - m) ** 2 for c in known) / (len(known) - 1)
    within = sum(c.ok * (1 - c.ok / c.n) for c in known) / max(1.0, total - len(known))
    size = (total - sum(c.n**2 for c in known) / total) / (len(known) - 1)
    variance = (between - within) / size if size > 0 else 0.0
    return min(ALIKE, max(WEAKEST, m * (1 - m) / variance - 1)) if variance > 0 else ALIKE


def weight(counts: Counts, centre: float, worth: float) -> float:
    """The voter's p, from .05 to .97: their own answers, and the mean (`centre`) as if it were `worth` answers more."""
    return min(MOST, max(LEAST, (worth * centre + counts.ok) / (worth + counts.n)))


def without(counts: Counts, ok: bool, centre: float, worth: float) -> float:
    """The voter's p as it would be without one gold that they had right (`ok`) or not: leave-one-out, for `temperature.Known`."""
    return weight(Counts(counts.person, counts.gold_n - 1, counts.gold_ok - ok, counts.peer_n, counts.peer_ok), centre, worth)


def weights(everybody: Sequence[Counts], classes: int = 2) -> dict[Hashable, float]:
    """Each voter's p in one skill, from counts alone. Somebody new has the p of `weight(Counts(person), mean(…), strength(…))`: the mean."""
    centre, worth = mean(everybody, classes), strength(everybody)
    return {c.person: weight(c, centre, worth) for c in everybody}


def floor(everybody: Sequence[Counts], found: Mapping[Any, float], most: float = FLOOR, share: float = HELD_BACK) -> float:
    """The p below which a voter is asked for gold only: .60, or less where that would hold back more than a third of the skill's answers."""
    total, seen = sum(c.n for c in everybody), 0.0
    for c in sorted(everybody, key=lambda c: found[c.person]):
        seen += c.n
        if seen > share * total:
            return min(most, found[c.person])
    return 0.0
