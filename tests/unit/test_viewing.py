"""What is unusual in somebody's looking: against their own days, against their peers', by the hour."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from claimcheck.access import viewing
from claimcheck.access.viewing import Day

TODAY = date(2026, 11, 30)


def days(*items: int, hours: tuple[int, ...] = (9, 10, 11, 14)) -> list[Day]:
    return [Day(TODAY - timedelta(days=n), 4 * i, i, {str(hour): i for hour in hours}) for n, i in enumerate(items, 1)]


@pytest.mark.parametrize(
    ("past", "peers", "today", "much"),
    [
        ((40, 50, 60, 50, 40), 45.0, 151, True),  # three times their 50 and their peers' 45
        ((40, 50, 60, 50, 40), 45.0, 150, False),
        ((40, 50, 60, 50, 40), 60.0, 151, False),  # others look at as many
        ((1, 2, 1, 2, 1), 1.0, 20, False),  # never under twenty
        ((1, 2, 1, 2, 1), 1.0, 21, True),
        ((50, 50), 10.0, 31, True),  # too few days of their own: peers alone say
        ((50, 50), None, 5000, False),  # nothing is known
    ],
)
def test_it_marks_a_day_that_is_much_by_every_measure(past: tuple[int, ...], peers: float | None, today: int, much: bool) -> None:
    assert viewing.usual(days(*past), peers).much(Day(TODAY, today, today, {})) is much


def test_it_marks_an_hour_in_which_somebody_is_rarely_here() -> None:
    usual = viewing.usual([*days(40, 50, 60, 50, 40), Day(TODAY - timedelta(days=9), 1, 1, {"3": 1})], None)
    assert [hour for hour in range(24) if not usual.odd(datetime(2026, 11, 30, hour, 59, tzinfo=UTC))] == [9, 10, 11, 14]
    assert not viewing.usual(days(40, 50), None).odd(datetime(2026, 11, 30, 3, tzinfo=UTC)), "too few days to say"
