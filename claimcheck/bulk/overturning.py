"""What workers do for bulk overturns, in small transactions: lists, and then one outcome after the other. Any step may be cut off and run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.operations import chores
from claimcheck.review import decisions

GATHERED, OVERTURNED, REOPENED = 500, 100, 25  # decisions of a step: it holds their partitions, and what it opens again its lane's clock


@dataclass(frozen=True, slots=True)
class _Work:
    id: int
    state: str
    outcome: str
    listed: int
    reached: int
    unsound: str | None


@dataclass(frozen=True, slots=True)
class _Gathered:
    more: bool


@dataclass(frozen=True, slots=True)
class _Made:
    decision_id: int


def waits(db: Database) -> bool:
    """Whether a bulk overturn waits for a worker."""
    return chores.told(db.one("bulk_overturns/waits", chores.Waits))


def run(db: Database, *, chunk: int | None = None) -> None:
    """Goes on with every one that waits, until none does or others have them in hand."""
    chores.in_turns(db, lambda connection, without: step(connection, chunk, without))


def step(connection: Connection, chunk: int | None = None, without: Sequence[int] = ()) -> bool:
    """One step of one, whose row is locked meanwhile. False: there is nothing to do.

    Raises Again where somebody was faster at one of its items, and chores.Broke.
    """
    work = connection.one("bulk_overturns/next_work", _Work, without=[*without])
    if work is None:
        return False
    with chores.on(work.id):
        if work.unsound:
            connection.run("bulk_overturns/end", bulk_id=work.id, to="stopped", why=work.unsound)
        elif work.state == "gathering":
            _gather(connection, work)
        else:
            _overturn(connection, work, chunk or (REOPENED if work.outcome == "reopen" else OVERTURNED))
    return True


def _gather(connection: Connection, work: _Work) -> None:
    found = connection.one("bulk_overturns/gather", _Gathered, bulk_id=work.id, limit=GATHERED)
    if not found or not found.more:
        connection.run("bulk_overturns/end", bulk_id=work.id, to="listed", why="")


def _overturn(connection: Connection, work: _Work, chunk: int) -> None:
    if work.reached == work.listed:
        connection.run("bulk_overturns/end", bulk_id=work.id, to="done", why="")
        return
    try:
        made = connection.all("bulk_overturns/run", _Made, bulk_id=work.id, limit=chunk)
    except (errors.AlreadyOverturned, errors.ApprovalPending) as error:
        raise errors.Again() from error  # it committed while this ran; the next time it is seen
    if work.outcome == "reopen":
        for one in made:
            decisions.refresh_reopened(connection, one.decision_id)
