"""The four kinds of question, each with what it may be answered with."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from claimcheck import errors
from claimcheck.validation import Code, Model, Name, Prose, unique, wrong

Given = Literal["approve", "reject", "escalate"]
Text = Annotated[Prose, Field(min_length=1, max_length=2000)]


class Option(Model):
    """One thing to choose: its value in results, its label on the screen."""

    value: Code
    label: Name


def _options(value: Any) -> Any:
    """A bare value stands for itself and its label."""
    return [{"value": v, "label": v} if isinstance(v, str) else v for v in value] if isinstance(value, list) else value


Options = Annotated[list[Option], BeforeValidator(_options)]


class Verdict(Model):
    """Approve or reject."""

    by_verdict: ClassVar[bool] = True
    ask: Literal["verdict"] = "verdict"
    text: Text = "Is this right?"
    labels: dict[Given, Name] = Field(default={}, description="what the buttons say")

    @property
    def verdicts(self) -> list[str]:
        return ["approve", "reject", "escalate"]

    def hint(self) -> str:
        return "this project asks for a verdict: approve, reject or escalate"

    def canonical(self, answer: Any) -> Any:  # noqa: ARG002 - the other kinds' signature
        raise errors.Invalid.field("answer", f"is out of place: {self.hint()}")


class _Answered(Model):
    """A question that is answered otherwise than by a verdict; a reviewer may still escalate."""

    by_verdict: ClassVar[bool] = False

    @property
    def verdicts(self) -> list[str]:
        return ["escalate"]

    def hint(self) -> str:
        raise NotImplementedError

    def refuse(self) -> errors.Invalid:
        return errors.Invalid.field("answer", f"must be {self.hint()}")


def _text_keys(value: Any) -> Any:
    """YAML reads the key 1 as a number, JSON only knows text."""
    return {str(k): v for k, v in value.items()} if isinstance(value, dict) else value


class Grade(_Answered):
    """A whole number between two."""

    ask: Literal["grade"]
    text: Text = "How good is this?"
    min: int = Field(1, ge=-1000, le=1000)
    max: int = Field(5, ge=-1000, le=1000)
    labels: Annotated[dict[str, Name], BeforeValidator(_text_keys)] = Field({}, description="what a grade means, such as {1: poor}")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not 1 <= self.max - self.min <= 100:
            raise wrong("max", f"must be above min ({self.min}), by 100 at most")
        odd = next((k for k in self.labels if k not in {str(g) for g in range(self.min, self.max + 1)}), None)
        if odd is not None:
            raise wrong("labels", f"names {odd!r}, which is no grade from {self.min} to {self.max}")
        return self

    def hint(self) -> str:
        return f"a whole number from {self.min} to {self.max}"

    def canonical(self, answer: Any) -> int:
        if type(answer) is not int or not self.min <= answer <= self.max:
            raise self.refuse()
        return answer


class Preference(_Answered):
    """Which of two is better."""

    ask: Literal["preference"]
    text: Text = "Which one is better?"
    options: Options = Field([Option(value=v, label=v.capitalize()) for v in ("left", "right", "tie")], min_length=2, max_length=100)

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        unique("options", [o.value for o in self.options])
        return self

    def hint(self) -> str:
        return f"one of {', '.join(o.value for o in self.options)}"

    def canonical(self, answer: Any) -> str:
        if not isinstance(answer, str) or answer not in [o.value for o in self.options]:
            raise self.refuse()
        return answer


class Choices(_Answered):
    """Some of several."""

    ask: Literal["choices"]
    text: Text = "What holds?"
    options: Options = Field(min_length=1, max_length=100)
    min: int = Field(1, ge=0, le=100)
    max: int | None = Field(None, ge=1, le=100, description="all where absent")

    @model_validator(mode="after")
    def _fit(self) -> Self:
        unique("options", [o.value for o in self.options])
        if not self.min <= self.most <= len(self.options):
            raise wrong("max", f"must be at least min ({self.min}), and {len(self.options)} (the options) at most")
        return self

    @property
    def most(self) -> int:
        return len(self.options) if self.max is None else self.max

    def hint(self) -> str:
        span = f"{self.min}" if self.min == self.most else f"{self.min} to {self.most}"
        return f"a list of {span} of {', '.join(o.value for o in self.options)}"

    def canonical(self, answer: Any) -> list[str]:
        """In the options' order, whatever order they were clicked in."""
        known = [o.value for o in self.options]
        fits = isinstance(answer, list) and self.min <= len(answer) <= self.most
        if not fits or any(not isinstance(a, str) or a not in known for a in answer) or len(set(answer)) < len(answer):
            raise self.refuse()
        return [v for v in known if v in answer]


def _whole(value: Any) -> Any:
    """A bare text asks for a verdict; so does a question that doesn't say what it asks for."""
    if isinstance(value, str):
        return {"ask": "verdict", "text": value}
    return {"ask": "verdict", **value} if isinstance(value, dict) else value


Question = Annotated[
    Annotated[Verdict | Grade | Preference | Choices, Field(discriminator="ask")],
    BeforeValidator(_whole),
]
