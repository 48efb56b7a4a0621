"""The drop folder: files of messages, each admitted whole before it is moved to `done`."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from claimcheck import errors, logs
from claimcheck.db import Database
from claimcheck.intake import messages, sending
from claimcheck.intake.admission import Body, Sender

DONE = "done"
LINES, SINGLE = (".ndjson", ".jsonl"), ".json"  # a message a line; a message a file
SYSTEM = 0  # who sends: whoever may write to the folder may send for every project
SLICE_SECONDS = 0.5  # for which a full inbox is waited for, before it is seen whether to stop

log = logs.get("intake")


class Stopped(Exception):
    """In the middle of a file, which is read again from its beginning some day; what was admitted is a repeat then."""


class DropFolder:
    """One folder. Producers write elsewhere, or under a name that begins with a dot, and rename when a file is whole."""

    def __init__(self, folder: Path, db: Database, worker: str, stop: threading.Event):
        self.folder, self.db, self.worker, self.stop = folder, db, worker, stop

    def round(self) -> int:
        """Takes what lies there, in the order of the names; how many files."""
        if not self.folder.is_dir():
            return 0
        found = sorted(path for path in self.folder.iterdir() if path.suffix in (*LINES, SINGLE) and path.name[0] != "." and path.is_file())
        return sum(not self.stop.is_set() and self._take(path) for path in found)

    def _take(self, path: Path) -> bool:
        """Whether it was taken: not where another pool has it, or we were told to stop."""
        try:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not path.exists():  # another one was just done with it
                    return False
                sent = self._admit(path, file)
                self._move(path)
        except (BlockingIOError, FileNotFoundError, Stopped):
            return False
        said = {"file": path.name, "accepted": sent.accepted, "repeated": sent.repeated, "refused": sent.refused}
        log.info("a dropped file is in", **said)
        return True

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
        names = (done / (path.name if n == 0 else f"{path.stem}.{n}{path.suffix}") for n in range(1_000_000))
        path.rename(next(name for name in names if not name.exists()))


def _bodies(path: Path, file: IO[bytes]) -> Iterator[Body]:
    if path.suffix in LINES:
        return iter(sending.read(file))
    return iter([file.read(messages.BYTES + 1)])


