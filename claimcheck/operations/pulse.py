"""A program's pulse: it says every two seconds that it is there and what it has in hand, and hears whether it is to take nothing new."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from claimcheck import errors, logs
from claimcheck.db import Database

SECONDS = 2.0

log = logs.get("claimcheck.pulse")


@dataclass(frozen=True, slots=True)
class _Heard:
    draining: bool


class Pulse:
    """One process's. While the database is away `resting` stays as it was."""

    def __init__(self, db: Database, kind: str, busy: Callable[[], int] = lambda: 0):
        self.db, self.kind, self.busy = db, kind, busy
        self._rounds, self._counting = 0, threading.Lock()
        self.name, self.resting = f"{socket.gethostname()}:{os.getpid()}", threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> Pulse:
        """Has spoken once when it comes back, so that a program that starts into a drain takes nothing."""
        self.beat()
        self._thread.start()
        return self

    def stop(self) -> None:
        """Says that the program has ended."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(SECONDS)
        self.beat()

    @contextmanager
    def round(self) -> Iterator[None]:
        """A piece of work that is in hand as long as the block lasts, beside what the program counts itself."""
        with self._counting:
            self._rounds += 1
        try:
            yield
        finally:
            with self._counting:
                self._rounds -= 1

    def in_hand(self) -> int:
        """How many pieces of work are under way."""
        return self.busy() + self._rounds

    def beat(self) -> None:
        """Says and hears once."""
        how = {"name": self.name, "kind": self.kind, "busy": self.in_hand(), "resting": self.resting.is_set(), "stopped": self._ended.is_set()}
        try:
            heard = self.db.one("operations/say", _Heard, **how)
        except errors.Error as error:
            log.warning("pulse unheard", error=error.code)
            return
        if heard and heard.draining != self.resting.is_set():
            log.info("takes nothing new" if heard.draining else "takes work again", kind=self.kind)
            self.resting.set() if heard.draining else self.resting.clear()

    def _run(self) -> None:
        while not self._ended.wait(SECONDS):
            self.beat()
