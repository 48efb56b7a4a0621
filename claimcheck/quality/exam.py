"""The entry exam: Wald's sequential probability ratio test between an able expert (.85) and an unable one (.60)."""

from __future__ import annotations

import math
from typing import Literal

Result = Literal["pass", "fail", "more"]
ABLE, UNABLE, LONGEST = 0.85, 0.60, 25
PASSED = math.log((1 - 0.10) / 0.05)  # an unable one passes in at most about 5 %,
FAILED = math.log(0.10 / (1 - 0.05))  # an able one fails in at most about 10 % (Wald 1945)


def result(ok: int, n: int) -> Result:
    """Where the exam stands with `ok` right of `n` golds, asked after each gold; the 25th decides by the nearer bound.

    ValueError unless 0 ≤ ok ≤ n.
    """
    level = evidence(ok, n)
    if PASSED > level > FAILED and n < LONGEST:
        return "more"
    return "pass" if level >= (PASSED + FAILED) / 2 else "fail"


def evidence(ok: int, n: int) -> float:
    """The log-likelihood ratio of able to unable, in nats. ValueError unless 0 ≤ ok ≤ n."""
    if not 0 <= ok <= n:
        raise ValueError(f"{ok} right of {n} golds")
    return ok * math.log(ABLE / UNABLE) + (n - ok) * math.log((1 - ABLE) / (1 - UNABLE))
