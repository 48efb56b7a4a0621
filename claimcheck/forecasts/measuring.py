"""What is wanted and who is there, read from the queue: the forecast of a project or a batch as it is now."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from claimcheck import errors, projects
from claimcheck.db import Database
from claimcheck.forecasts import estimate, levers, ratios
from claimcheck.forecasts.estimate import Forecast, Line, State
from claimcheck.forecasts.levers import Help
from claimcheck.forecasts.ratios import Past

ADAPTIVE_EXTRA = 0.6  # looks beyond the first two that adaptive looks took, before a project's own are known (docs/quality.md)
LEAST_LOOKS = 5  # at a project in six hours; below, it gets its share of what its skill gets


@dataclass(frozen=True, slots=True)
class Subject:
    """A project, or a batch of it. `looks_an_item`: what the last settled ones took, None before twenty are. `kept`: settled before a cancel."""

    project_id: int
    project: str
    batch_id: int | None
    version: int
    skill_id: int
    skill: str
    price_minor: int
    currency: str
    deadline: datetime | None
    paused_at: datetime | None
    cancelled_at: datetime | None
    now: datetime
    items: int
    storing: int
    kept: int | None
    looks_an_item: float | None

    @property
    def hours_left(self) -> float | None:
        return None if self.deadline is None else (self.deadline - self.now).total_seconds() / 3600


@dataclass(frozen=True, slots=True)
class Need:
    """What is open at one skill; `before_…` is what stands before a batch."""

    skill_id: int
    skill: str
    led: bool
    items: int
    wanted: int
    had: int
    before_items: int
    before_wanted: int
    before_had: int


@dataclass(frozen=True, slots=True)
class Supply:
    """Who looked in six hours, and the looks of each quarter of an hour, newest first: at all projects, and at the one asked for."""

    skill_id: int
    led: bool
    experts: int
    looks: list[int]
    own: list[int]


@dataclass(frozen=True, slots=True)
class Share:
    """Tasks that wait at a skill, in all projects."""

    skill_id: int
    led: bool
    pending: int


@dataclass(frozen=True, slots=True)
class Usual:
    """The rate of a project in its last week, nights included, and when anybody last worked at it."""

    looks_an_hour: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Told:
    """A forecast with what it stands on. `resting_since`: nobody works now, and its rate is that of the week until then."""

    subject: Subject
    lines: list[Line]
    past: list[Past]
    looks_an_item: float
    settled: int
    open_items: int
    found: Forecast
    help: Help
    resting_since: datetime | None

    @property
    def learned(self) -> bool:
        """Whether enough has come to its end here for ratios of its own."""
        return bool(ratios.of(self.past, self.found.bucket, "last").sample)

    @property
    def experts(self) -> int:
        return 0 if self.found.line is None or self.resting_since else self.found.line.experts

    def moment(self, hours: float | None) -> datetime | None:
        """So many hours from now; None where that is not known, or past any calendar."""
        if hours is None or hours > 24 * 365 * 50:
            return None
        return self.subject.now + timedelta(hours=hours)


def past(db: Database) -> list[Past]:
    """What earlier forecasts came to."""
    return db.all("forecasts/past", Past)


def tell(db: Database, *, project_id: int, batch_id: int | None = None, before: State | None = None, known: list[Past] | None = None) -> Told:
    """The forecast of a project or a batch now. `before`: what was said last; `known`: `past(db)` where that was read. Raises NotFound."""
    subject = db.one("forecasts/subject", Subject, project_id=project_id, batch_id=batch_id)
    if subject is None:
        raise errors.NotFound()
    needs = [] if subject.cancelled_at else db.all("forecasts/needs", Need, project_id=project_id, batch_id=batch_id)
    an_item, known = looks_an_item(db, subject), past(db) if known is None else known
    lines, since = _lines(db, subject, needs, an_item)
    open_items = sum(n.items for n in needs) + (0 if subject.cancelled_at else subject.storing)
    settled, hours = max(0, subject.items - open_items) if subject.kept is None else subject.kept, subject.hours_left
    found = estimate.forecast(lines, items=subject.items, settled=settled, past=known, looks_an_item=an_item, hours_left=hours, before=before)
    would = levers.would_help(found, hours_left=hours, open_items=open_items, past=known)
    return Told(subject, lines, known, an_item, settled, open_items, found, would, since)


def looks_an_item(db: Database, subject: Subject) -> float:
    """Looks that an item takes: what the last ones took, at first what the rules ask for."""
    rules = projects.rules(db, subject.project_id, subject.version)
    extra = ADAPTIVE_EXTRA if rules.agreement.mode == "adaptive" else 0.0
    return subject.looks_an_item or rules.first_wanted + extra


def _lines(db: Database, subject: Subject, needs: Sequence[Need], an_item: float) -> tuple[list[Line], datetime | None]:
    """What each skill has to do and the rate at which it is done, and since when nobody has worked, where that is so."""
    skills = [*{n.skill_id for n in needs} | ({subject.skill_id} if subject.storing else set())]
    supply = {(s.skill_id, s.led): s for s in db.all("forecasts/supply", Supply, project_id=subject.project_id, skills=skills)} if skills else {}
    rates = _rates(db, needs, supply)
    lines = [_line(need, supply.get(key), rates.get(key), an_item) for need in needs for key in [(need.skill_id, need.led)]]
    lines = _with_storing(lines, subject, an_item, rates, supply)
    if all(line.rate or line.led for line in lines):
        return lines, None
    usual = db.one("forecasts/usual_rate", Usual, project_id=subject.project_id)
    return (lines, None) if usual is None else ([_resting(line, usual) for line in lines], usual.at)


def _rates(db: Database, needs: Sequence[Need], supply: dict[tuple[int, bool], Supply]) -> dict[tuple[int, bool], float | None]:
    """Looks an hour that come to the project: its own, or where it had hardly any, its share of its skill's."""
    rates = {key: estimate.rate(s.own) for key, s in supply.items() if sum(s.own) >= LEAST_LOOKS}
    others = [key for key in supply if key not in rates]
    if others:
        waiting = {(s.skill_id, s.led): s.pending for s in db.all("forecasts/shares", Share, skills=[skill for skill, _ in others])}
        own = {(n.skill_id, n.led): n.items + n.before_items for n in needs}
        for key in others:
            share = min(1.0, own.get(key, 0) / max(1, waiting.get(key, 0)))
            rates[key] = (estimate.rate(supply[key].looks) or 0.0) * share or None
    return rates


def _line(need: Need, supply: Supply | None, rate: float | None, an_item: float) -> Line:
    each = 1.0 if need.led else an_item
    looks = estimate.still_wanted(tasks=need.items, wanted=need.wanted, had=need.had, looks_an_item=each)
    ahead = estimate.still_wanted(tasks=need.before_items, wanted=need.before_wanted, had=need.before_had, looks_an_item=each)
    return Line(need.skill, need.led, need.items, looks, ahead, supply.experts if supply else 0, rate)


def _with_storing(lines: list[Line], subject: Subject, an_item: float, rates: dict[tuple[int, bool], float | None],
                  supply: dict[tuple[int, bool], Supply]) -> list[Line]:  # fmt: skip
    """Items that are not stored yet have no task; they will be looked at by the project's own skill."""
    if not subject.storing or subject.cancelled_at:
        return lines
    more, key = subject.storing * an_item, (subject.skill_id, False)
    for i, line in enumerate(lines):
        if line.skill == subject.skill and not line.led:
            lines[i] = Line(line.skill, False, line.items + subject.storing, line.looks + more, line.ahead, line.experts, line.rate)
            return lines
    there = supply.get(key)
    return [*lines, Line(subject.skill, False, subject.storing, more, 0.0, there.experts if there else 0, rates.get(key))]


def _resting(line: Line, usual: Usual) -> Line:
    return line if line.rate or line.led else Line(line.skill, False, line.items, line.looks, line.ahead, 0, usual.looks_an_hour or None)


def buckets() -> list[str]:
    """The buckets of progress in words: 0–15 %, 15–30 % …"""
    edges = (0.0, *ratios.EDGES, 1.0)
    return [f"{low * 100:.0f}–{high * 100:.0f} %" for low, high in itertools.pairwise(edges)]
