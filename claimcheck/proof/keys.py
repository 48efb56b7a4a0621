"""The desk's signing keys: the newest signs, the old ones are kept for the receipts they signed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimcheck.access import people
from claimcheck.db import Connection, Database
from claimcheck.proof import signing

PURPOSE = "signing_keys"
AHEAD = 80.0  # seconds until a new key signs: it's committed by then (db.CONNECT), so a receipt is never signed first by one key, then by another


@dataclass(frozen=True, slots=True)
class Key:
    """A signing key with its sealed private half; it signs what was decided from `created_at` on."""

    id: str
    public_key: str
    sealed: bytes
    created_at: datetime

    def private(self, secret: str) -> bytes:
        """The private half. Raises signing.Unsealable where SECRET_KEY is not the one it was sealed with."""
        return signing.unseal(secret, PURPOSE, self.sealed)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """What anybody may know of a key."""

    id: str
    public_key: str
    created_at: datetime


def at(db: Database, moment: datetime, secret: str) -> Key:
    """The key that signs what was decided at `moment`; the first one is made when it is first needed."""
    return db.one("signing_keys/at", Key, at=moment) or _first(db, moment, secret)


def _first(db: Database, moment: datetime, secret: str) -> Key:
    def made(connection: Connection) -> Key | None:
        connection.run("signing_keys/lock")
        if connection.one("signing_keys/at", Key, at=moment) is None:
            _add(connection, secret, ahead=0.0)
        return connection.one("signing_keys/at", Key, at=moment)

    key = db.together(made)
    assert key is not None
    return key


def _add(connection: Connection, secret: str, *, ahead: float, me: int = people.SYSTEM, reason: str = "") -> str:
    pair = signing.new_key_pair()
    sealed = signing.seal(secret, PURPOSE, pair.private)
    connection.run("signing_keys/add", id=pair.key_id, public_key=pair.public_pem, sealed=sealed, ahead=ahead, me=me, reason=reason)
    return pair.key_id


def rotate(db: Database, secret: str, *, me: int = people.SYSTEM, reason: str = "") -> str:
    """Makes a new key that signs what is decided from `AHEAD` seconds from now on; its id."""

    def made(connection: Connection) -> str:
        connection.run("signing_keys/lock")
        return _add(connection, secret, ahead=AHEAD, me=me, reason=reason)

    return db.together(made)


def all(db: Database) -> list[PublicKey]:
    """Every key that signs, signed or is about to, newest first."""
    return db.all("signing_keys/all", PublicKey)
