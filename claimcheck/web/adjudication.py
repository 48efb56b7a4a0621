"""What an adjudicator sees beside the item: the looks as cards without names, and how many chose what. Nobody else ever gets them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from claimcheck import questions
from claimcheck.review import looks
from claimcheck.review.assignments import Assignment
from claimcheck.review.looks import Disputed
from claimcheck.rules import Rules
from claimcheck.web import controls, desk

KINDS = ("adjudication", "approval")  # several looks differ; a second look says something else than was proposed


@dataclass(frozen=True)
class Card:
    """A look: what it said in the question's words, and `adopts`: the form's values (JSON) that say the same."""

    said: str
    shape: str
    adopts: str
    reason_code: str
    reason: str
    note: str
    seconds: float


@dataclass(frozen=True)
class Disagreement:
    """`tally` counts looks by the form's value; `grades` lists (grade, words, looks) where the form has no button for each."""

    cards: list[Card]
    tally: dict[str, int]
    grades: list[tuple[str, str, int]]


def of(assignment: Assignment, rules: Rules) -> Disagreement | None:
    """The looks that an adjudication is about; None where the assignment is none, or is no longer held."""
    if assignment.kind not in KINDS:
        return None
    found = looks.disputed(desk().db, assignment_id=assignment.id, me=assignment.person_id)
    tally = Counter(value for look in found for value in _values(look))
    return Disagreement([_card(look, rules) for look in found], tally, _grades(rules, tally) if found else [])


def _values(look: Disputed) -> list[str]:
    """As the form sends them."""
    return [f"{'answer' if look.verdict is None else 'verdict'}:{one}" for one in look.chosen]


def _card(look: Disputed, rules: Rules) -> Card:
    said = controls.words(rules, verdict=look.verdict, answer=look.answer)
    shape = controls.VERDICTS[look.verdict][2] if look.verdict in controls.VERDICTS else "other"
    return Card(said, shape, json.dumps(_values(look)), look.reason_code, look.reason, look.note, look.seconds)


def _grades(rules: Rules, tally: dict[str, int]) -> list[tuple[str, str, int]]:
    if not isinstance(rules.question, questions.Grade):
        return []
    given = sorted(int(value.removeprefix("answer:")) for value in tally if value.startswith("answer:"))
    return [(str(g), controls.words(rules, verdict=None, answer=g), tally[f"answer:{g}"]) for g in given]
