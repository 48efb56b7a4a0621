"""The chores of a worker process, by the numbers that ring for them; no outbox row has one of these."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from claimcheck.bulk import overturning, working
from claimcheck.config import Settings
from claimcheck.control import counting
from claimcheck.datasets import making
from claimcheck.db import Database
from claimcheck.experts import upkeep
from claimcheck.operations.chores import Chore
from claimcheck.operations.pulse import Pulse
from claimcheck.outbound.applying import Applier
from claimcheck.store import Store
from claimcheck.triage import acting

SCORING, DATASETS, BULK, COUNTING, ACTING, OVERTURNS = 0, -1, -2, -3, -4, -5


def of(settings: Settings, db: Database) -> dict[int, Chore]:
    """Each of them, on this database. Where no object store is named no dataset is made."""
    found = {
        SCORING: Chore("upkeep", partial(upkeep.waits, db), partial(upkeep.run, db)),
        BULK: Chore("bulk", partial(working.waits, db), partial(working.run, db)),
        ACTING: Chore("acting", partial(acting.waits, db), partial(acting.run, db)),
        OVERTURNS: Chore("overturns", partial(overturning.waits, db), partial(overturning.run, db)),
        COUNTING: Chore("counting", partial(counting.waits, db), partial(counting.run, db)),
    }
    if settings.s3_endpoint:
        desk = making.Desk(db, Store(settings), str(settings.secret_key))
        found[DATASETS] = Chore("datasets", partial(making.waits, db), partial(making.run, desk))
    return found


def pulse(db: Database, kind: str, applier: Applier, ours: Mapping[int, Chore]) -> Pulse:
    """The pulse of a process that applies outcomes and does chores; both rest with it."""
    found = Pulse(db, kind, lambda: applier.busy + sum(chore.busy for chore in ours.values()))
    applier.resting = found.resting
    return found
