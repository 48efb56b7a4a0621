"""What is unusual in how somebody looks at payloads: how much, at which hours, and what they never decided. Marks to ask about, no verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from statistics import median

from claimcheck.access.access_events import Sight
from claimcheck.db import Database

DAYS = 28  # that are looked back on
KNOWN = 5  # days of somebody's own before they say anything about what is usual
TIMES, LEAST = 3.0, 20  # so many times the usual, and never under so many items a day
RARE = 0.02  # share of somebody's views; in an hour with less than that they are rarely here
SOON = timedelta(days=1)  # in which a look may still become a decision
RULE = (
    f"Much: more than {TIMES:.0f} times as many items in a day as usual for the person and for others of the role, and more than {LEAST}. "
    f"Odd hour: one (UTC) in which less than {RARE:.0%} of their views fell. Never decided: seen a day ago or longer, and not decided by them. "
    f"Usual is what the {DAYS} days before were like; a person's own count from {KNOWN} days on."
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of somebody's, in UTC: how many views, of how many items, and views by the hour (empty for today)."""

    day: date
    views: int
    items: int
    hours: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Peers:
    items: float | None
    days: int


@dataclass(frozen=True, slots=True)
class Usual:
    """What is usual: items a day for the person and for their peers (None: not known yet), and the hours (None likewise)."""

    own: float | None
    peers: float | None
    hours: frozenset[int] | None

    def much(self, day: Day) -> bool:
        """Whether it is more than usual, by every measure that is known."""
        known = [one for one in (self.own, self.peers) if one is not None]
        return bool(known) and day.items > max(LEAST, *(TIMES * one for one in known))

    def odd(self, at: datetime) -> bool:
        """Whether the person is rarely here at that hour."""
        return self.hours is not None and at.astimezone(UTC).hour not in self.hours


@dataclass(frozen=True, slots=True)
class Viewing:
    """Somebody's last days, newest first, each with whether it was much; what is usual, and what was beside each of the days."""

    days: list[tuple[Day, bool]]
    usual: Usual
    beside: dict[date, Usual]

    def odd(self, at: datetime) -> bool:
        """Whether the person is rarely here at that hour, that very day aside."""
        return self.beside.get(at.astimezone(UTC).date(), self.usual).odd(at)


def of_person(db: Database, *, person_id: int) -> Viewing:
    """How somebody looked at payloads lately."""
    db.run("access_days/fill", days=DAYS)
    days = db.all("access_days/of_person", Day, person_id=person_id, days=DAYS)
    peers = db.one("access_days/peers", _Peers, person_id=person_id, days=DAYS)
    around = peers.items if peers and peers.days >= KNOWN else None
    beside = {day.day: usual([d for d in days if d.day != day.day], around) for day in days}
    return Viewing([(day, beside[day.day].much(day)) for day in days], usual(days, around), beside)


def usual(days: list[Day], peers: float | None) -> Usual:
    """What these days say."""
    whole = [day for day in days if day.hours]
    if len(whole) < KNOWN:
        return Usual(None, peers, None)
    views = sum(day.views for day in whole)
    by_hour = {hour: sum(day.hours.get(str(hour), 0) for day in whole) for hour in range(24)}
    return Usual(median(day.items for day in whole), peers, frozenset(hour for hour, n in by_hour.items() if n >= RARE * views))


def undecided(sight: Sight) -> bool:
    """Whether a reviewer saw the item, and never decided it."""
    return sight.role == "reviewer" and not sight.decided and sight.at < sight.server_now - SOON
