"""What the control room reckons with: lifts and bounds that chance does not fool, the pace of a backlog, and charts that say what their tables say."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from claimcheck import canonical
from claimcheck.control import facets, gaps, guidance, trends, worth
from claimcheck.control.figures import Hour, Leases
from claimcheck.control.gaps import Group
from claimcheck.quality.lift import lift
from claimcheck.web import charts
from claimcheck.web.charts import Series

NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)


def test_it_gives_a_published_ratio_and_exact_bounds():
    """The Physicians' Health Study (NEJM 321, 1989): 104 infarctions of 11,037 on aspirin, 189 of 11,034 without: 1.82. Clopper and Pearson's
    95 % interval of 10 of 20 is 0.272 to 0.728."""
    assert lift(189, 11_034, 104, 11_037, error=0.025).ratio == pytest.approx(1.82, abs=0.01)
    assert lift(10, 20, 10, 20, error=0.05).low == pytest.approx(0.272 / 0.728, abs=0.002)
    assert lift(0, 5, 0, 5, error=0.05).low == 0 and lift(5, 5, 5, 5, error=0.05).low < 1


@pytest.mark.parametrize("given", [(1, 0, 0, 1), (2, 1, 0, 1), (0, 1, 2, 1), (-1, 1, 0, 1)])
def test_it_refuses_shares_that_are_none(given: tuple[int, int, int, int]):
    with pytest.raises(ValueError):
        lift(*given, error=0.05)


def groups(chance: random.Random, share: float, special: float) -> list[Group]:
    """A project of forty groups of fifty items; in the first one items go wrong with another probability."""
    hits = [sum(chance.random() < (special if n == 0 else share) for _ in range(50)) for n in range(40)]
    made = [Group(1, "counterparty", str(n), 50, g, 0, g, 0, 0, [], 40) for n, g in enumerate(hits)]
    return [Group(1, "", "", 2000, sum(hits), 0, sum(hits), 0, 0, [], 40), *made]


def shown(found: list[Group]) -> list[str]:
    return [str(row["value"]) for row in gaps.standing_out(found) if row["feature"]]


def test_it_takes_no_noise_for_a_pattern_and_sees_one():
    chance = random.Random(5)
    false = sum(bool(shown(groups(chance, 0.1, 0.1))) for _ in range(150))
    assert false / 150 <= 0.08, "5 % of such projects may show something"
    assert sum("0" in shown(groups(chance, 0.1, 0.45)) for _ in range(20)) >= 18


def test_it_compares_no_group_that_is_the_whole_project():
    assert not shown([Group(1, "", "", 9, 9, 0, 9, 0, 0, [], 1), Group(1, "queue", "review", 9, 9, 0, 9, 0, 0, [], 1)])


def test_it_reads_of_a_payload_what_its_facets_name_if_that_is_short():
    given = {"a/b": {"~": [1, {"": True}]}, "amount": canonical.Number("1E2"), "money": "-12.50", "date": "12.5.2026", "text": " so \n it is ", "long": "x" * 61}
    odd = {"void": None, "empty": " ", "inside": {"x": 1}, "huge": 10**15, "zip": "0042"}
    pointers = ["/a~1b/~0/0", "/a~1b/~0/1/", "/a~1b/~0/00", "/a~1b/~0/7", "/amount", "/money", "/date", "/text", "/long", "/no/way", *(f"/{n}" for n in odd)]
    found = {"/a~1b/~0/0": 1, "/a~1b/~0/1/": "true", "/amount": 100, "/money": Decimal("-12.50"), "/date": "12.5.2026", "/text": "so it is", "/zip": "0042"}
    assert facets.read(given | odd, pointers) == found
    assert facets.read({"a": "12.50"}, ["/a"])["/a"].text == "12.50"


@pytest.mark.parametrize(
    ("same", "overturned", "n", "so"),
    [(199, 0, 199, False), (200, 0, 200, True), (1000, 8, 1000, True), (1000, 30, 1000, False), (960, 0, 1000, False), (0, 0, 0, False)],
)
def test_it_calls_worth_automating_what_is_foreseen_and_stands(same: int, overturned: int, n: int, so: bool):
    assert worth.automating(same, overturned, n) is so


def test_its_bound_is_as_published():
    """Jeffreys' one-sided 95 % bound for 20 of 20, from R: qbeta(0.05, 20.5, 0.5) = 0.9092."""
    assert worth.bound(20, 0, 20) == pytest.approx(0.909, abs=0.001)


def hour(ago: int, arrived: int = 0, settled: int = 0, left: int | None = None) -> Hour:
    return Hour(NOW.replace(minute=0) - timedelta(hours=ago), arrived, settled, 0, left)


def test_it_reckons_when_a_backlog_is_done():
    assert trends.pace([hour(30, 500, 0, 900), hour(5, 10, 34, 80), hour(0, 0, 0, 72)], NOW).hours_left == 72
    assert trends.pace([hour(1, 10, 10, 5)], NOW).hours_left is None
    assert trends.pace([], NOW) == trends.Pace(0, 0, 0)


def test_it_leaves_no_span_out_and_carries_on_what_is_open():
    spans = trends.spans([hour(20, 4, 1, 7), hour(0, 1, 2, 6)], NOW)
    assert len(spans) == 28 and sum(s.arrived for s in spans) == 5 and sum(s.settled for s in spans) == 3
    assert [s.open for s in spans[-5:]] == [None, 7, 7, 7, 6]


def test_it_tells_this_week_from_those_before():
    today = date(2026, 11, 30)
    rows = [Leases(today - timedelta(days=d), n, tasks) for d, n, tasks in ((10, 1, 9), (10, 3, 1), (0, 1, 1), (0, 6, 1))]
    assert trends.drift(rows, today) == trends.Drift(0.5, 0.1)
    assert trends.drift([], today) == trends.Drift(None, None)


def test_a_chart_says_what_its_table_says():
    chart = charts.columns("what", ["a", "b"], [Series("x", "x", [3, None]), Series("y", "y", [1, 4])], line=Series("z", "z", [None, 50]))
    assert chart.rows == [("a", ["3", "1", "–"]), ("b", ["–", "4", "50"])]
    heights = [(r.shape, round(r.height * 4 / chart.height)) for r in chart.rects]
    assert heights == [("x", 3), ("y", 1), ("y", 4)] and all(r.y >= 0 and r.y + r.height <= chart.height + 0.1 for r in chart.rects)
    assert chart.line.count(",") == 1
    beside = charts.columns("what", ["a"], [Series("x", "x", [3]), Series("y", "y", [1])], stacked=False)
    assert beside.rects[0].x + beside.rects[0].width <= beside.rects[1].x + 0.1


@pytest.mark.parametrize("most", [0, 0.3, 1, 2, 7, 99, 100, 101, 1499, 7_000_001])
def test_a_scale_has_room_for_the_most(most: float):
    assert most <= charts.scale_top(most) <= max(1, 2 * most)
    assert not charts.columns("none", [], []).rects and charts.meter(most, 0) == 0


def test_it_compares_two_texts_line_by_line_in_no_time():
    assert [(line.mark, line.text) for line in guidance.compare("a\nb", "a\nc")] == [("same", "a"), ("removed", "b"), ("added", "c")]
    assert len(guidance.compare("a\n" * 5000, "b\n" * 5000)) == 10_000
