"""Goes through a project's open tasks in small transactions: a claim walks past rows that are locked, so never many at once.

The project's row says up to where its tasks follow it. So a sweep may be cut off anywhere: a publisher finishes it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from claimcheck import transactions
from claimcheck.db import Database

PATIENCE = 5.0  # seconds for transactions that were running when the project's row changed
TURN_SECONDS = 15.0  # that a sweep is left alone after its last sign of life


@dataclass(frozen=True, slots=True)
class Step:
    """One transaction's worth: how many rows it changed, the last of them, and whether others of this kind are left, locked or not."""

    touched: int
    last: int | None
    left: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """As `Step`; `passed_over` were in somebody else's hands at that moment. `last` is the page's, those included."""

    touched: int
    last: int | None
    passed_over: list[int]


@dataclass(frozen=True, slots=True)
class _Followed:
    """What a project's open tasks should follow: the rules' version, and how often it was paused, resumed or cancelled."""

    version: int
    halt_no: int
    cancelled: bool


@dataclass(frozen=True, slots=True)
class _Due:
    project_id: int
    unranked: bool
    unhalted: bool


@dataclass(frozen=True, slots=True)
class _Misplaced:
    id: int


class _Turn:
    """Keeps publishers from beginning what is under way."""

    def __init__(self, db: Database, project_id: int):
        self.db, self.project_id, self.next = db, project_id, 0.0

    def keep(self) -> None:
        if time.monotonic() >= self.next:
            self.db.run("projects/keep_sweep", project_id=self.project_id, seconds=TURN_SECONDS)
            self.next = time.monotonic() + TURN_SECONDS / 3


def finish(db: Database) -> int:
    """Finishes what was cut off, and what had to leave tasks out that were on their way; how many projects it was at."""
    projects = 0
    while due := db.one("projects/take_sweep", _Due, seconds=TURN_SECONDS):
        if due.unhalted:
            halt(db, project_id=due.project_id)
        if due.unranked:
            rerank(db, project_id=due.project_id)
        projects += 1
    return projects


def halt(db: Database, *, project_id: int) -> int:
    """Has a project's open tasks follow its pause, its going on or its cancellation; how many it changed.

    The project's row must say what holds before this is called: what begins later reads it there.
    """
    to, turn = _followed(db, project_id), _Turn(db, project_id)
    statement = "projects/cancel_tasks" if to.cancelled else "projects/pause_tasks"
    touched = _until_none_is_left(turn, statement)
    complete = _await_writers(db)
    touched += _until_none_is_left(turn, statement)  # those that were on their way
    if complete:
        db.run("projects/halted", project_id=project_id, halt_no=to.halt_no)
    return touched


def rerank(db: Database, *, project_id: int) -> int:
    """Ranks a project's open tasks anew, in their queues' lanes and by the priority in force; how many there were.

    It may be broken off and run again.
    """
    to, turn = _followed(db, project_id), _Turn(db, project_id)
    turn.keep()
    db.run("projects/set_back", project_id=project_id)
    touched, after, over = 0, 0, []
    while (step := _rank(turn, after, None)).last is not None:
        touched, after, over = touched + step.touched, step.last, over + step.passed_over
    touched += _rank_only(turn, over)
    complete = _await_writers(db)
    while page := db.all("projects/misplaced", _Misplaced, project_id=project_id):
        touched += _rank_only(turn, [task.id for task in page])
    if complete:
        db.run("projects/ranked", project_id=project_id, version=to.version)
    return touched


def _followed(db: Database, project_id: int) -> _Followed:
    row = db.one("projects/followed", _Followed, project_id=project_id)
    assert row is not None
    return row


def _await_writers(db: Database) -> bool:
    return transactions.await_writers(db, "tasks", "decisions", patience=PATIENCE)  # an overturn raises its task last


def _until_none_is_left(turn: _Turn, statement: str) -> int:
    """Repeats a statement that changes ≤ 500 open tasks and skips locked ones."""
    touched, after = 0, 0
    while True:
        turn.keep()
        step = turn.db.one(statement, Step, project_id=turn.project_id, after=after)
        assert step is not None
        touched += step.touched
        if step.last is None and after == 0:
            if not step.left:
                return touched
            time.sleep(0.02)
        after = step.last or 0


def _rank_only(turn: _Turn, tasks: list[int]) -> int:
    """Ranks these; waits for those that are in somebody's hands."""
    touched = 0
    while tasks:
        time.sleep(0.02)
        step = _rank(turn, 0, tasks[:500])
        touched, tasks = touched + step.touched, step.passed_over + tasks[500:]
    return touched


def _rank(turn: _Turn, after: int, only: list[int] | None) -> Ranked:
    turn.keep()
    step = turn.db.one("projects/rerank", Ranked, project_id=turn.project_id, after=after, only=only)
    assert step is not None
    return step
