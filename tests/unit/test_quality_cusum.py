"""Pausing: the recursion and its closed form are one, and the operating curve is as promised."""

from __future__ import annotations

import math
import random
import statistics
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.quality import cusum

STREAMS = 20_000
GOLDS = st.lists(st.booleans(), max_size=200)


def stream(draw: random.Random, accuracy: float, length: int) -> list[bool]:
    return [draw.random() < accuracy for _ in range(length)]


def paused(accuracy: float, within: int) -> float:
    """The share of experts of that accuracy who are paused within so many golds."""
    draw = random.Random(f"{accuracy} {within}")
    return sum(cusum.alarm(stream(draw, accuracy, within)) is not None for _ in range(STREAMS)) / STREAMS


def test_it_steps_by_the_likelihood_ratio():
    assert cusum.step(True) == pytest.approx(-0.268263986594679)
    assert cusum.step(False) == pytest.approx(0.847297860387204)
    with pytest.raises(ValueError, match="good"):
        cusum.step(True, good=0.6, bad=0.7)


@settings(deadline=None)
@given(GOLDS)
def test_it_is_the_same_step_by_step_and_in_closed_form(golds):
    one_by_one = list(accumulate(golds, cusum.advance, initial=0.0))[1:]
    assert cusum.levels(golds) == pytest.approx(one_by_one, abs=1e-9)


@settings(deadline=None)
@given(GOLDS)
def test_it_is_never_below_zero_and_alarms_at_its_limit(golds):
    levels = cusum.levels(golds)
    assert all(level >= 0 for level in levels)
    assert cusum.alarm(golds) == next((n for n, level in enumerate(levels) if level >= cusum.ALARM), None)


@settings(deadline=None)
@given(GOLDS)
def test_it_begins_the_change_after_the_last_zero(golds):
    since = cusum.changed(golds)
    levels = list(accumulate(golds, cusum.advance, initial=0.0))
    assert levels[since] == 0
    assert all(level > 0 for level in levels[since + 1 :])


def test_it_never_pauses_for_one_miss():
    assert cusum.alarm([False] * 4) is None
    assert cusum.alarm([False] * 5) == 4
    assert cusum.changed([True] * 30 + [False] * 5) == 30


def test_it_leaves_the_good_at_work():
    assert paused(0.90, within=200) <= 0.02


def test_it_pauses_the_bad():
    assert paused(0.60, within=50) >= 0.95


def test_it_notices_a_fall():
    """The median delay after a change from .90 to .55, of those who were at work until then."""
    draw, delays = random.Random(4), []
    while len(delays) < STREAMS:
        at = cusum.alarm(stream(draw, 0.90, 60) + stream(draw, 0.55, 60))
        if at is None or at >= 60:
            delays.append(math.inf if at is None else at - 60 + 1)
    assert statistics.median(delays) <= 16
