"""Time to a decision with leases that end without: a known table, no censoring, and what is not known."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimcheck.quality import survival
from claimcheck.quality.survival import Ended
from claimcheck.review import lease_times

# Weeks of remission under 6-MP (Freireich et al. 1963), as the textbooks tabulate it: time → (ended, censored).
REMISSIONS = {6: (3, 1), 7: (1, 0), 9: (0, 1), 10: (1, 1), 11: (0, 1), 13: (1, 0), 16: (1, 0), 17: (0, 1), 19: (0, 1), 20: (0, 1), 22: (1, 0), 23: (1, 0),
              25: (0, 1), 32: (0, 2), 34: (0, 1), 35: (0, 1)}  # fmt: skip
TABLE = {6: 0.857, 7: 0.807, 10: 0.753, 13: 0.690, 16: 0.627, 22: 0.538, 23: 0.448}


def ended(times: dict[int, tuple[int, int]]) -> list[Ended]:
    return [Ended(seconds, *n) for seconds, n in sorted(times.items())]


def test_it_gives_the_published_table():
    found = survival.curve(ended(REMISSIONS))
    assert {one.seconds: round(one.share, 3) for one in found} == TABLE
    assert survival.quantile(found, 0.5) == 23 and survival.quantile(found, 0.6) is None
    assert survival.undecided(found, 5) == 1 and survival.undecided(found, 9) == pytest.approx(0.807, abs=5e-4)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=80), st.sampled_from([0.25, 0.5, 0.9, 0.99, 1.0]))
def test_it_is_the_plain_quantile_where_everything_is_decided(seconds, p):
    times = {s: (seconds.count(s), 0) for s in seconds}
    ordered = sorted(seconds)
    assert survival.quantile(survival.curve(ended(times)), p) == next(s for n, s in enumerate(ordered, 1) if n >= p * len(ordered) - 1e-9)


def test_it_sees_past_a_lease_that_cuts_work_off():
    """Log-normal work under leases that end at random: what is decided alone looks faster than it is, the estimate does not."""
    rnd, times, decided, true = random.Random(5), dict[int, list[int]](), list[int](), list[int]()
    for _ in range(20_000):
        work, lease = round(rnd.lognormvariate(3.5, 0.7)) + 1, round(rnd.expovariate(1 / 90)) + 1
        true.append(work)
        times.setdefault(min(work, lease), [0, 0])[work > lease] += 1
        decided += [work] if work <= lease else []
    by = survival.quantile(survival.curve(ended({s: (a, b) for s, (a, b) in times.items()})), 0.9)
    right, hopeful = sorted(true)[18_000], sorted(decided)[round(0.9 * len(decided))]
    assert by == pytest.approx(right, rel=0.05) and hopeful < 0.85 * right


def test_it_takes_no_times_that_do_not_rise():
    with pytest.raises(ValueError, match="rise"):
        survival.curve([Ended(5, 1, 0), Ended(5, 1, 0)])


@pytest.mark.parametrize(
    ("times", "advised"),
    [
        ({}, None),
        ({30: (0, 500)}, None),
        ({30: (1000, 0)}, 120),
        ({106: (990, 0), 155: (10, 0)}, 240),
        ({60: (150, 0)}, 600),  # too few to believe their 99 %
        ({60: (300, 0), 61: (0, 100)}, 600),  # 99 % is never reached
        ({3000: (1000, 0)}, 3600),
    ],
)
def test_it_advises_twice_the_last_percent_or_ten_medians(times, advised):
    leases = sum(a + b for a, b in times.values())
    assert lease_times.advise(survival.curve(ended(times)), leases=leases) == advised
