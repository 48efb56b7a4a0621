"""Weights: from counts, drawn to the mean as far as voters are alike."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.quality import weights
from claimcheck.quality.posterior import Vote
from claimcheck.quality.weights import Counts

ADA, BEN, CHI = Vote("a", 0.9), Vote("a", 0.6), Vote("b", 0.6)
COUNTS = st.builds(lambda g, o, p, a: Counts("Ada", g, min(g, o), p, min(p, a)), *[st.integers(0, 300)] * 4)


def crowd(accuracies: list[float], n: int = 60) -> list[Counts]:
    draw = random.Random(7)
    return [Counts(person, n, sum(draw.random() < p for _ in range(n))) for person, p in enumerate(accuracies)]


def test_it_judges_a_look_by_the_others_alone():
    assert weights.peers([ADA, BEN, CHI], 2) == [(1, 1), (1, 1), (1, 0)]
    assert weights.peers([BEN, CHI], 2) == [(1, 0), (1, 0)]
    assert weights.peers([ADA], 2) == [(0, 0)]
    assert weights.peers([Vote("b", 0.9), BEN, BEN], 2) == [(1, 0), (1, 0), (1, 0)]


def test_it_takes_the_contrary_of_who_is_mostly_wrong():
    assert weights.peers([Vote("a", 0.1), CHI], 2) == [(1, 0), (1, 1)]


def test_it_draws_those_who_are_alike_together():
    alike, unlike = crowd([0.75] * 40), crowd([0.55, 0.95] * 20)
    assert weights.strength(alike) > 10 * weights.strength(unlike)
    found = weights.weights(alike).values()
    assert max(found) - min(found) < 0.1
    assert weights.weights(unlike)[1] - weights.weights(unlike)[0] > 0.25


def test_it_knows_nothing_of_three_answers():
    assert weights.strength([Counts("Ada", 3, 1)]) == weights.UNKNOWN
    assert weights.strength([]) == weights.UNKNOWN
    assert weights.mean([]) == pytest.approx(0.7)


@settings(deadline=None)
@given(st.lists(COUNTS, max_size=8), st.integers(2, 9))
def test_it_stays_within_its_bounds(everybody, classes):
    found = weights.weights(everybody, classes).values()
    assert all(weights.LEAST <= p <= weights.MOST for p in found)
    assert weights.WEAKEST <= weights.strength(everybody) <= weights.ALIKE
    assert 1 / classes < weights.mean(everybody, classes) <= 0.95


@given(COUNTS, st.floats(0.3, 0.9), st.floats(4, 500))
def test_it_rises_with_what_is_right_and_leaves_a_gold_out(counts, centre, worth):
    one = Counts("Ada", counts.gold_n + 1, counts.gold_ok + 1, counts.peer_n, counts.peer_ok)
    assert weights.weight(one, centre, worth) >= weights.weight(counts, centre, worth)
    assert weights.without(one, True, centre, worth) == pytest.approx(weights.weight(counts, centre, worth))


def test_it_holds_back_the_weak_but_never_a_crowd():
    able, unable = crowd([0.55, 0.95, 0.95, 0.95]), crowd([0.3] * 4)
    assert 0.55 < weights.floor(able, weights.weights(able)) <= 0.60
    found = weights.weights(unable)
    assert sum(p < weights.floor(unable, found) for p in found.values()) <= 1
    assert weights.floor([], {}) == 0
