"""Scores from gold: the Beta distribution against values known otherwise, bounds, tiers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.quality import beta

SHAPES = st.floats(0.05, 400)


def binomial(x: Fraction, a: int, b: int) -> float:
    """I_x(a, b) for whole a and b, exactly: the chance of at least a successes in a + b - 1 trials (DLMF 8.17.5)."""
    n = a + b - 1
    return float(sum(math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1)))


@pytest.mark.parametrize("a", [1, 2, 7, 40, 150])
@pytest.mark.parametrize("b", [1, 3, 11, 90])
@pytest.mark.parametrize("x", [Fraction(1, 1000), Fraction(1, 7), Fraction(1, 2), Fraction(17, 20), Fraction(999, 1000)])
def test_it_integrates_as_exact_arithmetic_does(a, b, x):
    assert beta.cdf(float(x), a, b) == pytest.approx(binomial(x, a, b), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.floats(1e-6, 1 - 1e-6))
def test_it_knows_the_arcsine_law(x):
    assert beta.cdf(x, 0.5, 0.5) == pytest.approx(2 / math.pi * math.asin(math.sqrt(x)), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.floats(0.001, 0.999), SHAPES)
def test_it_inverts_a_power(p, a):
    assert beta.quantile(p, a, 1) == pytest.approx(p ** (1 / a), abs=1e-9)
    assert beta.quantile(p, 1, a) == pytest.approx(-math.expm1(math.log1p(-p) / a), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.floats(0.001, 0.999), st.floats(0.5, 400), st.floats(0.5, 400))
def test_it_finds_the_quantile_that_it_integrates_to(p, a, b):
    assert beta.cdf(beta.quantile(p, a, b), a, b) == pytest.approx(p, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**20).map(lambda k: k / 2**20), SHAPES, SHAPES)  # 1 - x is exact, else it is another x
def test_it_is_mirrored(x, a, b):
    assert beta.cdf(x, a, b) + beta.cdf(1 - x, b, a) == pytest.approx(1, abs=1e-9)


def test_it_refuses_what_is_no_distribution():
    for wrong in (lambda: beta.cdf(0.5, 0, 1), lambda: beta.quantile(1.5, 1, 1), lambda: beta.score(3, 2, 0.8), lambda: beta.score(1, 2, 1)):
        with pytest.raises(ValueError, match=r"Beta|probability|golds"):
            wrong()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 200), st.integers(0, 200), st.floats(0.05, 0.95))
def test_it_bounds_the_mean(ok, missed, mean):
    found = beta.score(ok, ok + missed, mean)
    assert 0 < found.low < found.mean < found.high < 1
    assert beta.score(ok + 1, ok + missed + 1, mean).low > found.low > beta.score(ok, ok + missed + 1, mean).low


def test_it_starts_from_the_pool():
    assert beta.pooled(0, 0) == pytest.approx(0.7)
    assert beta.pooled(93, 90 + 10) == pytest.approx(100 / 110)
    assert beta.score(0, 0, 0.8).mean == pytest.approx(0.8)


@pytest.mark.parametrize(("ok", "n", "tier"), [(0, 0, 0), (6, 10, 0), (11, 12, 1), (18, 19, 1), (40, 41, 2), (12, 40, 0)])
def test_it_gives_a_tier(ok, n, tier):
    assert beta.tier(beta.score(ok, n, 0.8)) == tier


def test_it_trusts_nobody_on_few_golds():
    assert beta.tier(beta.Score(19, 0.95, 0.90, 0.99)) == 1
    assert beta.tier(beta.Score(20, 0.95, 0.80, 0.99)) == 2
    assert beta.tier(beta.Score(900, 0.70, 0.6499, 0.75)) == 0
