"""MT940 bank statements, read without trust: entry by entry, and of what can't be read its bytes and a diagnosis."""

from __future__ import annotations

import dataclasses
import logging
import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

import mt940
from mt940.models import Amount, Transactions

from claimcheck.intake import framing
from claimcheck.intake.framing import Block, Field

logging.getLogger("mt940").setLevel(logging.CRITICAL + 1)  # it logs what it can't read; we keep that instead

ONCE = ("25", "28", "60", "62")
LONGEST_ACCOUNT, LONGEST_REFERENCE = 35, 100
NO_REFERENCE = {"", "N", "NONREF", "NOTPROVIDED", "NOT PROVIDED"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_OUTSIDE = re.compile("[^ -~]")
_MBANK = re.compile(r"TNR:\s*([0-9]+\.[0-9]+)")
_ENTRY = "a line such as :61:2611281128C1250,00NTRFINV-1042//B77 says the date, C or D, the amount with a comma, a type, and references"


@dataclass(frozen=True, slots=True)
class Entry:
    """A booking on an account. `amount` is positive where money came in; `references` are all by which its other side may know it."""

    value_date: date
    booked: date | None
    amount: Decimal
    references: tuple[str, ...]
    counterparty: str
    text: str
    line: int

    @property
    def reference(self) -> str:
        """The best of its references, or nothing."""
        return self.references[0] if self.references else ""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of one account. `whole` tells whether every entry could be read."""

    account: str
    currency: str
    name: str
    opened: date
    closed: date | None
    entries: tuple[Entry, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Flaw:
    """What could not be taken as it is: where, why, and its bytes. `statement` is the name of the one that it stands in."""

    cause: str
    field: str
    detail: str
    statement: str
    body: bytes = dataclasses.field(repr=False)
    gate: str = "structural"


@dataclass(frozen=True, slots=True)
class Reading:
    """All of a file."""

    statements: tuple[Statement, ...]
    flaws: tuple[Flaw, ...]


@dataclass(frozen=True, slots=True)
class _Balance:
    amount: Decimal
    currency: str
    at: date


class _Unreadable(Exception):
    """A field that can't be read, and why."""

    def __init__(self, cause: str, where: str, detail: str):
        super().__init__(detail)
        self.cause, self.where, self.detail = cause, where, detail


class _Reader(Transactions):
    """mt940's own, but for its mending of dates: 30 February becomes no other day here."""

    DEFAULT_PROCESSORS: ClassVar[Any] = {**Transactions.DEFAULT_PROCESSORS, "pre_statement": []}


def read(data: bytes, encoding: str | None = None) -> Reading:
    """A file's statements and its flaws; never raises for what the bytes are. Without `encoding`, UTF-8, else Windows-1252."""
    found = framing.blocks(data, encoding or framing.encoding_of(data))
    if not found:
        said = "is no MT940 file: no line in it begins with a tag such as :20:; export the statement as MT940 (often .sta or .940) and as UTF-8"
        return Reading((), (Flaw("not_mt940", "the file", said, "", data),))
    statements: list[Statement] = []
    flaws: list[Flaw] = []
    seen: set[tuple[tuple[str, str], ...]] = set()
    for block in found:
        said = tuple((f.tag, f.text) for f in block.fields)
        if said in seen:
            flaws.append(_flaw(block, _Unreadable("statement_twice", block.fields[0].name, "begins the same statement again; it is taken once")))
            continue
        seen.add(said)
        statement, wrong = _statement(block)
        statements += [statement] if statement else []
        flaws += wrong
    return Reading(tuple(statements), tuple(flaws))


def _statement(block: Block) -> tuple[Statement | None, list[Flaw]]:
    try:
        account, opening, closing = _frame(block)
    except _Unreadable as error:
        return None, [_flaw(block, error)]
    entries: list[Entry] = []
    flaws: list[Flaw] = []
    for fields in _entries(block):
        try:
            entries.append(_entry(fields, block.all("60")[0]))
        except _Unreadable as error:
            flaws.append(_flaw(block, error, b"".join(f.raw for f in fields)))
    whole = not flaws
    flaws += [_flaw(block, error) for error in _proof(block, entries, opening, closing)] if whole else []
    closed = closing.at if closing else None
    return Statement(account, opening.currency, _name(block), opening.at, closed, tuple(entries), whole), flaws


def _flaw(block: Block, error: _Unreadable, body: bytes | None = None) -> Flaw:
    gate = "monetary" if error.cause in ("does_not_add_up", "unreadable_amount", "two_currencies") else "structural"
    return Flaw(error.cause, error.where, error.detail, _name(block), block.raw if body is None else body, gate)


def _name(block: Block) -> str:
    """What people call a statement: its reference and number, as far as they can be read."""
    said = (f.text.strip() for tag in ("20", "28") for f in block.all(tag)[:1])
    return ", ".join(_OUTSIDE.sub("�", text)[:LONGEST_REFERENCE] for text in said if text)


def _frame(block: Block) -> tuple[str, _Balance, _Balance | None]:
    """The account, the opening and the closing balance. Raises where a statement's frame is broken: then nothing in it can be relied on."""
    first = block.fields[0]
    if first.tag != "20":
        raise _Unreadable("no_statement_reference", first.name, "stands where a statement's :20: should: its beginning is missing")
    for tag in ONCE:
        if len(again := block.all(tag)) > 1:
            said = f"stands in this statement again (first in line {again[0].line}): two fields were mixed up, or two statements run together"
            raise _Unreadable("tag_twice", again[1].name, said)
    for tag, cause in (("25", "no_account"), ("60", "no_opening_balance")):
        if not block.all(tag):
            raise _Unreadable(cause, first.name, f"begins a statement without :{tag}:")
    account = _plain(block.all("25")[0], LONGEST_ACCOUNT)
    _plain(first, LONGEST_REFERENCE)
    closing = [_balance(f) for f in block.all("62")]
    return account, _balance(block.all("60")[0]), closing[0] if closing else None


def _plain(field: Field, longest: int) -> str:
    """A field that things are known by. Raises where it holds what SWIFT does not allow there."""
    text = field.text.strip()
    odd = _OUTSIDE.search(text)
    if odd:
        said = f"holds {odd[0]!a} (U+{ord(odd[0]):04X}), which a name in a statement can't: the file was damaged or converted on its way"
        raise _Unreadable("binary_character", field.name, said)
    if not 0 < len(text) <= longest:
        raise _Unreadable("unreadable_name", field.name, f"has {len(text)} characters; 1 to {longest} are possible")
    return text


def _balance(field: Field) -> _Balance:
    data = _parsed(field, "unreadable_balance", "a balance such as C261128EUR1250,00 says C or D, the date, the currency and the amount")[0]
    found = next((value for name, value in data.items() if name.endswith("_balance")), None)
    amount = found.amount if found else None
    if found is None or not isinstance(amount, Amount) or not re.fullmatch("[A-Z]{3}", amount.currency or ""):
        raise _Unreadable("unreadable_balance", field.name, f"holds {_short(field.text)}: no currency or no amount")
    return _Balance(amount.amount, str(amount.currency), _day(found.date))


def _parsed(field: Field, cause: str, fix: str, *before: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What mt940 reads: of the statement, and of each entry. Raises with the diagnosis, whatever mt940 raised."""
    reader = _Reader(options=mt940.Options.all())
    text = "".join(before) + f":{field.tag}:{field.text}\n"
    try:
        reader.parse(text)
    except ArithmeticError:
        raise _Unreadable("unreadable_amount", field.name, f"holds {_short(field.text)}, whose amount is no number; {fix}") from None
    except ValueError as error:
        raise _Unreadable("impossible_date", field.name, f"holds {_short(field.text)}, whose date is none ({error}); ask for a mended file") from None
    except Exception:
        raise _Unreadable(cause, field.name, f"holds {_short(field.text)}, which can't be read; {fix}") from None
    return reader.data, [transaction.data for transaction in reader.transactions]


def _entries(block: Block) -> list[list[Field]]:
    """Each :61: with the fields that say more about it."""
    found: list[list[Field]] = []
    inside = False
    for field_ in block.fields:
        if field_.tag == "61":
            found.append([])
        inside = field_.tag == "61" or (inside and field_.tag in ("86", "NS"))
        if inside:
            found[-1].append(field_)
    return found


def _entry(fields: list[Field], opening: Field) -> Entry:
    for field_ in fields:
        odd = _CONTROL.search(field_.text)
        if odd:
            said = f"holds the control character U+{ord(odd[0]):04X}: the file was damaged or converted on its way; ask for a mended one"
            raise _Unreadable("binary_character", field_.name, said)
    line, *details = fields
    before = f":60F:{opening.text}\n"
    found = _parsed(line, "unreadable_entry", _ENTRY, before)[1]
    if len(found) != 1 or not isinstance(found[0].get("amount"), Amount):
        raise _Unreadable("unreadable_entry", line.name, f"holds {_short(line.text)}, which is not one entry; {_ENTRY}")
    data = found[0]
    if details:
        above = "".join(f":{f.tag}:{f.text}\n" for f in fields[:-1])
        data = _parsed(details[-1], "unreadable_details", "mend it or leave it out", before, above)[1][0]
    booked = data.get("entry_date")
    known = _references(data)
    return Entry(_day(data["date"]), _day(booked) if booked else None, data["amount"].amount + 0, known, _counterparty(data), _text(data), line.line)


def _day(value: date) -> date:
    return date(value.year, value.month, value.day)


def _references(data: dict[str, Any]) -> tuple[str, ...]:
    customer = str(data.get("customer_reference") or "").split("\n")
    told = _MBANK.search(str(data.get("transaction_details") or ""))
    said = [data.get("end_to_end_reference"), *customer, told[1] if told else None, data.get("bank_reference")]
    clean = (_one_line(str(text or "")).removeprefix("KREF+")[:LONGEST_REFERENCE] for text in said)
    return tuple(dict.fromkeys(text for text in clean if text.upper() not in NO_REFERENCE))


def _counterparty(data: dict[str, Any]) -> str:
    return _one_line(str(data.get("applicant_name") or data.get("recipient_name") or ""))


def _text(data: dict[str, Any]) -> str:
    said = [data.get(name) for name in ("posting_text", "purpose", "additional_purpose", "transaction_details", "extra_details")]
    return _one_line(" ".join(str(text) for text in said if text))[:2000]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _proof(block: Block, entries: list[Entry], opening: _Balance, closing: _Balance | None) -> list[_Unreadable]:
    """What speaks against the statement being all there. Its entries are good for all that."""
    if closing is None:
        return [_Unreadable("no_closing_balance", block.fields[0].name, "begins a statement without a closing balance: its end is missing")]
    where = block.all("62")[0].name
    if closing.currency != opening.currency:
        return [_Unreadable("two_currencies", where, f"is in {closing.currency}, the opening balance in {opening.currency}")]
    total = sum((entry.amount for entry in entries), Decimal(0))
    missing = closing.amount - opening.amount - total
    if missing:
        said = f"is {closing.amount}, but {opening.amount} and {len(entries)} entries of {total} together make {opening.amount + total}"
        fix = f"{abs(missing)} {closing.currency} are not accounted for: ask for the whole statement. Its entries were taken"
        return [_Unreadable("does_not_add_up", where, f"{said}; {fix}")]
    if closing.at < opening.at:
        return [_Unreadable("closes_before_it_opens", where, f"is of {closing.at}, the opening balance of {opening.at}. Its entries were taken")]
    return []


def _short(text: str) -> str:
    first = text.partition("\n")[0]
    return repr(first if len(first) <= 60 else first[:60] + "…")
