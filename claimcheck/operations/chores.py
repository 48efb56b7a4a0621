"""Chores: what workers do again and again beside effects, whenever something waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from claimcheck import errors, logs
from claimcheck.db import Connection, Database

log = logs.get("claimcheck.operations.chores")


@dataclass(frozen=True, slots=True)
class Waits:
    """What a statement says of whether something waits for a worker."""

    waits: bool


def told(row: Waits | None) -> bool:
    """Whether it does."""
    return row is not None and row.waits


class Broke(Exception):
    """One piece of work can't be gone on with; its cause says why."""

    def __init__(self, work_id: int):
        super().__init__(f"work {work_id} can't be gone on with")
        self.work_id = work_id


@contextmanager
def on(work_id: int) -> Iterator[None]:
    """What goes wrong inside is this work's own fault, unless the server is away or asks for another attempt."""
    try:
        yield
    except (errors.Again, errors.Unavailable):
        raise
    except Exception as error:
        raise Broke(work_id) from error


def in_turns(db: Database, step: Callable[[Connection, list[int]], bool]) -> None:
    """Takes steps, each a transaction, until none has anything to do.

    Work that breaks holds up no other: `step` is told to leave it out, and what broke first is raised at the end.
    """
    broken: list[Broke] = []
    while True:
        try:
            if not db.together(lambda connection: step(connection, [one.work_id for one in broken])):
                break
        except Broke as one:
            broken.append(one)
    if broken:
        raise broken[0]


class Chore:
    """One run at a time in a process, in a thread of its own; what comes meanwhile is seen to by the next one. `run` may be killed at any time."""

    def __init__(self, name: str, waits: Callable[[], bool], run: Callable[[], object]):
        self.name, self.waits, self.run = name, waits, run
        self._busy = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether a run is under way."""
        return self._busy.locked()

    def take(self) -> None:
        """Begins a run, unless one is under way."""
        if self._busy.acquire(blocking=False):
            threading.Thread(target=self._run, name=self.name, daemon=True).start()

    def _run(self) -> None:
        try:
            self.run()
        except errors.Error as error:
            log.warning("chore waits", chore=self.name, error=error.code, detail=error.detail)
        except Exception:
            log.exception("chore broke", chore=self.name)
        finally:
            self._busy.release()
