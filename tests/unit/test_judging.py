"""What the last look does to its task, by the project's way of agreeing and the kind of question."""

from __future__ import annotations

from typing import Any

import pytest

from claimcheck.experts.judging import Look, Skill, likeliest, rule
from claimcheck.rules import Rules, parse

PLAIN, WEIGHS = Skill(), Skill(weighs=True)
CHOICES = {"ask": "choices", "options": ["a", "b", "c"]}


def rules(question: dict[str, Any] | None = None, **agreement: Any) -> Rules:
    return parse({"name": "n", "skill": "s", "reason_codes": ["ok"], "agreement": agreement, **({"question": question} if question else {})})


def looks(*said: Any, p: float = 0.75) -> list[Look]:
    return [Look(s, None, p) if s in ("approve", "reject", "escalate") else Look(None, s, p) for s in said]


@pytest.mark.parametrize("mode", ["unanimous", "majority", "adaptive"])
def test_nothing_ends_before_the_wanted_looks_are_there(mode: str) -> None:
    assert rule(rules(mode=mode), PLAIN, wanted=3, looks=looks("approve", "approve")).ends_as is None


@pytest.mark.parametrize("mode", ["unanimous", "majority", "adaptive"])
def test_one_who_escalates_escalates(mode: str) -> None:
    assert rule(rules(mode=mode), PLAIN, wanted=2, looks=looks("approve", "escalate")).ends_as == "escalated"


def test_unanimous_looks_settle_and_others_are_disputed() -> None:
    assert rule(rules(), PLAIN, wanted=2, looks=looks("reject", "reject")).said == "reject"
    assert rule(rules(), PLAIN, wanted=3, looks=looks("reject", "reject", "approve")).ends_as == "disputed"


def test_a_majority_settles() -> None:
    assert rule(rules(mode="majority"), PLAIN, wanted=3, looks=looks("reject", "approve", "reject")).said == "reject"
    assert rule(rules(mode="majority"), PLAIN, wanted=2, looks=looks("reject", "approve")).ends_as == "disputed"


def test_grades_agree_within_the_tolerance_on_their_median() -> None:
    graded = rules({"ask": "grade", "min": 1, "max": 5}, mode="majority", tolerance=1)
    assert rule(graded, PLAIN, wanted=3, looks=looks(3, 4, 5)).said == 4
    assert rule(graded, PLAIN, wanted=3, looks=looks(1, 4, 5)).ends_as == "disputed"


def test_choices_keep_what_a_majority_holds_in_the_question_s_order() -> None:
    ruling = rule(rules(CHOICES, mode="majority"), PLAIN, wanted=3, looks=looks(["b", "c"], ["a", "b"], ["a", "b"]))
    assert ruling.said == ["a", "b"]


def test_choices_that_the_question_forbids_are_disputed() -> None:
    at_most_one = {"ask": "choices", "options": ["a", "b", "c"], "max": 1}
    assert rule(rules(at_most_one, mode="majority"), PLAIN, wanted=2, looks=looks(["a"], ["b"])).ends_as == "disputed"


def test_adaptive_without_a_gain_is_two_and_a_third_on_a_split() -> None:
    adaptive = rules(mode="adaptive", audit=0)
    assert rule(adaptive, PLAIN, wanted=2, looks=looks("approve", "approve")).ends_as == "decided"
    assert rule(adaptive, PLAIN, wanted=2, looks=looks("approve", "reject")).ends_as == "more"
    assert rule(adaptive, PLAIN, wanted=3, looks=looks("approve", "reject", "reject")).said == "reject"


def test_adaptive_weighs_who_said_it() -> None:
    adaptive = rules(mode="adaptive", audit=0)
    split = [Look("approve", None, 0.95), Look("reject", None, 0.6)]
    assert rule(adaptive, WEIGHS, wanted=2, looks=split).said == "approve"
    unsure = [Look("approve", None, 0.6), Look("approve", None, 0.6)]
    assert rule(adaptive, WEIGHS, wanted=2, looks=unsure).ends_as == "more"
    assert rule(adaptive, Skill(temperature=4.0, weighs=True), wanted=2, looks=split).ends_as == "more"


def test_adaptive_is_disputed_at_the_cap_and_still_has_a_likeliest_answer() -> None:
    adaptive = rules(mode="adaptive", most=3, audit=0)
    capped = looks("approve", "approve", "reject", p=0.55)
    assert rule(adaptive, WEIGHS, wanted=3, looks=capped).ends_as == "disputed"
    assert likeliest(adaptive, WEIGHS, capped) == "approve"


def test_what_most_gave_is_likeliest_where_weights_do_not_count_and_a_tie_goes_by_them() -> None:
    weak, strong = looks("approve", "approve", p=0.55), looks("reject", p=0.95)
    adaptive = rules(mode="adaptive", audit=0)
    assert likeliest(adaptive, PLAIN, weak + strong) == "approve"
    assert likeliest(adaptive, PLAIN, weak[:1] + strong) == likeliest(adaptive, WEIGHS, weak + strong) == "reject"


def test_an_audit_adjudicates_what_agrees() -> None:
    audited = rules(mode="adaptive", audit=1)
    ruling = rule(audited, PLAIN, wanted=2, looks=looks("approve", "approve"))
    assert (ruling.ends_as, ruling.because) == ("disputed", "audit")
    assert rule(audited, PLAIN, wanted=3, looks=looks("approve", "reject", "approve")).ends_as == "decided"


def test_about_one_in_twenty_five_unanimous_items_is_audited_where_adaptive() -> None:
    audited = sum(rule(rules(mode="adaptive"), PLAIN, wanted=2, looks=looks("approve", "approve")).because == "audit" for _ in range(20_000))
    assert 0.03 < audited / 20_000 < 0.05
