"""Who stands how in which skill: what people read of themselves, what leads read and change, appeals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.experts import golds, scoring
from claimcheck.quality import beta

STATUSES = ("exam", "active", "soft_paused", "paused")
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Measured:
    """Somebody in a skill. `low` and `high` are the 5 % and 95 % bounds of the share they answer rightly; None before any gold."""

    status: str
    tier: int
    pinned: bool
    novice: bool
    held_back: bool
    said: str
    since: datetime
    extra_left: int
    ok: int
    n: int
    level: float
    alarms: int
    mean: float | None
    low: float | None
    high: float | None
    weight: float | None


@dataclass(frozen=True, slots=True)
class Mine(Measured):
    """A person's standing in one skill, as they may know it: golds among live work count once their day (UTC) is over.

    `appeal_id` is that of an open appeal; `appealed` and `answer` are the last one's. `appeal_from`: not again before.
    """

    skill_id: int
    skill: str
    exam_ok: int
    exam_n: int
    extra_ok: int
    appeal_id: int | None
    appealed: str | None
    answer: str | None
    answered_at: datetime | None
    appeal_from: datetime | None


@dataclass(frozen=True, slots=True)
class Expert(Measured):
    """Somebody who has a skill, as leads see them."""

    person_id: int
    person: str
    program: bool
    disabled_at: datetime | None


@dataclass(frozen=True, slots=True)
class Result:
    """One of somebody's looks at gold, and whether it was right; never what was right."""

    decision_id: int
    item_id: int
    title: str
    idempotency_key: str
    purpose: str
    correct: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Appeal:
    """A person asks a lead to look at their pause."""

    id: int
    person_id: int
    person: str
    skill_id: int
    skill: str
    status: str
    said: str
    note: str
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class Scarcity:
    """What a skill asks for and who is there. `median_seconds` is that of a look in the last six hours, None where there was none."""

    id: int
    name: str
    exam: bool
    gold_rate: float
    novice_rate: float
    temperature: float
    weighs: bool
    looks_wanted: int
    median_seconds: float | None
    people_active: int
    people_in_exam: int
    people_paused: int
    people_at_work: int
    looks_in_six_hours: int
    golds_live: int
    exposures_left: int

    @property
    def need_hours(self) -> float | None:
        """Hours of one person's work that wait; None before anybody was timed."""
        return None if self.median_seconds is None else self.looks_wanted * self.median_seconds / 3600

    @property
    def supply_hours(self) -> float | None:
        """Hours of work that those who were there gave in the last six."""
        return None if self.median_seconds is None else self.looks_in_six_hours * self.median_seconds / 3600

    @property
    def exposures_needed(self) -> int:
        """Looks at gold that belong to what waits, at the share that measured people get."""
        return ceil(self.looks_wanted * self.gold_rate)

    @property
    def golds_needed(self) -> int:
        """Golds that this takes (experts × tasks × rate / 5): each wears out, and nobody may meet one twice."""
        return max(ceil(self.exposures_needed / golds.MAX_EXPOSURES), ceil(self.exposures_needed / max(1, self.people_active)))

    @property
    def gold_short(self) -> bool:
        """Whether the pool is too small for that."""
        return self.golds_live < self.golds_needed or self.exposures_left < self.exposures_needed


@dataclass(frozen=True, slots=True)
class _Person:
    person_id: int


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


@dataclass(frozen=True, slots=True)
class _Waiting:
    waiting: int


@dataclass(frozen=True, slots=True)
class _Answered:
    id: int
    person_id: int
    skill_id: int


def of_person(db: Database, *, person_id: int) -> list[Mine]:
    """Somebody's standing in each of their skills, by name."""
    return [_bounded(db, found) for found in db.all("people/standings", Mine, person_id=person_id)]


def _bounded(db: Database | Connection, found: Mine) -> Mine:
    """With the bounds that follow from the counts that are told, not from all there are."""
    if not found.n:
        return replace(found, mean=None, low=None, high=None)
    score = beta.score(found.ok, found.n, scoring.pooled(db, found.skill_id))
    return replace(found, **{bound: round(getattr(score, bound), 2) for bound in ("mean", "low", "high")})


def one(db: Database | Connection, *, person_id: int, skill_id: int) -> Mine:
    """Somebody's standing in one skill. Raises NotFound."""
    found = next((m for m in db.all("people/standings", Mine, person_id=person_id) if m.skill_id == skill_id), None)
    if found is None:
        raise errors.NotFound()
    return found


def of_skill(db: Database, *, skill_id: int) -> list[Expert]:
    """Everybody who has a skill, the lowest bound first."""
    return db.all("scores/page", Expert, skill_id=skill_id, person_id=None)


def expert(db: Database, *, person_id: int, skill_id: int) -> Expert:
    """One of them. Raises NotFound."""
    found = db.one("scores/page", Expert, skill_id=skill_id, person_id=person_id)
    if found is None:
        raise errors.NotFound()
    return found


def results(db: Database, *, person_id: int, skill_id: int) -> list[Result]:
    """Those of somebody's looks at gold that are told one by one: an exam's, and the wrong ones that a pause came of; newest first, 200 at most."""
    return db.all("scores/results", Result, person_id=person_id, skill_id=skill_id)


def put(db: Database, *, person_id: int, skill_id: int, status: str, tier: int, pinned: bool, why: str, me: int) -> None:
    """A lead pauses, resumes or re-weighs somebody by hand. Labels given before stay. Raises Invalid, NotFound, Forbidden for one's own."""
    db.together(lambda connection: _put(connection, person_id, skill_id, status, tier, pinned, why, me))


def _put(connection: Connection, person_id: int, skill_id: int, status: str, tier: int, pinned: bool, why: str, me: int) -> None:
    if person_id == me:
        raise errors.Forbidden("Nobody changes their own standing; ask another lead.")
    if status not in STATUSES:
        raise errors.Invalid.field("status", f"choose one of {', '.join(STATUSES)}")
    if tier not in range(4):
        raise errors.Invalid.field("tier", "choose from 0 to 3")
    given = {"person_id": person_id, "skill_id": skill_id, "status": status, "tier": tier, "pinned": pinned}
    if connection.one("people/put_standing", _Person, **given, why=_said(why, "why"), me=me) is None:
        raise errors.NotFound()


def _said(text: str, field: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not 1 <= len(text) <= LONGEST or "\x00" in text:
        raise errors.Invalid.field(field, f"say it in 1 to {LONGEST:,} characters")
    return text


def appeal(db: Database, *, me: int, skill_id: int, note: str) -> int:
    """Asks a lead to look at one's own pause; the appeal's id. Raises Invalid, Conflict where the skill is not paused, or it was asked already."""
    asked = db.one("appeals/ask", _Id, me=me, skill_id=skill_id, note=_said(note, "note"))
    if asked is None:
        again = one(db, person_id=me, skill_id=skill_id).appeal_from
        detail = f"A lead has answered your appeal. If the pause still stands, you can appeal again from {again:%Y-%m-%d %H:%M} UTC." if again else ""
        raise errors.NothingToAppeal(detail)
    return asked.id


def appeals(db: Database) -> list[Appeal]:
    """Those that wait for a lead, oldest first."""
    return db.all("appeals/open", Appeal)


def waiting_appeals(db: Database) -> int:
    """How many wait for a lead, counted to a hundred."""
    found = db.one("appeals/waiting", _Waiting)
    return found.waiting if found else 0


def answer(db: Database, *, appeal_id: int, me: int, text: str, resume: bool) -> None:
    """A lead answers an appeal and, with `resume`, lifts the pause. Raises Invalid, NotFound (also for one's own, or one that is answered)."""
    said = _said(text, "answer")

    def work(connection: Connection) -> None:
        done = connection.one("appeals/answer", _Answered, appeal_id=appeal_id, me=me, answer=said)
        if done is None:
            raise errors.NotFound()
        if resume:
            now = one(connection, person_id=done.person_id, skill_id=done.skill_id)
            _put(connection, done.person_id, done.skill_id, "active", now.tier, now.pinned, said, me)

    db.together(work)


def scarcity(db: Database) -> list[Scarcity]:
    """Every skill: what waits, who is there, how much gold is left."""
    return db.all("skills/scarcity", Scarcity)


def skill(db: Database, *, skill_id: int) -> Scarcity:
    """One of them. Raises NotFound."""
    found = next((one for one in scarcity(db) if one.id == skill_id), None)
    if found is None:
        raise errors.NotFound()
    return found


def put_terms(db: Database, *, skill_id: int, exam: bool, gold_rate: float, novice_rate: float, me: int) -> None:
    """Whether who is new sits an exam, and gold's share of looks (0 to 1). Raises Invalid, NotFound."""
    for field, rate in (("gold_rate", gold_rate), ("novice_rate", novice_rate)):
        if not 0 <= rate <= 1:
            raise errors.Invalid.field(field, "must be a share from 0 to 1")
    given = {"exam": exam, "gold_rate": gold_rate, "novice_rate": novice_rate}
    if db.one("skills/put_terms", _Id, skill_id=skill_id, **given, me=me) is None:
        raise errors.NotFound()
