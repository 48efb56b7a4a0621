"""How many of a finite list are wrong at most, when a random sample of it was looked at: exact, from the hypergeometric distribution."""

from __future__ import annotations

from fractions import Fraction
from math import comb

FIRST = Fraction(4, 5)  # of the doubt that is allowed, for the first draw; each further one has the same share of what is left


def of_draw(confidence: float, nth: int) -> Fraction:
    """The confidence to ask of the nth sample that is drawn for the same items, so that all of them together are wrong no more often than allowed.

    The doubt of each is its part of a series that sums to what is allowed; by Bonferroni's inequality the chance that any one misleads is at most
    the sum, whenever somebody stops (Lan and DeMets, Discrete Sequential Boundaries for Clinical Trials, Biometrika 70, 1983, call it spending).
    0: drawn before draws were counted, so the whole of it.
    """
    doubt = 1 - Fraction(str(confidence))
    return 1 - (doubt * FIRST * (1 - FIRST) ** (nth - 1) if nth else doubt)


def upper_wrong(population: int, sample: int, wrong: int, confidence: float | Fraction) -> int:
    """The most that may be wrong in the whole list, with at least this confidence, where `wrong` of the `sample` were.

    The largest D with P(X ≤ wrong) > 1 − confidence, X hypergeometric: `sample` drawn without replacement from `population`, D of them wrong.
    That is the exact one-sided bound by inverting the test (Wright, Exact Confidence Bounds when Sampling from Small Finite Universes,
    Springer 1991, chapter 2; Buonaccorsi, The American Statistician 41, 1987); integers throughout, so nothing is rounded.
    """
    if not 0 <= wrong <= sample <= population:
        raise ValueError(f"{wrong} wrong of {sample} of {population}")
    limit = (1 - Fraction(str(confidence))) * comb(population, sample)
    low, high = wrong, population - (sample - wrong)
    while low < high:  # P(X ≤ wrong) falls as D grows
        middle = (low + high + 1) // 2
        if holding_at_most(population, sample, wrong, middle) > limit:
            low = middle
        else:
            high = middle - 1
    return low


def holding_at_most(population: int, sample: int, wrong: int, bad: int) -> int:
    """Samples that hold at most `wrong` of `bad`."""
    return sum(comb(bad, i) * comb(population - bad, sample - i) for i in range(min(wrong, bad) + 1))


def upper_rest(population: int, sample: int, wrong: int, confidence: float | Fraction) -> int:
    """The most that may be wrong of those that were not looked at."""
    return upper_wrong(population, sample, wrong, confidence) - wrong


def needed(population: int, tolerate: int, at_most: float, confidence: float | Fraction) -> int:
    """The smallest sample which, with `tolerate` wrong in it, still bounds the share of wrong ones in the rest by `at_most`; all, where none does.

    A sample is big enough where one wrong item more than the rest may hold would have shown too seldom. Whether it is does not quite rise
    with its size, since what the rest may hold is a whole number; so sizes are tried from the smallest on.
    """
    share, doubt = Fraction(str(at_most)), 1 - Fraction(str(confidence))
    for sample in range(tolerate, population):
        bad = int(share * (population - sample)) + tolerate + 1
        if bad > population - (sample - tolerate) or holding_at_most(population, sample, tolerate, bad) <= doubt * comb(population, sample):
            return sample
    return population
