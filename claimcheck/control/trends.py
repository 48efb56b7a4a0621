"""What the figures of some days say in one number: whether work grows, and whether items need more leases than they did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from claimcheck.control.figures import Hour, Leases

MANY = 3  # leases, from which on a task took too many


@dataclass(frozen=True, slots=True)
class Pace:
    """The last 24 hours: what came, what was settled, and what is open at their end."""

    arrived: int
    settled: int
    open: int

    @property
    def hours_left(self) -> float | None:
        """Hours until nothing is open at this pace; None where it does not shrink."""
        shrinks = self.settled - self.arrived
        return 24 * self.open / shrinks if shrinks > 0 and self.open else None


@dataclass(frozen=True, slots=True)
class Span:
    """Some hours together; `open` is as it was at their end, None before it was ever counted."""

    begin: datetime
    arrived: int
    settled: int
    open: int | None


def pace(hours: Sequence[Hour], now: datetime) -> Pace:
    """Of the hours that began in the last 24; what was re-opened came again."""
    lately = [hour for hour in hours if hour.hour > now - timedelta(hours=24)]
    known = [hour.open for hour in hours if hour.open is not None]
    return Pace(sum(h.arrived + h.reopened for h in lately), sum(h.settled for h in lately), known[-1] if known else 0)


def spans(hours: Sequence[Hour], now: datetime, *, days: int = 7, length: int = 6) -> list[Span]:
    """The last days in spans of so many hours, oldest first, none missing: what was not counted again is as it was."""
    end = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    begins = [end - timedelta(hours=length * n) for n in range(24 * days // length, 0, -1)]
    found, last = list[Span](), None
    for begin in begins:
        within = [h for h in hours if begin <= h.hour < begin + timedelta(hours=length)]
        last = next((h.open for h in reversed(within) if h.open is not None), last)
        found.append(Span(begin, sum(h.arrived + h.reopened for h in within), sum(h.settled for h in within), last))
    return found


@dataclass(frozen=True, slots=True)
class Drift:
    """The share of tasks that took MANY leases or more, in the last seven days and in those before; None where nothing ended."""

    now: float | None
    before: float | None


def drift(rows: Sequence[Leases], today: date) -> Drift:
    """Of what ended this week and in the three before."""
    week = today - timedelta(days=7)
    return Drift(_many([r for r in rows if r.day > week]), _many([r for r in rows if r.day <= week]))


def _many(rows: Sequence[Leases]) -> float | None:
    tasks = sum(row.tasks for row in rows)
    return sum(row.tasks for row in rows if row.leases >= MANY) / tasks if tasks else None
