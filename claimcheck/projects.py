"""Projects: streams of work, each with its rules. Every change of rules is one more version."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from psycopg.types.json import Jsonb

from claimcheck import errors, sweeps
from claimcheck import rules as rules_
from claimcheck.access.people import Person
from claimcheck.approvals import asking
from claimcheck.config import Settings
from claimcheck.db import Connection, Database
from claimcheck.outbound import effects

AUTOMATIC = "desk.automatic"  # the skill of what resolves by itself; nobody has it
TERMS = ("wanted", "lease_seconds", "max_hold_seconds", "idle_seconds", "abandon_limit", "weight", "priority", "deadline", "price_minor",
         "currency")  # fmt: skip
KNOWN_RULES = 500  # versions that a process keeps at hand
RULES: WeakKeyDictionary[Database, dict[tuple[int, int], rules_.Rules]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Project:
    """A project and the rules in force. `rules` is their stored form; `why` is what was said of the last change."""

    id: int
    customer_id: int
    customer: str
    name: str
    version: int
    shown_version: int
    skill: str
    rules: dict[str, Any]
    why: str
    version_at: datetime
    created_at: datetime
    paused_at: datetime | None
    cancelled_at: datetime | None

    @property
    def parsed(self) -> rules_.Rules:
        return rules_.parse(self.rules)


@dataclass(frozen=True, slots=True)
class Counts:
    """Where a project's items are. `pending` counts paused ones too; `refused` are rows kept as dead letters."""

    project_id: int
    pending: int
    leased: int
    blocked: int
    escalated: int
    settled: int
    not_durable: int
    refused: int

    def as_dict(self) -> dict[str, int]:
        return {name: n for name, n in asdict(self).items() if name != "project_id"}


@dataclass(frozen=True, slots=True)
class Created:
    """A project's id; `new` says whether it was made now, and only then a webhook's secret is shown, once."""

    id: int
    new: bool
    webhook_secret: str | None = None


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


@dataclass(frozen=True, slots=True)
class _Named:
    id: int
    rules: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Rules:
    rules: dict[str, Any]


@dataclass(frozen=True, slots=True)
class InForce:
    """The version of a project's rules in force, and the last that changed what is shown or asked."""

    version: int
    shown_version: int


def create(db: Database, *, by: Person, rules: rules_.Rules, customer_id: int | None = None, settings: Settings | None = None) -> Created:
    """Opens a project, or finds the one that was made by the same rules. Raises ProjectExists where the rules differ.

    `customer_id` is the maker's own where it is not given, `settings` are the process's.
    """
    owner = by.customer_id if customer_id is None else customer_id
    if owner is None:
        raise errors.Forbidden("A project belongs to a customer, and you are none.")
    return db.together(lambda connection: _create(connection, by.id, owner, rules, settings))


def _create(connection: Connection, me: int, customer_id: int, rules: rules_.Rules, settings: Settings | None) -> Created:
    open_lanes(connection, rules)
    made = connection.one("projects/create", _Id, me=me, customer_id=customer_id, **_columns(rules))
    if made is None:
        return _found(connection, customer_id, rules)
    add_version(connection, made.id, InForce(1, 1), rules, me, "the project was made")
    open_queues(connection, made.id, rules)
    put_reasons(connection, made.id, rules)
    reserved = rules_.RESERVED
    connection.run("reason_codes/put", project_id=made.id, codes=[*reserved], labels=[*reserved.values()], reserved=True)
    return Created(made.id, True, effects.install(connection, made.id, rules.webhook, settings))


def _found(connection: Connection, customer_id: int, rules: rules_.Rules) -> Created:
    there = connection.one("projects/by_name", _Named, customer_id=customer_id, name=rules.name)
    if there is None:
        raise errors.Again()
    if rules_.parse(there.rules) != rules:
        raise errors.ProjectExists(project_id=there.id)
    return Created(there.id, False)


def open_lanes(connection: Connection, rules: rules_.Rules) -> None:
    """Makes the skills and their lanes where they are missing."""
    for skill, queues in _by_skill(rules):
        connection.run("skills/ensure", name=skill)
        connection.run("lanes/ensure", skill=skill, tier=rules.quality_floor, queues=queues)
    if rules.gold_rate:
        connection.run("skills/put_gold_rate", skill=rules.skill, gold_rate=rules.gold_rate)


def open_queues(connection: Connection, project_id: int, rules: rules_.Rules) -> int:
    """The project's queues stand in the lanes that its rules name; how many were opened or moved. A queue that no rule names any more stays."""
    opened = sum(
        connection.run("queues/open", project_id=project_id, skill=skill, tier=rules.quality_floor, queues=queues)
        for skill, queues in _by_skill(rules)
    )
    return opened + connection.run("queues/open", project_id=project_id, skill=AUTOMATIC, tier=0, queues=["automatic"])


def _by_skill(rules: rules_.Rules) -> list[tuple[str, list[str]]]:
    """In the order of the skills' names, so that two transactions never wait for each other in a ring."""
    queues = rules.queues()
    return [(skill, sorted(q for q, s in queues.items() if s == skill)) for skill in sorted({*queues.values()})]


def add_version(connection: Connection, project_id: int, at: InForce, rules: rules_.Rules, me: int, why: str) -> None:
    """Writes down a version of a project's rules."""
    connection.run("versions/add", project_id=project_id, version=at.version, shown_version=at.shown_version,
                   rules=Jsonb(rules.stored()), me=me, why=why)  # fmt: skip


def put_reasons(connection: Connection, project_id: int, rules: rules_.Rules) -> None:
    """The project's reason codes are these; what it no longer names is retired, not deleted."""
    codes = [r.code for r in rules.reason_codes]
    connection.run("reason_codes/put", project_id=project_id, codes=codes, labels=[r.label for r in rules.reason_codes], reserved=False)
    connection.run("reason_codes/retire", project_id=project_id, codes=codes)


def _columns(rules: rules_.Rules) -> dict[str, Any]:
    return {"name": rules.name, "skill": rules.skill, **terms(rules)}


def terms(rules: rules_.Rules) -> dict[str, Any]:
    """The rules that statements read, as the project row's columns."""
    return {name: getattr(rules, name) for name in TERMS} | {"wanted": rules.first_wanted, "four_eyes": asking.stored(rules.four_eyes)}


def reach(person: Person) -> int | None:
    """Whose projects somebody sees: a customer's own ones; None means everybody's. Raises Forbidden for who sees none."""
    if person.role == "customer":
        return person.customer_id
    if person.role in ("lead", "operator", "system"):
        return None
    raise errors.Forbidden()


def load(db: Database, project_id: int, person: Person) -> Project:
    """One project. Raises NotFound where there is none that this person may see."""
    row = db.one("projects/load", Project, project_id=project_id, customer_id=reach(person))
    if row is None:
        raise errors.NotFound()
    return row


def page(db: Database, person: Person, *, after: int = 0, limit: int = 50) -> list[Project]:
    """The projects that this person may see, by id, those above `after`."""
    return db.all("projects/page", Project, customer_id=reach(person), after=after, limit=limit)


def counts(db: Database, project_ids: Iterable[int]) -> dict[int, Counts]:
    """Where the items of these projects are, by project."""
    rows = db.all("projects/counts", Counts, project_ids=[*project_ids])
    return {row.project_id: row for row in rows}


def rules(db: Database | Connection, project_id: int, version: int) -> rules_.Rules:
    """A version's rules, which never change: each database's are read once. Raises NotFound."""
    if not isinstance(db, Database):
        return _rules(db, project_id, version)
    known = RULES.setdefault(db, {})
    found = known.get((project_id, version))
    if found is None:
        if len(known) >= KNOWN_RULES:
            known.clear()
        known[project_id, version] = found = _rules(db, project_id, version)
    return found


def _rules(db: Database | Connection, project_id: int, version: int) -> rules_.Rules:
    row = db.one("versions/rules", _Rules, project_id=project_id, version=version)
    if row is None:
        raise errors.NotFound()
    return rules_.parse(row.rules)


def version(db: Database, project_id: int) -> int:
    """The version in force. Raises NotFound."""
    return _in_force(db, project_id).version


def shown_version(db: Database, project_id: int) -> int:
    """The version in force that last changed what is shown or asked. Raises NotFound."""
    return _in_force(db, project_id).shown_version


def _in_force(db: Database, project_id: int) -> InForce:
    row = db.one("projects/version", InForce, project_id=project_id)
    if row is None:
        raise errors.NotFound()
    return row


def pause(db: Database, project_id: int, me: int) -> None:
    """Nothing more of it is handed out; what people hold, they may finish."""
    _set_paused(db, project_id, me, True)


def resume(db: Database, project_id: int, me: int) -> None:
    """Its tasks are handed out again."""
    _set_paused(db, project_id, me, False)


def _set_paused(db: Database, project_id: int, me: int, paused: bool) -> None:
    db.run("projects/pause", project_id=project_id, me=me, paused=paused, seconds=sweeps.TURN_SECONDS)
    sweeps.halt(db, project_id=project_id)


def cancel(db: Database, project_id: int, me: int) -> None:
    """Stops its claims for good. A lease that is live stays good until its end. Again is no error."""
    db.run("projects/cancel", project_id=project_id, me=me, seconds=sweeps.TURN_SECONDS)
    sweeps.halt(db, project_id=project_id)
