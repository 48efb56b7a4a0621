"""What gold says of an expert in a skill: a Beta posterior, its bounds, and the tier that they earn."""

from __future__ import annotations

import math
from dataclasses import dataclass

STRENGTH = 8.0  # how many golds the skill's pooled mean is worth
STANDARD, TRUSTED, SEASONED = 0.65, 0.80, 20
TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Score:
    """An expert's accuracy in a skill: the mean and the bounds that hold 90 % of the belief, each from 0 to 1, after `n` golds."""

    n: int
    mean: float
    low: float
    high: float


def pooled(ok: float, n: float) -> float:
    """The mean accuracy of a skill from all its experts' golds (`ok` right of `n`), from .7 where there are none; quality.md § 4a."""
    return (ok + 7.0) / (n + 10.0)


def score(ok: int, n: int, mean: float) -> Score:
    """The posterior Beta(8m + ok, 8(1 - m) + n - ok) of an expert with `ok` right of `n` golds in a skill of pooled mean `mean`.

    ValueError unless 0 ≤ ok ≤ n and 0 < mean < 1.
    """
    if not (0 <= ok <= n and 0 < mean < 1):
        raise ValueError(f"{ok} right of {n} golds with a pooled mean of {mean}")
    a, b = STRENGTH * mean + ok, STRENGTH * (1 - mean) + n - ok
    return Score(n, a / (a + b), quantile(0.05, a, b), quantile(0.95, a, b))


def tier(found: Score) -> int:
    """0 novice (5 % bound below .65), 1 standard, 2 trusted (bound from .80 and at least 20 golds)."""
    if found.low < STANDARD:
        return 0
    return 2 if found.low >= TRUSTED and found.n >= SEASONED else 1


def cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b): DLMF 8.17.8 with the continued fraction 8.17.22. ValueError unless a, b > 0."""
    if not (a > 0 and b > 0):
        raise ValueError(f"Beta({a}, {b})")
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - cdf(1 - x, b, a)
    return math.exp(_front(x, a, b)) * _fraction(x, a, b) / a


def quantile(p: float, a: float, b: float) -> float:
    """The x with cdf(x, a, b) = p, by Newton's steps inside a bracket, halved where they leave it or come no nearer; the error stays
    under 1e-9. ValueError unless 0 ≤ p ≤ 1 and a, b > 0.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"{p} is no probability")
    low, high, x, before = 0.0, 1.0, a / (a + b), math.inf
    for _ in range(120):
        miss = cdf(x, a, b) - p
        low, high = (x, high) if miss < 0 else (low, x)
        slope = math.exp(_front(x, a, b)) / (x * (1 - x)) if 0 < x < 1 else 0.0
        aim = x - miss / slope if slope > 0 and abs(miss) < before / 2 else low
        x, last, before = aim if low < aim < high else (low + high) / 2, x, abs(miss)
        if abs(x - last) < 1e-13:
            break
    return x


def _front(x: float, a: float, b: float) -> float:
    """The logarithm of x^a (1 - x)^b / B(a, b)."""
    return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction by Lentz's method, as Thompson and Barnett (1986) keep it from dividing by zero."""
    c, d = 1.0, 1.0 / _safe(1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, 10_000):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1.0 / _safe(1 + term * d), _safe(1 + term / c)
            h *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return h


def _safe(value: float) -> float:
    return value if abs(value) > TINY else TINY
