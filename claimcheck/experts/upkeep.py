"""What workers do for quality, off every request: score, copy golds, pay golds' months, fit skills: agreement, weights, temperature."""

from __future__ import annotations

from dataclasses import dataclass

from claimcheck import projects
from claimcheck.db import Database
from claimcheck.experts import golds, judging, payouts, scoring
from claimcheck.operations import chores

FIT_SECONDS = 60.0  # between two fits of a skill
ROUNDS = 200  # of one call


@dataclass(frozen=True, slots=True)
class _Unfitted:
    skill_id: int
    project_id: int
    project_version: int


def waits(db: Database) -> bool:
    """Whether there is something to do."""
    return chores.told(db.one("scores/waiting", chores.Waits, seconds=FIT_SECONDS))


def run(db: Database, *, fit_seconds: float = FIT_SECONDS) -> int:
    """Does all there is; how many looks and golds it saw to."""
    done = 0
    for _ in range(ROUNDS):
        now = scoring.score(db) + golds.stock(db)
        if not now:
            break
        done += now
    payouts.settle(db)
    fit(db, seconds=fit_seconds)
    return done


def fit(db: Database, *, seconds: float = FIT_SECONDS) -> None:
    """Fits the skills that have learned something since, each at most once in so many seconds."""
    for skill in db.all("scores/unfitted", _Unfitted, seconds=seconds):
        asked = projects.rules(db, skill.project_id, skill.project_version).question
        scoring.fit(db, skill_id=skill.skill_id, classes=judging.classes(asked))
