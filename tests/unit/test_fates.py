"""What becomes of a label when somebody's looks are taken back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from claimcheck import rules
from claimcheck.datasets.fates import Touched, fate
from claimcheck.experts.judging import Skill

ADA, BEN, CHI, SYSTEM = 1, 2, 3, 0
RULES = rules.parse({"name": "x", "skill": "x", "reason_codes": ["ok"], "wanted": 3})
AT = datetime(2026, 11, 1, tzinfo=UTC)


def look(n: int, who: int, said: str, *, outcome: str | None = None, weight: float = 0.9, task: int = 1) -> Touched:
    return Touched(n, task, who != SYSTEM, who, "", said, None, outcome, None, 1, 1, b"", "ok", "", AT, 7, weight)


def became(*decisions: Touched, whose: int = ADA, weighs: bool = True):
    found = fate(RULES, Skill(weighs=weighs), decisions, lambda d: d.look and d.person_id == whose, 99)
    return found and (found.status, found.flips)


def settled(n: int, said: str) -> Touched:
    return look(n, SYSTEM, said, outcome=said)


@pytest.mark.parametrize(
    ("decisions", "wanted"),
    [
        ([look(1, ADA, "approve", outcome="approve")], ("pending", False)),  # nobody else looked
        ([look(1, ADA, "approve"), look(2, BEN, "approve"), look(3, CHI, "approve"), settled(4, "approve")], ("confirmed", False)),
        ([look(1, ADA, "approve"), look(2, BEN, "approve", weight=0.6), settled(3, "approve")], ("pending", False)),  # not sure enough
        ([look(1, ADA, "approve"), look(2, BEN, "reject", weight=0.99), settled(3, "approve")], ("pending", True)),  # it flips
        ([look(1, ADA, "approve"), look(2, BEN, "reject"), look(3, CHI, "reject", outcome="reject", task=2)], ("confirmed", False)),  # a lead decided
        ([look(1, ADA, "approve"), look(2, BEN, "approve")], None),  # no label yet
    ],
)
def test_it_becomes(decisions: list[Touched], wanted: tuple[str, bool] | None):
    assert became(*decisions) == wanted


def test_where_gold_shows_no_gain_every_look_weighs_the_same():
    looks = [look(1, ADA, "approve"), look(2, BEN, "approve", weight=0.99), settled(3, "approve")]
    assert became(*looks) == ("confirmed", False) and became(*looks, weighs=False) == ("pending", False)
