"""Making a version: file by file into the store, in constant memory, under a lease; whoever goes on after a kill writes the same bytes."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from claimcheck import errors, logs
from claimcheck.datasets import formats, manifesting, reading, retracting, rows, telling, versions
from claimcheck.datasets.rows import Cut
from claimcheck.db import Connection, Database
from claimcheck.operations import chores
from claimcheck.store import Store, Written

LEASE_SECONDS = 60.0
SAY_SECONDS = 1.0  # between two words about progress
ATTEMPTS = 50  # before somebody has to look
PAUSE, LONGEST = 2.0, 300.0  # seconds between attempts, doubling

log = logs.get("claimcheck.datasets")


@dataclass(frozen=True, slots=True)
class Lease:
    """A version in a worker's hands."""

    dataset_id: int
    lease: UUID
    attempts: int
    project_id: int
    project: str
    version: int
    kind: str
    parent_id: int | None
    up_to: int
    created_at: datetime
    retraction_id: int | None


@dataclass(frozen=True, slots=True)
class _Size:
    items: int


class Lost(Exception):
    """Somebody else makes this version now."""


@dataclass
class Desk:
    """What the work needs: the database as workers see it, the store, and the key that unseals what signs."""

    db: Database
    store: Store
    secret: str = field(repr=False)


def waits(db: Database) -> bool:
    """Whether a version waits for a worker, a reminder is due, or a retraction has to come back to an item."""
    return chores.told(db.one("datasets/waiting", chores.Waits, days=telling.REMIND_DAYS, most=telling.REMINDERS))


def run(desk: Desk) -> int:
    """Makes all there is, and reminds; how many versions it saw to. What fails is tried again later."""
    seen = 0
    telling.remind(desk.db)
    retracting.come_back(desk.db)
    while taken := desk.db.one("datasets/lease", Lease, seconds=LEASE_SECONDS):
        seen += 1
        try:
            make(desk, taken)
        except Lost:
            log.warning("datasets.lost", dataset_id=taken.dataset_id)
        except Exception as error:
            log.exception("datasets.failed", dataset_id=taken.dataset_id)
            said = error.detail if isinstance(error, errors.Error) else type(error).__name__
            pause = min(LONGEST, PAUSE * 2 ** min(taken.attempts, 10))
            desk.db.run("datasets/failed", dataset_id=taken.dataset_id, lease=taken.lease, error=said, pause=pause, most=ATTEMPTS)
    return seen


def make(desk: Desk, taken: Lease) -> None:
    """A retraction's tombstones and what it opens again, then the files that are missing yet, then the manifest. Raises Lost."""
    told = Progress(desk.db, taken)
    if taken.retraction_id is not None:
        retracting.carry_out(desk.db, retraction_id=taken.retraction_id, say=told)
    Files(desk, taken, told).write()
    body, found = manifesting.build(desk.db, taken.dataset_id, desk.secret)
    digest = hashlib.sha256(body).digest()
    done = {"dataset_id": taken.dataset_id, "lease": taken.lease, "sha256": digest, "body": body, "rows": found.rows, "counts": Jsonb(found.counts)}

    def finish(connection: Connection) -> None:
        if not connection.run("datasets/done", **done):
            raise Lost()
        telling.delivered(connection, taken.project_id, taken.dataset_id)

    desk.db.together(finish)
    log.info("datasets.delivered", dataset_id=taken.dataset_id, rows=found.rows)


class Progress:
    """Says how far the work is, and keeps the lease by it. Raises Lost."""

    def __init__(self, db: Database, taken: Lease):
        self.db, self.taken, self.said = db, taken, ("", 0.0)

    def __call__(self, step: str, done: int, total: int) -> None:
        if step == self.said[0] and time.monotonic() - self.said[1] < SAY_SECONDS:
            return
        self.said = (step, time.monotonic())
        at = {"dataset_id": self.taken.dataset_id, "lease": self.taken.lease}
        if not self.db.run("datasets/extend", **at, seconds=LEASE_SECONDS, step=step, done=done, total=total):
            raise Lost()


class Files:
    """The files of one version."""

    def __init__(self, desk: Desk, taken: Lease, say: Callable[[str, int, int], None]):
        self.desk, self.taken, self.say = desk, taken, say
        self.at = Cut(taken.version, taken.up_to)
        self.before = desk.db.all("datasets/cuts", Cut, project_id=taken.project_id, version=taken.version)
        self.counts, self.project_versions, self.rows = Counter[str](), set[int](), 0

    def write(self) -> None:
        """Those that are not there yet, each kept as soon as it is whole."""
        there = {file.name for file in versions.files(self.desk.db, dataset_id=self.taken.dataset_id)}
        parts = {"data": (formats.ROW, self._rows), **({"changes": (formats.CHANGE, self._changes)} if self.before else {})}
        for part, (columns, made) in parts.items():
            for kind in ("jsonl", "csv", *(["parquet"] if part == "data" and formats.has_parquet() else [])):
                if (name := f"{part}.{kind}") not in there:
                    self.rows, self.counts, self.project_versions = 0, Counter(), set()
                    self._keep(name, formats.TYPES[kind], self._write(name, kind, columns, made))

    def _write(self, name: str, kind: str, columns: tuple[str, ...], made: Callable[[str], Iterator[dict[str, Any]]]) -> Written:
        if kind == "jsonl":
            return self._stream(name, map(formats.line, self._counted(made(name))), formats.TYPES[kind])
        with self.desk.store.open(self._key(f"{name.partition('.')[0]}.jsonl")) as chunks:
            read = self._told(name, formats.lines(chunks))
            if kind == "csv":
                return self._stream(name, formats.to_csv(read, columns), formats.TYPES[kind])
            with formats.parquet(read, columns) as file:
                digest, size = hashlib.file_digest(file, "sha256"), file.seek(0, os.SEEK_END)
                file.seek(0)
                self.desk.store.put(self._key(name), file, size, formats.TYPES[kind], digest.hexdigest())
                return Written(size, digest.digest())

    def _stream(self, name: str, chunks: Iterable[bytes], content_type: str) -> Written:
        return self.desk.store.put_stream(self._key(name), chunks, content_type)

    def _key(self, name: str) -> str:
        return f"datasets/{self.taken.project_id}/{self.taken.version}/{name}"

    def _keep(self, name: str, content_type: str, written: Written) -> None:
        facts = {"counts": dict(sorted(self.counts.items())), "project_versions": sorted(self.project_versions)} if name == "data.jsonl" else {}
        self.say(name, self.rows, self.rows)
        kept = {"dataset_id": self.taken.dataset_id, "lease": self.taken.lease, "name": name, "content_type": content_type, "rows": self.rows}
        self.desk.db.run("datasets/keep_file", **kept, size=written.size, sha256=written.sha256, object_key=self._key(name), facts=Jsonb(facts))

    def _items(self, name: str) -> Iterator[rows.Item]:
        size = self.desk.db.one("datasets/size", _Size, project_id=self.taken.project_id)
        total, seen = size.items if size else 0, 0
        for page in reading.items(self.desk.db, project_id=self.taken.project_id, at=self.at):
            yield from page
            seen += len(page)
            self.say(name, seen, total)

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        return (row for item in self._items(name) if (row := rows.row(item, self.at, self.before)))

    def _changes(self, name: str) -> Iterator[dict[str, Any]]:
        return (change for item in self._items(name) if (change := rows.change(item, self.at, self.before)))

    def _counted(self, made: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in made:
            self.rows += 1
            self.counts[row["status"]] += 1
            if row.get("project_version"):
                self.project_versions.add(row["project_version"])
            yield row

    def _told(self, name: str, read: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in read:
            self.rows += 1
            if self.rows % 1000 == 0:
                self.say(name, self.rows, self.rows)
            yield row
