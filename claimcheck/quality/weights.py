"""How often a voter is right in a skill, from what gold says of them and, where that is little, what their peers say."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from claimcheck.quality.posterior import Vote, posterior

LEAST, MOST = 0.05, 0.97
STRENGTH = 4.0


@dataclass(frozen=True, slots=True)
class Counts:
    """What is known of a voter in a skill: golds and right ones, peer looks and agreeing ones (both fractional, see `peers`)."""

    person: Hashable
    gold_n: float = 0.0
    gold_ok: float = 0.0
    peer_n: float = 0.0
    peer_ok: float = 0.0


def pooled(everybody: Sequence[Counts]) -> float:
    """The skill's mean accuracy, over all its voters: golds and peers, from 7 right of 10."""
    n = sum(c.gold_n + c.peer_n for c in everybody)
    return (sum(c.gold_ok + c.peer_ok for c in everybody) + 7.0) / (n + 10.0)


def weight(counts: Counts, mean: float) -> float:
    """The voter's p, from .05 to .97: the pooled mean, worth 4 answers, and everything that was counted of them."""
    n = counts.gold_n + counts.peer_n
    p = (STRENGTH * mean + counts.gold_ok + counts.peer_ok) / (STRENGTH + n)
    return min(MOST, max(LEAST, p))


def weights(everybody: Sequence[Counts]) -> dict[Hashable, float]:
    """Each voter's p in one skill."""
    mean = pooled(everybody)
    return {c.person: weight(c, mean) for c in everybody}


def peers(votes: Sequence[Vote], classes: int) -> list[tuple[float, float]]:
    """For each look at one task that is not gold: what it adds to its voter's (peer_n, peer_ok), judged by the other looks alone."""
    return [_peer(votes, n, classes) for n in range(len(votes))] if len(votes) > 1 else [(0.0, 0.0)] * len(votes)


def _peer(votes: Sequence[Vote], n: int, classes: int) -> tuple[float, float]:
    found = posterior([*votes[:n], *votes[n + 1 :]], classes)
    best = max(found, key=lambda k: found[k])
    return 1.0, float(votes[n].answer == best)
