"""Chores: what workers do again and again beside effects, whenever something waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from claimcheck import errors, logs

log = logs.get("claimcheck.chores")


@dataclass(frozen=True, slots=True)
class Waits:
    """What a statement says of whether something waits for a worker."""

    waits: bool


def told(row: Waits | None) -> bool:
    """Whether it does."""
    return row is not None and row.waits


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
