"""Payouts: the ledger. A line is written by the submit that earns it; it is never changed, only reversed by another line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from claimcheck import errors, spreadsheets
from claimcheck.db import Database
from claimcheck.intake.currencies import PLACES

PAGE = 500
NEWEST = 2**62
START, END = datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
HEADER = ("line", "at", "assignment", "item", "project", "work", "why", "amount_minor", "currency", "reverses")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the ledger, in the currency's smallest unit; negative where it reverses another.

    A month's line for golds (`kind` is golds) has neither assignment nor item, and may be negative too.
    """

    id: int
    assignment_id: int | None
    amount_minor: int
    currency: str
    reverses: int | None
    reversed_by: int | None
    why: str
    created_at: datetime
    item_id: int | None
    project: str
    idempotency_key: str | None
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
class Owner:
    """Whose line it is."""

    person_id: int
    currency: str


@dataclass(frozen=True, slots=True)
class _Id:
    id: int | None


def page(db: Database, *, person_id: int, before: int = NEWEST, since: datetime = START, until: datetime = END, limit: int = 50) -> list[Line]:
    """A person's lines, newest first, those below `before`, from `since` to before `until`."""
    return db.all("payouts/page", Line, person_id=person_id, before=before, since=since, until=until, limit=limit)


def totals(db: Database, *, person_id: int) -> list[Total]:
    """A person's sums by month and currency, the newest month first."""
    return db.all("payouts/totals", Total, person_id=person_id)


def owner(db: Database, *, payout_id: int) -> Owner:
    """Whose line it is, and in which currency. Raises NotFound."""
    found = db.one("payouts/load", Owner, payout_id=payout_id)
    if found is None:
        raise errors.NotFound()
    return found


def reverse(db: Database, *, payout_id: int, amount_minor: int, why: str, me: int) -> int:
    """Corrects a line by one that takes `amount_minor` from it; the new line's id.

    Raises Invalid without a reason or an amount above 0; NotFound; NotReversible for a line that was reversed, a reversal, or a smaller one.
    """
    if not why.strip() or len(why.strip()) > 2000 or "\x00" in why:
        raise errors.Invalid.field("why", "say why the line is corrected, in 1 to 2,000 characters")
    if not 1 <= amount_minor <= 10**12:
        raise errors.Invalid.field("amount_minor", "must be a whole number above 0")
    made = db.one("payouts/reverse", _Id, payout_id=payout_id, amount_minor=amount_minor, why=why.strip(), me=me)
    if made is None:
        raise errors.NotFound()
    if made.id is None:
        raise errors.NotReversible()
    return made.id


def settle(db: Database, *, at: datetime | None = None) -> int:
    """Writes the lines of the months that are over at that time (now) for golds whose price is not the project's; how many."""
    return db.run("payouts/settle", at=at)


def written(amount_minor: int, currency: str) -> str:
    """An amount as people read it: −1 234.50 EUR, in the currency's own places, digits in threes."""
    places = PLACES.get(currency, 0)
    number = f"{abs(amount_minor) / Decimal(10) ** places:,.{places}f}".replace(",", "\u202f")
    return f"{'−' if amount_minor < 0 else ''}{number} {currency}"


def read(text: str, currency: str) -> int:
    """An amount that somebody typed, in the currency's smallest unit. Raises Invalid for what is none above 0, or has too many places."""
    places, given = PLACES.get(currency, 0), text.strip()
    if not re.fullmatch(rf"[0-9]{{1,12}}(\.[0-9]{{1,{places}}})?" if places else "[0-9]{1,12}", given) or not Decimal(given):
        example = written(10**places, currency)
        raise errors.Invalid.field("amount", f"give an amount above 0, such as {example.removesuffix(' ' + currency)}")
    return int(Decimal(given) * 10**places)


def month(text: str) -> tuple[datetime, datetime]:
    """The bounds (UTC) of a month such as 2026-11. Raises Invalid."""
    try:
        first = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
        return first, (first + timedelta(days=31)).replace(day=1)
    except (ValueError, OverflowError):
        raise errors.Invalid.field("month", "must be a month such as 2026-11") from None


def statement(db: Database, *, person_id: int, since: datetime, until: datetime) -> Iterator[str]:
    """A person's statement as CSV, row by row, the newest line first."""
    yield spreadsheets.lines([HEADER])
    before = NEWEST
    while lines := page(db, person_id=person_id, before=before, since=since, until=until, limit=PAGE):
        for line in lines:
            yield spreadsheets.lines([_cells(line)])
        before = lines[-1].id


def _cells(line: Line) -> tuple[object, ...]:
    at, earned = line.created_at.isoformat(), (line.assignment_id, line.item_id, line.project, line.kind, line.why)
    return (line.id, at, *earned, line.amount_minor, line.currency, line.reverses)
