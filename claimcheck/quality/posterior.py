"""What the looks at a task are worth together, and whether it wants another."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Next = Literal["settle", "more", "cap"]
LEAST, MOST, SURE = 2, 5, 0.80


@dataclass(frozen=True, slots=True)
class Vote:
    """One look: its answer in a form that can be compared, and how often its voter is right in the skill (`p`, above 0 and below 1)."""

    answer: Hashable
    p: float


@dataclass(frozen=True, slots=True)
class Belief:
    """The likeliest answer of a task, how probable it is (0 to 1), and the number of looks it stands on."""

    answer: Hashable
    probability: float
    looks: int


def evidence(p: float, classes: int) -> float:
    """What one vote adds to its answer, in nats: ln(p (K - 1) / (1 - p))."""
    return math.log(p * (classes - 1) / (1 - p))


def posterior(votes: Iterable[Vote], classes: int, temperature: float = 1.0, prior: Mapping[Hashable, float] | None = None) -> dict[Hashable, float]:
    """The probability of each answer that was given, by one-coin naive Bayes: q_k ∝ prior_k ∏ (p_i where vote = k, else (1 - p_i) / (K - 1)).

    The log-odds are divided by the temperature; answers that nobody gave share the rest. `prior` holds answers' probabilities, even where
    absent. ValueError unless there are two classes or more, at least one vote, and T ≥ 1.
    """
    given = list(votes)
    if classes < 2 or not given or temperature < 1:
        raise ValueError(f"{classes} classes, {len(given)} votes, temperature {temperature}")
    sums: dict[Hashable, float] = {}
    for vote in given:
        sums[vote.answer] = sums.get(vote.answer, 0.0) + evidence(vote.p, classes) / temperature
    heads = {k: s + (math.log(prior.get(k, 1 / classes) * classes) if prior else 0.0) for k, s in sums.items()}
    top = max(0.0, *heads.values())
    shares = {k: math.exp(s - top) for k, s in heads.items()}
    whole = sum(shares.values()) + max(0, classes - len(shares)) * math.exp(-top)
    return {k: share / whole for k, share in shares.items()}


def likeliest(votes: Iterable[Vote], classes: int, temperature: float = 1.0, prior: Mapping[Hashable, float] | None = None) -> Belief:
    """The likeliest answer; of two that are equally so, the one that was given first."""
    given = list(votes)
    found = posterior(given, classes, temperature, prior)
    answer = max(found, key=lambda k: found[k])
    return Belief(answer, found[answer], len(given))


def stop(looks: int, probability: float, least: int = LEAST, most: int = MOST, sure: float = SURE) -> Next:
    """What to do after a look: settle on the likeliest answer, ask for one more, or stop unsure at the cap (adjudication)."""
    if looks >= least and probability >= sure:
        return "settle"
    return "cap" if looks >= most else "more"
