"""Whether weights do a skill harm: its golds decided with them, leave-one-out, against plain majority."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from claimcheck.quality.posterior import likeliest
from claimcheck.quality.temperature import Known

BEYOND = 2.0  # standard errors: five golds lost and none won, eleven against three


def harm(golds: Sequence[Known], classes: int) -> bool:
    """True where the weighted vote gets fewer golds right than plain majority does, by more than chance explains (a sign test of those
    on which the two differ); without golds, False. A gain need not be shown: where voters are alike all weights are one, and few golds show little.
    """
    found = [weighted(g, classes) - majority(g) for g in golds if g.votes]
    spread = math.sqrt(sum(d * d for d in found))
    return spread > 0 and sum(found) / spread < -BEYOND


def weighted(gold: Known, classes: int) -> float:
    """1 where the likeliest answer is the key, else 0."""
    return float(likeliest(gold.votes, classes).answer == gold.key)


def majority(gold: Known) -> float:
    """1 where most looks gave the key, a share of 1 where they are tied with others, else 0."""
    counts = Counter(v.answer for v in gold.votes)
    best = [k for k, n in counts.items() if n == max(counts.values())]
    return (gold.key in best) / len(best)
