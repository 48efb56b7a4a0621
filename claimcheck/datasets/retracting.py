"""Carrying a retraction out, by a worker: tombstones, then what has to be labelled again, the riskiest first. Each step may be run again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from typing import LiteralString

from claimcheck import errors
from claimcheck.datasets import retractions
from claimcheck.datasets.fates import Fate
from claimcheck.datasets.retractions import Retraction
from claimcheck.db import Connection, Database
from claimcheck.review import decisions

CHUNK = 500  # tombstones written at once
ROUND = 100  # items looked up at once to be opened again

Say = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class _Next:
    item_id: int
    stays: bool
    probability: float


@dataclass(frozen=True, slots=True)
class _Reopened:
    decision_id: int | None


def carry_out(db: Database, *, retraction_id: int, say: Say) -> None:
    """Decides what becomes of each label, and opens again what does not stand without the looks."""
    one = retractions.load(db, retraction_id=retraction_id)
    _tombstones(db, one, say)
    _reopen(db, one, say)


def _tombstones(db: Database, one: Retraction, say: Say) -> None:
    asked = {"project_id": one.project_id, "person_id": one.person_id, "since": one.since, "looks_to": one.looks_to}
    found, seen = ((d[0].item_id, fate) for d, fate in retractions.judged(db, **asked) if fate), 0
    while some := [*islice(found, CHUNK)]:
        _put(db, one, some)
        seen += len(some)
        say("looking at the labels", seen, seen)


def _put(db: Database, one: Retraction, some: Iterable[tuple[int, Fate]]) -> None:
    items, fates = zip(*some, strict=True)
    statuses = ["withdrawn" if f.status == "pending" and not one.relabel else f.status for f in fates]
    told = {"item_ids": [*items], "decision_ids": [f.decision_id for f in fates], "statuses": statuses, "whys": [f.why for f in fates]}
    db.run("retractions/put_tombstones", retraction_id=one.id, **told, flips=[f.flips for f in fates], probabilities=[f.probability for f in fates])


def _reopen(db: Database, one: Retraction, say: Say) -> None:
    total = retractions.load(db, retraction_id=one.id).pending
    last, done = _Next(0, False, -1.0), 0
    while some := db.all("retractions/next", _Next, retraction_id=one.id, limit=ROUND, **asdict(last)):
        for tombstone in some:
            reopen(db, retraction_id=one.id, item_id=tombstone.item_id)
            done += 1
            say("opening items again", done, total)
        last = some[-1]


def reopen(db: Database, *, retraction_id: int, item_id: int) -> None:
    """Opens one item again, in a transaction of its own; not where that has happened, or a lead was quicker. `come_back` sees to one that waits."""
    db.together(lambda connection: _reopen_one(connection, "retractions/reopen", retraction_id=retraction_id, item_id=item_id))


def come_back(db: Database) -> None:
    """Goes on with what was passed over for an approval that has ended since."""
    while db.together(lambda connection: _reopen_one(connection, "retractions/come_back")):
        pass


def _reopen_one(connection: Connection, statement: LiteralString, **which: int) -> bool:
    """False: there is nothing to open. Raises Again where somebody overturned it, or asked for that, meanwhile."""
    try:
        made = connection.one(statement, _Reopened, **which)
    except (errors.AlreadyOverturned, errors.ApprovalPending) as error:
        raise errors.Again() from error  # it committed while this ran; the next time it is seen
    if made and made.decision_id is not None:
        decisions.refresh_reopened(connection, made.decision_id)
    return made is not None
