"""MT940 statements: real ones from several banks, and made ones that are broken in every way that we could think of."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from claimcheck.intake import statements

REAL = Path("/work/shared/data/statements")
real = pytest.mark.skipif(not REAL.is_dir(), reason=f"the real statements are not here: {REAL}")
GOOD = """:20:NORTHWIND1
:25:DE02120300000000202051
:28C:00042/001
:60F:C261127EUR1000,00
:61:2611281128C1250,00NTRFINV-1042//B77
:86:166?00GUTSCHRIFT?20EREF+INV-1042?21SVWZ+Invoice 1042?32Ada
:61:2611281128D250,50NTRFNONREF
:86:Rent
for November
:62F:C261128EUR1999,50
-
"""


def read(text: str) -> statements.Reading:
    return statements.read(text.encode())


def causes(text: str | bytes) -> list[str]:
    return [flaw.cause for flaw in statements.read(text if isinstance(text, bytes) else text.encode()).flaws]


def test_it_reads_a_statement_entry_by_entry():
    [statement] = read(GOOD).statements
    assert (statement.account, statement.currency, statement.name) == ("DE02120300000000202051", "EUR", "NORTHWIND1, 00042/001")
    assert (statement.opened, statement.closed, statement.whole) == (date(2026, 11, 27), date(2026, 11, 28), True)
    first, second = statement.entries
    assert (first.amount, first.value_date, first.booked) == (Decimal("1250.00"), date(2026, 11, 28), date(2026, 11, 28))
    assert (first.references, first.counterparty) == (("INV-1042", "B77"), "Ada") and "Invoice 1042" in first.text
    assert (second.amount, second.references, second.text, second.line) == (Decimal("-250.50"), (), "Rent for November", 7)


def test_it_knows_reversals_by_their_sign():
    text = GOOD.replace("C1250,00", "RC1250,00").replace("D250,50", "RD250,50")
    assert [entry.amount for entry in read(text).statements[0].entries] == [Decimal("-1250.00"), Decimal("250.50")]


@pytest.mark.parametrize(
    ("was", "becomes", "cause", "taken"),
    [
        (":61:261128", ":61:260230", "impossible_date", 1),
        ("C1250,00NTRF", "C1,250,00NTRF", "unreadable_amount", 1),
        ("C1250,00NTRF", "X1250,00NTRF", "unreadable_entry", 1),
        ("C1250,00NTRF", "NTRF", "unreadable_entry", 1),
        (":61:2611281128C1250,00NTRFINV-1042//B77", ":61:", "unreadable_entry", 1),
        ("Rent\n", "Re\x07nt\n", "binary_character", 1),
        (":20:NORTHWIND1", ":20:NORTHW\x07ND", "binary_character", 0),
        (":20:NORTHWIND1", ":20:NORTHWÜND", "binary_character", 0),
        (":20:NORTHWIND1\n", "", "no_statement_reference", 0),
        (":20:NORTHWIND1", ":20:", "unreadable_name", 0),
        (":25:DE02120300000000202051\n", "", "no_account", 0),
        (":25:DE02", f":25:{'9' * 40}", "unreadable_name", 0),
        (":86:166?00", ":25:166?00", "tag_twice", 0),
        (":60F:C261127EUR1000,00\n", "", "no_opening_balance", 0),
        (":60F:C261127EUR1000,00", ":60F:C261127EUR", "unreadable_amount", 0),
        (":60F:C261127EUR1000,00", ":60F:C261127???1000,00", "unreadable_balance", 0),
        (":60F:C261127EUR1000,00", ":60F:C261327EUR1000,00", "impossible_date", 0),
        (":60F:C261127EUR1000,00", ":60F:C261127EUR1,0,0", "unreadable_amount", 0),
        (":62F:C261128EUR1999,50\n", "", "no_closing_balance", 2),
        ("EUR1999,50", "EUR1999,51", "does_not_add_up", 2),
        ("EUR1999,50", "USD1999,50", "two_currencies", 2),
        (":62F:C261128", ":62F:C261126", "closes_before_it_opens", 2),
    ],
)
def test_it_says_what_is_wrong_and_takes_the_rest(was: str, becomes: str, cause: str, taken: int):
    assert was in GOOD
    found = read(GOOD.replace(was, becomes, 1))
    [flaw] = found.flaws
    assert flaw.cause == cause and sum(len(s.entries) for s in found.statements) == taken
    assert len(flaw.detail) > 20 and flaw.field.startswith(":") and flaw.field.rsplit(" ", 1)[1].isdigit()
    assert flaw.body in GOOD.replace(was, becomes, 1).encode() and flaw.body, "its bytes as they came"
    assert flaw.gate == ("monetary" if cause in ("does_not_add_up", "unreadable_amount", "two_currencies") else "structural")


def test_it_judges_nothing_by_a_statement_that_it_could_not_read_whole():
    assert not read(GOOD.replace(":61:261128", ":61:260230", 1)).statements[0].whole


def test_it_takes_a_statement_once_that_stands_there_twice():
    found = statements.read((GOOD + GOOD.replace("\n", "\r\n")).encode())
    assert len(found.statements) == 1 and [flaw.cause for flaw in found.flaws] == ["statement_twice"]


def test_it_does_not_lose_a_statement_whose_beginning_is_gone():
    found = read(GOOD + GOOD.replace(":20:NORTHWIND1\n", "").replace("1042", "1043"))
    assert len(found.statements) == 1 and [flaw.cause for flaw in found.flaws] == ["no_statement_reference"]


@pytest.mark.parametrize("junk", [b"", b"\0", b"PK\x03\x04" * 99, b"<html>", "﻿".encode("utf-16"), b"20:X\n", b"\xff" * 3000])
def test_it_says_that_a_file_is_something_else(junk: bytes):
    assert causes(junk) == ["not_mt940"]


def test_it_reads_what_banks_wrap_around_a_statement():
    wrapped = "{1:F01BANKDEFFXXXX}{2:I940BANKDEFFN}{4:\n" + GOOD.replace("-\n", "-}{5:}\n")
    assert read(wrapped).statements[0].entries[1].text == "Rent for November"
    assert not causes("\x01\n" + GOOD.replace("-\n", "-\x03\n")) and not causes("﻿" + GOOD) and not causes(GOOD.replace("\n", "\r\n"))


def test_it_reads_umlauts_of_either_kind_in_what_is_only_read():
    text = GOOD.replace("Rent", "Überweisung für Größe")
    for encoding in ("utf-8", "cp1252"):
        [statement] = statements.read(text.encode(encoding)).statements
        assert "Überweisung für Größe" in statement.entries[1].text
    assert "für" in statements.read(text.encode("cp850"), "cp850").statements[0].entries[1].text


def test_it_never_reads_a_file_that_a_statement_names():
    assert causes("/etc/passwd") == ["not_mt940"]


def test_it_never_fails_however_a_file_is_damaged():
    chance = random.Random(7)
    for _ in range(1500):
        data = bytearray(GOOD.encode())
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[at] = chance.randrange(256)
                case 1:
                    del data[at : at + chance.randint(1, 40)]
                case 2:
                    data[at:at] = data[chance.randrange(len(data)) :][: chance.randint(1, 60)]
                case 3:
                    data[at:at] = bytes(chance.choices(b":0123456789,CDR\n-{}/?+\0\xff", k=chance.randint(1, 9)))
            data = data or bytearray(b":")
        found = statements.read(bytes(data))
        assert found.statements or found.flaws
        for statement in found.statements:
            if statement.whole and not found.flaws:
                assert statement.closed is not None and all(isinstance(entry.amount, Decimal) for entry in statement.entries)


@real
@pytest.mark.parametrize(
    ("name", "entries", "wrong"),
    [
        ("betterplace-sepa_snippet.sta", 11, ["does_not_add_up"]),
        ("betterplace-sepa_snippet_broken.sta", 0, ["tag_twice"]),
        ("betterplace-with_binary_character.sta", 0, ["binary_character", "binary_character"]),
        ("cmxl-mt940.sta", 16, ["closes_before_it_opens"]),
        ("jejik-abnamro.sta", 10, ["does_not_add_up", "does_not_add_up"]),
        ("jejik-ing.sta", 7, ["does_not_add_up"]),
        ("jejik-knab.sta", 3, ["does_not_add_up"]),
        ("jejik-postfinance.sta", 4, ["does_not_add_up"]),
        ("jejik-rabobank.sta", 5, ["does_not_add_up", "does_not_add_up"]),
        ("jejik-sns.sta", 2, []),
        ("jejik-triodos.sta", 2, ["does_not_add_up"]),
        ("mBank-mt940.sta", 3, []),
        ("mBank-with_newline_in_tnr.sta", 2, ["does_not_add_up"]),
        ("self-provided-february_30.sta", 0, ["impossible_date"]),
    ],
)
def test_it_reads_what_real_banks_send(name: str, entries: int, wrong: list[str]):
    data = (REAL / name).read_bytes()
    found = statements.read(data)
    assert sum(len(s.entries) for s in found.statements) == entries and [f.cause for f in found.flaws] == wrong
    assert all(flaw.body in data and flaw.detail for flaw in found.flaws)


@real
def test_it_knows_every_real_file():
    assert len(list(REAL.iterdir())) == 14


@real
def test_it_reads_a_reference_that_a_line_end_parts():
    [statement] = statements.read((REAL / "mBank-with_newline_in_tnr.sta").read_bytes()).statements
    assert [entry.reference for entry in statement.entries] == ["179301073837502.000001", "179301073844398.000001"]


@real
def test_it_mends_no_date_by_itself():
    [flaw] = statements.read((REAL / "self-provided-february_30.sta").read_bytes()).flaws
    assert flaw.body.startswith(b":61:1602300301DR6,00") and b":86:805?00" in flaw.body and flaw.field == ":61: in line 6"


def test_that_test_notices_when_mt940_mends_dates(monkeypatch):
    monkeypatch.setattr(statements, "_Reader", statements.Transactions)
    assert causes(GOOD.replace(":61:261128", ":61:260230", 1)) != ["impossible_date"]
