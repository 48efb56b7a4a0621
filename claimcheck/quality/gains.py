"""Whether weights do a skill good: its golds decided with them, leave-one-out, against plain majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from claimcheck.quality.posterior import likeliest
from claimcheck.quality.temperature import Known


def helps(golds: Sequence[Known], classes: int) -> bool:
    """True where the weighted vote gets more golds right than plain majority does; without golds, False."""
    seen = [g for g in golds if g.votes]
    return sum(weighted(g, classes) - majority(g) for g in seen) > 0


def weighted(gold: Known, classes: int) -> float:
    """1 where the likeliest answer is the key, else 0."""
    return float(likeliest(gold.votes, classes).answer == gold.key)


def majority(gold: Known) -> float:
    """1 where most looks gave the key, a share of 1 where they are tied with others, else 0."""
    counts = Counter(v.answer for v in gold.votes)
    best = [k for k, n in counts.items() if n == max(counts.values())]
    return (gold.key in best) / len(best)
