"""The four gates in front of the inbox: each is judged for itself, all must hold, every failure is named. Sameness is judged by the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic_core import PydanticCustomError

from claimcheck import canonical, errors, lines, payloads
from claimcheck.intake import messages
from claimcheck.intake.messages import Message
from claimcheck.validation import Fault, checked

Gate = Literal["structural", "monetary", "ordering", "idempotency"]
POISON = errors.PoisonMessage.code
SHOWN, SAID = 200, 2000  # characters of a field's name and of what is wrong with it: names come from outside, and may be long
_KINDS = {
    "extra_forbidden": "unknown_field",
    "string_too_long": "too_long",
    "value_error": "unprintable",
    "greater_than_equal": "out_of_range",
    "less_than_equal": "out_of_range",
}
_UNREADABLE = {  # a part of what canonical.parse_json says, and the name for it
    "is not UTF-8": "broken_utf8",
    "is empty": "empty",
    "NUL": "nul_character",
    "nested": "too_deep",
    "twice": "key_twice",
    "which is not JSON": "not_finite",
    "is a number": "number_too_long",
}


class Refusal(NamedTuple):
    """Why a gate holds a message back. `cause` is a short name to group by, `detail` says the fix."""

    gate: Gate
    code: str
    cause: str
    field: str
    detail: str


class Said(NamedTuple):
    """What a refused message says of itself, as far as that can be read."""

    project_id: int | None = None
    idempotency_key: str | None = None
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """A message that every gate let through."""

    message: Message
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Candidate:
    value: Any
    faults: list[Fault]


def judge(body: bytes | lines.TooLong) -> Passed | list[Refusal]:
    """The message in these bytes, or what is wrong with it, by gates. What can't be read at all fails the first one alone."""
    if isinstance(body, lines.TooLong) or len(body) > messages.BYTES:
        return [_too_large(body.size if isinstance(body, lines.TooLong) else len(body))]
    try:
        value = canonical.parse_json(body)
    except canonical.InvalidJSON as error:
        return [_refused("structural", _unreadable(error), error.path.removeprefix("$").removeprefix(".") or "body", error.detail)]
    found = checked(Message, value)
    candidate = _Candidate(value, found if isinstance(found, list) else [])
    refusals = [refusal for gate in GATES.values() for refusal in gate(candidate)]
    if refusals or isinstance(found, list):
        return refusals
    return Passed(found, body)


def said(body: bytes | lines.TooLong) -> Said:
    """Whose message it would have been."""
    try:
        value = canonical.parse_json(body) if isinstance(body, bytes) and len(body) <= messages.BYTES else None
    except canonical.InvalidJSON:
        value = None
    if not isinstance(value, dict):
        return Said()
    project = value.get("project_id")
    known = project if isinstance(project, int) and not isinstance(project, bool) and 0 < project < 2**31 else None
    return Said(known, _name(value.get("idempotency_key")), _name(value.get("trace_id")))


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable() else None


def _structural(candidate: _Candidate) -> list[Refusal]:
    """Everything is there, is known, and has its type; the payload can be an item's."""
    found = _of_fields("structural", candidate, lambda name: name not in _ELSEWHERE)
    payload = _field(candidate, "payload")
    return found + _files(payload) if isinstance(payload, Mapping) and "files" in payload else found


def _monetary(candidate: _Candidate) -> list[Refusal]:
    """The amount is exact, of a currency that is known, in its places, and zero where everything matched."""
    found = _of_fields("monetary", candidate, lambda name: name in _MONEY)
    judged = not candidate.faults  # the message's own model has seen to it
    if found or judged or not isinstance(candidate.value, Mapping) or any(f.field == "match_decision" for f in candidate.faults):
        return found
    try:
        messages.check_money(*(candidate.value[name] for name in ("currency", "variance_amount", "match_decision")))
    except PydanticCustomError as error:
        return [_refused("monetary", error.type, "variance_amount", error.message())]
    return []


def _ordering(candidate: _Candidate) -> list[Refusal]:
    """There is a partition for it to stand in."""
    return _of_fields("ordering", candidate, lambda name: name == "partition_key")


def _idempotency(candidate: _Candidate) -> list[Refusal]:
    """It has a key to be known by, and a trace id if any; whether the key was used before is judged in the ledger."""
    return _of_fields("idempotency", candidate, lambda name: name in _IDENTITY)


GATES: dict[Gate, Callable[[_Candidate], list[Refusal]]] = {
    "structural": _structural,
    "monetary": _monetary,
    "ordering": _ordering,
    "idempotency": _idempotency,
}
_MONEY, _IDENTITY = ("currency", "variance_amount"), ("idempotency_key", "trace_id")
_ELSEWHERE = (*_MONEY, *_IDENTITY, "partition_key")


def _of_fields(gate: Gate, candidate: _Candidate, own: Callable[[str], bool]) -> list[Refusal]:
    return [_refused(gate, _cause(f), f.field, f.message) for f in candidate.faults if own(_first(f.field)) and f.kind not in _TOGETHER]


_TOGETHER = ("too_many_places", "matched_with_variance")  # of several fields at once, which pydantic leaves out where any other is wrong


def _first(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _field(candidate: _Candidate, name: str) -> Any:
    return candidate.value.get(name) if isinstance(candidate.value, Mapping) else None


def _cause(fault: Fault) -> str:
    if fault.kind == "model_type":
        return "not_an_object"
    if fault.kind in ("missing", "string_too_short"):
        return f"no_{fault.field}"
    if fault.kind == "literal_error":
        return f"unknown_{fault.field}"
    return "wrong_type" if fault.kind.endswith("_type") or fault.kind == "int_from_float" else _KINDS.get(fault.kind, fault.kind)


def _files(payload: Mapping[str, Any]) -> list[Refusal]:
    try:
        payloads.read({**payload, "ledger_entity": ""}, "payload")
    except errors.Invalid as error:
        return [_refused("structural", "bad_files", *e) for e in error.errors]
    return []


def _refused(gate: Gate, cause: str, where: str, detail: str) -> Refusal:
    return Refusal(gate, POISON, cause, where[:SHOWN], detail[:SAID])


def _too_large(size: int) -> Refusal:
    said = f"is {size:,} bytes; the limit is {messages.BYTES:,}: send files ahead through POST /v1/uploads"
    return _refused("structural", "too_large", "body", said)


def _unreadable(error: canonical.InvalidJSON) -> str:
    return next((cause for words, cause in _UNREADABLE.items() if words in error.detail), "not_json")
