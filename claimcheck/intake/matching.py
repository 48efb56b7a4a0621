"""A bank's entries against a ledger's rows, by reference, amount and date: what is left are the breaks."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal

from claimcheck.intake.ledgers import Row
from claimcheck.intake.statements import Entry, Statement

HELD = 50  # pairs of an entry that are in memory at once

Decision = Literal["PARTIAL", "UNMATCHED"]
_Pair = tuple[Decimal, timedelta, int, int, bool]  # how far they are apart, the entry's place, the row, and whether more may follow


@dataclass(frozen=True, slots=True)
class Break:
    """What does not agree: an entry, a row, or both. `variance` is what the bank says less what the ledger says."""

    statement: Statement
    entry: Entry | None
    row: Row | None

    @property
    def variance(self) -> Decimal:
        return (self.entry.amount if self.entry else Decimal(0)) - (self.row.amount if self.row else Decimal(0))

    @property
    def decision(self) -> Decision:
        return "PARTIAL" if self.entry and self.row else "UNMATCHED"

    @property
    def at(self) -> date:
        said = [self.entry.value_date] if self.entry else []
        return min(said + ([self.row.at] if self.row else []))


@dataclass(frozen=True, slots=True)
class Result:
    """Breaks, oldest first. `matched` pairs agree; rows `outside` are of no day and account that the statements tell of; rows `not_judged` stand
    beside entries that could not be read, one of which may be their other side."""

    breaks: tuple[Break, ...]
    matched: int
    outside: int
    not_judged: int


@dataclass(slots=True)
class _Open:
    """What has found no other side yet."""

    days: timedelta
    entries: list[tuple[Statement, Entry]]
    rows: dict[int, Row]
    by_reference: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    by_amount: dict[tuple[Decimal, date], dict[int, None]] = field(default_factory=lambda: defaultdict(dict))

    def __post_init__(self) -> None:
        for n, row in self.rows.items():
            self.by_reference[_key(row.reference)].append(n)
            self.by_amount[row.amount, row.at][n] = None

    def of_references(self, statement: Statement, entry: Entry) -> Iterator[int]:
        """Rows that the entry names."""
        for reference in entry.references:
            yield from self._fitting(self.by_reference.get(_key(reference), ()), statement)

    def of_amount(self, statement: Statement, entry: Entry) -> Iterator[int]:
        """Rows of the same amount at about the same time, for an entry that names none."""
        if not entry.references:
            window = [timedelta(days=n) for n in range(-self.days.days, self.days.days + 1)]
            days = dict.fromkeys(at + off for at in (entry.value_date, entry.booked) if at for off in window)
            yield from self._fitting((n for at in days for n in self.by_amount.get((entry.amount, at), ())), statement)

    def _fitting(self, numbers: Iterable[int], statement: Statement) -> Iterator[int]:
        return (n for n in numbers if n in self.rows and _same_account(self.rows[n], statement))

    def take(self, n: int) -> Row:
        """The row, which has its other side now."""
        row = self.rows.pop(n)
        self.by_amount[row.amount, row.at].pop(n)
        return row

    def near(self, entry: Entry, row: Row) -> bool:
        """Whether the dates agree, the one of the value or the one of the booking."""
        return any(abs(row.at - at) <= self.days for at in (entry.value_date, entry.booked) if at)


def match(statements: Sequence[Statement], rows: Sequence[Row], *, days: int = 0) -> Result:
    """The breaks between the two. Dates agree that are at most `days` apart.

    In this order: a reference that both name, with the same amount and date; for an entry that names none, amount and date alone; a reference
    with the same amount at another date, then with another amount, the nearest first.
    """
    left = _Open(timedelta(days=days), [(s, e) for s in statements for e in s.entries], dict(enumerate(rows)))
    matched = _agreeing(left)
    breaks = [*_same_reference(left), *(Break(statement, entry, None) for statement, entry in left.entries)]
    missing, outside, not_judged = _ledger_only(left, statements)
    return Result(tuple(sorted([*breaks, *missing], key=lambda b: b.at)), matched, outside, not_judged)


def _agreeing(left: _Open) -> int:
    before = len(left.entries)
    for candidates in (left.of_references, left.of_amount):
        rest = []
        for statement, entry in left.entries:
            good = (n for n in candidates(statement, entry) if left.rows[n].amount == entry.amount and left.near(entry, left.rows[n]))
            found = _nearest(good, left, entry)
            if found is None:
                rest.append((statement, entry))
            else:
                left.take(found)
        left.entries = rest
    return before - len(left.entries)


def _nearest(good: Iterator[int], left: _Open, entry: Entry) -> int | None:
    """One of the same day at once, else the one that is least far."""
    best: tuple[timedelta, int] | None = None
    for n in good:
        off = abs(left.rows[n].at - entry.value_date)
        if not off:
            return n
        best = min(best, (off, n)) if best else (off, n)
    return best[1] if best else None


def _same_reference(left: _Open) -> list[Break]:
    """Pairs that name each other and do not agree: first those of the same amount, then by how little they differ."""
    pairs = [pair for place in range(len(left.entries)) for pair in _nearest_pairs(left, place)]
    heapq.heapify(pairs)
    breaks: list[Break] = []
    taken: set[int] = set()
    while pairs:
        _, _, place, n, last = heapq.heappop(pairs)
        if place in taken:
            continue
        if n in left.rows:
            taken.add(place)
            breaks.append(Break(*left.entries[place], left.take(n)))
        elif last:  # all that were held have found another side; those that follow are farther
            for pair in _nearest_pairs(left, place):
                heapq.heappush(pairs, pair)
    left.entries = [pair for place, pair in enumerate(left.entries) if place not in taken]
    return breaks


def _nearest_pairs(left: _Open, place: int) -> list[_Pair]:
    """A few of an entry's pairs: with a reference that everybody uses, all of them would be entries times rows."""
    statement, entry = left.entries[place]
    all_of_it = (
        (abs(left.rows[n].amount - entry.amount), abs(left.rows[n].at - entry.value_date), place, n)
        for n in dict.fromkeys(left.of_references(statement, entry))
    )
    few = heapq.nsmallest(HELD, all_of_it)
    return [(*pair, nth == HELD) for nth, pair in enumerate(few, 1)]


def _ledger_only(left: _Open, statements: Sequence[Statement]) -> tuple[list[Break], int, int]:
    """Rows that the bank should tell of and does not."""
    breaks: list[Break] = []
    not_judged = 0
    for row in left.rows.values():
        about = [s for s in statements if _same_account(row, s) and _tells_of(s, row.at)]
        if about and all(s.whole for s in about):
            breaks.append(Break(about[0], None, row))
        elif about:
            not_judged += 1
    return breaks, len(left.rows) - len(breaks) - not_judged, not_judged


def _tells_of(statement: Statement, at: date) -> bool:
    """From the first entry's day on, since the opening balance is of the day before; a statement without entries tells of its last day."""
    days = [entry.value_date for entry in statement.entries]
    last = statement.closed or max(days, default=statement.opened)
    return min([*days, last]) <= at <= max([*days, last])


def _same_account(row: Row, statement: Statement) -> bool:
    return row.currency in (None, statement.currency) and (row.account is None or _key(row.account) == _key(statement.account))


def _key(text: str) -> str:
    return "".join(text.split()).casefold()
