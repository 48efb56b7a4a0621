"""The mathematics of forecasts: rates, ratios, bands, chances, what would help, and the report card."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from claimcheck.forecasts import estimate, judged, levers, ratios
from claimcheck.forecasts.estimate import Line
from claimcheck.forecasts.judged import Said
from claimcheck.forecasts.levers import Plan
from claimcheck.forecasts.ratios import INITIAL, Past

LINE = Line("kyc", False, 100, 100.0, 0.0, experts=2, rate=20.0)
PAST = [Past(n, n % 6, 1 + n / 100, 2 + n / 100) for n in range(100)]


def told(*lines: Line, items: int = 200, settled: int = 100, hours_left: float | None = None, past: list[Past] | None = None, before=None):
    return estimate.forecast(lines, items=items, settled=settled, past=past or [], looks_an_item=1.0, hours_left=hours_left, before=before)


def test_it_counts_from_the_first_look_and_weighs_recent_ones_more():
    assert estimate.rate([0] * 24) is None
    assert estimate.rate([5] + [0] * 23) == pytest.approx(20)  # all in the last quarter of an hour
    assert estimate.rate([5] * 24) == pytest.approx(20)
    fading, rising = estimate.rate([0] * 12 + [10] * 12), estimate.rate([10] * 12 + [0] * 11 + [1])
    assert fading is not None and rising is not None
    assert fading < 20 < rising < 40
    assert fading + estimate.rate([10] * 12 + [0] * 11 + [10]) == pytest.approx(40, rel=0.1)  # pyright: ignore[reportOperatorIssue]


def test_it_asks_for_the_extra_looks_that_items_take():
    assert estimate.still_wanted(tasks=10, wanted=20, had=5, looks_an_item=2.6) == pytest.approx(21)
    assert estimate.still_wanted(tasks=10, wanted=30, had=5, looks_an_item=2.6) == 25  # rules that changed ask for more than the last items took
    assert estimate.still_wanted(tasks=0, wanted=0, had=0, looks_an_item=2.6) == 0


def test_it_forecasts_both_95_percent_and_the_last_item_with_their_bands():
    found = told(LINE)
    assert (found.progress, found.bucket, found.line) == (0.5, 3, LINE)
    assert (found.raw_most, found.raw_last) == (pytest.approx(4.5), pytest.approx(5.0))
    assert found.most is not None and found.last is not None
    assert (found.most.point, found.most.low, found.most.high) == pytest.approx((4.5 * 1.6, 4.5 * 0.6, 4.5 * 3.0))
    assert (found.last.point, found.last.low, found.last.high) == pytest.approx((5 * 2.1, 5 * 0.8, 5 * 3.9))
    assert (found.state, found.miss_probability) == ("no_deadline", None)


def test_it_takes_the_slowest_skill_and_what_stands_before_a_batch():
    slow = replace(LINE, skill="seals", looks=10.0, ahead=40.0, rate=5.0)
    found = told(LINE, slow)
    assert (found.line, found.raw_last) == (slow, pytest.approx(10.0))
    assert told(LINE, replace(slow, looks=0.0)).raw_last == pytest.approx(5.0)  # nothing of its own waits there


def test_it_says_nothing_where_nobody_has_worked_but_for_what_leads_do():
    idle = replace(LINE, skill="seals", rate=None)
    found = told(LINE, idle, hours_left=5)
    assert (found.line, found.last, found.most, found.miss_probability, found.state) == (idle, None, None, None, "unknown")
    assert told(idle, hours_left=-1).state == "late"
    assert told(LINE, replace(idle, led=True)).raw_last == pytest.approx(5.0)
    assert told(replace(idle, led=True)).raw_last is None


def test_it_is_done_when_nothing_is_open():
    found = told(items=200, settled=200, hours_left=1)
    assert (found.progress, found.raw_last, found.miss_probability, found.state) == (1.0, 0.0, 0.0, "on_time")


def test_it_uses_its_own_ratios_once_twenty_came_to_their_end():
    few = [Past(n, 3, 9.0, 9.0) for n in range(19)]
    assert ratios.of(few, 3, "last") is INITIAL["last"]
    assert ratios.of([*few, Past(19, 3, 9.0, 9.0)], 3, "last").middle == 9.0
    assert ratios.of(PAST, 3, "most").middle == pytest.approx(1.51)  # 3, 9, … 99 of them
    thin = [p for p in PAST if p.bucket != 3 or p.ended < 30]  # five in the bucket
    assert ratios.of(thin, 3, "most").middle == pytest.approx(ratios.learned([p.most for p in thin if p.most]).middle)


@pytest.mark.parametrize("progress", [0, 0.149, 0.15, 0.5, 0.9, 1])
def test_it_puts_each_progress_in_a_bucket(progress: float):
    assert ratios.bucket(progress) == sum(progress >= edge for edge in (0.15, 0.3, 0.5, 0.7, 0.9))


def test_its_band_holds_eight_in_ten_of_what_comes_next():
    """Split conformal: whatever the distribution, of exchangeable ratios."""
    draw, held, n = random.Random(7), 0, 2000
    for _ in range(n):
        sample = [math.exp(draw.gauss(0.5, 0.9)) for _ in range(40)]
        found = ratios.learned(sample[:-1])
        held += found.low <= sample[-1] <= found.high
    assert 0.78 <= held / n <= 0.85


@pytest.mark.parametrize("by", [INITIAL["most"], INITIAL["last"], ratios.learned([p.last or 0 for p in PAST])])
def test_its_chances_agree_with_its_quantiles(by: ratios.Ratios):
    assert [by.chance_above(r) for r in (by.low * 0.999, by.middle, by.high)] == pytest.approx([0.9, 0.5, 0.1], abs=0.02)
    assert by.chance_above(1e-9) > 0.99 and by.chance_above(1e9) < 0.01
    assert by.chance_above(by.above(0.2)) == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize(
    ("chance", "before", "state"),
    [
        (0.19, None, "on_time"), (0.2, "on_time", "at_risk"), (0.8, "at_risk", "late"),
        (0.5, "late", "late"), (0.39, "late", "at_risk"), (0.11, "at_risk", "at_risk"), (0.09, "late", "on_time"),
        (None, "late", "unknown"), (0.15, "unknown", "on_time"),
    ],
)  # fmt: skip
def test_it_leaves_a_state_only_when_the_chance_is_half_of_what_brought_it(chance, before, state):
    assert estimate.state(chance, 3.0, before) == state


def test_it_says_how_many_experts_more_or_items_fewer_would_do():
    found = told(LINE, hours_left=8.0)  # 5 raw hours
    assert found.state == "at_risk" or found.state == "late"
    would = levers.would_help(found, hours_left=8.0, open_items=100, past=[])
    assert would.skill == "kyc" and would.experts and would.items
    more = replace(LINE, experts=2 + would.experts, rate=10.0 * (2 + would.experts))
    fewer = replace(LINE, looks=100.0 - would.items, items=100 - would.items)
    almost = replace(LINE, experts=1 + would.experts, rate=10.0 * (1 + would.experts))
    chances = [told(line, hours_left=8.0).miss_probability for line in (more, fewer, almost)]
    assert chances[0] <= 0.2001 and chances[1] <= 0.2001 and chances[2] > 0.2  # pyright: ignore[reportOptionalOperand]
    assert levers.would_help(told(LINE, hours_left=100), hours_left=100, open_items=100, past=[]) == levers.NOTHING
    assert levers.would_help(told(LINE, hours_left=-1), hours_left=-1, open_items=100, past=[]) == levers.NOTHING


def test_where_leads_are_slowest_it_asks_for_leads_and_a_plan_moves_them():
    led = replace(LINE, led=True, looks=8.0, items=8, experts=1, rate=1.0)
    would = levers.would_help(told(led, hours_left=8.0), hours_left=8.0, open_items=100, past=[])
    assert would.leads and would.experts and not levers.would_help(told(LINE, hours_left=8.0), hours_left=8.0, open_items=100, past=[]).leads
    rest: dict[str, Any] = {"price": 10, "items": 200, "settled": 100, "past": [], "looks_an_item": 1.0, "hours_left": None}
    raw = [levers.moved([LINE, led], plan, **rest).raw_last for plan in (Plan({"kyc": 4}), Plan({}, leads={"kyc": 4}), Plan({}, price=20))]
    assert raw == [pytest.approx(8), pytest.approx(5), pytest.approx(8)]


def test_a_plan_moves_the_dates_by_experts_price_and_scope():
    def raw(**plan) -> float | None:
        return levers.moved(
            [LINE], Plan(**{"experts": {}, **plan}), price=10, items=200, settled=100, past=[], looks_an_item=1.0, hours_left=None
        ).raw_last

    assert raw() == pytest.approx(5)
    assert raw(experts={"kyc": 4}) == pytest.approx(2.5)
    assert raw(experts={"kyc": 0}) is None
    assert raw(items=150) == pytest.approx(2.5) and raw(items=400) == pytest.approx(15)
    assert raw(price=20) == pytest.approx(5 / 2**0.1) and raw(price=20, elasticity=1.0) == pytest.approx(2.5)
    assert levers.cost([LINE], 12) == 1200


def test_its_report_card_is_of_what_was_said_and_what_happened():
    said = [Said(1, 0, 10, 5, 20, 10), Said(1, 3, 10, 5, 20, 40), Said(2, 3, 5, 4, 8, 10), Said(3, 5, 1, 1, 1, 0)]
    card = judged.card(said)
    assert card is not None
    assert (card.forecasts, card.finished, card.error, card.bias, card.coverage, card.width) == (3, 2, 0.5, 0.5, pytest.approx(1 / 3), 4)
    assert {b: c.forecasts for b, c in judged.by_bucket(said).items()} == {0: 1, 3: 2}
    assert judged.card([]) is None
