"""Replays: a dead letter goes through its door again, as it was or mended. Its bytes stay as they came; every replay is on record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, TypeVar

from claimcheck import errors, transactions
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database
from claimcheck.intake import admission, doors, parameters

CHUNK, CHUNK_BYTES = 200, 8 * 1024 * 1024  # letters of one transaction
MOST = 2_000  # letters of one call
BODY_BYTES = 1024 * 1024  # of a mended letter

RESULTS: tuple[doors.Result, ...] = ("admitted", "repeated", "refused")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Many:
    """What came of many letters, or would. `left` of those asked for are open still; `stopped` says what stopped it early."""

    results: list[doors.Replayed]
    dry_run: bool
    left: int
    stopped: str

    def counts(self) -> dict[doors.Result, int]:
        return {result: sum(r.result == result for r in self.results) for result in RESULTS}

    def refusals(self) -> dict[tuple[str | None, str], list[int]]:
        """The letters that were refused again, by why."""
        found: dict[tuple[str | None, str], list[int]] = {}
        for came in self.results:
            if came.result == "refused":
                found.setdefault((came.code, came.detail), []).append(came.dead_letter_id)
        return found


@dataclass(frozen=True, slots=True)
class Entry:
    """A replay as the letter's page tells it."""

    id: int
    created_at: datetime
    result: doors.Result
    edited: bool
    message_id: int | None
    item_id: int | None
    again_id: int | None
    code: str | None
    detail: str
    by: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Which open letters: these, or those of a cause, or of a project."""

    ids: tuple[int, ...] | None = None
    code: str | None = None
    cause: str | None = None
    project_id: int | None = None

    def named(self) -> dict[str, Any]:
        return {**asdict(self), "ids": None if self.ids is None else [*self.ids]}


@dataclass(frozen=True, slots=True)
class _Newest:
    id: int


@dataclass(frozen=True, slots=True)
class _Left:
    n: int


def of_letter(db: Database, *, dead_letter_id: int, person: Person) -> list[Entry]:
    """The replays of a letter, oldest first. Whether the person may see the letter is the caller's to judge."""
    return db.all("dead_letters/replays", Entry, dead_letter_id=dead_letter_id, person_id=person.id)


def one(db: Database, *, dead_letter_id: int, person: Person, body: bytes | None = None, dry_run: bool = False) -> doors.Replayed:
    """Sends a letter again, mended where `body` differs from its own. What came of the same bytes before is told again.

    Raises NotFound, Forbidden (an operator sees no payloads, and so mends none), TooLarge, and what stops every sender:
    QueueSaturated, ProjectCancelled.
    """
    if body is not None and person.role == "operator":
        raise errors.Forbidden("Operators see no payloads, so they mend none: ask a lead or the customer, or replay it as it was.")
    if body is not None and len(body) > BODY_BYTES:
        raise errors.TooLarge(f"body: has {len(body):,} bytes; a mended letter has {BODY_BYTES:,} at most")
    how = doors.How(db, person, parameters.current(db), dry_run)
    return _tried(how, lambda connection: _one(connection, dead_letter_id, body, how))


def _one(connection: Connection, dead_letter_id: int, body: bytes | None, how: doors.How) -> doors.Replayed:
    row = connection.one("dead_letters/replayable", doors.Row, dead_letter_id=dead_letter_id, person_id=how.person.id)
    if row is None:
        raise errors.NotFound()
    mended = None if body == row.body else body
    known = connection.one("dead_letters/known", doors.Replayed, dead_letter_id=row.id, body=mended)
    return known or doors.send(connection, [doors.Letter(row, mended)], how)[0]


def many(db: Database, *, person: Person, asked: Asked, dry_run: bool = False) -> Many:
    """Sends open letters again as they were, oldest first, MOST at once; a dry run tries the first CHUNK of them.

    Those of cancelled projects stay where they are. Raises QueueSaturated where nothing could be sent.
    """
    how, newest = doors.How(db, person, parameters.current(db), dry_run), db.one("dead_letters/newest", _Newest)
    last, stopped = newest.id if newest else 0, ""
    results: list[doors.Replayed] = []
    while len(results) < (1 if dry_run else MOST):
        span = (results[-1].dead_letter_id if results else 0, last)
        try:
            chunk = _tried(how, lambda connection, span=span: _chunk(connection, asked, span, how))
        except errors.QueueSaturated as error:
            if not results:
                raise
            chunk, stopped = [], error.detail
        if not chunk:
            break
        results += chunk
    return Many(results, dry_run, _left(how, asked, last), stopped)


def _chunk(connection: Connection, asked: Asked, span: tuple[int, int], how: doors.How) -> list[doors.Replayed]:
    within = {"person_id": how.person.id, "after": span[0], "last": span[1], "limit": CHUNK, "bytes": CHUNK_BYTES}
    rows = connection.all("dead_letters/take", doors.Row, **asked.named(), **within)
    return doors.send(connection, [doors.Letter(row) for row in rows], how) if rows else []


def _left(how: doors.How, asked: Asked, last: int) -> int:
    row = how.db.one("dead_letters/left", _Left, person_id=how.person.id, last=last, **asked.named())
    return row.n if row else 0


def _tried(how: doors.How, work: Callable[[Connection], Found]) -> Found:
    """What `work` does in one transaction; a dry run is taken back."""
    if not how.dry_run:
        how.answers.clear()
        found = how.db.together(work)
        admission.tell(how.db, how.answers, how.settings.version)  # after the commit: the counter's row is everybody's
        return found
    return transactions.undone(how.db, work)
