"""Retractions: a lead takes somebody's labels back. First what would become of them; then the version that says so. Nothing is deleted or unpaid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from claimcheck import errors, projects
from claimcheck.access.people import Person
from claimcheck.datasets import fates, reading, versions
from claimcheck.datasets.fates import Fate, Touched
from claimcheck.datasets.rows import Decision, Tombstone, standing
from claimcheck.db import Connection, Database
from claimcheck.experts import judging
from claimcheck.projects import Project
from claimcheck.quality import cusum

EVER = datetime(1970, 1, 1, tzinfo=UTC)  # "all" of somebody's labels
REASON = {"desk.retracted": "The labels were taken back"}
PAGE = 2000  # items
LONGEST = 2000  # characters of a reason
NEWEST = 2**62


@dataclass(frozen=True, slots=True)
class Retraction:
    """One, with what it decided so far: `reopened` of the pending items are open again or beyond it, `settled` of those have a label again."""

    id: int
    project_id: int
    project: str
    person_id: int
    person: str
    since: datetime
    looks_to: int
    scope: str
    relabel: bool
    reason: str
    dataset_id: int
    version: int
    created_at: datetime
    requested_by: str
    confirmed: int
    withdrawn: int
    pending: int
    flips: int
    reopened: int
    settled: int


@dataclass(frozen=True, slots=True)
class Line:
    """One in a list."""

    id: int
    person_id: int
    person: str
    scope: str
    since: datetime
    reason: str
    dataset_id: int
    version: int
    created_at: datetime
    requested_by: str


@dataclass(frozen=True, slots=True)
class Author:
    """Somebody who looked at a project's items; `low` and `high` bound the share they answer rightly, where they were measured."""

    id: int
    name: str
    role: str
    status: str | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Skill:
    """A project's skill, and the version of its rules in force."""

    temperature: float
    weighs: bool
    version: int
    cancelled: bool


@dataclass(slots=True)
class Preview:
    """What a retraction would do: labels touched, those of them in the newest delivered version, and what would become of them.

    `open` are items without a label now: their looks are not taken back.
    """

    touched: int = 0
    delivered: int = 0
    confirmed: int = 0
    flips: int = 0
    unsure: int = 0
    open: int = 0

    @property
    def pending(self) -> int:
        """Labels that do not stand without the looks: opened again, or withdrawn."""
        return self.flips + self.unsure


@dataclass(frozen=True, slots=True)
class _Gold:
    correct: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def authors(db: Database, *, project_id: int) -> list[Author]:
    """Whose labels can be taken back, by name."""
    return db.all("retractions/people", Author, project_id=project_id)


def change_point(db: Database, *, project_id: int, person_id: int) -> datetime | None:
    """Since when somebody's golds turned bad, as the CUSUM suggests: after its last zero, or before the first alarm where it is zero again.

    None where it never rose.
    """
    golds = db.all("retractions/golds", _Gold, project_id=project_id, person_id=person_id)
    right = [gold.correct for gold in golds]
    since = cusum.changed(right)
    if since == len(right) and (alarm := cusum.alarm(right)) is not None:
        since = cusum.changed(right[: alarm + 1])
    return golds[since].at if since < len(golds) else None


def since_of(db: Database, *, project_id: int, person_id: int, scope: str, since: datetime | None) -> datetime:
    """From when on labels are taken back. Raises Invalid where the scope says too little."""
    if scope == "all":
        return EVER
    if scope == "change":
        if (found := change_point(db, project_id=project_id, person_id=person_id)) is None:
            raise errors.Invalid.field("scope", "no change point is known of this person: their golds never turned bad; choose a time, or all")
        return found
    if scope != "since":
        raise errors.Invalid.field("scope", "must be one of all, since, change")
    if since is None:
        raise errors.Invalid.field("since", "say from when on, such as 2027-01-31T18:00:00Z")
    return since


def preview(db: Database, *, project_id: int, person_id: int, since: datetime, looks_to: int) -> Preview:
    """What a retraction would do now."""
    last, seen = versions.newest(db, project_id=project_id), Preview()
    for decisions, found in judged(db, project_id=project_id, person_id=person_id, since=since, looks_to=looks_to):
        if found is None:
            seen.open += 1
            continue
        seen.touched += 1
        seen.delivered += last is not None and standing(decisions, last.up_to) is not None
        seen.confirmed += found.status == "confirmed"
        seen.flips += found.flips
        seen.unsure += found.status == "pending" and not found.flips
    return seen


def judged(db: Database, *, project_id: int, person_id: int, since: datetime, looks_to: int) -> Iterator[tuple[Sequence[Touched], Fate | None]]:
    """Each item that somebody looked at since then, up to a decision, with what would become of its label (None: it has none)."""
    skill = db.one("retractions/skill", Skill, project_id=project_id)
    assert skill is not None
    rules, weighing = projects.rules(db, project_id, skill.version), judging.Skill(skill.temperature, skill.weighs)
    mine = Tombstone(0, 0, 0, "pending", "", person_id, since, looks_to, "")
    after, asked = 0, {"project_id": project_id, "person_id": person_id, "since": since, "looks_to": looks_to, "limit": PAGE}
    while page := db.all("retractions/touched", Touched, **asked, after=after):
        last = page[-1].item_id
        stones = reading.tombstones(db, project_id=project_id, after=after, last=last, version=versions.NEWEST)
        for item_id, group in groupby(page, key=lambda d: d.item_id):
            decisions, of_item = [*group], [mine, *(s for s in stones if s.item_id == item_id)]
            yield decisions, fates.fate(rules, weighing, decisions, _taken_by(of_item), looks_to)
        after = last


def _taken_by(stones: Sequence[Tombstone]):
    def takes(one: Decision) -> bool:
        return any(stone.takes(one) for stone in stones)

    return takes


def retract(
    db: Database, *, project: Project, me: Person, person_id: int, scope: str, reason: str, since: datetime | None = None, relabel: bool = True,
    idempotency_key: str | None = None,
) -> int:  # fmt: skip
    """Takes somebody's labels back, from `since` on, since the change point, or all; the retraction's id. A worker carries it out.

    Raises Invalid, also where nothing would be touched or nothing was delivered yet, and Unavailable while a submit is on its way for long.
    """
    said = _reason(reason)
    if known := _known(db, project.id, idempotency_key):
        return known
    if person_id not in {author.id for author in authors(db, project_id=project.id)}:
        raise errors.Invalid.field("person_id", "has given no look in this project")
    begin, looks_to = since_of(db, project_id=project.id, person_id=person_id, scope=scope, since=since), versions.cut(db)
    if not preview(db, project_id=project.id, person_id=person_id, since=begin, looks_to=looks_to).touched:
        raise errors.Invalid.field("since", "no label of theirs is touched from then on; choose an earlier time, or all")
    asked = {"project_id": project.id, "person_id": person_id, "scope": scope, "since": begin, "looks_to": looks_to, "reason": said, "me": me.id}
    how = {"relabel": relabel and not project.cancelled_at, "idempotency_key": idempotency_key}
    return db.together(lambda connection: _known(connection, project.id, idempotency_key) or _retract(connection, asked | how))  # sent twice at once


def _reason(text: str) -> str:
    said = text.replace("\r\n", "\n").strip()
    if not 1 <= len(said) <= LONGEST or "\x00" in said:
        raise errors.Invalid.field("reason", f"say why in 1 to {LONGEST:,} characters; the customer reads it")
    return said


def _known(db: Database | Connection, project_id: int, idempotency_key: str | None) -> int | None:
    version = db.one("datasets/by_key", _Id, project_id=project_id, idempotency_key=idempotency_key) if idempotency_key is not None else None
    if version is None:
        return None
    found = db.one("retractions/of_dataset", _Id, dataset_id=version.id)
    if found is None:
        raise errors.Invalid.field("idempotency_key", "was used for a delivery; choose another one")
    return found.id


def _retract(connection: Connection, asked: dict[str, object]) -> int:
    connection.run("reason_codes/put", project_id=asked["project_id"], codes=[*REASON], labels=[*REASON.values()], reserved=True)
    made = connection.one("retractions/ask", _Id, **asked)
    if made is None:
        raise errors.Invalid("Nothing of this project was delivered yet, so there is nothing to take back. Pause the person, or overturn outcomes.")
    return made.id


def load(db: Database, *, retraction_id: int) -> Retraction:
    """One. Raises NotFound."""
    found = db.one("retractions/load", Retraction, retraction_id=retraction_id)
    if found is None:
        raise errors.NotFound()
    return found


def page(db: Database, *, project_id: int, before: int = NEWEST, limit: int = 50) -> list[Line]:
    """A project's, the newest first."""
    return db.all("retractions/page", Line, project_id=project_id, before=before, limit=limit)
