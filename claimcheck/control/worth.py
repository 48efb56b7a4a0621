"""What is worth automating: work whose outcome can be foreseen, and is hardly ever overturned."""

from __future__ import annotations

from claimcheck.quality import beta

ENOUGH = 200  # decided, before anything is said
SURE = 0.98  # of the decided say the same and stand, at least


def bound(same: int, overturned: int, n: int) -> float:
    """The share of `n` decided of which one may be 95 % sure that as many say the same and stand: of `same` that did, `overturned` did not stand.

    The 5 % quantile of Beta(k + ½, n − k + ½) with k = same − overturned: Jeffreys' interval, whose coverage is near what it claims at every
    share (Brown, Cai and DasGupta, *Statistical Science* 16, 2001). 0 where nothing was decided.
    """
    stood = max(0, same - overturned)
    return beta.quantile(0.05, stood + 0.5, n - stood + 0.5) if n else 0.0


def automating(same: int, overturned: int, n: int) -> bool:
    """Whether it is worth it: enough were decided, and the bound is high."""
    return n >= ENOUGH and bound(same, overturned, n) >= SURE
