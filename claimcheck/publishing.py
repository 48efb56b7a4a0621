"""Publishing: spooled parts go to the object store, and once all of an item's parts are durable and hashed its task is made.

Nothing here is needed twice to be right: a publisher may die anywhere, and what it had leased another one takes up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from claimcheck import errors, evidence
from claimcheck.db import Connection, Database
from claimcheck.store import Store

LIMIT, BYTES = 100, 32 * 1024 * 1024  # of one round
LEASE_SECONDS = 15.0
SMALL = 64 * 1024  # bytes of a part that is fetched with others
THREADS = 8
OUTAGE_SECONDS, LONGEST_SECONDS = 1.0, 300.0  # until evidence is tried again: the store was away; its own fault, doubling

Of = tuple[int, int]  # (item, version)
_Group = tuple[int, bool, int, str]  # what one transaction publishes


@dataclass(frozen=True, slots=True)
class _Taken:
    item_id: int
    version: int
    attempts: int
    fields: list[str]
    project_id: int
    partition_id: int | None
    priority: int
    queue: str
    durable: int
    cancelled: bool
    shown_version: int
    show: list[str] | None

    @property
    def of(self) -> Of:
        return self.item_id, self.version


@dataclass(frozen=True, slots=True)
class _Spooled:
    item_id: int
    version: int
    n: int
    bytes: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Published:
    item_id: int
    version: int
    published: bool


@dataclass(frozen=True, slots=True)
class _Stale:
    stale: int


@dataclass(frozen=True, slots=True)
class _Bytes:
    bytes: bytes


@dataclass(frozen=True, slots=True)
class Round:
    """What a round did. `away`: the store did not answer, so what was taken was given back."""

    taken: int
    published: int
    away: bool


def publish_once(db: Database, store: Store) -> int:
    """One round, for whatever is due; how many versions of evidence were published."""
    return publish(db, store).published


def publish(db: Database, store: Store) -> Round:
    """One round: takes what is due, stores it, publishes what is stored, and puts off what could not be."""
    taken = db.all("evidence/take", _Taken, limit=LIMIT, bytes=BYTES, lease_seconds=LEASE_SECONDS)
    _drop(db, [t for t in taken if t.cancelled])
    open_ = [t for t in taken if not t.cancelled]
    if not open_:
        return Round(len(taken), 0, away=False)
    parts = evidence.parts_of(db, [t.of for t in open_])
    faults = _store_all(db, store, parts)
    published = _publish_all(db, [t for t in open_ if t.of not in faults], parts)
    _put_off(db, open_, faults)
    return Round(len(taken), published, away=any(isinstance(fault, errors.Unavailable) for fault in faults.values()))


def _arrays(versions: Iterable[Of]) -> dict[str, list[int]]:
    pairs = list(versions)
    return {"item_ids": [item for item, _ in pairs], "versions": [version for _, version in pairs]}


def _drop(db: Database, cancelled: Sequence[_Taken]) -> None:
    """Spooled bytes of a cancelled project go away; nothing of it is published any more."""
    for project_id in {t.project_id for t in cancelled}:
        named = _arrays(t.of for t in cancelled if t.project_id == project_id)
        while db.run("evidence/drop", project_id=project_id, **named):
            pass


def _store_all(db: Database, store: Store, parts: Mapping[Of, list[evidence.Part]]) -> dict[Of, errors.Error]:
    """Puts every part, several at a time; what went wrong, by version. The first outage spares the rest of the round."""
    small = {(s.item_id, s.version, s.n): s.bytes for s in db.all("spool/small", _Spooled, limit=SMALL, **_arrays(parts))}
    faults: dict[Of, errors.Error] = {}

    def put(of: Of, part: evidence.Part) -> None:
        if of in faults or any(isinstance(fault, errors.Unavailable) for fault in list(faults.values())):
            faults.setdefault(of, errors.StoreUnavailable())
            return
        try:
            _put(db, store, of, part, small)
        except errors.Error as error:
            faults[of] = error

    with ThreadPoolExecutor(THREADS, "publish") as threads:
        list(threads.map(lambda each: put(*each), ((of, part) for of, listed in parts.items() for part in listed)))
    return faults


def _put(db: Database, store: Store, of: Of, part: evidence.Part, small: Mapping[tuple[int, int, int], bytes | None]) -> None:
    """One part: its spooled bytes are put, an upload's object is looked at."""
    key = (*of, part.n)
    if key not in small:
        store.check(part.object_key, part.size, part.sha256.hex())
        return
    data = small[key]
    if data is None:
        row = db.one("spool/read", _Bytes, item_id=of[0], version=of[1], n=part.n)
        if row is None:  # another publisher was faster
            return
        data = row.bytes
    store.put(part.object_key, data, part.size, part.content_type, part.sha256.hex())


def _publish_all(db: Database, stored: Sequence[_Taken], parts: Mapping[Of, list[evidence.Part]]) -> int:
    """Items without a task by project, priority and queue, newer versions by project; of an item's versions the oldest first, the others soon."""
    once = list({t.item_id: t for t in reversed(stored)}.values())
    placed = sorted(_placed(sorted(once, key=lambda t: t.item_id)), key=lambda each: each[0])
    published = sum(_publish(db, [t for _, t in group], parts) for _, group in groupby(placed, key=lambda each: each[0]))
    _defer(db, [(t.of, 0.0, "an older version goes first") for t in stored if t not in once])
    return published


def _placed(taken: Iterable[_Taken]) -> Iterator[tuple[tuple[int, _Group], _Taken]]:
    """Each with its turn and group. What follows another group's in its partition has a later turn: together with it, it would be passed over."""
    last: dict[int, tuple[int, _Group]] = {}
    for t in taken:
        turn, group = 0, _group(t)
        if t.partition_id is not None and not t.durable:
            before, what = last.get(t.partition_id, (0, group))
            turn = before + (what != group)
            last[t.partition_id] = turn, group
        yield (turn, group), t


def _group(t: _Taken) -> _Group:
    """Urgent ones first: a rank is given from the lane's head on."""
    fresh = not t.durable
    return t.project_id, t.durable > 0, -t.priority if fresh else 0, t.queue if fresh else ""


def _publish(db: Database, group: Sequence[_Taken], parts: Mapping[Of, list[evidence.Part]]) -> int:
    """One transaction for the group; those that it passed over are due again at once."""
    first = group[0]
    hashes = [evidence.digest(t.item_id, t.version, t.shown_version, evidence.shown(t.show, t.fields), parts[t.of]) for t in group]
    of_project = {"project_id": first.project_id, "shown_version": first.shown_version, "hashes": hashes, **_arrays(t.of for t in group)}
    rows = db.together(lambda connection: _follow(connection, of_project) if first.durable else _enqueue(connection, of_project, first))
    seen = {(row.item_id, row.version) for row in rows}
    _defer(db, [(t.of, 0.0, "the project changed meanwhile") for t in group if t.of not in seen])
    return sum(row.published for row in rows)


def _enqueue(connection: Connection, of_project: dict[str, Any], first: _Taken) -> list[_Published]:
    """Items get their task; then those that waited for them in their partitions are due."""
    rows = connection.all("items/publish", _Published, **of_project, priority=first.priority, queue=first.queue)
    connection.run("partitions/wake", item_ids=[row.item_id for row in rows])
    return rows


def _follow(connection: Connection, of_project: dict[str, Any]) -> list[_Published]:
    """Newer evidence is published, and every open task follows."""
    rows = connection.all("evidence/publish", _Published, **of_project)
    followed = {name: of_project[name] for name in ("item_ids", "versions", "hashes", "shown_version")}
    while rows and any(row.stale for row in connection.all("evidence/follow", _Stale, **followed)):
        pass
    return rows


def _put_off(db: Database, taken: Sequence[_Taken], faults: Mapping[Of, errors.Error]) -> None:
    def seconds(t: _Taken) -> float:
        return OUTAGE_SECONDS if isinstance(faults[t.of], errors.Unavailable) else min(LONGEST_SECONDS, 2.0 ** min(t.attempts, 20))

    _defer(db, [(t.of, seconds(t), faults[t.of].detail) for t in taken if t.of in faults])


def _defer(db: Database, later: Sequence[tuple[Of, float, str]]) -> None:
    if later:
        waits = {"seconds": [seconds for _, seconds, _ in later], "errors": [error for *_, error in later]}
        db.run("evidence/defer", **_arrays(of for of, *_ in later), **waits)
