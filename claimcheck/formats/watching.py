"""The folder in the object store that a project watches: each object is imported once, by its key and ETag; what can't be read is a dead letter."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import IO, BinaryIO, cast
from uuid import uuid4

from claimcheck import errors, logs, projects
from claimcheck.access.people import SYSTEM
from claimcheck.db import Database
from claimcheck.formats import reading
from claimcheck.hooks import Watch
from claimcheck.intake import batches, dead_letters
from claimcheck.intake.dead_letters import Refused
from claimcheck.store import Object, Store

FOLDER = "inbox"
TURN_SECONDS, IDLE_SECONDS = 900.0, 5.0  # a folder is one process's for so long at most; then it rests
LISTED, TAKEN = 500, 50  # objects that are compared at once, and taken in one round
LIMIT = 256 * 1024 * 1024  # bytes of an object
KEPT = 64 * 1024  # of an object that can't be read
IN_MEMORY = 4 * 1024 * 1024
CODE = "INVALID_FILE"

log = logs.get("intake")


@dataclass(frozen=True, slots=True)
class Taken:
    """An object that was taken, and what came of its rows. Without a batch it could not be read; `detail` says why."""

    key: str
    size: int
    taken_at: datetime
    batch_id: int | None
    accepted: int
    repeated: int
    refused: int
    detail: str


@dataclass(frozen=True, slots=True)
class _Turn:
    project_id: int


@dataclass(frozen=True, slots=True)
class _Known:
    key: str
    etag: str


def prefix(project_id: int) -> str:
    """Where a project's objects lie. It is no rule: nobody watches another's."""
    return f"{FOLDER}/{project_id}/"


def lately(db: Database, *, project_id: int, limit: int = 10) -> list[Taken]:
    """The last objects that were taken, newest first."""
    return db.all("watched/lately", Taken, project_id=project_id, limit=limit)


class Folders:
    """All watched folders."""

    def __init__(self, db: Database, store: Store, stop: threading.Event | None = None):
        self.db, self.store, self.stop = db, store, stop or threading.Event()

    def round(self) -> int:
        """Looks into every folder whose turn it is; how many objects were taken. Raises Unavailable."""
        turns = self.db.all("watched/turn", _Turn, seconds=TURN_SECONDS)
        return sum(self._folder(turn.project_id) for turn in turns)

    def _folder(self, project_id: int) -> int:
        taken = 0
        try:
            watch = projects.rules(self.db, project_id, projects.version(self.db, project_id)).watch
            for found in islice(self._new(project_id), TAKEN) if watch else ():
                if self.stop.is_set() or watch is None or not self._take(project_id, found, watch):
                    break
                taken += 1
        finally:
            self.db.run("watched/free", project_id=project_id, seconds=0.0 if taken == TAKEN else IDLE_SECONDS)
        return taken

    def _new(self, project_id: int) -> Iterator[Object]:
        listed = iter(self.store.list(prefix(project_id)))
        while page := [*islice(listed, LISTED)]:
            keys, etags = [found.key for found in page], [found.etag for found in page]
            known = {(k.key, k.etag) for k in self.db.all("watched/known", _Known, project_id=project_id, keys=keys, etags=etags)}
            yield from (found for found in page if (found.key, found.etag) not in known)

    def _take(self, project_id: int, found: Object, watch: Watch) -> bool:
        """Whether it is dealt with: not while the desk asks senders to wait, nor where the object went away."""
        try:
            with _copy(self.store, found) as file:
                sent = _import(self.db, project_id, file, watch)
        except (errors.Invalid, errors.TooLarge) as error:
            self._refuse(project_id, found, error)
            return True
        except (errors.QueueSaturated, errors.ProjectCancelled, errors.PayloadMissing) as error:
            log.info("a watched object waits", project_id=project_id, key=found.key, error=error.code)
            return False
        self._keep(project_id, found, sent.batch_id, accepted=sent.accepted, repeated=sent.repeated, refused=sent.refused)
        log.info("a watched object is in", project_id=project_id, key=found.key, batch_id=sent.batch_id, accepted=sent.accepted, refused=sent.refused)
        return True

    def _refuse(self, project_id: int, found: Object, error: errors.Error) -> None:
        body = next(iter(_head(self.store, found)), b"")
        said = error.errors[0] if error.errors else errors.FieldError("file", error.detail)
        name = found.key.removeprefix(prefix(project_id))
        refused = Refused(name[:200], CODE, said.field, said.message, uuid4().hex, body, headers={"object": found.key, "etag": found.etag})
        self.db.together(lambda c: dead_letters.keep(c, project_id=project_id, batch_id=None, refused=[refused], received_by=SYSTEM))
        self._keep(project_id, found, None, accepted=0, repeated=0, refused=1, detail=error.detail)
        log.warning("a watched object is refused", project_id=project_id, key=found.key, detail=error.detail)

    def _keep(self, project_id: int, found: Object, batch_id: int | None, *, accepted: int, repeated: int, refused: int, detail: str = "") -> None:
        what = {"key": found.key, "etag": found.etag, "size": found.size, "batch_id": batch_id, "detail": detail[:1000]}
        self.db.run("watched/keep", project_id=project_id, **what, accepted=accepted, repeated=repeated, refused=refused)


def _import(db: Database, project_id: int, file: IO[bytes], watch: Watch) -> batches.Sent:
    rows = reading.rows(cast(BinaryIO, file), watch.format, watch.map)
    first = next(rows, None)
    if first is None:
        raise errors.Invalid.field("file", "has no row")
    return batches.take(db, project=project_id, by=SYSTEM, rows=_again(first, rows))


def _again(first: reading.Row, rest: Iterator[reading.Row]) -> Iterator[reading.Row]:
    yield first
    yield from rest


def _copy(store: Store, found: Object) -> IO[bytes]:
    """The object's bytes on this machine's disk, from the beginning. Raises TooLarge."""
    if found.size > LIMIT:
        raise errors.TooLarge(f"file: is larger than {LIMIT // 1024 // 1024} MiB; split it")
    copy = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the caller's to close
    with store.open(found.key) as chunks:
        for chunk in chunks:
            copy.write(chunk)
    copy.seek(0)
    return copy


def _head(store: Store, found: Object) -> Iterator[bytes]:
    """How it begins."""
    if found.size:
        with store.open(found.key) as chunks:
            yield next(chunks, b"")[:KEPT]
