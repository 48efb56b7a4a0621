"""The drop folder: files of messages, each admitted whole before it is moved to `done`."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from claimcheck import errors, logs
from claimcheck.db import Database
from claimcheck.intake import messages, sending
from claimcheck.intake.admission import Body, Sender
from claimcheck.intake.sources import Settings

DONE = "done"
LINES, SINGLE = (".ndjson", ".jsonl"), ".json"  # a message a line; a message a file
SYSTEM = 0  # who sends: whoever may write to the folder may send for every project
STILL_SECONDS = 2.0  # without a write, after which a file is whole: not everybody writes elsewhere and renames
SLICE_SECONDS = 0.5  # for which a full inbox is waited for, before it is seen whether to stop

log = logs.get("intake")


class Stopped(Exception):
    """In the middle of a file, which is read again from its beginning some day; what was admitted is a repeat then."""


class DropFolder:
    """One folder. Producers write elsewhere, or under a name that begins with a dot, and rename when a file is whole."""

    def __init__(self, folder: Path, db: Database, worker: str, stop: threading.Event, settings: Settings, still: float = STILL_SECONDS):
        self.still = still
        self.folder, self.db, self.worker, self.stop, self.settings = folder, db, worker, stop, settings
        self._in: set[tuple[str, int, int]] = set()  # files that are in, and could not be moved
        self._told: dict[str, str] = {}  # what is wrong with a file, said once

    def round(self) -> int:
        """Takes what lies there, in the order of the names; how many files. None while another pool does: their order is the folder's."""
        with self._alone() as ours:
            return sum(not self.stop.is_set() and self._take(path) for path in self._found()) if ours else 0

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        try:
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        except (FileNotFoundError, NotADirectoryError):
            yield False
            return
        try:
            yield _locked(folder)
        finally:
            os.close(folder)

    def _found(self) -> list[Path]:
        with os.scandir(self.folder) as entries:
            seen = sorted((entry.name, entry.is_file(follow_symlinks=False)) for entry in entries if entry.name[0] != "." and entry.name != DONE)
        found = [(self.folder / name, is_file) for name, is_file in seen]
        for path, is_file in found:
            if not _ours(path, is_file):
                self._tell(path, f"only files that end in {', '.join((*LINES, SINGLE))} are taken, no folders or links")
        return [path for path, is_file in found if _ours(path, is_file)]

    def _tell(self, path: Path, why: str) -> None:
        if self._told.get(path.name) != why:
            self._told[path.name] = why
            log.error("a dropped file can't be taken", file=path.name, error=why, settings_version=self.settings().version)

    def _take(self, path: Path) -> bool:
        """Whether it was taken: not where we were told to stop or it is being written, nor where it can't be read or moved; no other waits for it."""
        try:
            with _open(path) as file:
                if not _still(file, self.still) or not self._once(path, file):
                    return False
                self._move(path)
        except Stopped:
            return False
        except OSError as error:
            self._tell(path, repr(error))
            return False
        self._in = {known for known in self._in if known[0] != path.name}
        return True

    def _once(self, path: Path, file: IO[bytes]) -> bool:
        """Whether all of it is in: not where somebody wrote to it meanwhile."""
        which = _version(path, file)
        if which in self._in:
            return True
        sent = self._admit(path, file)
        self._in.add(which)
        counts = {"accepted": sent.accepted, "repeated": sent.repeated, "refused": sent.refused}
        log.info("a dropped file is in", file=path.name, **counts, settings_version=self.settings().version)
        return which == _version(path, file)

    def _admit(self, path: Path, file: IO[bytes]) -> sending.Sent:
        sender, sent = Sender(SYSTEM, None, "file", {"file": path.name[:500]}), sending.Sent()
        for body in sending.calls(_bodies(path, file)):
            while not self._call(body, sender, sent):
                if self.stop.is_set():
                    raise Stopped
        return sent

    def _call(self, bodies: list[Body], sender: Sender, sent: sending.Sent) -> bool:
        if self.stop.is_set():
            return False
        try:
            sending.take(self.db, bodies, sender=sender, worker=self.worker, sent=sent, patience=SLICE_SECONDS)
        except errors.QueueSaturated:
            return False
        return True

    def _move(self, path: Path) -> None:
        done = self.folder / DONE
        done.mkdir(exist_ok=True)
        if done.is_symlink():
            raise NotADirectoryError(f"{done} is a link")
        names = (done / (path.name if n == 0 else f"{path.stem}.{n}{path.suffix}") for n in range(1_000_000))
        path.rename(next(name for name in names if not name.exists()))


def _ours(path: Path, is_file: bool) -> bool:
    return is_file and path.suffix.lower() in (*LINES, SINGLE)


def _still(file: IO[bytes], seconds: float) -> bool:
    """Whether nobody wrote to it for so long. A time that is still to come is another machine's clock, and says nothing."""
    return not 0 <= time.time() - os.fstat(file.fileno()).st_mtime < seconds


def _version(path: Path, file: IO[bytes]) -> tuple[str, int, int]:
    at = os.fstat(file.fileno())
    return path.name, at.st_ino, at.st_mtime_ns


def _locked(folder: int) -> bool:
    """Whether the folder is ours, until it is closed."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(path: Path) -> IO[bytes]:
    """A file of the folder's own: a link would read what its maker may not. Raises OSError."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def _bodies(path: Path, file: IO[bytes]) -> Iterator[Body]:
    if path.suffix.lower() in LINES:
        return iter(sending.read(file))
    return iter([file.read(messages.BYTES + 1)])
