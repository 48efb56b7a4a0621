"""Passwords: checked under a limit, stored by Argon2id, set through links that work once."""

from __future__ import annotations

import ipaddress
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from claimcheck import errors
from claimcheck.access import people
from claimcheck.access.people import Person, Touched
from claimcheck.access.sessions import digest
from claimcheck.db import Connection, Database

HASHER = PasswordHasher(time_cost=1, memory_cost=46 * 1024, parallelism=1)  # OWASP's first choice for Argon2id
AT_ONCE, PATIENCE = 2, 5.0  # each hash takes 46 MB and a core: a flood of them must wait in line
WINDOW_SECONDS = 15 * 60
FAILURES_BY_EMAIL, FAILURES_BY_ADDRESS = 10, 50
LINK_SECONDS = 24 * 3600
SHORTEST, LONGEST = 12, 200
GUESSED_FIRST = (
    "password", "passwort", "passw0rd", "pa55word", "claimcheck", "qwertyuiop", "qwertzuiop", "asdfghjkl", "letmein",
    "welcome", "administrator", "admin", "iloveyou", "sunshine", "princess", "football", "abcdefgh", "trustno", "secret",
)  # fmt: skip

_turns = threading.BoundedSemaphore(AT_ONCE)
_NOBODY = HASHER.hash(secrets.token_urlsafe(16))  # checked where there is no account, so that both take as long


@dataclass(frozen=True)
class Known:
    person_id: int
    hash: str


@dataclass(frozen=True)
class Tried:
    by_email: int
    by_address: int


@contextmanager
def _turn() -> Iterator[None]:
    if not _turns.acquire(timeout=PATIENCE):
        raise errors.TooMany("Many people are signing in at once; try again in a minute.")
    try:
        yield
    finally:
        _turns.release()


def _hash(password: str) -> str:
    with _turn():
        return HASHER.hash(password)


def _matches(stored: str, password: str) -> bool:
    with _turn():
        try:
            return HASHER.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False


def network(address: str) -> str:
    """What counts as one address: an IPv6 host has a whole /64 to choose from."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)


def check(db: Database, *, email: str, password: str, address: str) -> int:
    """The id of the person whose address and password these are.

    Raises WrongPassword, and TooMany after too many failures under that address or from that place, right or wrong.
    """
    try:
        email, where = people.address(email), network(address)
    except errors.Invalid:
        raise errors.WrongPassword() from None
    if len(password) > LONGEST:
        raise errors.WrongPassword()
    _count(db, email, where)
    known = db.one("passwords/load", Known, email=email)
    if not _matches(known.hash if known else _NOBODY, password) or known is None:
        db.run("passwords/fail", email=email, address=where)
        raise errors.WrongPassword()
    db.run("passwords/succeed", email=email, address=where)
    if HASHER.check_needs_rehash(known.hash):
        db.run("passwords/rehash", person_id=known.person_id, old=known.hash, hash=_hash(password))
    return known.person_id


def _count(db: Database, email: str, where: str) -> None:
    """Writes the attempt down before it is judged: of many at once, no more than the limit get as far as the hash."""
    if _tried(db, email, where, room=1):
        db.run("passwords/try", email=email, address=where)
        if _tried(db, email, where, room=0):
            return
    error = errors.TooMany("Too many attempts to sign in; try again in a quarter of an hour.")
    error.retry_after = WINDOW_SECONDS
    raise error


def _tried(db: Database, email: str, where: str, *, room: int) -> bool:
    [tried] = db.all("passwords/tried", Tried, email=email, address=where, seconds=WINDOW_SECONDS)
    return tried.by_email + room <= FAILURES_BY_EMAIL and tried.by_address + room <= FAILURES_BY_ADDRESS


def accept(password: str, person: Person) -> str:
    """The password, if it is fit to be one. Raises Invalid."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise errors.Invalid.field(
            "password", f"take between {SHORTEST} and {LONGEST} characters; a few words make a good one"
        )
    if _is_guessable(password.lower(), [person.name.lower(), *(person.email or "").split("@")[:1]]):
        raise errors.Invalid.field(
            "password", "that is among the first to be guessed; take words that do not belong together"
        )
    return password


def _is_guessable(password: str, own: list[str]) -> bool:
    """Whether nothing much is left of it without the well-known words, one's own name, digits and signs."""
    if len(set(password)) < 5:
        return True
    for word in [*GUESSED_FIRST, *(word for name in own for word in name.split())]:
        password = password.replace(word, "")
    return len(set(filter(str.isalpha, password))) < 4


def choose(db: Database | Connection, *, person: Person, password: str, by: int = people.SYSTEM) -> None:
    """Sets the password; every session of the person ends. Raises Invalid."""
    db.run("passwords/choose", person_id=person.id, hash=_hash(accept(password, person)), by=by, kept=None)


def is_right(db: Database, *, person: Person, password: str, address: str) -> bool:
    """Whether that is the person's password; counted like a sign-in. Raises TooMany."""
    try:
        return check(db, email=person.email or "", password=password, address=address) == person.id
    except errors.WrongPassword:
        return False


def link(db: Database | Connection, *, person_id: int, by: int = people.SYSTEM) -> str:
    """A secret that lets the person set a password once, within a day. Older ones are void. Raises NotFound."""
    secret = secrets.token_urlsafe(32)
    if db.one("passwords/new_link", Touched, hash=digest(secret), person_id=person_id, by=by, seconds=LINK_SECONDS) is None:
        raise errors.NotFound("There is no such person, or their account is disabled.")
    return secret


def person_of_link(db: Database, secret: str) -> Person:
    """Whose link it is. Raises LinkUsed."""
    person = db.one("passwords/person_of_link", Person, hash=digest(secret))
    if person is None:
        raise errors.LinkUsed()
    return person


def set_by_link(db: Database, *, secret: str, password: str) -> None:
    """Uses up the link. Every session of the person ends. Raises Invalid (the link stays good), LinkUsed."""
    fit = accept(password, person_of_link(db, secret))
    if db.one("passwords/use_link", Touched, link=digest(secret), hash=_hash(fit)) is None:
        raise errors.LinkUsed()
