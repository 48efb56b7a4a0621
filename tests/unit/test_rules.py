"""What a project's rules may be, and what a decision under them may be."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from claimcheck import canonical, errors, project_files, rules

LEAST = {"name": "Passports", "skill": "kyc", "reason_codes": ["fits", "blurred"]}


def refused(**given: Any) -> dict[str, str]:
    """The fields that are refused, each with its message."""
    with pytest.raises(errors.Invalid) as caught:
        rules.parse({**LEAST, **given})
    assert caught.value.detail
    return {e.field: e.message for e in caught.value.errors}


def test_it_gives_every_rule_but_three_a_default() -> None:
    found = rules.parse(LEAST)
    assert (found.wanted, found.lease_seconds, found.max_hold_seconds, found.idle_seconds, found.abandon_limit) == (1, 1800, 14400, 300, 3)
    assert (found.weight, found.priority, found.gold_rate, found.quality_floor, found.currency) == (1, 0, 0, 0, "EUR")
    assert found.question.ask == "verdict"
    assert found.webhook is None
    assert found.skip_reasons
    assert {*refused(name=None, skill=None, reason_codes=None)} == {"name", "skill", "reason_codes"}


def test_it_reads_back_what_it_stores() -> None:
    given = {
        "question": {"ask": "choices", "options": ["a", {"value": "b", "label": "B"}], "max": 1},
        "deadline": "2027-01-31T19:00:00+01:00",
        "webhook": {"url": "https://example.org/hook"},
        "weight": 2,
        "thresholds": {"routes": [{"queue": "large", "at_least": "1000.00"}]},
    }
    found = rules.parse({**LEAST, **given})
    assert rules.parse(found.stored()) == found
    assert found.stored()["deadline"] == "2027-01-31T18:00:00Z"
    assert found.webhook and found.webhook.on == ["approve", "reject", "answer", "overturn"]


def test_it_takes_numbers_as_a_careful_reader_of_json_gives_them() -> None:
    given = canonical.parse_json(b'{"weight": 0.5, "gold_rate": 5e-2}')
    found = rules.parse({**LEAST, **given})
    assert (found.weight, found.gold_rate) == (0.5, 0.05)


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"colour": "red"}, "colour", "remove it"),
        ({"name": ""}, "name", "at least 1"),
        ({"name": "x" * 201}, "name", "at most 200"),
        ({"name": " Passports"}, "name", "spaces"),
        ({"reason_codes": [{"code": "fits", "label": "Fits", "verdicts": ["approve"] * 5}]}, "reason_codes[0].verdicts", "at most 4"),
        ({"webhook": {"url": "https://example.org/", "on": ["approve"] * 5}}, "webhook.on", "at most 4"),
        ({"name": "a\nb"}, "name", "control"),
        ({"name": "a\u2028b"}, "name", "control"),
        ({"name": "a\x00"}, "name", "control"),
        ({"name": 7}, "name", "text"),
        ({"reason_codes": []}, "reason_codes", "at least 1"),
        ({"reason_codes": "fits"}, "reason_codes", "list"),
        ({"reason_codes": ["fits", "fits"]}, "reason_codes", "'fits' twice"),
        ({"reason_codes": ["agreement"]}, "reason_codes", "choose another"),
        ({"reason_codes": ["desk.zero"]}, "reason_codes", "choose another"),
        ({"reason_codes": [{"label": "Fits"}]}, "reason_codes[0].code", "required"),
        ({"reason_codes": [{"code": "a", "label": "A", "verdicts": ["maybe"]}]}, "reason_codes[0].verdicts[0]", "'approve'"),
        ({"reason_codes": [{"code": "a", "label": "A", "verdicts": ["answer"]}]}, "reason_codes", "'answer'"),
        ({"question": {"ask": "guess"}}, "question", "'grade'"),
        ({"question": {"ask": "grade", "min": 5, "max": 5}}, "question.max", "above min"),
        ({"question": {"ask": "grade", "labels": {"9": "superb"}}}, "question.labels", "'9'"),
        ({"question": {"ask": "grade", "min": 1.5}}, "question.min", "whole number"),
        ({"question": {"ask": "choices"}}, "question.options", "required"),
        ({"question": {"ask": "choices", "options": ["a", "a"]}}, "question.options", "twice"),
        ({"question": {"ask": "choices", "options": ["a"], "min": 2}}, "question.max", "at least min"),
        ({"question": {"ask": "preference", "options": ["left"]}}, "question.options", "at least 2"),
        ({"question": {"ask": "verdict", "labels": {"maybe": "?"}}}, "question.labels.maybe", "'approve'"),
        ({"show": []}, "show", "at least 1"),
        ({"show": ["a", "a"]}, "show", "twice"),
        ({"show": ["a"], "pairs": [{"left": "a", "right": "b"}]}, "pairs", "'b'"),
        ({"wanted": 0}, "wanted", "at least 1"),
        ({"wanted": True}, "wanted", "whole number"),
        ({"wanted": "3"}, "wanted", "whole number"),
        ({"lease_seconds": 600, "max_hold_seconds": 60}, "max_hold_seconds", "600"),
        ({"weight": 0}, "weight", "greater than 0"),
        ({"weight": float("inf")}, "weight", "finite"),
        ({"priority": 21}, "priority", "at most 20"),
        ({"deadline": "tomorrow"}, "deadline", "2027"),
        ({"deadline": "2027-01-31T18:00:00"}, "deadline", "time zone"),
        ({"deadline": "9999-12-31T23:59:59-23:59"}, "deadline", "2027"),
        ({"deadline": "0001-01-01T00:00:00+23:59"}, "deadline", "2027"),
        ({"currency": "euro"}, "currency", "match"),
        ({"price_minor": -1}, "price_minor", "at least 0"),
        ({"webhook": {"url": "ftp://example.org"}}, "webhook.url", "https"),
        ({"webhook": {"url": "https://me:word@example.org"}}, "webhook.url", "name and password"),
        ({"webhook": {"url": "https://example.org", "on": ["escalate"]}}, "webhook.on[0]", "'approve'"),
        ({"webhook": {"url": "https://example.org", "on": ["approve", "approve"]}}, "webhook.on", "twice"),
        ({"thresholds": {"a": 1}}, "thresholds.a", "remove it"),
        ({"thresholds": {"routes": [{"queue": "large", "at_least": 1000.5}]}}, "thresholds.routes[0].at_least", "text"),
        ({"thresholds": {"routes": [{"queue": "large", "at_least": "1e3"}]}}, "thresholds.routes[0].at_least", "match"),
        ({"thresholds": {"routes": [{"queue": "escalation"}]}}, "thresholds.routes[0].queue", "the desk's own"),
        ({"thresholds": {"routes": [{"queue": "large"}, {"queue": "large", "skill": "b"}]}}, "thresholds.routes[1].skill", "another queue"),
        ({"thresholds": {"routes": [{"queue": "review", "skill": "b"}]}}, "thresholds.routes[0].skill", "another queue"),
        ({"thresholds": {"routes": [{"queue": "large", "match_decisions": ["MATCHED"]}]}}, "thresholds.routes[0].match_decisions[0]", "'PARTIAL'"),
        ({"skill": "desk.automatic"}, "skill", "the desk's own"),
        ({"quality_floor": 4}, "quality_floor", "at most 3"),
        ({"gold_rate": 1.5}, "gold_rate", "at most 1"),
        ({"facets": ["country"]}, "facets[0]", "such as /country"),
        ({"facets": ["/a~2"]}, "facets[0]", "~1 stands for /"),
        ({"facets": ["/files/0/name"]}, "facets[0]", "must name a field"),
        ({"facets": ["/a", "/a"]}, "facets", "twice"),
        ({"facets": [f"/{n}" for n in range(6)]}, "facets", "at most 5"),
        ({"facets": ["/a", "/iban"], "masked": ["iban"]}, "facets", "'/iban', which is masked"),
        ({"facets": ["/holder/name/first"], "masked": ["holder.name"]}, "facets", "out of masked"),
        ({"facets": ["/accounts/0/iban"], "masked": ["accounts.iban"]}, "facets", "is masked"),
        ({"facets": ["/0/a~1b"], "masked": ["0.a/b"]}, "facets", "is masked"),
        ({"facets": ["/a.b"], "masked": ["a.b"]}, "facets", "is masked"),
    ],
)
def test_it_refuses_a_rule_naming_the_field_and_the_fix(given: dict[str, Any], field: str, says: str) -> None:
    found = refused(**given)
    assert list(found) == [field]
    assert says in found[field]


def test_it_holds_a_long_lease_at_least_that_long() -> None:
    assert rules.parse({**LEAST, "lease_seconds": 20000}).max_hold_seconds == 20000


def decide(given: dict[str, Any], kind: str = "review", *, verdict: str | None = None, answer: Any = None, reason_code: str = "fits") -> Any:
    return rules.check_decision(rules.parse({**LEAST, **given}), kind, verdict=verdict, answer=answer, reason_code=reason_code)


CHOICES = {"question": {"ask": "choices", "options": ["a", "b", "c"], "max": 2}}
GRADE = {"question": {"ask": "grade", "min": -1, "max": 3}}
PREFERENCE = {"question": {"ask": "preference"}}
SPLIT = {"reason_codes": ["fits", {"code": "blurred", "label": "Blurred", "verdicts": ["reject"]}]}


@pytest.mark.parametrize(
    ("given", "kind", "decision", "field", "allowed"),
    [
        ({}, "review", {"verdict": "maybe"}, "verdict", "approve, reject, escalate"),
        ({}, "review", {}, "verdict", "approve, reject, escalate"),
        ({}, "review", {"verdict": "overturn"}, "verdict", "approve, reject, escalate"),
        ({}, "review", {"answer": 1}, "answer", "approve, reject or escalate"),
        ({}, "review", {"verdict": "approve", "answer": 1}, "answer", "not both"),
        ({}, "escalation", {"verdict": "escalate"}, "verdict", "approve, reject"),
        ({}, "review", {"verdict": "approve", "reason_code": "nice"}, "reason_code", "fits, blurred"),
        ({}, "review", {"verdict": "approve", "reason_code": "agreement"}, "reason_code", "fits, blurred"),
        (SPLIT, "review", {"verdict": "approve", "reason_code": "blurred"}, "reason_code", "fits for approve"),
        (GRADE, "review", {"answer": 4}, "answer", "from -1 to 3"),
        (GRADE, "review", {"answer": True}, "answer", "from -1 to 3"),
        (GRADE, "review", {"answer": "2"}, "answer", "from -1 to 3"),
        (GRADE, "review", {"answer": canonical.Number("2.0")}, "answer", "from -1 to 3"),
        (GRADE, "review", {"verdict": "approve"}, "verdict", "escalate"),
        (GRADE, "escalation", {"verdict": "escalate"}, "verdict", "from -1 to 3"),
        (PREFERENCE, "review", {"answer": "middle"}, "answer", "left, right, tie"),
        (PREFERENCE, "review", {"answer": ["left"]}, "answer", "left, right, tie"),
        (CHOICES, "review", {"answer": []}, "answer", "1 to 2 of a, b, c"),
        (CHOICES, "review", {"answer": ["a", "b", "c"]}, "answer", "1 to 2 of a, b, c"),
        (CHOICES, "review", {"answer": ["a", "a"]}, "answer", "1 to 2 of a, b, c"),
        (CHOICES, "review", {"answer": ["d"]}, "answer", "1 to 2 of a, b, c"),
        (CHOICES, "review", {"answer": {"a": 1}}, "answer", "1 to 2 of a, b, c"),
        (CHOICES, "review", {"answer": [["a"]]}, "answer", "1 to 2 of a, b, c"),
    ],
)
def test_it_refuses_a_decision_listing_what_is_allowed(given: dict[str, Any], kind: str, decision: dict[str, Any], field: str, allowed: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        decide(given, kind, **decision)
    [wrong] = caught.value.errors
    assert wrong.field == field
    assert allowed in wrong.message


def test_it_takes_a_decision_of_the_kind_that_is_asked_for() -> None:
    assert decide({}, verdict="approve") is None
    assert decide(SPLIT, verdict="reject", reason_code="blurred") is None
    assert decide(GRADE, answer=-1) == -1
    assert decide(PREFERENCE, answer="tie") == "tie"
    assert decide(GRADE, verdict="escalate") is None


def test_it_makes_equal_answers_of_different_clicks_equal() -> None:
    assert decide(CHOICES, answer=["c", "a"]) == decide(CHOICES, answer=["a", "c"]) == ["a", "c"]


PROJECT = b"""
name: Grades
skill: writing
question: {ask: grade, min: 1, max: 3, labels: {1: poor, 3: good}}
reason_codes: [clear, {code: vague, label: Vague}, {code: lost, verdicts: [escalate]}]
deadline: 2027-01-31T18:00:00Z
"""


def test_it_reads_a_project_file_as_the_api_reads_a_body() -> None:
    found = project_files.parse(PROJECT)
    assert found.stored()["question"]["labels"] == {"1": "poor", "3": "good"}
    assert [(r.code, r.label) for r in found.reason_codes] == [("clear", "clear"), ("vague", "Vague"), ("lost", "lost")]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (PROJECT + b"skill: other\n", "line 7"),
        (PROJECT.replace(b"min: 1", b"min: 1, min: 2"), "line 4"),
        (b"name: &a x\nskill: *a\n", "line 2"),
        (b"name: !!python/object/apply:os.system [id]\n", "line 1"),
        (b"name: [unclosed\n", "line 2"),
        (b"<<: {name: x}\n", "line 1"),
        (b"[" * 10_000, "file"),
        (b"name: \x00\n", "file"),
        (b"name: \xff\n", "byte 6"),
        (b"name: 2027-13-45\n", "file"),
        (b"", "body"),
        (b"- name\n", "body"),
    ],
)
def test_it_refuses_a_project_file_naming_the_place(text: bytes, field: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        project_files.parse(text)
    assert caught.value.errors[0].field == field


def test_it_says_of_a_text_that_yaml_reads_as_signs_to_put_it_in_quotes() -> None:
    with pytest.raises(errors.Invalid) as caught:
        project_files.parse(b"question: {ask: choices, text: Which mood?, options: [a, b]}\n")
    assert caught.value.errors[0].message.endswith("stands in quotes")


def test_it_refuses_a_project_file_that_is_none_by_its_size(tmp_path: Any) -> None:
    path = tmp_path / "big.yaml"
    path.write_bytes(b"#" * (project_files.LIMIT + 1))
    with pytest.raises(errors.TooLarge):
        project_files.read(path)


def test_it_routes_a_break_by_the_first_route_that_takes_it() -> None:
    routes = [
        {"queue": "large", "skill": "senior", "at_least": "1000.00", "currency": "EUR", "priority": 5},
        {"queue": "large", "skill": "senior", "at_least": "150000", "currency": "JPY"},
        {"queue": "partial", "match_decisions": ["PARTIAL"]},
    ]
    found = rules.parse({**LEAST, "thresholds": {"routes": routes}})

    def queue(variance: str, currency: str = "EUR", match_decision: str = "UNMATCHED") -> str:
        route = found.thresholds.route(variance=Decimal(variance), currency=currency, match_decision=match_decision)
        return route.queue if route else "review"

    assert [queue("1000.00"), queue("-1000.00"), queue("999.99")] == ["large", "large", "review"]
    assert [queue("1000", "USD"), queue("150000", "JPY"), queue("1", match_decision="PARTIAL")] == ["review", "large", "partial"]
    own = dict.fromkeys(("review", "escalation", "adjudication"), LEAST["skill"])
    assert found.queues() == own | {"large": "senior", "partial": LEAST["skill"]}


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"verdict": "escalate"}, "four_eyes[0].verdict"),
        ({"verdict": "answer"}, "four_eyes[0].verdict"),
        ({"reason_code": "unheard of"}, "four_eyes[0].reason_code"),
        ({"amount_from": "ten"}, "four_eyes[0].amount_from"),
        ({"amount_from": 10.5}, "four_eyes[0].amount_from"),
        ({"currency": "euro"}, "four_eyes[0].currency"),
        ({"who": "Ada"}, "four_eyes[0].who"),
    ],
)
def test_it_says_which_rule_of_four_eyes_is_wrong(rule, field):
    with pytest.raises(errors.Invalid) as refused:
        rules.parse({"name": "n", "skill": "s", "reason_codes": ["fine"], "four_eyes": [rule]})
    assert [error.field for error in refused.value.errors] == [field]


def test_it_opens_a_queue_for_second_looks_only_where_they_are_asked_for():
    given = {"name": "n", "skill": "s", "reason_codes": ["fine"]}
    assert "approval" not in rules.parse(given).queues() and rules.parse({**given, "four_eyes": [{"reason_code": "auto_zero_variance"}]}).queues()["approval"] == "s"
