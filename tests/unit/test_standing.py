"""What a gold makes of a person's standing: exam, alarm, extra golds, promotion."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimcheck.experts.standing import EXTRA, Standing, after, gold_every

NEW = Standing("exam", 0, False, False, 0, 0.05, 0.2)
WORKING = replace(NEW, status="active")


def run(now: Standing, golds: str) -> tuple[Standing, list[str]]:
    said = []
    for right in golds:
        found = after(now, correct=right == "1", pooled=0.8)
        now = found.standing
        if found.said:
            said.append(found.said)
    return now, said


def test_an_exam_that_goes_well_ends_in_work_as_a_novice() -> None:
    passed, said = run(NEW, "1" * 9)
    assert (passed.status, passed.novice, passed.exam_n) == ("active", True, 9)
    assert "passed the entry exam: 9 of 9" in said[0]


def test_an_exam_that_goes_badly_ends_in_a_pause() -> None:
    failed, said = run(NEW, "0" * 3)
    assert failed.status == "paused"
    assert "not enough" in said[0]


def test_an_exam_does_not_move_the_cusum() -> None:
    assert run(NEW, "0")[0].level == 0


def test_one_miss_pauses_nobody() -> None:
    for misses in ("0", "00", "000"):
        assert run(WORKING, misses)[0].status == "active"


def test_too_many_misses_ask_for_extra_golds() -> None:
    paused, said = run(WORKING, "0" * 5)
    assert (paused.status, paused.extra_left, paused.level, paused.alarms) == ("soft_paused", EXTRA, 0, 1)
    assert "Finish what you hold" in said[0]


@pytest.mark.parametrize(("extra", "status"), [("11111", "active"), ("11110", "active"), ("11100", "paused"), ("00000", "paused")])
def test_four_right_of_five_extra_golds_lift_the_pause(extra: str, status: str) -> None:
    soft, _ = run(WORKING, "0" * 5)
    after_extra, said = run(soft, extra)
    assert after_extra.status == status
    assert f"{extra.count('1')} of the 5 golds" in said[-1]


def test_a_second_alarm_pauses() -> None:
    lifted, _ = run(WORKING, "0" * 5 + "1" * 5)
    assert run(lifted, "0" * 5)[0].status == "paused"


def test_gold_is_seldom_once_thirty_are_known() -> None:
    assert gold_every(replace(WORKING, n=29)) == 5
    assert gold_every(replace(WORKING, n=30)) == 20
    assert gold_every(replace(WORKING, n=30, alarms=1)) == 10
    assert gold_every(replace(WORKING, n=30, gold_rate=0.0)) == 0


def test_a_novice_is_one_until_thirty_golds() -> None:
    now = replace(WORKING, novice=True, n=28, ok=28)
    now = after(now, correct=True, pooled=0.8).standing
    assert now.novice
    assert not after(now, correct=True, pooled=0.8).standing.novice


def test_the_bound_promotes_and_sets_back_unless_the_tier_is_pinned() -> None:
    assert run(WORKING, "1" * 30)[0].tier == 2
    good = replace(WORKING, tier=2, ok=20, n=30)
    assert after(good, correct=False, pooled=0.7).standing.tier < 2
    assert run(replace(WORKING, tier=3, pinned=True), "1" * 30)[0].tier == 3
