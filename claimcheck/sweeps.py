"""Goes through a project's open tasks in small transactions: a claim walks past rows that are locked, so never many at once."""

from __future__ import annotations

import time
from dataclasses import dataclass

from claimcheck import transactions
from claimcheck.db import Database

PATIENCE = 5.0  # seconds for transactions that were running when the project's row changed


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


def until_none_is_left(db: Database, statement: str, *, project_id: int) -> int:
    """Repeats a statement that changes ≤ 500 open tasks and skips locked ones, also for tasks that were on their way; how many it changed.

    The project's row must say what holds before this is called: what begins later reads it there.
    """
    touched = _all(db, statement, project_id)
    transactions.await_writers(db, "tasks", "decisions", patience=PATIENCE)  # an overturn raises its task last
    return touched + _all(db, statement, project_id)


def _all(db: Database, statement: str, project_id: int) -> int:
    touched, after = 0, 0
    while True:
        step = db.one(statement, Step, project_id=project_id, after=after)
        assert step is not None
        touched += step.touched
        if step.last is None and after == 0:
            if not step.left:
                return touched
            time.sleep(0.02)
        after = step.last or 0


def rerank(db: Database, *, project_id: int) -> int:
    """Ranks a project's open tasks anew, in their queues' lanes and by the priority in force; how many there were.

    It may be broken off and run again.
    """
    db.run("projects/set_back", project_id=project_id)
    touched, after, over = 0, 0, []
    while (step := _rank(db, project_id, after, None)).last is not None:
        touched, after, over = touched + step.touched, step.last, over + step.passed_over
    while over:
        time.sleep(0.02)
        step = _rank(db, project_id, 0, over[:500])
        touched, over = touched + step.touched, step.passed_over + over[500:]
    return touched


def _rank(db: Database, project_id: int, after: int, only: list[int] | None) -> Ranked:
    step = db.one("projects/rerank", Ranked, project_id=project_id, after=after, only=only)
    assert step is not None
    return step
