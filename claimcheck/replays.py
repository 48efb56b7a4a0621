"""Replays: a dead letter goes through its door again, as it was or mended. Its bytes stay as they came; every replay is on record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, TypeVar

from claimcheck import batches, errors, items
from claimcheck.db import Connection, Database
from claimcheck.intake import admission, parameters, rooms
from claimcheck.people import Person

WORKER = "replay"
WAITS = "waits for its handler again"  # a message that the pool had given up
CHUNK, CHUNK_BYTES = 200, 8 * 1024 * 1024  # letters of one transaction
MOST = 2_000  # letters of one call
BODY_BYTES = 1024 * 1024  # of a mended letter

Result = Literal["admitted", "repeated", "refused"]
RESULTS: tuple[Result, ...] = ("admitted", "repeated", "refused")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class _Row:
    id: int
    project_id: int | None
    customer_id: int | None
    source: str
    message_id: int | None
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead letter on its way back, with the bytes that stand in for its own where it was mended."""

    row: _Row
    mended: bytes | None = field(default=None, repr=False)

    @property
    def sent(self) -> bytes:
        return self.row.body if self.mended is None else self.mended

    @property
    def as_item(self) -> bool:
        """Whether it came as an item; the others came as messages."""
        return self.row.source == "items"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a letter, or would. `again_id`: the new dead letter of one that was refused again."""

    dead_letter_id: int
    result: Result
    message_id: int | None = None
    item_id: int | None = None
    again_id: int | None = None
    code: str | None = None
    detail: str = ""

    def forgotten(self) -> Replayed:
        """As a dry run tells it: what it made is gone."""
        return self if self.result == "repeated" else replace(self, message_id=None, item_id=None, again_id=None)


@dataclass(frozen=True, slots=True)
class Many:
    """What came of many letters, or would. `left` of those asked for are open still; `stopped` says what stopped it early."""

    results: list[Replayed]
    dry_run: bool
    left: int
    stopped: str

    def counts(self) -> dict[Result, int]:
        return {result: sum(r.result == result for r in self.results) for result in RESULTS}


@dataclass(frozen=True, slots=True)
class Entry:
    """A replay as the letter's page tells it."""

    id: int
    created_at: datetime
    result: Result
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
class _How:
    """Who replays, by which settings, and whether only to see."""

    db: Database
    person: Person
    settings: parameters.Version
    dry_run: bool


@dataclass(frozen=True, slots=True)
class _Newest:
    id: int


@dataclass(frozen=True, slots=True)
class _Left:
    n: int


@dataclass(frozen=True, slots=True)
class _Back:
    message_id: int


class _Undone(Exception):
    """Carries what would have come of it out of a transaction that is rolled back."""

    def __init__(self, found: Any):
        self.found = found


def of_letter(db: Database, *, dead_letter_id: int, person: Person) -> list[Entry]:
    """The replays of a letter, oldest first. Whether the person may see the letter is the caller's to judge."""
    return db.all("dead_letters/replays", Entry, dead_letter_id=dead_letter_id, person_id=person.id)


def one(db: Database, *, dead_letter_id: int, person: Person, body: bytes | None = None, dry_run: bool = False) -> Replayed:
    """Sends a letter again, mended where `body` differs from its own. What came of the same bytes before is told again.

    Raises NotFound, Forbidden (an operator sees no payloads, and so mends none), TooLarge, and what stops every sender:
    QueueSaturated, ProjectCancelled.
    """
    if body is not None and person.role == "operator":
        raise errors.Forbidden("Operators see no payloads, so they mend none: ask a lead or the customer, or replay it as it was.")
    if body is not None and len(body) > BODY_BYTES:
        raise errors.TooLarge(f"body: has {len(body):,} bytes; a mended letter has {BODY_BYTES:,} at most")
    how = _How(db, person, parameters.current(db), dry_run)
    return _tried(how, lambda connection: _one(connection, dead_letter_id, body, how))


def _one(connection: Connection, dead_letter_id: int, body: bytes | None, how: _How) -> Replayed:
    row = connection.one("dead_letters/replayable", _Row, dead_letter_id=dead_letter_id, person_id=how.person.id)
    if row is None:
        raise errors.NotFound()
    mended = None if body == row.body else body
    known = connection.one("dead_letters/known", Replayed, dead_letter_id=row.id, body=mended)
    return known or _send(connection, [Letter(row, mended)], how)[0]


def many(db: Database, *, person: Person, asked: Asked, dry_run: bool = False) -> Many:
    """Sends open letters again as they were, oldest first, MOST at once; a dry run tries the first CHUNK of them.

    Those of cancelled projects stay where they are. Raises QueueSaturated where nothing could be sent.
    """
    how, newest = _How(db, person, parameters.current(db), dry_run), db.one("dead_letters/newest", _Newest)
    last, stopped = newest.id if newest else 0, ""
    results: list[Replayed] = []
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


def _chunk(connection: Connection, asked: Asked, span: tuple[int, int], how: _How) -> list[Replayed]:
    within = {"person_id": how.person.id, "after": span[0], "last": span[1], "limit": CHUNK, "bytes": CHUNK_BYTES}
    rows = connection.all("dead_letters/take", _Row, **asked.named(), **within)
    return _send(connection, [Letter(row) for row in rows], how) if rows else []


def _left(how: _How, asked: Asked, last: int) -> int:
    row = how.db.one("dead_letters/left", _Left, person_id=how.person.id, last=last, **asked.named())
    return row.n if row else 0


def _tried(how: _How, work: Callable[[Connection], Found]) -> Found:
    """What `work` does in one transaction; a dry run is rolled back, so that it meets all that the real one meets, and leaves nothing."""
    if not how.dry_run:
        return how.db.together(work)
    try:
        how.db.together(lambda connection: _undo(work(connection)))
    except _Undone as undone:
        return undone.found
    raise AssertionError("it is always undone")


def _undo(found: Any) -> None:
    raise _Undone(found)


def _send(connection: Connection, letters: Sequence[Letter], how: _How) -> list[Replayed]:
    """Each through its door, in their order, and on record."""
    came: dict[int, Replayed] = {}
    for project_id in _each(letter.row.project_id for letter in letters if letter.as_item):
        came |= _items(connection, project_id or 0, [x for x in letters if x.as_item and x.row.project_id == project_id], how)
    for customer_id in _each(letter.row.customer_id for letter in letters if not letter.as_item):
        came |= _messages(connection, customer_id, [x for x in letters if not x.as_item and x.row.customer_id == customer_id], how)
    results = [came[letter.row.id] for letter in letters]
    _record(connection, letters, results, how)
    return [result.forgotten() for result in results] if how.dry_run else results


def _each(values: Iterable[Found]) -> list[Found]:
    return [*dict.fromkeys(values)]


def _items(connection: Connection, project_id: int, letters: Sequence[Letter], how: _How) -> dict[int, Replayed]:
    """Rows of items, as a batch of their own."""
    me = how.person.id
    batch_id, came = batches.open(connection, project_id=project_id, by=me), {}
    for n, letter in enumerate(letters):
        terms, ready = items.prepare(connection, project=project_id, rows=[letter.sent], by=me, first=n)
        came[letter.row.id] = _of_item(letter.row.id, items.insert(connection, project_id, batch_id, ready, terms, me))
    batches.close(connection, batch_id=batch_id)
    return came


def _of_item(dead_letter_id: int, chunk: items.AcceptedChunk) -> Replayed:
    if chunk.refused:
        again = chunk.refused[0]
        return Replayed(dead_letter_id, "refused", again_id=again.dead_letter_id, code=again.code, detail=f"{again.field} {again.detail}")
    [taken] = chunk.taken
    return Replayed(dead_letter_id, "admitted" if taken.new else "repeated", item_id=taken.item_id)


def _messages(connection: Connection, customer_id: int | None, letters: Sequence[Letter], how: _How) -> dict[int, Replayed]:
    """Messages, in the name of the customer whose letters they are: a replay reaches no further than the first sending."""
    rooms.check(how.db, how.settings)
    sender = admission.Sender(how.person.id, customer_id, "replay")
    answers = admission.within(connection, [letter.sent for letter in letters], sender=sender, worker=WORKER, settings=how.settings)
    if not how.dry_run:
        admission.tell(connection, answers, how.settings.version)
    waiting = _waiting(connection, {a.message_id: x.sent for x, a in zip(letters, answers, strict=True) if a.result == "repeated"})
    came = {}
    for letter, answer in zip(letters, answers, strict=True):
        came[letter.row.id] = _of_message(letter.row.id, answer, again=answer.message_id in waiting)
        waiting.discard(answer.message_id)
    return came


def _waiting(connection: Connection, known: dict[int | None, bytes]) -> set[int | None]:
    """Those of the known messages that the pool had given up: they wait again."""
    return {row.message_id for row in connection.all("inbox/again", _Back, message_ids=[*known], bodies=[*known.values()])} if known else set()


def _of_message(dead_letter_id: int, answer: admission.Answer, *, again: bool) -> Replayed:
    if answer.result == "refused":
        said = f"{answer.field} {answer.detail}"
        return Replayed(dead_letter_id, "refused", again_id=answer.dead_letter_id, code=answer.code, detail=said)
    return Replayed(dead_letter_id, "admitted" if again else answer.result, answer.message_id, detail=WAITS if again else "")


def _record(connection: Connection, letters: Sequence[Letter], results: Sequence[Replayed], how: _How) -> None:
    connection.run(
        "dead_letters/replayed",
        ids=[r.dead_letter_id for r in results],
        bodies=[letter.mended for letter in letters],
        results=[r.result for r in results],
        message_ids=[r.message_id for r in results],
        item_ids=[r.item_id for r in results],
        again_ids=[r.again_id for r in results],
        codes=[r.code for r in results],
        details=[r.detail[:4000] for r in results],
        waits_again=[r.detail == WAITS for r in results],
        person_id=how.person.id,
        worker=WORKER,
        settings_version=how.settings.version,
    )
