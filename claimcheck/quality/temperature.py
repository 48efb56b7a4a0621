"""One temperature a skill, so that what the posterior calls .9 is right nine times in ten."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from claimcheck.quality.posterior import Vote, evidence

ENOUGH, HOTTEST = 30, 5.0


@dataclass(frozen=True, slots=True)
class Known:
    """A gold task as the posterior would see it: its key, and its looks, each with the p its voter would have without this very task."""

    key: Hashable
    votes: Sequence[Vote]


@dataclass(frozen=True, slots=True)
class Odds:
    """The log-odds at T = 1 of the key, None where nobody gave it, and of every answer that was given: they do not change while T is sought."""

    key: float | None
    every: tuple[float, ...]


def fit(golds: Sequence[Known], classes: int) -> float:
    """The T from 1 to 5 that makes the keys likeliest; 1 under 30 golds with looks. Guo et al. 2017, leave-one-out by `Known`'s p."""
    seen = [_odds(g, classes) for g in golds if g.votes]
    if len(seen) < ENOUGH:
        return 1.0
    low, high = 1.0, HOTTEST
    for _ in range(30):  # golden-section is not worth its words here: the loss is unimodal in T
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if _loss(seen, classes, one) <= _loss(seen, classes, other) else (one, high)
    return 1.0 if low == 1.0 else (low + high) / 2


def loss(golds: Sequence[Known], classes: int, temperature: float) -> float:
    """The mean negative log-likelihood of the keys, in nats; a key that nobody gave has an equal part of what is left over."""
    return _loss([_odds(g, classes) for g in golds], classes, temperature)


def _odds(gold: Known, classes: int) -> Odds:
    sums: dict[Hashable, float] = {}
    for vote in gold.votes:
        sums[vote.answer] = sums.get(vote.answer, 0.0) + evidence(vote.p, classes)
    return Odds(sums.get(gold.key), tuple(sums.values()))


def _loss(golds: Sequence[Odds], classes: int, temperature: float) -> float:
    return sum(-math.log(max(1e-12, _of_key(g, classes, temperature))) for g in golds) / len(golds)


def _of_key(odds: Odds, classes: int, temperature: float) -> float:
    """As `posterior` has it."""
    top, unsaid = max(0.0, *odds.every) / temperature, max(0, classes - len(odds.every))
    whole = sum(math.exp(s / temperature - top) for s in odds.every) + unsaid * math.exp(-top)
    if odds.key is not None:
        return math.exp(odds.key / temperature - top) / whole
    return math.exp(-top) / whole if unsaid else 0.0
