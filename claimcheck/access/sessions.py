"""Who is signed in. The cookie holds a random secret, the row its hash; what is not in the table is over."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from claimcheck import errors
from claimcheck.access.people import Person, Touched
from claimcheck.db import Database

IDLE_SECONDS = 2 * 3600  # without a request that a person made
LONGEST_SECONDS = 12 * 3600


@dataclass(frozen=True)
class Session:
    address: str | None
    agent: str
    created_at: datetime
    last_seen_at: datetime
    current: bool


@dataclass(frozen=True)
class Ended:
    ended: int


def digest(secret: str) -> bytes:
    """What is stored of a secret that is random itself."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def begin(db: Database, *, person_id: int, address: str | None = None, agent: str = "") -> str:
    """Signs the person in; the secret for the cookie. Raises Unauthenticated for a disabled person."""
    secret = secrets.token_urlsafe(32)
    agent = "".join(c for c in agent if c.isprintable())[:200]
    facts = {"person_id": person_id, "address": address, "agent": agent, "seconds": LONGEST_SECONDS}
    if db.one("sessions/begin", Touched, hash=digest(secret), **facts) is None:
        raise errors.Unauthenticated()
    return secret


def person_of(db: Database, secret: str, *, background: bool = False, idle_seconds: int = IDLE_SECONDS) -> Person | None:
    """The person behind a cookie. A `background` request (a poll, a heartbeat) does not count as a sign of life."""
    return db.one("sessions/person_of", Person, hash=digest(secret), background=background, idle_seconds=idle_seconds)


def end(db: Database, secret: str) -> None:
    """Signs out."""
    db.run("sessions/end", hash=digest(secret))


def end_all(db: Database, *, person_id: int, by: int, kept: str | None = None) -> int:
    """Signs the person out everywhere, but for the session whose secret is `kept`; how many ended."""
    gone = db.one("sessions/end_all", Ended, person_id=person_id, by=by, kept=digest(kept) if kept else None)
    return gone.ended if gone else 0


def live(db: Database, *, person_id: int, current: str = "") -> list[Session]:
    """The person's live sessions, the last used first."""
    return db.all("sessions/live", Session, person_id=person_id, current=digest(current), idle_seconds=IDLE_SECONDS)
