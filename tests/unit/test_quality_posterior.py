"""What looks are worth together: Bayes' rule, the stop, the temperature, and whether weights help."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.quality import gains, posterior, temperature
from claimcheck.quality.posterior import Vote
from claimcheck.quality.temperature import Known

VOTES = st.lists(st.builds(Vote, st.sampled_from("abc"), st.floats(0.05, 0.97)), min_size=1, max_size=7)


def by_hand(votes: list[Vote], classes: int, prior: dict[str, float]) -> dict[str, float]:
    """Bayes' rule as it is written, over every class."""
    made = {k: prior[k] * math.prod(v.p if v.answer == k else (1 - v.p) / (classes - 1) for v in votes) for k in "abcdef"[:classes]}
    return {k: x / sum(made.values()) for k, x in made.items()}


@settings(deadline=None)
@given(VOTES, st.integers(3, 6), st.floats(0.05, 0.6))
def test_it_is_bayes_rule(votes, classes, first):
    prior = {k: first if k == "a" else (1 - first) / (classes - 1) for k in "abcdef"[:classes]}
    even = dict.fromkeys("abcdef", 1 / classes)
    assert posterior.posterior(votes, classes) == pytest.approx({v.answer: by_hand(votes, classes, even)[v.answer] for v in votes})
    if {v.answer for v in votes} == set("abcdef"[:classes]):
        assert posterior.posterior(votes, classes, prior=prior) == pytest.approx(by_hand(votes, classes, prior))


def test_it_knows_two_standard_experts():
    assert posterior.likeliest([Vote("yes", 0.85)] * 2, 2) == posterior.Belief("yes", pytest.approx(0.9698, abs=1e-4), 2)
    assert posterior.likeliest([Vote("yes", 0.75), Vote("no", 0.75), Vote("yes", 0.75)], 2).probability == pytest.approx(0.75)


@settings(deadline=None)
@given(VOTES, st.randoms())
def test_it_minds_no_order_and_cools_to_certainty(votes, draw):
    mixed = draw.sample(votes, len(votes))
    found = posterior.posterior(votes, 3)
    assert posterior.posterior(mixed, 3) == pytest.approx(found)
    assert max(posterior.posterior(votes, 3, temperature=2).values()) <= max(*found.values(), 1 - sum(found.values()), 0) + 1e-9
    assert sum(found.values()) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("looks", "sure", "then"), [(1, 0.99, "more"), (2, 0.80, "settle"), (2, 0.79, "more"), (4, 0.5, "more"), (5, 0.79, "cap"), (5, 0.8, "settle")]
)
def test_it_stops(looks, sure, then):
    assert posterior.stop(looks, sure) == then


def test_it_refuses_what_cannot_be():
    for votes, classes, t in ([], 2, 1.0), ([Vote("a", 0.8)], 1, 1.0), ([Vote("a", 0.8)], 2, 0.5):
        with pytest.raises(ValueError, match="classes"):
            posterior.posterior(votes, classes, t)


def golds(claimed: float, true: float, n: int) -> list[Known]:
    draw = random.Random(3)
    return [Known("a", [Vote("a" if draw.random() < true else "b", claimed)]) for _ in range(n)]


def test_it_finds_the_temperature_of_the_overconfident():
    """One vote that claims .95 and is right in r of n: T has to bring ln(19) down to ln(r / (n - r))."""
    known = golds(0.95, 0.75, 2000)
    right = sum(g.votes[0].answer == "a" for g in known)
    assert temperature.fit(known, 2) == pytest.approx(math.log(19) / math.log(right / (2000 - right)), abs=1e-3)


def test_it_leaves_the_modest_and_the_unknown_as_they_are():
    assert temperature.fit(golds(0.6, 0.95, 200), 2) == pytest.approx(1, abs=1e-3)
    assert temperature.fit(golds(0.95, 0.5, 29), 2) == 1


def test_it_says_where_weights_do_harm():
    won = Known("a", [Vote("a", 0.95), Vote("b", 0.55), Vote("b", 0.55)])
    lost = Known("b", won.votes)
    even = Known("a", [Vote("a", 0.7), Vote("b", 0.7)])
    assert gains.harm([lost] * 5, 2)
    assert gains.harm([lost] * 11 + [won] * 3, 2)
    for chance in ([lost] * 4, [lost] * 10 + [won] * 4, [won] * 5, [even] * 40, []):
        assert not gains.harm(chance, 2)
    assert gains.majority(even) == 0.5
