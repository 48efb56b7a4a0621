"""Bearer tokens of the API: shown once, kept as a hash."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from claimcheck import errors
from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.access.sessions import digest
from claimcheck.db import Connection, Database

FORM = re.compile(r"[A-Za-z0-9_-]{32,200}")


@dataclass(frozen=True)
class Token:
    id: int
    created_at: datetime


@dataclass(frozen=True)
class TokenId:
    token_id: int


def person_of(db: Database, token: str) -> Person | None:
    """The person behind a token; None for one that is malformed, unknown, revoked, or whose person is disabled."""
    return db.one("tokens/person_of", Person, hash=digest(token)) if FORM.fullmatch(token) else None


def make(db: Database | Connection, *, person_id: int, by: int = people.SYSTEM) -> str:
    """A new token for an account; it is shown this once. Raises NotFound."""
    token = f"cc_{secrets.token_urlsafe(32)}"
    if db.one("tokens/new", TokenId, hash=digest(token), person_id=person_id, by=by) is None:
        raise errors.NotFound("There is no such account, or it is disabled.")
    return token


def new(db: Database, *, name: str, role: str, skills: Sequence[str] = (), by: int = people.SYSTEM) -> str:
    """A token for the account of that name, which is made if need be, with its skills; role customer makes the customer too.

    Raises Invalid where the account exists in another role.
    """
    return db.together(lambda connection: _new(connection, name, role, skills, by))


def _new(connection: Connection, name: str, role: str, skills: Sequence[str], by: int) -> str:
    person = _account(connection, name, role, by)
    has = {skill.name for skill in people.skills(connection, person_id=person.id)}
    for skill in skills:
        if skill not in has:
            people.give_skill(connection, person_id=person.id, skill=skill, by=by)
    return make(connection, person_id=person.id, by=by)


def _account(connection: Connection, name: str, role: str, by: int) -> Person:
    person = people.by_name(connection, name=people.line(name, "name", 200))
    if person is None:
        return people.add(connection, name=name, role=role, program=True, customer=name if role == "customer" else None, by=by)
    if person.role != role:
        raise errors.Invalid.field("role", f"{person.name} exists already, as {person.role}")
    return person


def revoke(db: Database, *, token_id: int, person_id: int, by: int) -> None:
    """Ends a token. Raises NotFound."""
    if db.one("tokens/revoke", TokenId, token_id=token_id, person_id=person_id, by=by) is None:
        raise errors.NotFound()


def live(db: Database, *, person_id: int) -> list[Token]:
    """The person's live tokens."""
    return db.all("tokens/live", Token, person_id=person_id)
