"""Secrets renewed: everybody's tokens and sessions ended, and what SECRET_KEY seals sealed anew while the former key still opens it."""

from __future__ import annotations

from dataclasses import dataclass, field

from psycopg.types.json import Jsonb

from claimcheck import errors
from claimcheck.access import people, sessions
from claimcheck.db import Connection, Database
from claimcheck.operations import reasons
from claimcheck.outbound import effects
from claimcheck.proof import keys, signing


@dataclass(frozen=True, slots=True)
class Reach:
    """Live tokens and sessions."""

    tokens: int
    sessions: int


@dataclass(frozen=True, slots=True)
class _Sealed:
    kind: str
    id: str
    sealed: bytes = field(repr=False)

    @property
    def purpose(self) -> str:
        return keys.PURPOSE if self.kind == "key" else effects.purpose(int(self.id))


@dataclass(frozen=True, slots=True)
class _Count:
    n: int


def reach(db: Database, *, name: str | None = None) -> Reach:
    """What `revoke` would end. Raises NotFound for a name that nobody has."""
    if name is not None and people.by_name(db, name=name) is None:
        raise errors.NotFound("Nobody has this name.")
    return db.all("operations/reachable", Reach, name=name)[0]


def revoke(db: Database, *, me: int, reason: str, name: str | None = None, kept: str = "") -> Reach:
    """Ends everybody's tokens and sessions, or one account's, but for the session whose secret is `kept`. Raises Invalid, NotFound."""
    said = reasons.given(reason)
    reach(db, name=name)
    return db.all("operations/revoke", Reach, name=name, me=me, reason=said, kept=sessions.digest(kept))[0]


def reseal(owner: Database, *, secret: str, me: int, reason: str) -> int:
    """Seals everything by the first line of SECRET_KEY; how many secrets. As the owner: nobody else may touch signing keys.

    Raises Invalid, Conflict where one can be opened by no line of it; then nothing is changed.
    """
    said = reasons.given(reason)
    return owner.together(lambda connection: _reseal(connection, secret, me, said))


def check(owner: Database, *, secret: str) -> None:
    """Raises Conflict where something is sealed by another key than this."""
    for one in owner.all("operations/sealed", _Sealed):
        try:
            signing.unseal(secret, one.purpose, one.sealed)
        except signing.Unsealable:
            raise errors.Conflict("Something is still sealed by the former key: run `bin/claimcheck secrets reseal` first.") from None


def _reseal(connection: Connection, secret: str, me: int, reason: str) -> int:
    found = connection.all("operations/sealed", _Sealed)
    for one in found:
        try:
            plain = signing.unseal(secret, one.purpose, one.sealed)
        except signing.Unsealable as error:
            raise errors.Conflict(f"{error}: put the key that it was sealed with below the new one in SECRET_KEY") from None
        connection.one("operations/reseal", _Count, kind=one.kind, id=one.id, sealed=signing.seal(secret, one.purpose, plain))
    connection.run("operations/note", what="resealed", me=me, detail=Jsonb({"count": len(found), "reason": reason}))
    return len(found)
