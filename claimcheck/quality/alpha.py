"""Krippendorff's alpha for nominal answers: the reference for queue/'s statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence


def nominal(tasks: Iterable[Sequence[Hashable]]) -> float | None:
    """1 - observed / expected disagreement over the tasks with two looks or more (Krippendorff 2004, § 11); 1 is agreement, 0 chance.

    None ("undefined") where nothing can be compared: no such task, or everybody gave one and the same answer.
    """
    units = [Counter(answers) for answers in tasks if len(answers) > 1]
    total = sum((Counter(u) for u in units), Counter())
    n = sum(total.values())
    expected = n * n - sum(c * c for c in total.values())
    if not expected:
        return None
    observed = sum((u.total() ** 2 - sum(c * c for c in u.values())) / (u.total() - 1) for u in units)
    return 1 - observed * (n - 1) / expected
