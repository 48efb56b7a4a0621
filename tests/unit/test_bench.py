"""What the bench says of its figures; the figures themselves are nobody's test."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.__main__ import PARTS
from bench.figures import Goal, Part, over
from bench.sides import percentile

README = Path(__file__).parents[2] / "bench" / "README.md"


def test_it_divides_what_was_measured_together():
    assert over([2.0, 30.0], [1.0, 10.0]) == [2.0, 3.0]
    with pytest.raises(ValueError, match="shorter"):
        over([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("at_most", "target", "verdict"),
    [(True, 1.2, "met"), (True, 1.0, "MISSED"), (False, 1.0, "met"), (False, 1.2, "MISSED"), (True, None, "no target")],
)
def test_it_judges_the_median(at_most, target, verdict):
    assert Goal("claim", [0.1, 1.1, 9.0], target, at_most).verdict == verdict


def test_it_takes_a_percentile_of_what_there_is():
    assert percentile([0.003, 0.001, 0.002], 0.5) == pytest.approx(2)
    assert percentile([0.001], 0.99) == pytest.approx(1)


def test_it_says_a_target_at_once_and_keeps_it(capsys):
    part = Part("leases", ["what"])
    part.goal("claim", [1.0, 1.1, 1.3], most=1.2)
    assert capsys.readouterr().err.strip().endswith("leases: claim: 1.10 [1.00..1.30] ×, ≤ 1.2 ×: met")
    assert "| claim | 1.10 [1.00..1.30] × | ≤ 1.2 × | met |" in part.markdown()
    assert part.json()["goals"][0]["values"] == [1.0, 1.1, 1.3]


def test_it_explains_every_part():
    told = README.read_text(encoding="utf-8")
    assert [name for name in PARTS if f"| `{name}` |" not in told] == []
