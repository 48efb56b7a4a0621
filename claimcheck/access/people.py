"""Who works here and who sends work: accounts, roles, skills."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors, rules
from claimcheck.db import Connection, Database

ROLES = ("reviewer", "lead", "customer", "operator")
TIERS = (0, 1, 2, 3)
SYSTEM = 0  # the actor of what nobody did by hand: the command line, an agreement
EMAIL = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")  # ASCII: no two spellings look alike


@dataclass(frozen=True)
class Person:
    """An account. `program` ones have no e-mail address, only tokens; a customer's people have a `customer_id`."""

    id: int
    name: str
    email: str | None
    role: str
    customer_id: int | None
    program: bool
    pseudonym: str
    disabled_at: datetime | None


@dataclass(frozen=True)
class Listed(Person):
    """A person as the list shows them. `skills` are dicts of name, tier, status; the lease's end may be past."""

    customer: str | None
    skills: list[dict[str, Any]]
    seen_at: datetime | None
    item_id: int | None
    lease_expires: datetime | None
    server_now: datetime


@dataclass(frozen=True)
class Hold:
    """A task in somebody's hands."""

    assignment_id: int
    item_id: int
    task_id: int
    kind: str
    project: str
    claimed_at: datetime
    lease_expires: datetime
    server_now: datetime


@dataclass(frozen=True)
class Skill:
    """What somebody can do, and how well: tiers 0 to 3."""

    name: str
    tier: int
    status: str


@dataclass(frozen=True)
class Disabled:
    """What came to an end with the account: the item that went back, its escalation if that was one time too many, sessions, tokens."""

    person_id: int
    item_id: int | None
    escalation_id: int | None
    sessions: int
    tokens: int


@dataclass(frozen=True)
class Touched:
    person_id: int


@dataclass(frozen=True)
class SkillName:
    name: str


@dataclass(frozen=True)
class Waiting:
    waiting: int


def line(text: str, field: str, longest: int) -> str:
    """One line of text fit to be stored and shown: composed, trimmed, without control characters. Raises Invalid."""
    text = unicodedata.normalize("NFC", text).strip()
    if not 1 <= len(text) <= longest:
        raise errors.Invalid.field(field, f"give between 1 and {longest} characters")
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text):
        raise errors.Invalid.field(field, "leave out control characters and line breaks")
    return text


def address(text: str) -> str:
    """An e-mail address as it is stored: lower case. Raises Invalid."""
    text = text.strip()
    if len(text) > 254 or not EMAIL.fullmatch(text.lower()) or not text.isascii():  # the Kelvin sign's lower case is a k
        raise errors.Invalid.field("email", "give an address such as ada@example.org")
    return text.lower()


def add(
    db: Database | Connection,
    *,
    name: str,
    role: str,
    email: str | None = None,
    customer: str | None = None,
    program: bool = False,
    skills: Iterable[str] = (),
    by: int = SYSTEM,
) -> Person:
    """A new account, with its skills. A person needs an e-mail address; role customer needs the customer's name, made if need be.

    Raises Invalid, naming the field, and NameTaken.
    """
    if role not in ROLES:
        raise errors.Invalid.field("role", f"choose one of {', '.join(ROLES)}")
    if (role == "customer") != bool(customer):
        fix = "only an account of role customer has one" if customer else "name the customer that the account belongs to"
        raise errors.Invalid.field("customer", fix)
    [made] = db.all(
        "people/add",
        Person,
        name=line(name, "name", 200),
        email=None if program else address(email or ""),
        role=role,
        program=program,
        customer=line(customer, "customer", 200) if customer else None,
        by=by,
    )
    for skill in skills:
        give_skill(db, person_id=made.id, skill=skill, by=by)
    return made


def load(db: Database, *, person_id: int) -> Person:
    """Raises NotFound."""
    person = db.one("people/load", Person, person_id=person_id)
    if person is None or person.role == "system":
        raise errors.NotFound()
    return person


def by_name(db: Database | Connection, *, name: str) -> Person | None:
    return db.one("people/by_name", Person, name=name)


def page(db: Database, *, after: str = "", role: str | None = None, search: str | None = None, limit: int = 100) -> list[Listed]:
    """A page of the people whose names come after `after`."""
    return db.all("people/page", Listed, after=after, role=role, search=_pattern(search), limit=limit)


def _pattern(search: str | None) -> str | None:
    """Free text as a literal for ILIKE."""
    text = (search or "").replace("\0", "").strip()[:100]
    return re.sub(r"([\\%_])", r"\\\1", text) or None


def disable(db: Database, *, person_id: int, by: int) -> Disabled:
    """Shuts the account at once: the lease, what is kept for it, sessions, tokens and links end with it.

    Raises NotFound, Invalid for one's own account.
    """
    if person_id == by:
        raise errors.Invalid("You cannot disable your own account; another operator can.")

    def shut(connection: Connection) -> Disabled | None:
        connection.one("people/lock", Touched, person_id=person_id)
        return connection.one("people/disable", Disabled, person_id=person_id, by=by)

    gone = db.together(shut)
    if gone is None:
        raise errors.NotFound()
    return gone


def enable(db: Database, *, person_id: int, by: int) -> None:
    """Opens the account again. Old sessions and tokens stay ended."""
    db.run("people/enable", person_id=person_id, by=by)


def give_skill(db: Database | Connection, *, person_id: int, skill: str, tier: int = 0, by: int = SYSTEM) -> None:
    """A skill more, or another tier in it. Raises Invalid, NotFound."""
    if tier not in TIERS:
        raise errors.Invalid.field("tier", "choose a tier from 0 to 3")
    if skill.startswith(rules.RESERVED_START):
        raise errors.Invalid.field("skill", f"must not begin with {rules.RESERVED_START!r}: such skills are the desk's own")
    if db.one("people/give_skill", Touched, person_id=person_id, skill=line(skill, "skill", 100), tier=tier, by=by) is None:
        raise errors.NotFound()


def take_skill(db: Database, *, person_id: int, skill: str, by: int) -> None:
    """A skill less. Raises NotFound where the person does not have it."""
    if db.one("people/take_skill", Touched, person_id=person_id, skill=skill.replace("\0", ""), by=by) is None:
        raise errors.NotFound()


def skills(db: Database | Connection, *, person_id: int) -> list[Skill]:
    return db.all("people/skills", Skill, person_id=person_id)


def known_skills(db: Database) -> list[str]:
    """Names of every skill."""
    return [skill.name for skill in db.all("people/known_skills", SkillName)]


def holds(db: Database, *, person_id: int) -> list[Hold]:
    """What the person has in hand; at most one thing."""
    return db.all("people/holds", Hold, person_id=person_id)


def waiting_escalations(db: Database) -> int:
    """Escalations that a lead could take now, counted to a hundred."""
    found = db.one("people/waiting_escalations", Waiting)
    return found.waiting if found else 0
