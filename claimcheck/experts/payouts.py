"""Payouts: the ledger. A line is written by the submit that earns it; it is never changed, only reversed by another line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from claimcheck import errors, results
from claimcheck.db import Database

PAGE = 500
START, END = datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
HEADER = ("line", "at", "assignment", "item", "project", "work", "why", "amount_minor", "currency", "reverses")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the ledger, in the currency's smallest unit; negative where it reverses another."""

    id: int
    assignment_id: int
    amount_minor: int
    currency: str
    reverses: int | None
    why: str
    created_at: datetime
    item_id: int
    project: str
    idempotency_key: str
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Total:
    """A month (UTC) of one currency."""

    month: datetime
    currency: str
    lines: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def page(db: Database, *, person_id: int, before: int = 2**62, since: datetime = START, until: datetime = END, limit: int = 50) -> list[Line]:
    """A person's lines, newest first, those below `before`, from `since` to before `until`."""
    return db.all("payouts/page", Line, person_id=person_id, before=before, since=since, until=until, limit=limit)


def totals(db: Database, *, person_id: int) -> list[Total]:
    """A person's sums by month and currency, the newest month first."""
    return db.all("payouts/totals", Total, person_id=person_id)


def reverse(db: Database, *, payout_id: int, amount_minor: int, why: str, me: int) -> int:
    """Corrects a line by one that takes `amount_minor` from it; the new line's id.

    Raises Invalid for an amount that is not from 1 to the line's own or without a reason, AlreadyReversed.
    """
    if not why.strip() or len(why) > 2000 or "\x00" in why:
        raise errors.Invalid.field("why", "say why the line is corrected, in 1 to 2,000 characters")
    if not 1 <= amount_minor <= 10**12:
        raise errors.Invalid.field("amount_minor", "must be a whole number above 0")
    made = db.one("payouts/reverse", _Id, payout_id=payout_id, amount_minor=amount_minor, why=why.strip(), me=me)
    if made is None:
        raise errors.NotReversible()
    return made.id


def month(text: str) -> tuple[datetime, datetime]:
    """The bounds (UTC) of a month such as 2026-11. Raises Invalid."""
    try:
        first = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise errors.Invalid.field("month", "must be a month such as 2026-11") from None
    return first, (first.replace(year=first.year + 1, month=1) if first.month == 12 else first.replace(month=first.month + 1))


def statement(db: Database, *, person_id: int, since: datetime, until: datetime) -> Iterator[str]:
    """A person's statement as CSV, row by row, the newest line first."""
    yield _row(HEADER)
    before = 2**62
    while lines := page(db, person_id=person_id, before=before, since=since, until=until, limit=PAGE):
        for line in lines:
            yield _row((line.id, line.created_at.isoformat(), line.assignment_id, line.item_id, line.project, line.kind, line.why,
                        line.amount_minor, line.currency, line.reverses))  # fmt: skip
        before = lines[-1].id


def _row(values: tuple[object, ...]) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerow([results.cell(value) for value in values])
    return out.getvalue()
