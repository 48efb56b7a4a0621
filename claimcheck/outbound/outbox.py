"""The outbox: what an outcome, or a notice, still has to bring about elsewhere. Postgres is its only truth, RQ a doorbell."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.outbound.answers import HORIZON

LEASE_SECONDS = 20.0  # longer than the deadline of a call
LETTER_SECONDS = 90.0  # longer than all steps with a mail server
AT_ONCE = 4  # calls to one endpoint, whatever the number of workers
PATIENCE = 3  # failures in a row before an endpoint rests, and is then tried with one call
ATTEMPTS = 200  # the hours below end first, but for a row that kills its worker each time
HOURS = int(HORIZON.total_seconds() // 3600)  # from the first attempt
SHOWN = 100  # rows of a list


@dataclass(frozen=True, slots=True)
class Push:
    """The doorbell is to be rung for a row, for the `push`-th time; `unanswered` rings before went by without anybody coming."""

    outbox_id: int
    push: int
    unanswered: int


@dataclass(frozen=True, slots=True)
class Lease:
    """A row in a worker's hands. Without a `lease` it is dead: each worker that tried it was killed. An `undone` one must not happen."""

    outbox_id: int
    lease: UUID | None
    attempt: int
    decision_id: int | None
    notice_id: int | None
    effect_id: int
    kind: str
    partition_id: int | None
    effect_no: int | None
    undone: bool


@dataclass(frozen=True, slots=True)
class _Row:
    outbox_id: int


@dataclass(frozen=True, slots=True)
class _Done:
    decision_id: int | None


@dataclass(frozen=True, slots=True)
class _Dropped:
    dropped: int


@dataclass(frozen=True, slots=True)
class _Failed:
    state: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """What an effect still has to do. `held` are effects behind a dead one of their partition."""

    effect_id: int
    kind: str
    project_id: int
    project: str
    url: str | None
    switched_off: str | None
    rest_until: datetime | None
    failures: int
    pending: int
    dead: int
    held: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A row as an operator sees it: an outcome's, or a notice's of that kind; `person` is whom a letter goes to."""

    outbox_id: int
    state: str
    decision_id: int | None
    notice: str | None
    person: str | None
    item_id: int | None
    project_id: int
    project: str
    kind: str
    url: str | None
    partition_key: str | None
    effect_no: int | None
    behind: int
    attempts: int
    due: datetime
    last_error: str | None
    created_at: datetime


def ring(db: Database, *, room: int) -> list[Push]:
    """What the doorbell is to be rung for now, `room` rows at most."""
    return db.all("outbox/ring", Push, room=room, at_once=AT_ONCE, patience=PATIENCE)


def lease(db: Database, *, outbox_id: int) -> Lease | None:
    """Takes a row, if it is due, its turn, and nobody else's, and its endpoint can take a call."""
    seconds = {"seconds": LEASE_SECONDS, "letter_seconds": LETTER_SECONDS}
    return db.one("outbox/lease", Lease, outbox_id=outbox_id, attempts=ATTEMPTS, at_once=AT_ONCE, patience=PATIENCE, **seconds)


def after(db: Database, taken: Lease) -> list[int]:
    """Rows to go on with, the best first: others may be quicker."""
    params: dict[str, Any] = {"partition_id": taken.partition_id, "effect_no": taken.effect_no, "effect_id": taken.effect_id}
    return [row.outbox_id for row in db.all("outbox/after", _Row, **params)]


def done(db: Database | Connection, taken: Lease) -> bool:
    """The effect has happened (a standing happens here, in the same statement). False: the lease was lost."""
    return db.one("outbox/done", _Done, outbox_id=taken.outbox_id, lease=taken.lease) is not None


def drop(db: Database | Connection, taken: Lease) -> None:
    """Ends a row whose outcome was undone before it went out."""
    db.one("outbox/drop", _Dropped, outbox_id=taken.outbox_id, lease=taken.lease)


def failed(
    db: Database | Connection,
    taken: Lease,
    *,
    error: str,
    pause: float,
    retry_after: float | None = None,
    permanent: bool = False,
    gone: bool = False,
    blames_endpoint: bool = False,
) -> str | None:
    """The attempt came to nothing; the row's new state, pending or dead (None: the lease was lost).

    `pause` is in seconds. `gone` switches the effect off. `blames_endpoint`: after a few of these in a row the
    whole endpoint rests, `retry_after` seconds at least.
    """
    row = db.one(
        "outbox/failed",
        _Failed,
        outbox_id=taken.outbox_id,
        lease=taken.lease,
        error=error,
        pause=pause,
        retry_after=retry_after,
        permanent=permanent or gone,
        gone=gone,
        blames_endpoint=blames_endpoint,
        attempts=ATTEMPTS,
        hours=HOURS,
        patience=PATIENCE,
    )
    return row.state if row else None


def retry(db: Database, *, outbox_id: int, me: int) -> None:
    """New attempts for a dead or waiting row, under the same webhook-id. Raises Conflict."""
    if not db.run("outbox/retry", outbox_id=outbox_id, me=me):
        raise errors.Conflict("It is on its way, done, or tried again already; there is nothing to retry.")


def retry_all(db: Database, *, me: int, effect_id: int | None = None) -> int:
    """New attempts for all that is dead, of one effect or of all; how many."""
    count = 0
    while some := db.run("outbox/retry_all", me=me, effect_id=effect_id):
        count += some
    return count


def skip(db: Database, *, outbox_id: int, me: int, reason: str) -> None:
    """Gives an effect up, on record; its partition goes on. Raises Invalid or Conflict."""
    if not 1 <= len(reason.strip()) <= 500:
        raise errors.Invalid.field("reason", "say in at most 500 characters why this effect need not happen")
    if not db.run("outbox/skip", outbox_id=outbox_id, me=me, reason=reason.strip()):
        raise errors.Conflict("It is on its way, done, or not yet its partition's turn; it can't be skipped now.")


def waiting(db: Database) -> list[Waiting]:
    """Each effect that has something to do or is switched off."""
    return db.all("outbox/waiting", Waiting)


def dead(db: Database, *, after: int = 0) -> list[Entry]:
    """What failed for good, oldest first, a page at a time."""
    return db.all("outbox/dead", Entry, after=after, limit=SHOWN)


def trying(db: Database) -> list[Entry]:
    """What has its turn and waits or is on its way, the oldest ones."""
    return db.all("outbox/trying", Entry, limit=SHOWN)
