"""What workers do for quality, again and again, off every request: score, copy golds, and fit skills: agreement, weights, temperature."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from claimcheck import errors, logs, projects
from claimcheck.db import Database
from claimcheck.experts import golds, judging, scoring

FIT_SECONDS = 60.0  # between two fits of a skill
ROUNDS = 200  # of one call

log = logs.get("upkeep")


@dataclass(frozen=True, slots=True)
class _Waits:
    waits: bool


@dataclass(frozen=True, slots=True)
class _Unfitted:
    skill_id: int
    project_id: int
    project_version: int


def waits(db: Database) -> bool:
    """Whether there is something to do."""
    row = db.one("scores/waiting", _Waits, seconds=FIT_SECONDS)
    return row is not None and row.waits


def run(db: Database, *, fit_seconds: float = FIT_SECONDS) -> int:
    """Does all there is; how many looks and golds it saw to."""
    done = 0
    for _ in range(ROUNDS):
        now = scoring.score(db) + golds.stock(db)
        if not now:
            break
        done += now
    fit(db, seconds=fit_seconds)
    return done


def fit(db: Database, *, seconds: float = FIT_SECONDS) -> None:
    """Fits the skills that have learned something since, each at most once in so many seconds."""
    for skill in db.all("scores/unfitted", _Unfitted, seconds=seconds):
        asked = projects.rules(db, skill.project_id, skill.project_version).question
        scoring.fit(db, skill_id=skill.skill_id, classes=judging.classes(asked))


class Upkeep:
    """One run at a time in a process, in a thread of its own; what comes meanwhile is seen to after it."""

    def __init__(self, db: Database):
        self.db = db
        self._busy = threading.Lock()

    def take(self) -> None:
        """Begins a run, unless one is under way."""
        if self._busy.acquire(blocking=False):
            threading.Thread(target=self._run, name="upkeep", daemon=True).start()

    def _run(self) -> None:
        try:
            run(self.db)
        except errors.Error as error:
            log.warning("upkeep waits", error=error.code, detail=error.detail)
        finally:
            self._busy.release()
