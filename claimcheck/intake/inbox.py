"""The inbox: admitted messages, leased to one handler a partition, oldest first. A lease is a column, never an open transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from uuid import UUID

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.intake import parameters

STARVING_SECONDS = 1.0  # due for so long, a partition is waited for: its producers may hold its row whenever we look


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message in the inbox. `attempts` are those that failed, `last_error` says how the last one did."""

    partition_id: int
    message_id: int
    idempotency_key: str
    received_by: int
    trace_id: str
    source_hash: bytes
    attempts: int
    last_error: str | None
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Run:
    """The oldest messages of a partition, leased. `lapsed`: whoever had begun it before did not come back."""

    partition_id: int
    project_id: int
    key: str
    lease: UUID
    lease_until: datetime
    lapsed: bool
    messages: tuple[Waiting, ...] = ()

    @property
    def sequence(self) -> int:
        """What shares it is handled in order."""
        return self.partition_id

    @property
    def size(self) -> int:
        return len(self.messages)

    @property
    def bytes(self) -> int:
        return sum(len(message.body) for message in self.messages)

    @property
    def alone(self) -> bool:
        """Whether it may be poison, so that nothing else should share its transaction."""
        return any(message.attempts for message in self.messages)


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a message: an item in a queue, or a dead letter with its code."""

    message_id: int
    item_id: int | None = None
    queue: str | None = None
    code: str | None = None
    dead_letter_id: int | None = None


@dataclass(frozen=True, slots=True)
class _Leased:
    partition_id: int
    project_id: int
    key: str
    lease: UUID
    lease_until: datetime
    lapsed: bool


@dataclass(frozen=True, slots=True)
class _Partition:
    partition_id: int


@dataclass(frozen=True, slots=True)
class _Count:
    n: int


@dataclass(frozen=True, slots=True)
class Oldest:
    """The message that has waited longest."""

    message_id: int
    trace_id: str
    source_hash: bytes
    seconds: float


def pull(db: Database, settings: parameters.Version, room: int) -> list[Run]:
    """Leases partitions with at most `room` messages and `prefetch_bytes` together; empty where nothing is due."""
    asked = settings.parameters
    params = {"room": room, "run_messages": min(asked.run_messages, room), "lease_ms": asked.lease_timeout_ms}
    leased = db.all("inbox/lease", _Leased, **params) or db.together(lambda connection: _wait(connection, params))
    if not leased:
        return []
    given = {"partition_ids": [one.partition_id for one in leased], "lapsed": [one.lapsed for one in leased]}
    found = db.all("inbox/read", Waiting, run_messages=params["run_messages"], bytes=asked.prefetch_bytes, **given)
    messages = {partition: tuple(group) for partition, group in groupby(found, key=lambda message: message.partition_id)}
    runs = [_run(one, messages.get(one.partition_id, ())) for one in leased]
    without = [run for run in runs if not run.messages]
    if without:
        _back(db, without, "", settings, 0.0, None)
    return [run for run in runs if run.messages]


def _wait(connection: Connection, params: dict[str, int]) -> list[_Leased]:
    """Waits for the row of a partition that nobody could lease for long. Others may have leased it meanwhile."""
    if connection.one("inbox/await", _Partition, seconds=STARVING_SECONDS) is None:
        return []
    return connection.all("inbox/lease", _Leased, **params)


def _run(leased: _Leased, messages: tuple[Waiting, ...]) -> Run:
    return Run(leased.partition_id, leased.project_id, leased.key, leased.lease, leased.lease_until, leased.lapsed, messages)


def begin(db: Database, runs: Sequence[Run]) -> None:
    """Puts down that their handler is at work: where it does not come back, that is an attempt. Raises LeaseExpired as `leave` does."""
    _fenced(runs, db.all("inbox/begin", _Partition, **_named(runs)))


def leave(connection: Connection, runs: Sequence[Run], became: Sequence[Became], *, worker: str, settings: parameters.Version) -> None:
    """Takes handled messages off the inbox and frees their partitions, which stay locked until the transaction ends.

    Raises LeaseExpired with `lost`, the ids of the partitions that others have by now; nothing may be committed then.
    """
    named = {
        "message_ids": [one.message_id for one in became],
        "item_ids": [one.item_id for one in became],
        "queues": [one.queue for one in became],
        "codes": [one.code for one in became],
        "dead_letter_ids": [one.dead_letter_id for one in became],
    }
    _fenced(runs, connection.all("inbox/handled", _Partition, worker=worker, settings_version=settings.version, **named, **_named(runs)))


def _fenced(runs: Sequence[Run], found: Sequence[_Partition]) -> None:
    held = {row.partition_id for row in found}
    lost = [run.partition_id for run in runs if run.partition_id not in held]
    if lost:
        raise errors.LeaseExpired(lost=lost)


def extend(db: Database, runs: Sequence[Run], settings: parameters.Version) -> None:
    """Leases them from now on again, as far as nobody else has them; last of all those whose rows have to be waited for."""
    lease_ms = settings.parameters.lease_timeout_ms
    extended = {row.partition_id for row in db.all("inbox/extend", _Partition, lease_ms=lease_ms, **_named(runs))}
    held = [run for run in runs if run.partition_id not in extended]
    if held:
        db.run("inbox/extend_held", lease_ms=lease_ms, **_named(held))


def hand_back(db: Database, runs: Sequence[Run], *, worker: str, settings: parameters.Version) -> None:
    """Leaves them to others, unhandled; they keep their place."""
    _back(db, runs, worker, settings, 0.0, None)


def put_off(db: Database, run: Run, seconds: float, error: str, *, worker: str, settings: parameters.Version) -> None:
    """It failed, which is counted, and is due again in a while."""
    _back(db, [run], worker, settings, seconds, error[:2000])


def _back(db: Database, runs: Sequence[Run], worker: str, settings: parameters.Version, seconds: float, error: str | None) -> None:
    messages = [message.message_id for run in runs for message in run.messages]
    said = {"seconds": seconds, "error": error, "worker": worker, "settings_version": settings.version}
    db.run("inbox/hand_back", message_ids=messages, **said, **_named(runs))


def depth(db: Database | Connection, limit: int) -> int:
    """How many messages wait, counted up to the limit."""
    row = db.one("inbox/depth", _Count, limit=limit)
    return row.n if row else 0


def oldest(db: Database) -> Oldest | None:
    """The message that has waited longest, handled at this moment or not."""
    return db.one("inbox/oldest", Oldest)


def _named(runs: Sequence[Run]) -> dict[str, list[int] | list[UUID]]:
    return {"partition_ids": [run.partition_id for run in runs], "leases": [run.lease for run in runs]}
