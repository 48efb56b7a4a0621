"""The decision form as data: what may be chosen, with its key, and what was chosen already."""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from claimcheck import errors, questions, rules
from claimcheck.rules import Rules

VERDICTS = {"approve": ("Approve", "a", "ok"), "reject": ("Reject", "r", "no"), "escalate": ("Escalate to a lead", "e", "ask")}
RESERVED = {"e", "g", "n", "x", "z"}  # escalate, "go to" (the first of two keys), note, skip, release
HOME_ROW = "asdfhjkl"  # grades lie beside each other, and so do their keys; without the G
DIGITS = "123456789"
REOPEN = "reopen:"  # chosen instead of a verdict or an answer, by whoever overturns


@dataclass(frozen=True)
class Control:
    """A verdict or an answer to choose. `value` is what the form sends; `shape` is ok, no, ask or other."""

    value: str
    label: str
    key: str | None
    shape: str
    checked: bool


@dataclass(frozen=True)
class ReasonControl:
    code: str
    label: str
    key: str | None
    of: str
    """The verdicts it may be given for, `answer` among them, apart by spaces."""
    checked: bool


@dataclass(frozen=True)
class Form:
    """`layout`: rows, scale (grades side by side) or number (too many grades for buttons)."""

    ask: str
    text: str
    layout: str
    controls: tuple[Control, ...]
    escalate: Control | None
    number: tuple[int, int] | None
    at_least: int
    at_most: int
    reasons: tuple[ReasonControl, ...]
    note: str
    grade: str


@dataclass(frozen=True)
class Typed:
    """What somebody typed into the form, right or wrong; it is also the body of a draft."""

    choices: tuple[str, ...] = ()
    grade: str = ""
    reason: str = ""
    note: str = ""

    @classmethod
    def of_form(cls, form: MultiDict[str, str]) -> Typed:
        note = form.get("note", "").replace("\r\n", "\n")
        return cls(tuple(form.getlist("choice")), form.get("grade", ""), form.get("reason_code", ""), note)

    @classmethod
    def of_draft(cls, body: dict[str, Any]) -> Typed:
        choices = [c for c in body.get("choices", []) if isinstance(c, str)]
        return cls(tuple(choices), *(str(body.get(name, "")) for name in ("grade", "reason", "note")))

    def body(self) -> dict[str, Any]:
        """As a draft keeps it. Raises Invalid where that can't be."""
        if len(self.note) > 10_000:
            raise errors.Invalid.field("note", f"is {len(self.note)} characters long; 10,000 are the limit")
        body = {"choices": [*self.choices[:100]], "grade": self.grade[:20], "reason": self.reason[:100], "note": self.note}
        if any("\0" in text for text in (*self.choices, self.grade, self.reason, self.note)):
            raise errors.Invalid.field("note", "contains a NUL character; take it out")
        return body

    @property
    def empty(self) -> bool:
        return not (self.choices or self.grade or self.reason or self.note.strip())

    def unchosen(self) -> Typed:
        """The same words without the choice: what was shown has changed, so it is to be made again."""
        return Typed(reason=self.reason, note=self.note)

    def decision(self, question: questions.Question) -> dict[str, Any]:
        """`verdict` or `answer` as `decisions.submit` takes them. Raises Invalid."""
        verdicts = [c.removeprefix("verdict:") for c in self.choices if c.startswith("verdict:")]
        answers = [c.removeprefix("answer:") for c in self.choices if c.startswith("answer:")]
        if verdicts and (answers or self.grade or len(verdicts) > 1):
            raise errors.Invalid.field("choice", "choose one verdict, or an answer, not both")
        if verdicts:
            return {"verdict": verdicts[0]}
        if question.by_verdict:
            raise errors.Invalid.field("choice", "choose a verdict")
        return {"answer": _answer(question, answers, self.grade)}

    @property
    def reopens(self) -> bool:
        """Whether an outcome is to be opened again."""
        return REOPEN in self.choices

    def instead(self, question: questions.Question) -> dict[str, Any]:
        """What is to hold instead of an outcome, as `decisions.overturn` takes it. Raises Invalid."""
        if not self.reopens:
            return self.decision(question)
        if len(self.choices) > 1 or self.grade.strip():
            raise errors.Invalid.field("choice", "open it again, or say what holds instead, not both")
        return {"reopen": True}


def _answer(question: questions.Question, answers: list[str], grade: str) -> Any:
    if isinstance(question, questions.Choices):
        return answers
    given = answers[0] if answers else grade.strip()
    if not given:
        raise errors.Invalid.field("choice", f"choose {question.hint()}")
    if isinstance(question, questions.Grade):
        digits = given.removeprefix("-")
        return int(given) if digits.isascii() and digits.isdigit() and len(digits) < 6 else given
    return given


def form(rules_: Rules, kind: str, typed: Typed) -> Form:
    """The form of a task of this kind, filled with what was typed."""
    question = rules_.question
    allowed = rules.verdicts(rules_, kind)
    layout, options = _options(question)
    keys = _keys([label for _, label in options])
    answers = tuple(Control(v, label, key, "other", v in typed.choices) for (v, label), key in zip(options, keys, strict=True))
    labels: dict[str, str] = {**question.labels} if isinstance(question, questions.Verdict) else {}
    verdicts = {v: _verdict(v, labels.get(v), typed) for v in allowed}
    escalate = verdicts.pop("escalate", None)
    return Form(
        ask=question.ask,
        text=question.text,
        layout=layout,
        controls=(*verdicts.values(), *answers),
        escalate=escalate,
        number=(question.min, question.max) if isinstance(question, questions.Grade) and layout == "number" else None,
        at_least=question.min if isinstance(question, questions.Choices) else 1,
        at_most=question.most if isinstance(question, questions.Choices) else 1,
        reasons=_reasons(rules_, [*allowed, *(() if question.by_verdict else ("answer",))], typed.reason),
        note=typed.note,
        grade=typed.grade,
    )


def without(form: Form, value: str) -> Form:
    """The form without one of its choices, and without keys: it stands on a page that has its own."""
    left = tuple(replace(c, key=None) for c in form.controls if c.value != value)
    return replace(form, controls=left, escalate=None, reasons=tuple(replace(r, key=None) for r in form.reasons))


def _verdict(verdict: str, label: str | None, typed: Typed) -> Control:
    said, key, shape = VERDICTS[verdict]
    return Control(f"verdict:{verdict}", label or said, key, shape, f"verdict:{verdict}" in typed.choices)


def _options(question: questions.Question) -> tuple[str, list[tuple[str, str]]]:
    """The layout and the (value, label) of each answer that is a button."""
    if isinstance(question, questions.Preference | questions.Choices):
        return "rows", [(f"answer:{o.value}", o.label) for o in question.options]
    if not isinstance(question, questions.Grade):
        return "rows", []
    grades = range(question.min, question.max + 1)
    if len(grades) > len(HOME_ROW):
        return "number", []
    named = [(f"answer:{g}", f"{g} · {question.labels[str(g)]}" if str(g) in question.labels else str(g)) for g in grades]
    return ("rows" if question.labels else "scale"), named


def _keys(labels: list[str]) -> list[str | None]:
    """A letter for each: of its own label where one is free, best of a word that no other has; for bare grades along the home row."""
    if labels and all(label.split(" ")[0].lstrip("-").isdigit() for label in labels):
        return [*HOME_ROW[: len(labels)]] if len(labels) <= len(HOME_ROW) else [None] * len(labels)
    taken, keys = set(RESERVED), []
    for label in labels:
        key = _free([*_telling(label, labels), *label.lower(), *string.ascii_lowercase], taken)
        keys.append(key)
        taken.add(key or "")
    return keys


def _telling(label: str, labels: list[str]) -> Iterable[str]:
    """The first letters of the label's words that stand in no other label: L and R of "The left one" and "The right one"."""
    others = {word for other in labels if other != label for word in other.lower().split()}
    return (word[0] for word in label.lower().split() if word not in others)


def _free(letters: Iterable[str], taken: set[str]) -> str | None:
    return next((c for c in letters if c in string.ascii_lowercase and c not in taken), None)


def _reasons(rules_: Rules, possible: list[str], chosen: str) -> tuple[ReasonControl, ...]:
    shown = [r for r in rules_.reason_codes if r.verdicts is None or set(r.verdicts) & set(possible)]
    keys = [*DIGITS, *[None] * len(shown)]
    return tuple(
        ReasonControl(r.code, r.label, key, " ".join(r.verdicts or possible), r.code == chosen) for r, key in zip(shown, keys, strict=False)
    )


def words(rules_: Rules | None, *, verdict: str | None, answer: Any) -> str:
    """A verdict or an answer as the project names it."""
    question = rules_.question if rules_ else None
    if verdict is not None:
        labels: dict[str, str] = {**question.labels} if isinstance(question, questions.Verdict) else {}
        return labels.get(verdict) or {"overturn": "Overturned"}.get(verdict) or verdict.capitalize()
    if isinstance(question, questions.Grade) and str(answer) in question.labels:
        return f"{answer} · {question.labels[str(answer)]}"
    if isinstance(question, questions.Preference | questions.Choices):
        named = {o.value: o.label for o in question.options}
        return ", ".join(named.get(a, str(a)) for a in (answer if isinstance(answer, list) else [answer])) or "none of them"
    return ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
