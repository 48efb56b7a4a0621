"""Comparing looks: every kind of answer in its own way, and Krippendorff's alpha."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.quality import agreement, alpha


@pytest.mark.parametrize("kind", ["verdict", "preference"])
def test_it_settles_by_more_than_half(kind):
    assert agreement.agreed(kind, ["left", "right", "left"]) == "left"
    assert agreement.agreed(kind, ["left", "right"]) is None
    assert agreement.agreed(kind, ["left", "left", "right", "tie"]) is None


@pytest.mark.parametrize(
    ("grades", "tolerance", "settled"),
    [([3, 3], 0, 3), ([3, 4], 0, None), ([3, 4], 1, 3), ([2, 3, 4], 1, 3), ([1, 3, 4], 1, None), ([5], 0, 5), ([0, 0, 1], 1, 0)],
)
def test_it_settles_grades_by_the_median(grades, tolerance, settled):
    assert agreement.agreed("grade", grades, tolerance) == settled


@pytest.mark.parametrize(
    ("chosen", "settled"),
    [
        ([["a", "b"], ["a", "b"]], ["a", "b"]),
        ([["a"], ["b"]], None),
        ([["a", "b"], ["a"], ["a", "c"]], ["a"]),
        ([[], []], []),
        ([["a"], [], []], []),
        ([["a", "b"], ["b", "c"], ["a", "c"]], ["a", "b", "c"]),
    ],
)
def test_it_settles_choices_by_what_a_majority_holds(chosen, settled):
    assert agreement.agreed("choices", chosen) == settled


def test_it_settles_nothing_without_looks():
    assert agreement.agreed("verdict", []) is None
    assert agreement.comparable("choices", ["b", "a"]) == agreement.comparable("choices", ["a", "b"])


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_it_measures_what_sets_share(one, other):
    found = agreement.jaccard(one, other)
    assert found == agreement.jaccard(other, one)
    assert 0 <= found <= 1
    assert (found == 1) == (one == other)


def by_pairs(tasks: list[list[str]]) -> float | None:
    """Alpha as it is defined: pairs within a task, each weighing 1 / (looks - 1), against pairs over all answers."""
    units = [t for t in tasks if len(t) > 1]
    every = [a for t in units for a in t]
    apart = sum(a != b for a, b in itertools.permutations(every, 2))
    if not apart:
        return None
    within = sum(sum(a != b for a, b in itertools.permutations(t, 2)) / (len(t) - 1) for t in units)
    return 1 - (within / len(every)) / (apart / (len(every) * (len(every) - 1)))


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=8))
def test_it_is_krippendorffs_alpha(tasks):
    assert alpha.nominal(tasks) == (None if (found := by_pairs(tasks)) is None else pytest.approx(found))


def test_it_says_undefined():
    assert alpha.nominal([]) is None
    assert alpha.nominal([["a"], ["b"]]) is None
    assert alpha.nominal([["a", "a"], ["a", "a"]]) is None
    assert alpha.nominal([["a", "a"], ["b", "b"]]) == 1
    assert alpha.nominal([["a", "b"], ["a", "b"]]) == pytest.approx(-0.5)
