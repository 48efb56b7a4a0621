"""Words that depend on a number: one expert is not several, and an interval that leaves everything open is no measurement."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from claimcheck.datasets.retractions import Author
from claimcheck.forecasts import letters
from claimcheck.triage.actions import Action
from claimcheck.web import batch_words, dataset_words, item_actions, overturn_words


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


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("10 to 100", "10 to 100 EUR"),
        ("under 100", "10 to 100 EUR"),
        ("under 10", "0 to 10 EUR"),
        ("-1000 to 10000", "−1\u202f000 to −10\u202f000 EUR"),
        ("-0 to 1", "0 to −1 EUR"),
        ("0", "no variance"),
        ("of somebody's own", "of somebody's own"),
    ],
)
def test_it_says_a_band_of_amounts_in_one_way_however_it_is_kept(kept: str, said: str) -> None:
    assert batch_words.band_words(kept, "EUR") == said


@pytest.mark.parametrize(
    ("state", "members", "done", "me", "said"),
    [
        ("done", 3, 3, 1, ("done", "ok")),
        ("done", 3, 1, 1, ("done in part", "ask")),
        ("done", 1, 0, 1, ("nothing done", "no")),
        ("listed", 2, 0, 1, ("waits for you", "ask")),
        ("listed", 2, 0, 2, ("waits for Chi", "ask")),
        ("listed", 0, 0, 1, ("nothing fits", "")),
    ],
)
def test_an_action_that_did_nothing_is_no_success_and_waits_for_who_asked(state: str, members: int, done: int, me: int, said: tuple[str, str]) -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    one = Action(1, "cancel", {}, "", None, state, members, members, done, at, "Chi", None, 1, False)
    assert item_actions.action_state(one, me) == said


def test_nobody_is_asked_for_an_overturn_of_nothing() -> None:
    assert overturn_words.overturn_state("listed", 0) == ("nothing to overturn", "")
    assert overturn_words.overturn_state("listed", 3) == ("not asked for yet", "ask")
