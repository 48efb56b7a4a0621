"""Whether several looks agree, and on what: each kind of question in its own way."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

Kind = Literal["verdict", "choices", "grade", "preference"]


def agreed(kind: Kind, answers: Sequence[Any], tolerance: int = 0) -> Any | None:
    """The answer that settles the task, or None where the looks disagree (or there is none).

    `answers` are canonical (claimcheck.questions): verdicts and preferences text, grades whole numbers, choices lists in the options' order.
    Verdict and preference: given by more than half. Grade: the median, where all lie within `tolerance` of it. Choices: each option held by
    more than half, where the looks' mean Jaccard similarity to that set is at least 1/2.
    """
    if not answers:
        return None
    return {"verdict": _most, "preference": _most, "grade": lambda a: _median(a, tolerance), "choices": _held}[kind](answers)


def comparable(kind: Kind, answer: Any) -> Hashable:
    """The answer in the form in which votes are counted: choices as a set, everything else as it is."""
    return frozenset(answer) if kind == "choices" else answer


def jaccard(one: Iterable[Hashable], other: Iterable[Hashable]) -> float:
    """What two sets share of what they hold together, 0 to 1; two empty sets are alike."""
    a, b = set(one), set(other)
    return len(a & b) / len(a | b) if a | b else 1.0


def _most(answers: Sequence[Any]) -> Any | None:
    [(answer, count)] = Counter(answers).most_common(1)
    return answer if 2 * count > len(answers) else None


def _median(grades: Sequence[int], tolerance: int) -> int | None:
    middle = statistics.median_low(grades)
    return middle if all(abs(g - middle) <= tolerance for g in grades) else None


def _held(sets: Sequence[Sequence[Hashable]]) -> list[Hashable] | None:
    """The choices that a majority holds, in the order in which they first stand."""
    counts = Counter(option for chosen in sets for option in chosen)
    held = [option for option, count in counts.items() if 2 * count > len(sets)]
    return held if sum(jaccard(chosen, held) for chosen in sets) / len(sets) >= 0.5 else None
