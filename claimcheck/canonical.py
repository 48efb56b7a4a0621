"""Canonical JSON, the strict reading of JSON that others wrote, and the hashes made from both."""

import dataclasses
import decimal
import functools
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

MAX_DEPTH = 100
MAX_DIGITS = 1000  # PostgreSQL's numeric holds them, and no sum of theirs can take a second
MAX_EXPONENT = 1000

_TOO_LONG = 10**MAX_DIGITS
# The closing quote is optional: an unterminated string is passed over once, not tried again from each quote.
_NESTING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
_NESTING_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_SUSPECT_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,59}")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SHA256 = re.compile(r"[0-9a-f]{64}")


_Report = Callable[[str], Any]


class InvalidJSON(ValueError):
    """The JSON cannot be taken: `path` says where ("$.files[0].name"), `detail` what is wrong and the fix."""

    def __init__(self, path: str, detail: str):
        super().__init__(path, detail)
        self.path, self.detail = path, detail

    def __str__(self) -> str:
        return f"{self.path}: {self.detail}"


class Number(decimal.Decimal):
    """A decimal that remembers how it was written: `1.50` stays `1.50`, `1E5` stays `1E5`, `-0` stays `-0`.

    It counts and compares as a Decimal (exactly, so amounts are safe) and prints as its text, which `encode`
    writes back. `json.dumps` refuses it rather than losing digits.
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> "Number":
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __str__(self) -> str:
        return self.text

    def __format__(self, spec: str, /, *context: Any) -> str:
        return super().__format__(spec, *context) if spec else self.text

    def __reduce__(self) -> tuple[type["Number"], tuple[str]]:
        return Number, (self.text,)


class _Fault(Exception):
    """What the grammar allows and we refuse; kept in the tree until its path is known."""


def parse_json(data: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Read untrusted JSON; decimals come back as `Number`.

    Refuses, as InvalidJSON: broken UTF-8, anything beside one JSON value, duplicate keys, nesting deeper than
    `max_depth`, numbers of more than MAX_DIGITS characters, NaN and Infinity, NUL, lone surrogates.
    """
    text = _decoded(data)
    _refuse_depth(text, max_depth)
    try:
        value = _read(text, max_depth)
    except json.JSONDecodeError as error:
        raise InvalidJSON("$", _syntax(error)) from None
    if _SUSPECT_ESCAPE.search(text):
        encode(value, max_depth=max_depth)
    return value


def _read(text: str, max_depth: int) -> Any:
    try:
        return _STRICT.decode(text)
    except _Fault:
        # Once more, leaving the faults in their places: writing the tree out names the first one's path.
        encode(_MARKING.decode(text), max_depth=max_depth)
        raise


def _decoded(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} at offset {error.start}"
        raise InvalidJSON("$", f"is not UTF-8: {found}; save the text as UTF-8") from None
    if not text.strip(" \t\r\n"):
        raise InvalidJSON("$", "is empty; send one JSON value")
    if "\0" in text:
        raise InvalidJSON("$", f"holds a NUL character {_place(text, text.index(chr(0)))}; remove it")
    return text


def _place(text: str, at: int) -> str:
    return f"at line {text.count(chr(10), 0, at) + 1} column {at - text.rfind(chr(10), 0, at)}"


def _syntax(error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return f"goes on after its end {_place(error.doc, error.pos)}; send one JSON value"
    wrong = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    return f"is not JSON {_place(error.doc, error.pos)}: {wrong}; correct the text there"


def _refuse_depth(text: str, limit: int) -> None:
    if text.count("[") + text.count("{") <= limit:
        return
    depth = 0
    for token in _NESTING.finditer(text):
        depth += _NESTING_STEP.get(token[0], 0)
        if depth > limit:
            place = _place(text, token.start())
            raise InvalidJSON("$", f"is nested deeper than {limit} levels {place}; flatten it")


def _members(report: _Report, pairs: list[tuple[str, Any]]) -> Any:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()  # not keys.count: of 50,000 keys that would take minutes
    twice = next(key for key, _ in pairs if key in seen or seen.add(key))
    return report(f"has the key {json.dumps(twice)[:80]} twice; keep one of them")


def _integer(report: _Report, text: str) -> Any:
    if len(text) > MAX_DIGITS:
        return report(f"is a number of {len(text)} characters; at most {MAX_DIGITS}, or use a string")
    return int(text) if text != "-0" else Number(text)


def _decimal(report: _Report, text: str) -> Any:
    exponent = text.lower().partition("e")[2]
    if len(text) > MAX_DIGITS or abs(int(exponent or 0)) > MAX_EXPONENT:
        return report(f"is a number too long or too large; at most {MAX_DIGITS} digits, or use a string")
    return Number(text)


def _constant(report: _Report, name: str) -> Any:
    return report(f"is {name}, which is not JSON; use null or a string")


def _raise(detail: str) -> Any:
    raise _Fault(detail)


def _decoder(report: _Report) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=functools.partial(_members, report),
        parse_int=functools.partial(_integer, report),
        parse_float=functools.partial(_decimal, report),
        parse_constant=functools.partial(_constant, report),
    )


_STRICT, _MARKING = _decoder(_raise), _decoder(_Fault)


def encode(value: Any, *, sort_keys: bool = True, max_depth: int = MAX_DEPTH) -> bytes:
    """The value as canonical JSON: keys sorted by code point, no spaces, UTF-8, numbers as they were written.

    With `sort_keys=False` keys stay in their order. InvalidJSON names the place of what JSON or PostgreSQL
    cannot hold: NaN, Infinity, NUL, lone surrogates, keys that are no strings, other types, too deep a nest.
    """
    pieces: list[str] = []
    try:
        _write(value, sort_keys, max_depth, pieces.append)
    except InvalidJSON as error:
        raise InvalidJSON("$" + error.path, error.detail) from None
    return "".join(pieces).encode()


def vote(verdict: str | None, answer: Any) -> str:
    """A look in the one form in which looks and labels are compared: its verdict, or its canonical answer as JSON."""
    return encode(answer).decode() if verdict is None else verdict


def _write(value: Any, sort_keys: bool, room: int, put: Callable[[str], None]) -> None:
    if isinstance(value, Mapping):
        _write_children("{}", _sorted(value) if sort_keys else value.items(), sort_keys, room, put)
    elif isinstance(value, list | tuple):
        _write_children("[]", enumerate(value), sort_keys, room, put)
    else:
        put(_scalar(value))


def _sorted(members: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    try:
        return sorted(members.items(), key=lambda member: member[0])
    except TypeError:
        return members.items()  # keys of several types: the first that is no string is refused below


def _write_children(ends: str, children: Iterable[tuple[Any, Any]], sort_keys: bool, room: int, put: Callable[[str], None]) -> None:
    if room < 1:
        raise InvalidJSON("", "is nested too deeply; flatten it")
    put(ends[0])
    for position, (key, value) in enumerate(children):
        try:
            put("," if position else "")
            put(_string(key) + ":" if ends == "{}" else "")
            _write(value, sort_keys, room - 1, put)
        except InvalidJSON as error:
            raise InvalidJSON(_step(key) + error.path, error.detail) from None
    put(ends[1])


def _step(key: Any) -> str:
    if isinstance(key, str):
        return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key[:60])}]"
    return f"[{key!r:.60}]"


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise InvalidJSON("", f"is a key of type {type(text).__name__}; keys are strings")
    if _UNSTORABLE.search(text):
        raise InvalidJSON("", "holds a NUL character or half a surrogate pair; remove it")
    return encode_basestring(text)


def _scalar(value: Any) -> str:
    match value:
        case str():
            return _string(value)
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case int() if abs(value) < _TOO_LONG:
            return int.__repr__(value)
        case Number() if _NUMBER.fullmatch(value.text):
            return value.text
        case float() if math.isfinite(value):
            return float.__repr__(value)
        case decimal.Decimal() if value.is_finite() and not isinstance(value, Number):
            return str(value)
        case _Fault():
            raise InvalidJSON("", str(value))
    raise InvalidJSON("", f"cannot be written as JSON ({type(value).__name__}); use a string")


@dataclasses.dataclass(frozen=True)
class Part:
    """One stored object of an item's evidence; `size` in bytes, `sha256` in 64 lowercase hex digits."""

    name: str
    content_type: str
    size: int
    sha256: str


def source_hash(data: bytes) -> str:
    """SHA-256 of the bytes as they came, 64 lowercase hex digits."""
    return hashlib.sha256(data).hexdigest()


def evidence_document(item: int | str, evidence_version: int, project_version: int, shown: Sequence[str], parts: Iterable[Part]) -> dict[str, Any]:
    """The document that the evidence hash is taken over; fields and parts stay in the order of showing.

    ValueError where two parts share a name or a part's size or hash cannot be one.
    """
    listed = [dataclasses.asdict(part) for part in parts]
    _check_parts(listed)
    versions = {"evidence_version": evidence_version, "project_version": project_version}
    return {"item": item, **versions, "shown": list(shown), "parts": listed}


def _check_parts(parts: list[dict[str, Any]]) -> None:
    names = [part["name"] for part in parts]
    if len(set(names)) < len(names):
        raise ValueError(f"two parts have the same name: {sorted(names)}")
    for part in parts:
        if part["size"] < 0 or not _SHA256.fullmatch(part["sha256"]):
            raise ValueError(f"part {part['name']!r} needs a size in bytes and a SHA-256 in lowercase hex")


def evidence_hash(item: int | str, evidence_version: int, project_version: int, shown: Sequence[str], parts: Iterable[Part]) -> str:
    """What a decision is bound to: SHA-256 over the canonical evidence document, 64 lowercase hex digits."""
    return source_hash(encode(evidence_document(item, evidence_version, project_version, shown, parts)))
