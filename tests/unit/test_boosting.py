"""When a project is boosted before its deadline, and when that ends."""

from __future__ import annotations

import pytest

from claimcheck.forecasts.boosting import BOOST, Due, wanted


@pytest.mark.parametrize(
    ("hours_left", "items", "chance", "boost", "then"),
    [
        (10.0, 90, 0.49, 1.0, 1.0),
        (10.0, 90, 0.5, 1.0, BOOST),  # it would sooner miss its deadline than keep it
        (-1.0, 5, 1.0, 1.0, BOOST),  # late already
        (1.0, 0, None, 1.0, 1.0),  # nothing is open
        (5.0, 10, None, 1.0, 1.0),
        (3.9, 10, None, 1.0, BOOST),  # nobody has ever worked at it, and less than four hours are left
        (10.0, 90, 0.3, BOOST, BOOST),  # not let go of as soon as it would do
        (14.0, 90, 0.2, BOOST, 1.0),
        (14.0, 0, None, BOOST, 1.0),
    ],
)
def test_it_boosts_what_is_about_to_be_late(hours_left: float, items: int, chance: float | None, boost: float, then: float) -> None:
    assert wanted(Due(1, boost, hours_left), chance=chance, open_items=items) == then
