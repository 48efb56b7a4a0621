"""The entry exam: its bounds, its end, and whom it passes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.quality import exam

SITTINGS = 5_000


def sit(draw: random.Random, accuracy: float) -> tuple[exam.Result, int]:
    ok = 0
    for n in range(1, exam.LONGEST + 1):
        ok += draw.random() < accuracy
        if (found := exam.result(ok, n)) != "more":
            return found, n
    raise AssertionError("the exam has no end")


def passing(accuracy: float) -> float:
    draw = random.Random(f"exam {accuracy}")
    return sum(sit(draw, accuracy)[0] == "pass" for _ in range(SITTINGS)) / SITTINGS


def test_it_weighs_each_gold():
    assert exam.evidence(1, 1) == pytest.approx(0.348306694268216)
    assert exam.evidence(0, 1) == pytest.approx(-0.980829253011726)


@pytest.mark.parametrize(("ok", "n", "result"), [(0, 0, "more"), (8, 8, "more"), (9, 9, "pass"), (0, 2, "more"), (0, 3, "fail"), (12, 13, "pass")])
def test_it_ends_early(ok, n, result):
    assert exam.result(ok, n) == result


def test_it_decides_at_the_longest_by_the_nearer_bound():
    found = [exam.result(ok, 25) for ok in range(26)]
    assert "more" not in found
    assert found == sorted(found)  # "fail" until it is "pass"
    assert found.index("pass") == 19


@settings(deadline=None)
@given(st.integers(0, 24), st.integers(0, 24))
def test_it_never_fails_for_one_more_right(ok, missed):
    order = ["fail", "more", "pass"]
    if ok + missed < 24:
        assert order.index(exam.result(ok + 1, ok + missed + 1)) >= order.index(exam.result(ok, ok + missed + 1))


def test_it_refuses_more_right_than_asked():
    with pytest.raises(ValueError, match="golds"):
        exam.result(3, 2)


def test_it_passes_the_able_and_fails_the_unable():
    assert passing(0.85) >= 0.90
    assert passing(0.90) >= 0.97
    assert passing(0.60) <= 0.13
    assert passing(0.50) <= 0.03
