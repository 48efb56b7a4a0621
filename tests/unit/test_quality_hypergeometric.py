"""The bound of a batch decision: right by counting, honest by chance, and never met by looking until it suits."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest

from claimcheck.quality.hypergeometric import needed, of_draw, upper_rest, upper_wrong


@pytest.mark.parametrize(("population", "sample"), [(8, 3), (9, 5), (7, 7), (6, 0)])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_it_is_what_counting_every_sample_gives(population: int, sample: int, confidence: float):
    def seldom(bad: int, wrong: int) -> bool:
        drawn = [sum(n < bad for n in one) for one in combinations(range(population), sample)]
        return sum(x <= wrong for x in drawn) / len(drawn) <= 1 - confidence + 1e-12

    for wrong in range(sample + 1):
        possible = [bad for bad in range(wrong, population - sample + wrong + 1) if not seldom(bad, wrong)]
        assert upper_wrong(population, sample, wrong, confidence) == max(possible, default=wrong)


@pytest.mark.parametrize(("population", "sample", "confidence"), [(60, 20, 0.95), (200, 60, 0.9)])
def test_it_covers_the_truth_as_often_as_it_says(population: int, sample: int, confidence: float):
    """For every number of wrong items, the samples whose bound holds it are at least that share of all; by exact counts."""
    bounds = [upper_wrong(population, sample, wrong, confidence) for wrong in range(sample + 1)]
    for bad in range(population + 1):
        held = sum(comb(bad, x) * comb(population - bad, sample - x) for x in range(min(bad, sample) + 1) if bounds[x] >= bad)
        assert held >= confidence * comb(population, sample)


@pytest.mark.parametrize(("population", "tolerate", "size"), [(1000, 0, 161), (1000, 1, 249), (300, 0, 189), (20, 0, 19), (1, 0, 1), (0, 0, 0), (5, 5, 5)])
def test_it_asks_for_the_smallest_sample_that_is_enough(population: int, tolerate: int, size: int):
    assert needed(population, tolerate, 0.02, 0.95) == size
    for sample in range(tolerate, size + 1):
        enough = upper_rest(population, sample, min(tolerate, sample), 0.95) <= 0.02 * (population - sample)
        assert enough == (sample == size), f"{sample} of {population}"


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_all_draws_together_mislead_no_more_often_than_one_may(confidence: float):
    doubts = [1 - of_draw(confidence, nth) for nth in range(1, 40)]
    assert sum(doubts) < 1 - of_draw(confidence, 0) and doubts == sorted(doubts, reverse=True)


def test_it_refuses_what_can_not_be():
    with pytest.raises(ValueError, match="3 wrong of 2"):
        upper_wrong(10, 2, 3, 0.95)
