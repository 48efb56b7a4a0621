"""What workers do for batch decisions, at most 500 items a transaction: lists, samples, decisions, undoing. Any step may be cut off and run again."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from claimcheck.bulk import batch_decisions
from claimcheck.db import Connection, Database
from claimcheck.operations import chores
from claimcheck.quality import hypergeometric

CHUNK = 500
LAPSE_SECONDS = 4 * 3600.0  # for which a lead may leave a sample alone


@dataclass(frozen=True, slots=True)
class _Work:
    id: int
    project_id: int
    state: str
    members: int
    most: int
    at_most: float
    confidence: float
    tolerate: int
    sample_asked: int | None
    undone_by: int


@dataclass(frozen=True, slots=True)
class _Gathered:
    members: int
    more: bool


@dataclass(frozen=True, slots=True)
class _Drawn:
    times: int


@dataclass(frozen=True, slots=True)
class _Decided:
    ended: int


@dataclass(frozen=True, slots=True)
class _Kept:
    n: int
    decision_id: int


def waits(db: Database) -> bool:
    """Whether a batch decision waits for a worker."""
    return chores.told(db.one("batch_decisions/waits", chores.Waits, lapse=LAPSE_SECONDS))


def run(db: Database, *, chunk: int = CHUNK) -> None:
    """Goes on with every batch decision that waits, until none does or others have them in hand."""
    chores.in_turns(db, lambda connection, without: step(connection, chunk, without))


def step(connection: Connection, chunk: int = CHUNK, without: Sequence[int] = ()) -> bool:
    """One step of one batch decision, whose row is locked meanwhile. False: there is nothing to do. Raises chores.Broke."""
    work = connection.one("batch_decisions/next_work", _Work, lapse=LAPSE_SECONDS, without=[*without])
    if work is None:
        return False
    with chores.on(work.id):
        STEPS[work.state](connection, work, chunk)
    return True


def _gather(connection: Connection, work: _Work, _chunk: int) -> None:
    """A piece of the list; when it is complete, a seed and the sample."""
    found = connection.one("batch_decisions/gather", _Gathered, batch_id=work.id)
    assert found is not None
    if found.more:
        return
    if not found.members:
        _drop(connection, work, "nothing alike is waiting")
        return
    before = connection.one("batch_decisions/drawn_before", _Drawn, batch_id=work.id)
    assert before is not None
    sure = hypergeometric.of_draw(work.confidence, before.times + 1)
    size = work.sample_asked or hypergeometric.needed(found.members, work.tolerate, work.at_most, sure)
    connection.run("batch_decisions/draw", batch_id=work.id, seed=secrets.token_hex(32), size=min(size, found.members))


def _lapse(connection: Connection, work: _Work, _chunk: int) -> None:
    _drop(connection, work, "nobody went on with it, or the project was cancelled")


def _drop(connection: Connection, work: _Work, why: str) -> None:
    connection.run("batch_decisions/drop", batch_id=work.id, me=0, version=None, why=why)


def _decide(connection: Connection, work: _Work, chunk: int) -> None:
    done = connection.one("batch_decisions/decide", _Decided, batch_id=work.id, limit=chunk)
    if not done or not done.ended:
        connection.run("batch_decisions/end", batch_id=work.id)


def _undo(connection: Connection, work: _Work, chunk: int) -> None:
    """What was decided, then what was not yet."""
    kept = connection.all("batch_decisions/kept", _Kept, batch_id=work.id, limit=chunk)
    if kept:
        ids = [one.decision_id for one in kept]
        batch_decisions.undo_some(connection, batch_id=work.id, decision_ids=[*ids], me=work.undone_by)
        connection.run("batch_decisions/went", batch_id=work.id, to=kept[-1].n)
        return
    _give_back(connection, work, chunk)


def _give_back(connection: Connection, work: _Work, chunk: int) -> None:
    if not connection.run("batch_decisions/give_back", batch_id=work.id, limit=chunk):
        connection.run("batch_decisions/end", batch_id=work.id)


STEPS = {"gathering": _gather, "sampling": _lapse, "deciding": _decide, "undoing": _undo, "dropping": _give_back}
