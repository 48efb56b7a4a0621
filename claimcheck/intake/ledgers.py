"""A ledger as CSV: one row a booking. What is wrong with it is named by line and column, and then none of it is used."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from claimcheck import errors, validation
from claimcheck.errors import FieldError

NEEDED, POSSIBLE = ("reference", "date", "amount"), ("currency", "ledger_entity", "account", "counterparty", "text")
SHORT = ("reference", "ledger_entity", "account", "counterparty")
SEPARATORS = ",;\t"
NAMED = 20  # problems that one answer names
_AMOUNT = re.compile(r"[+-]?[0-9]{1,15}(?:[.,][0-9]{1,4})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CURRENCY = re.compile("[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class Row:
    """A booking as the ledger has it. `amount` is positive where money came in; what is None was not said. `more` are columns of the ledger's own."""

    line: int
    reference: str
    at: date
    amount: Decimal
    currency: str | None = None
    entity: str | None = None
    account: str | None = None
    counterparty: str = ""
    text: str = ""
    more: dict[str, str] = field(default_factory=dict)


def read(data: bytes, name: str) -> list[Row]:
    """Every row. Raises Invalid that names each line and column that is wrong, and the fix."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise errors.Invalid.field(f"{name}, line {line}", "is not UTF-8; save the file as “CSV UTF-8”") from None
    wrong: list[FieldError] = []
    rows = [row for row in _rows(text, name, wrong) if row]
    if wrong:
        raise validation.invalid(wrong)
    return rows


def _rows(text: str, name: str, wrong: list[FieldError]) -> Iterator[Row | None]:
    header = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(SEPARATORS, key=header.count), strict=True)
    columns: list[str] | None = None
    try:
        for cells in reader:
            if columns is None:
                columns = _columns(cells, name)
            elif cells and len(wrong) < NAMED:
                yield _row(dict(zip(columns, cells, strict=False)), len(cells) - len(columns), reader.line_num, name, wrong)
    except csv.Error as error:
        wrong.append(FieldError(f"{name}, line {reader.line_num}", f"is not CSV: {error}"))
    if columns is None:
        raise errors.Invalid.field(name, f"is empty; its first line names the columns: {', '.join(NEEDED)}, and if need be {', '.join(POSSIBLE)}")


def _columns(cells: list[str], name: str) -> list[str]:
    """The columns' names. Raises Invalid for all that is wrong with them."""
    columns = [cell.strip().lower() if cell.strip().lower() in (*NEEDED, *POSSIBLE) else cell.strip() for cell in cells]
    there = ", ".join(repr(c) for c in columns if c)[:300]
    wrong = [FieldError(f"{name}, line 1", f"has no column {c!r}; there are: {there or 'none'}") for c in NEEDED if c not in columns]
    wrong += [FieldError(f"{name}, line 1", f"names the column {c!r} twice") for c in sorted({c for c in columns if c and columns.count(c) > 1})]
    wrong += [FieldError(f"{name}, line 1", f"has a column without a name, the {n}th") for n, c in enumerate(columns, 1) if not c]
    wrong += [FieldError(f"{name}, line 1", f"has a column whose name is no plain text: {c[:60]!a}") for c in columns if c and not _plain(c)]
    if wrong:
        raise validation.invalid(wrong)
    return columns


def _plain(text: str) -> bool:
    return len(text) <= 200 and not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text)


def _row(cells: dict[str, str], over: int, line: int, name: str, wrong: list[FieldError]) -> Row | None:
    if over:
        said = f"has {abs(over)} cells {'more' if over > 0 else 'less'} than the first line; is a separator in a text without quotes?"
        wrong.append(FieldError(f"{name}, line {line}", said))
        return None
    clean = {column: " ".join(cell.split()) for column, cell in cells.items()}
    found = [FieldError(f"{name}, line {line}: {column}", said) for column, said in _problems(clean)]
    at, amount = _date(clean["date"]), _amount(clean["amount"])
    if found or at is None or amount is None:
        wrong.extend(found)
        return None
    more = {column: cell for column, cell in clean.items() if column not in (*NEEDED, *POSSIBLE) and cell}
    currency, entity, account = (clean.get(column) or None for column in ("currency", "ledger_entity", "account"))
    return Row(line, clean["reference"], at, amount, currency, entity, account, clean.get("counterparty", ""), clean.get("text", ""), more)


def _problems(clean: dict[str, str]) -> Iterator[tuple[str, str]]:
    for column, cell in clean.items():
        if column in SHORT and not _plain(cell):
            yield column, "must have at most 200 characters, none of them a control character"
        elif any(unicodedata.category(c) == "Cc" for c in cell):
            yield column, "must not hold control characters"
    if not clean["reference"]:
        yield "reference", "is empty; every booking needs one"
    if _date(clean["date"]) is None:
        yield "date", f"must be a day such as 2026-11-28, not {clean['date'][:40]!r}"
    if _amount(clean["amount"]) is None:
        yield "amount", f"must be digits with at most one point or comma, such as -1250.00, not {clean['amount'][:40]!r}"
    if clean.get("currency") and not _CURRENCY.fullmatch(clean["currency"]):
        yield "currency", f"must be three letters such as EUR, not {clean['currency'][:40]!r}"


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _amount(text: str) -> Decimal | None:
    return Decimal(text.replace(",", ".")) + 0 if _AMOUNT.fullmatch(text) else None
