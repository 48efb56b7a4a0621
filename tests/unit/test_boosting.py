"""When a project is boosted before its deadline, and when that ends."""

from __future__ import annotations

import pytest

from claimcheck.boosting import BOOST, Due, wanted


def due(hours_left: float, items: int, per_hour: float | None, boost: float = 1.0) -> Due:
    return Due(1, boost, hours_left, items, per_hour)


@pytest.mark.parametrize(
    ("now", "boost"),
    [
        (due(10.0, 90, 10.0), 1.0),  # nine hours of work in ten
        (due(9.2, 90, 10.0), BOOST),  # less than a quarter of an hour to spare
        (due(-1.0, 5, 10.0), BOOST),  # late already
        (due(1.0, 0, 10.0), 1.0),  # nothing is open
        (due(5.0, 10, None), 1.0),
        (due(4.0, 10, None), BOOST),  # nothing settled lately, and four hours are left
        (due(10.0, 90, 10.0, BOOST), BOOST),  # not let go of as soon as it would do
        (due(14.0, 90, 10.0, BOOST), 1.0),
    ],
)
def test_it_boosts_what_is_about_to_be_late(now: Due, boost: float) -> None:
    assert wanted(now) == boost
