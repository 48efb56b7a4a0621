"""Reads what people send into models: strict, nothing unknown, and each message names the field and the fix."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, TypeVar

import pydantic
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, StringConstraints
from pydantic_core import PydanticCustomError

from claimcheck import errors

SHOWN_ERRORS = 50  # a body that is wrong all over gets its first ones
MESSAGES = {
    "missing": "is required",
    "extra_forbidden": "is not known here; remove it, or check its spelling",
    "string_type": "must be text, in quotes",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "literal_error": "must be one of {expected}",
    "union_tag_invalid": "must be one of {expected_tags} in {discriminator}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be a finite number",
    "timezone_aware": "must carry its time zone, such as 2027-01-31T18:00:00Z",
    "value_error": "{error}",
}


class Model(BaseModel):
    """Strict: no conversions, no unknown fields, no change afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _line(text: str) -> str:
    if text != text.strip():
        raise ValueError("must not begin or end with spaces")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text):
        raise ValueError("must not hold line breaks, control characters or halves of characters")
    return text


def _moment(value: Any) -> Any:
    """A time as somebody wrote it, in UTC where it names its zone; what is none, or none there, is told how it should look."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else value
        return at.astimezone(UTC) if isinstance(at, datetime) and at.tzinfo else at
    except (ValueError, OverflowError):
        raise ValueError("must be a moment such as 2027-01-31T18:00:00Z") from None


def _prose(text: str) -> str:
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t\r" for c in text):
        raise ValueError("must not hold control characters or halves of characters")
    return text


Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_line)]
Code = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(_line)]
Prose = Annotated[str, StringConstraints(max_length=10_000), AfterValidator(_prose)]

M = TypeVar("M", bound=BaseModel)


class Fault(NamedTuple):
    """What is wrong with a field: a kind for programs (pydantic's, or a validator's own), the path to it, and the fix."""

    kind: str
    field: str
    message: str


def validated(model: type[M], data: Any, within: str = "") -> M:
    """The data as a model. Raises Invalid with every field that is wrong; `within` is the path that they stand in."""
    found = checked(model, data, within)
    if isinstance(found, list):
        raise invalid([errors.FieldError(f.field, f.message) for f in found]) from None
    return found


def checked(model: type[M], data: Any, within: str = "") -> M | list[Fault]:
    """The data as a model, or all that is wrong with it."""
    try:
        return model.model_validate(data)
    except pydantic.ValidationError as error:
        found = error.errors(include_url=False)[:SHOWN_ERRORS]
        return [Fault(_kind(e), _path(within, _steps(e, data)), _message(e)) for e in found]


def wrong(field: str, message: str) -> PydanticCustomError:
    """What a model's validator raises of one of its fields, where pydantic would name the whole."""
    return PydanticCustomError("field", "{message}", {"field": field, "message": message})


def invalid(found: list[errors.FieldError]) -> errors.Invalid:
    """The error of several fields; its detail is the first one and how many more there are."""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return errors.Invalid(f"{found[0].field}: {found[0].message}{more}", errors=found)


def unique(field: str, values: Sequence[str]) -> None:
    """Raises the field's error where a value stands there twice."""
    twice = next((v for i, v in enumerate(values) if v in values[:i]), None)
    if twice is not None:
        raise wrong(field, f"must not name {twice!r} twice")


def _kind(error: Any) -> str:
    """Nothing is as good as not being there."""
    return "missing" if error["input"] is None and error["type"].endswith(("_type", "literal_error")) else error["type"]


def _message(error: Any) -> str:
    known = MESSAGES.get(error["type"])
    return known.format(**error.get("ctx", {})) if known else error["msg"].replace("Input should", "must", 1)


def _steps(error: Any, data: Any) -> list[int | str]:
    """Where the error is in what was sent. pydantic's own steps, the kind of a tagged union among them, stand nowhere there."""
    path: list[int | str] = []
    for step in error["loc"]:
        here = (isinstance(data, dict) and step in data) or (isinstance(data, list) and isinstance(step, int))
        if here:
            data = data[step] if not isinstance(data, list) or step < len(data) else None
        if here or (error["type"] == "missing" and step == error["loc"][-1]):
            path.append(step)
    return [*path, *([error["ctx"]["field"]] if "field" in error.get("ctx", {}) else [])]


def _path(within: str, steps: list[int | str]) -> str:
    text = within
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text or "body"
