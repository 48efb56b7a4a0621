"""Draining: every worker, dispatcher, publisher and intake finishes what it has in hand and takes nothing new, until it is resumed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime

from claimcheck.db import Database
from claimcheck.operations import reasons

LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Program:
    """One that was heard of today. `busy` is what it has in hand, `silent` that it was not heard of for half a minute."""

    name: str
    kind: str
    started_at: datetime
    seen_at: datetime
    stopped_at: datetime | None
    resting: bool
    busy: int
    silent: bool

    @property
    def live(self) -> bool:
        """Whether it runs, as far as anybody has heard."""
        return self.stopped_at is None and not self.silent


@dataclass(frozen=True, slots=True)
class Drained:
    """Since when nothing new is taken, by whom and why."""

    at: datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class State:
    """`empty`: every program that was heard of rests and has nothing in hand."""

    drained: Drained | None
    programs: tuple[Program, ...]

    @property
    def empty(self) -> bool:
        live = [program for program in self.programs if program.live]
        return self.drained is not None and all(program.resting and not program.busy for program in live)


def state(db: Database) -> State:
    """How it is now."""
    return State(db.one("operations/drained", Drained), tuple(db.all("operations/programs", Program)))


def drain(db: Database, *, me: int, reason: str) -> bool:
    """Has the programs take nothing new, on record; whether they worked before. Raises Invalid without a reason."""
    return bool(db.run("operations/drain", draining=True, me=me, reason=reasons.given(reason)))


def resume(db: Database, *, me: int, reason: str = "") -> bool:
    """Has them take work again; whether they were drained."""
    return bool(db.run("operations/drain", draining=False, me=me, reason=reasons.optional(reason)))


def wait(db: Database, seconds: float) -> State:
    """How it is when all is empty, or when the time is over."""
    until = time.monotonic() + seconds
    while not (found := state(db)).empty and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    return found
