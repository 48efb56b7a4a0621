"""A statement's entries against a ledger's rows: which agree, which are breaks, and which can't be told."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck import errors
from claimcheck.intake import ledgers, matching
from claimcheck.intake.ledgers import Row
from claimcheck.intake.statements import Entry, Statement

DAY = date(2026, 11, 28)


def entry(amount: str, *references: str, day: int = 28, text: str = "") -> Entry:
    return Entry(date(2026, 11, day), None, Decimal(amount), references, "", text, 1)


def row(amount: str, reference: str, day: int = 28, **more) -> Row:
    return Row(1, reference, date(2026, 11, day), Decimal(amount), **more)


def statement(*entries: Entry, **more) -> Statement:
    return Statement(**({"account": "DE02", "currency": "EUR", "name": "S", "opened": DAY, "closed": DAY, "entries": entries, "whole": True} | more))


def breaks(*statements: Statement, rows: list[Row], days: int = 0) -> list[tuple[str, str, str | None, str | None]]:
    """(decision, variance, the bank's amount, the ledger's reference) of each."""
    found = matching.match(statements, rows, days=days).breaks
    return [(b.decision, str(b.variance), b.entry and str(b.entry.amount), b.row and b.row.reference) for b in found]


def test_it_matches_what_agrees_in_reference_amount_and_date():
    found = matching.match([statement(entry("10.00", "A"), entry("-5.00", "other", "b "))], [row("10.00", "a"), row("-5.00", "B")])
    assert (found.breaks, found.matched, found.outside) == ((), 2, 0)


def test_it_tells_another_amount_another_date_and_one_side_alone():
    given_ = statement(entry("10.00", "A"), entry("20.00", "B", day=27), entry("30.00", "C"))
    assert breaks(given_, rows=[row("10.50", "A"), row("20.00", "B"), row("40.00", "D")]) == [
        ("PARTIAL", "0.00", "20.00", "B"),
        ("PARTIAL", "-0.50", "10.00", "A"),
        ("UNMATCHED", "30.00", "30.00", None),
        ("UNMATCHED", "-40.00", None, "D"),
    ]


def test_it_lets_dates_differ_as_far_as_it_is_told():
    assert not breaks(statement(entry("20.00", "B", day=27)), rows=[row("20.00", "B")], days=1)
    booked = replace(entry("20.00", "B", day=20), booked=DAY)
    assert not breaks(statement(booked), rows=[row("20.00", "B")])


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(20, 28)), max_size=9),
    st.lists(st.tuples(st.integers(11, 19), st.integers(20, 28)), max_size=9),
    st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_it_pairs_the_nearest_however_few_it_holds(ours: list[tuple[int, int]], theirs: list[tuple[int, int]], held: int) -> None:
    """A reference that everybody uses: as if all pairs were sorted, with a few of each entry in memory."""
    bank = statement(*(entry(f"{amount}.00", "X", day=day) for amount, day in ours))
    ledger = [row(f"{amount}.00", "X", day) for amount, day in theirs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "HELD", held)
        few = breaks(bank, rows=ledger)
        patch.setattr(matching, "HELD", 1_000)
        assert few == breaks(bank, rows=ledger)


def test_it_holds_few_pairs_at_once() -> None:
    bank, ledger = statement(*(entry(f"{n}.00", "X") for n in range(1, 300))), [row(f"{n}.50", "X") for n in range(1, 300)]
    most, whole = [0], matching.heapq.heappop

    def pop(pairs: list[Any]) -> Any:
        most[0] = max(most[0], len(pairs))
        return whole(pairs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching.heapq, "heappop", pop)
        assert len(breaks(bank, rows=ledger)) == 299
    assert most[0] <= 300 * matching.HELD


def test_it_matches_by_amount_and_date_only_what_names_nothing():
    assert not breaks(statement(entry("7.00")), rows=[row("7.00", "A")])
    assert len(breaks(statement(entry("7.00", "Z")), rows=[row("7.00", "A")])) == 2, "two payments of the same amount are not one"
    assert len(breaks(statement(entry("7.00", day=27)), rows=[row("7.00", "A")])) == 2


def test_it_pairs_each_once_the_nearest_first():
    given_ = statement(entry("88.10", "P"), entry("6.20", "P"))
    assert breaks(given_, rows=[row("6.25", "P"), row("88.10", "P")]) == [("PARTIAL", "-0.05", "6.20", "P")]
    assert breaks(given_, rows=[row("6.20", "P")]) == [("UNMATCHED", "88.10", "88.10", None)]


def test_it_keeps_accounts_and_currencies_apart():
    one, other = statement(entry("10.00", "A")), statement(entry("10.00", "A"), account="NL91", currency="USD")
    assert breaks(one, other, rows=[row("10.00", "A", account="nl 91"), row("10.00", "A", account="DE02")]) == []
    assert len(breaks(one, rows=[row("10.00", "A", currency="USD")])) == 1, "the row tells of another account: only the entry is a break"


def test_it_misses_only_what_the_statement_should_tell_of():
    given_ = statement(entry("1.00", "A", day=20), closed=date(2026, 11, 25))
    found = matching.match([given_], [row("9.00", "old", 19), row("9.00", "in", 20), row("9.00", "too", 25), row("9.00", "later", 26)])
    assert [b.row.reference for b in found.breaks if b.row] == ["in", "too"] and found.outside == 2
    unreadable = matching.match([replace(given_, whole=False)], [row("9.00", "in", 20)])
    assert unreadable.not_judged == 1 and not [b for b in unreadable.breaks if b.row]


SOME = st.tuples(st.sampled_from(["1.00", "1.01", "2.00"]), st.sampled_from(["A", "B", ""]), st.integers(26, 28))


@settings(max_examples=300, deadline=None)
@given(st.lists(SOME, max_size=7), st.lists(SOME, max_size=7), st.integers(0, 2))
def test_it_accounts_for_everything_once(bank, ledger, days):
    entries = [entry(amount, *([name] if name else []), day=day) for amount, name, day in bank]
    rows = [row(amount, name or "unnamed", day) for amount, name, day in ledger]
    found = matching.match([statement(*entries)], rows, days=days)
    alone = [b.entry for b in found.breaks if b.entry] + [None] * found.matched
    assert len(alone) == len(entries)
    assert found.matched + sum(b.row is not None for b in found.breaks) + found.outside + found.not_judged == len(rows)
    total = sum((e.amount for e in entries), Decimal(0)) - sum((r.amount for r in rows), Decimal(0))
    if not found.outside:
        assert sum((b.variance for b in found.breaks), Decimal(0)) == total, "the breaks explain the whole difference"


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(errors.Invalid) as caught:
        ledgers.read(text if isinstance(text, bytes) else text.encode(), "ledger.csv")
    return [f"{e.field} {e.message}" for e in caught.value.errors]


def test_it_reads_a_ledger_with_any_usual_separator():
    for separator, comma in ((",", "."), (";", ","), ("\t", ",")):
        text = separator.join(["Reference", "date", "Amount", "invoice"]) + "\r\n" + separator.join(["A 1", "2026-11-28", f"-12{comma}50", "77"])
        [found] = ledgers.read(("﻿" + text).encode(), "l")
        assert (found.reference, found.at, found.amount, found.more) == ("A 1", DAY, Decimal("-12.50"), {"invoice": "77"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names the columns: reference, date, amount"),
        ("date,amount\n", "line 1 has no column 'reference'; there are: 'date', 'amount'"),
        ("reference,date,amount,amount\n", "names the column 'amount' twice"),
        ("reference,date,amount,\n", "has a column without a name, the 4th"),
        ("reference,date,amount\nA,28.11.2026,1\n", "line 2: date must be a day such as 2026-11-28, not '28.11.2026'"),
        ("reference,date,amount\nA,2026-02-30,1\n", "line 2: date must be a day"),
        ("reference,date,amount\nA,2026-11-28,1.250,00\n", "line 2 has 1 cells more than the first line"),
        ("reference;date;amount\nA;2026-11-28;1.250,00\n", "line 2: amount must be digits with at most one point or comma"),
        ("reference,date,amount\nA,2026-11-28\n", "line 2 has 1 cells less"),
        ("reference,date,amount\n,2026-11-28,1\n", "line 2: reference is empty"),
        ("reference,date,amount,currency\nA,2026-11-28,1,euro\n", "line 2: currency must be three letters such as EUR, not 'euro'"),
        ('reference,date,amount\n"A,2026-11-28,1\n', "is not CSV"),
        (b"reference,date,amount\nA,2026-11-28,1\n\xffB,2026-11-28,1\n", "line 3 is not UTF-8"),
        ("reference,date,amount\nA\x07,2026-11-28,1\n", "line 2: reference"),
        (f"reference,date,amount\n{'A' * 201},2026-11-28,1\n", "at most 200 characters"),
    ],
)
def test_it_names_what_is_wrong_with_a_ledger(text: str | bytes, said: str):
    assert any(said in problem for problem in problems(text)), problems(text)


def test_it_names_every_wrong_line_at_once():
    said = problems("reference,date,amount\nA,x,1\nB,2026-11-28,1\nC,2026-11-28,y\n")
    assert len(said) == 2 and "line 2: date" in said[0] and "line 4: amount" in said[1]
