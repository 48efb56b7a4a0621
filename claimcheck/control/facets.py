"""Facets: a few fields of the payload that a project names by JSON Pointer (RFC 6901), so that what goes wrong can be grouped by their values.

They are read where a payload is taken in and its bytes are at hand; no page reads one. What is kept is short, a number only the band it lies in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from claimcheck import canonical, transactions
from claimcheck.db import Database
from claimcheck.validation import Name

MOST, LONGEST = 5, 60  # facets of a project; characters of a value
BIGGEST = Decimal(10) ** 15
AMOUNT = re.compile(r"-?[0-9]{1,15}\.[0-9]{2,4}")  # money is text, so that it keeps its digits
INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
PATIENCE, PAGE = 5.0, 500


@dataclass(frozen=True, slots=True)
class _Step:
    last: int | None
    changed: int


def _pointer(text: str) -> str:
    if not text.startswith("/") or re.search("~(?![01])", text):
        raise ValueError("must be a JSON Pointer such as /country or /holder/country (in a name ~1 stands for /, ~0 for ~)")
    if steps(text)[0] == "files":
        raise ValueError("must name a field: what is in files is not looked at")
    return text


Facets = Annotated[list[Annotated[Name, AfterValidator(_pointer)]], Field(max_length=MOST)]


def steps(pointer: str) -> list[str]:
    """The names, or numbers in lists, on the way to a field."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def read(fields: Mapping[str, Any], pointers: Sequence[str]) -> dict[str, Any]:
    """What the fields at these pointers say, as JSON: numbers, amounts among them, and short texts; anything else is left out."""
    found = {pointer: _short(_at(fields, steps(pointer))) for pointer in pointers}
    return {pointer: value for pointer, value in found.items() if value is not None}


def _at(value: Any, way: Sequence[str]) -> Any:
    for step in way:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _short(value: Any) -> Any:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | Decimal():
            return value if abs(value) < BIGGEST else None
        case str() if AMOUNT.fullmatch(value):
            return canonical.Number(value)
        case str():
            text = " ".join(value.split())
            return text if 0 < len(text) <= LONGEST else None
    return None


def erase(db: Database, *, project_id: int, gone: Sequence[str]) -> None:
    """What was kept of fields that the rules in force name no more; whoever is writing by older rules is waited for."""
    transactions.await_writers(db, "item_facets", "policy_gaps", patience=PATIENCE)
    step = _Step(0, 0)
    while step and step.last is not None:
        step = db.one("facets/erase", _Step, project_id=project_id, gone=[*gone], after=step.last, limit=PAGE)
