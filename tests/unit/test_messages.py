"""The message and its gates: each bad input has its own name, every failure is said, and the hashes hold what they promise."""

from __future__ import annotations

import hashlib
import json
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from claimcheck import canonical, lines
from claimcheck.intake import currencies, gates, messages
from claimcheck.intake.gates import Passed, Refusal
from claimcheck.intake.messages import Message
from tests.ending import ending

GOOD = {
    "project_id": 1,
    "idempotency_key": "k",
    "partition_key": "Acme",
    "ledger_entity": "1200 receivables",
    "currency": "EUR",
    "variance_amount": "12.50",
    "match_decision": "PARTIAL",
    "payload": {"statement": "RF18 5390", "ledger": "RF18 5309"},
}


def raw(**more: Any) -> bytes:
    """A message; `more` replaces fields, `...` takes one out."""
    return json.dumps({name: value for name, value in (GOOD | more).items() if value is not ...}).encode()


def with_amount(written: str) -> bytes:
    """A message whose amount stands there as it is written."""
    return raw().replace(b'"12.50"', written.encode())


def judged(body: Any) -> list[Refusal]:
    found = gates.judge(body)
    assert isinstance(found, list), "it was let through"
    return found


def deep(n: int) -> bytes:
    return raw().replace(b'"RF18 5390"', b"[" * n + b"]" * n)


FILE = {"name": "a.txt", "content_type": "text/plain", "base64": "aGk="}
BAD: list[tuple[str, Any, str, str, str, str]] = [  # what, bytes, gate, cause, field, a part of the fix
    ("a float on the wire", with_amount("12.5"), "monetary", "float_on_the_wire", "variance_amount", "must be text"),
    ("a whole number on the wire", with_amount("12"), "monetary", "float_on_the_wire", "variance_amount", "must be text"),
    ("a number with an exponent", with_amount("1.25e1"), "monetary", "float_on_the_wire", "variance_amount", "must be text"),
    ("NaN on the wire", with_amount("NaN"), "structural", "not_finite", "variance_amount", "NaN"),
    ("infinity on the wire", with_amount("-Infinity"), "structural", "not_finite", "variance_amount", "Infinity"),
    ("a number of 2,000 digits", with_amount("1" * 2000), "structural", "number_too_long", "variance_amount", "use a string"),
    ("NaN as text", raw(variance_amount="NaN"), "monetary", "not_finite", "variance_amount", "not NaN"),
    ("infinity as text", raw(variance_amount="-Infinity"), "monetary", "not_finite", "variance_amount", "infinity"),
    ("an exponent", raw(variance_amount="1.25e1"), "monetary", "exponent", "variance_amount", "written out"),
    ("too many places", raw(variance_amount="12.505"), "monetary", "too_many_places", "variance_amount", "EUR has 2 decimal places"),
    ("places beyond every currency", raw(variance_amount="0.000001"), "monetary", "too_many_places", "variance_amount", "has 6"),
    ("cents of yen", raw(currency="JPY"), "monetary", "too_many_places", "variance_amount", "JPY has 0 decimal places"),
    ("places that are nought", raw(variance_amount="12.500"), "monetary", "too_many_places", "variance_amount", "exact amounts"),
    ("too many digits", raw(variance_amount="1" * 16), "monetary", "amount_too_large", "variance_amount", "at most 15"),
    ("a comma", raw(variance_amount="12,50"), "monetary", "not_an_amount", "variance_amount", "with a point"),
    ("a thousands' mark", raw(variance_amount="1_000.00"), "monetary", "not_an_amount", "variance_amount", "digits"),
    ("a plus", raw(variance_amount="+1.00"), "monetary", "not_an_amount", "variance_amount", "digits"),
    ("spaces about it", raw(variance_amount=" 1.00"), "monetary", "not_an_amount", "variance_amount", "digits"),
    ("a line's end behind it", raw(variance_amount="1.00\n"), "monetary", "not_an_amount", "variance_amount", "digits"),
    ("digits of another script", raw(variance_amount="١٢.٥٠"), "monetary", "not_an_amount", "variance_amount", "digits"),
    ("an empty amount", raw(variance_amount=""), "monetary", "not_an_amount", "variance_amount", "digits"),
    ("a currency's name in it", raw(variance_amount="12.50 EUR"), "monetary", "not_an_amount", "variance_amount", "digits"),
    ("no amount", raw(variance_amount=...), "monetary", "no_variance_amount", "variance_amount", "is required"),
    ("null as amount", raw(variance_amount=None), "monetary", "no_variance_amount", "variance_amount", "text"),
    ("true as amount", raw(variance_amount=True), "monetary", "wrong_type", "variance_amount", "text"),
    ("an unknown currency", raw(currency="EUX"), "monetary", "unknown_currency", "currency", "ISO 4217"),
    ("gold, which has no places", raw(currency="XAU"), "monetary", "unknown_currency", "currency", "ISO 4217"),
    ("a currency of the past", raw(currency="DEM"), "monetary", "unknown_currency", "currency", "not DEM"),
    ("a small currency", raw(currency="eur"), "monetary", "unknown_currency", "currency", "ISO 4217"),
    ("no currency", raw(currency=...), "monetary", "no_currency", "currency", "is required"),
    ("matched with a variance", raw(match_decision="MATCHED"), "monetary", "matched_with_variance", "variance_amount", "must be zero"),
    ("matched with a cent", raw(match_decision="MATCHED", variance_amount="-0.01"), "monetary", "matched_with_variance", "variance_amount", "zero"),
    ("no partition", raw(partition_key=...), "ordering", "no_partition_key", "partition_key", "is required"),
    ("null as partition", raw(partition_key=None), "ordering", "no_partition_key", "partition_key", "text"),
    ("an empty partition", raw(partition_key=""), "ordering", "no_partition_key", "partition_key", "at least 1"),
    ("a number as partition", raw(partition_key=7), "ordering", "wrong_type", "partition_key", "text"),
    ("a partition too long", raw(partition_key="x" * 201), "ordering", "too_long", "partition_key", "at most 200"),
    ("a partition on two lines", raw(partition_key="a\nb"), "ordering", "unprintable", "partition_key", "line breaks"),
    ("no key", raw(idempotency_key=...), "idempotency", "no_idempotency_key", "idempotency_key", "is required"),
    ("an empty key", raw(idempotency_key=""), "idempotency", "no_idempotency_key", "idempotency_key", "at least 1"),
    ("a key too long", raw(idempotency_key="x" * 201), "idempotency", "too_long", "idempotency_key", "at most 200"),
    ("a key with spaces about it", raw(idempotency_key=" k"), "idempotency", "unprintable", "idempotency_key", "spaces"),
    ("a number as trace id", raw(trace_id=7), "idempotency", "wrong_type", "trace_id", "text"),
    ("no project", raw(project_id=...), "structural", "no_project_id", "project_id", "is required"),
    ("text as project", raw(project_id="1"), "structural", "wrong_type", "project_id", "whole number"),
    ("true as project", raw(project_id=True), "structural", "wrong_type", "project_id", "whole number"),
    ("a float as project", raw(project_id=1.0), "structural", "wrong_type", "project_id", "whole number"),
    ("a project that none can be", raw(project_id=2**31), "structural", "out_of_range", "project_id", "at most"),
    ("project 0", raw(project_id=0), "structural", "out_of_range", "project_id", "at least 1"),
    ("no entity", raw(ledger_entity=...), "structural", "no_ledger_entity", "ledger_entity", "is required"),
    ("no match decision", raw(match_decision=...), "structural", "no_match_decision", "match_decision", "is required"),
    ("a small match decision", raw(match_decision="partial"), "structural", "unknown_match_decision", "match_decision", "'PARTIAL'"),
    ("no payload", raw(payload=...), "structural", "no_payload", "payload", "is required"),
    ("a list as payload", raw(payload=[]), "structural", "wrong_type", "payload", "object"),
    *((f"{name} in the payload", raw(payload={name: "x"}), "structural", "reserved_name", f"payload.{name}", "another name") for name in messages.SHOWN),
    ("files that are none", raw(payload={"files": [FILE, {"name": "b"}]}), "structural", "bad_files", "payload.files[1].content_type", "required"),
    ("a field that is none of ours", raw(timestamp="2026-01-01"), "structural", "unknown_field", "timestamp", "remove it"),
    ("a field called body", raw(body="x"), "structural", "unknown_field", "body", "remove it"),
    ("no object", b'["k"]', "structural", "not_an_object", "body", "object"),
    ("no JSON", b"hello", "structural", "not_json", "body", "not JSON"),
    ("half a message", raw()[:-1], "structural", "not_json", "body", "not JSON"),
    ("two messages", raw() + raw(), "structural", "not_json", "body", "one JSON value"),
    ("nothing", b"", "structural", "empty", "body", "empty"),
    ("NUL", raw().replace(b"Acme", b"Ac\x00me"), "structural", "nul_character", "body", "NUL"),
    ("NUL in an escape", raw(partition_key="Ac\0me"), "structural", "nul_character", "partition_key", "NUL"),
    ("half a character", raw(partition_key="\ud800"), "structural", "nul_character", "partition_key", "surrogate"),
    ("broken UTF-8", raw().replace(b"Acme", b"Ac\xffme"), "structural", "broken_utf8", "body", "UTF-8"),
    ("another encoding", raw().decode().encode("utf-16"), "structural", "broken_utf8", "body", "UTF-8"),
    ("10,000-deep JSON", deep(10_000), "structural", "too_deep", "body", "flatten"),
    ("a name twice", raw().replace(b'"payload"', b'"currency": "USD", "payload"'), "structural", "key_twice", "body", "twice"),
    ("a name twice in the payload", raw().replace(b'"statement"', b'"ledger": "x", "statement"'), "structural", "key_twice", "payload", "twice"),
    ("a byte too many", raw(payload={"x": "x" * messages.BYTES}), "structural", "too_large", "body", "/v1/uploads"),
    ("a line too long", lines.TooLong(b"{", 30_000_000), "structural", "too_large", "body", "30,000,000"),
]  # fmt: skip
CASES = pytest.mark.parametrize(("body", "gate", "cause", "field", "fix"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])


@CASES
def test_it_refuses_a_bad_message_by_gate_cause_field_and_fix(body: Any, gate: str, cause: str, field: str, fix: str) -> None:
    [refusal] = judged(body)
    assert (refusal.gate, refusal.code, refusal.cause, refusal.field) == (gate, "POISON_MESSAGE", cause, field)
    assert fix in refusal.detail


@pytest.mark.parametrize("gate", gates.GATES)
def test_it_would_notice_a_missing_gate(gate: gates.Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only one gate holds back goes unnamed without it; what can't be read at all stops before any."""
    monkeypatch.delitem(gates.GATES, gate)
    own = [gates.judge(body) for _, body, its, *_ in BAD if its == gate]
    unnamed = [found for found in own if not isinstance(found, list) or not found]
    assert len(unnamed) >= (18 if gate == "structural" else len(own)) > 0


def test_it_judges_every_gate_and_names_every_failure() -> None:
    body = raw(ledger_entity=..., variance_amount=12.5, currency="EUX", partition_key=7, idempotency_key="", trace_id=1, colour="red")
    assert [(r.gate, r.cause) for r in judged(body)] == [
        ("structural", "no_ledger_entity"),
        ("structural", "unknown_field"),
        ("monetary", "unknown_currency"),
        ("monetary", "float_on_the_wire"),
        ("ordering", "wrong_type"),
        ("idempotency", "no_idempotency_key"),
        ("idempotency", "wrong_type"),
    ]


@pytest.mark.parametrize("more", [{"partition_key": ...}, {"idempotency_key": ...}, {"ledger_entity": ...}, {"payload": {"files": 1}}])
def test_it_judges_the_money_whatever_else_is_wrong(more: dict[str, Any]) -> None:
    assert "matched_with_variance" in [r.cause for r in judged(raw(match_decision="MATCHED", **more))]
    assert "too_many_places" in [r.cause for r in judged(raw(variance_amount="1.001", **more))]


def test_it_says_no_more_than_needs_to_be_said_of_a_field_without_end() -> None:
    [refusal] = judged(raw(**{"x" * 500_000: 1}))
    assert (refusal.cause, len(refusal.field)) == ("unknown_field", 200)
    assert len(judged(raw(**{f"x{n}": 1 for n in range(5000)}))) == 50


@pytest.mark.parametrize("name", [name for name, value in GOOD.items() if isinstance(value, str)])
@pytest.mark.parametrize(
    "text", ["9" * 1_000_000, "9" * 999_000 + "x", "9" * 500_000 + "." + "9" * 499_000, "x" + " " * 999_000 + "x", "\\" * 499_000]
)
def test_it_judges_a_text_without_end_at_once(name: str, text: str) -> None:
    """A message of one megabyte may hold nobody else up: the whole process waits while a pattern is tried."""
    with ending():
        assert judged(raw(**{name: text}))


def test_it_says_whose_a_refused_message_is_as_far_as_it_can() -> None:
    assert gates.said(raw(payload=7, trace_id="t")) == (1, "k", "t")
    assert gates.said(raw(project_id=True, idempotency_key="a\nb", trace_id=9)) == (None, None, None)
    for body in (b"{", b"[1]", b"\xff", lines.TooLong(b"{", 9)):
        assert gates.said(body) == (None, None, None)


def test_it_shows_what_is_judged_beside_the_payload() -> None:
    found = passed(raw(variance_amount="12.5"))
    item = found.message.item("t")
    own = {"variance_amount": "12.50", "currency": "EUR", "match_decision": "PARTIAL", "ledger_entity": "1200 receivables"}
    assert item == {"idempotency_key": "k", "partition_key": "Acme", "trace_id": "t", "payload": {**GOOD["payload"], **own}}


def test_it_lets_a_payload_be_of_files_alone_or_of_nothing() -> None:
    assert passed(raw(payload={})) and passed(raw(payload={"files": []})) and passed(raw(payload={"files": [FILE]}))


def test_it_keeps_the_numbers_of_a_payload_as_they_were_written() -> None:
    message = passed(raw(payload={}).replace(b"{}", b'{"rate": 1.50, "long": 0.1000000000000000055}')).message
    assert b'"rate":1.50' in canonical.encode(message.content()) and b"0.1000000000000000055" in canonical.encode(message.content())


def passed(body: bytes) -> Passed:
    found = gates.judge(body)
    assert isinstance(found, Passed), found
    return found


# Properties

AMOUNTS = st.from_regex(r"-?[0-9]{1,15}(\.[0-9]{1,4})?", fullmatch=True)
CURRENCIES = st.sampled_from(sorted(currencies.PLACES))
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=200)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=50)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | TEXTS, lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXTS, v, max_size=3)
)
PAYLOADS = st.dictionaries(TEXTS.filter(lambda name: name not in (*messages.SHOWN, "files")), VALUES, max_size=4)


@st.composite
def contents(draw: Any) -> dict[str, Any]:
    """A message's fields without a fault."""
    currency = draw(CURRENCIES)
    decision = draw(st.sampled_from(["MATCHED", "PARTIAL", "UNMATCHED"]))
    units = 0 if decision == "MATCHED" else draw(st.integers(-(10**15) + 1, 10**15 - 1))
    amount = f"{Decimal(units).scaleb(-currencies.PLACES[currency]):f}"
    named = {name: draw(NAMES) for name in ("idempotency_key", "partition_key", "ledger_entity")}
    project = draw(st.integers(1, 2**31 - 1))
    return {"project_id": project, **named, "currency": currency, "variance_amount": amount, "match_decision": decision, "payload": draw(PAYLOADS)}


def of(content: dict[str, Any]) -> Message:
    return passed(json.dumps(content, ensure_ascii=False).encode()).message


@given(AMOUNTS, CURRENCIES)
def test_it_never_rounds_an_amount(amount: str, currency: str) -> None:
    places = currencies.PLACES[currency]
    if len(amount.partition(".")[2]) > places:
        with pytest.raises(PydanticCustomError, match="decimal places"):
            messages.quantised(amount, currency)
        return
    found = messages.quantised(amount, currency)
    assert found == Decimal(amount) and -int(found.as_tuple().exponent) == places
    assert f"{found:f}" == f"{messages.quantised(f'{found:f}', currency):f}", "it is its own canonical form"
    assert not (found == 0 and found.is_signed()), "there is one zero"


@given(st.floats() | st.integers())
def test_it_takes_no_number_for_an_amount(value: float) -> None:
    found = gates.judge(with_amount(json.dumps(value)))
    assert isinstance(found, list)
    assert {r.cause for r in found} <= {"float_on_the_wire", "not_finite", "number_too_long"}


@given(st.text(max_size=30))
def test_it_takes_no_text_but_plain_decimals_for_an_amount(text: str) -> None:
    found = gates.judge(raw(variance_amount=text))
    if isinstance(found, Passed):
        assert text.isascii() and set(text) <= set("-.0123456789") and Decimal(text).is_finite()


@given(st.binary(max_size=200) | st.binary(max_size=30).map(lambda b: raw()[:60] + b + raw()[60:]))
def test_it_judges_whatever_bytes_come(body: bytes) -> None:
    found = gates.judge(body)
    assert isinstance(found, Passed) or (found and all(r.gate in gates.GATES and r.cause and r.detail for r in found))
    gates.said(body)


@given(contents(), st.randoms(use_true_random=False), NAMES)
def test_it_gives_the_same_message_the_same_hash_however_it_is_written(content: dict[str, Any], random: Any, trace_id: str) -> None:
    shuffled = list(content.items())
    random.shuffle(shuffled)
    whole, fraction = content["variance_amount"].partition(".")[::2]
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    written = f"{sign}{digits.zfill(15)}" + (f".{fraction}" if fraction.strip("0") else "")
    again = json.dumps({**dict(shuffled), "variance_amount": written, "trace_id": trace_id}, indent=1).encode()
    assert passed(again).message.message_hash() == of(content).message_hash()
    assert passed(again).message.source_hash() == of(content).source_hash()


@given(contents(), contents(), st.sampled_from(sorted(GOOD)))
def test_it_gives_other_content_another_hash(one: dict[str, Any], other: dict[str, Any], name: str) -> None:
    changed = {**one, name: other[name]}
    found = gates.judge(json.dumps(changed, ensure_ascii=False).encode())
    assume(isinstance(found, Passed) and changed != one)
    assert isinstance(found, Passed)
    same = canonical.encode(found.message.content()) == canonical.encode(of(one).content())  # True == 1, but not in JSON
    assert (found.message.message_hash() == of(one).message_hash()) == same
    assert same == (name == "variance_amount" and Decimal(changed[name]) == Decimal(one[name]))


@given(contents())
def test_it_hashes_what_its_document_says(content: dict[str, Any]) -> None:
    message, amount = of(content), f"{messages.quantised(content['variance_amount'], content['currency']):f}"
    said = f"{content['idempotency_key']}:{content['ledger_entity']}:{amount}:{content['match_decision']}"
    assert message.source_hash() == hashlib.sha256(said.encode()).digest()
    assert message.message_hash() == hashlib.sha256(canonical.encode({**content, "variance_amount": amount})).digest()


def test_it_knows_the_places_of_every_currency() -> None:
    places = currencies.PLACES
    assert {code: places[code] for code in ("EUR", "JPY", "KWD", "CLF", "ISK", "TND", "MGA", "IQD")} == {
        "EUR": 2, "JPY": 0, "KWD": 3, "CLF": 4, "ISK": 0, "TND": 3, "MGA": 2, "IQD": 3}  # fmt: skip
    assert all(len(code) == 3 and code.isascii() and code.isupper() for code in places) and len(places) > 160


# Each guard of the money is needed

MUTANTS = [
    (messages, "check_money", lambda *_: None, "matched with a variance"),
    (messages, "_AMOUNT", re.compile(r"-?\d{1,15}(\.\d+)?"), "digits of another script"),
    (messages, "quantised", lambda amount, currency: Decimal(amount).quantize(Decimal("0.01")), "too many places"),
]


@pytest.mark.parametrize(("module", "name", "instead", "what"), MUTANTS, ids=[m[1] for m in MUTANTS])
def test_it_would_notice_a_missing_guard(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, instead: Any, what: str) -> None:
    [case] = [b for b in BAD if b[0] == what]
    monkeypatch.setattr(module, name, instead)
    with pytest.raises(AssertionError):
        test_it_refuses_a_bad_message_by_gate_cause_field_and_fix(*case[1:])
