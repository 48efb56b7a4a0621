"""Words that depend on a number: one expert is not several, and an interval that leaves everything open is no measurement."""

from __future__ import annotations

from typing import Any

import pytest

from claimcheck import letters
from claimcheck.datasets.retractions import Author
from claimcheck.web import dataset_words


@pytest.mark.parametrize(
    ("experts", "items", "said"),
    [
        (1, 1, ["1 more expert of “Polish” at work", "1 item fewer"]),
        (2, 1500, ["2 more experts of “Polish” at work", "1,500 items fewer"]),
        (None, None, []),
    ],
)
def test_it_counts_what_would_help(experts: int | None, items: int | None, said: list[str]) -> None:
    helps: dict[str, Any] = {"experts": experts, "items": items, "skill": "Polish"}
    assert letters._ways(helps) == said


@pytest.mark.parametrize(("low", "high", "said"), [(None, None, "not measured"), (0.0, 1.0, "not measured"), (0.05, 1.0, "5%–100% right on gold")])
def test_it_calls_nothing_measured_that_is_not(low: float | None, high: float | None, said: str) -> None:
    assert dataset_words.share(Author(1, "Ada", "reviewer", "active", low, high)) == said
