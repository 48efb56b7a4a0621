"""The doors that a dead letter goes through again: items by the items' own, messages by admission, each with all that is judged there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from claimcheck import items
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database
from claimcheck.intake import admission, batches, parameters, rooms

WORKER = "replay"
WAITS = "waits for its handler again"  # a message that the pool had given up

Result = Literal["admitted", "repeated", "refused"]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Row:
    """A dead letter as it is kept."""

    id: int
    project_id: int | None
    customer_id: int | None
    source: str
    message_id: int | None
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead letter on its way back, with the bytes that stand in for its own where it was mended."""

    row: Row
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
class How:
    """Who replays, by which settings, and whether only to see. `answers` are the messages' of the last `send`, to be told once it is committed."""

    db: Database
    person: Person
    settings: parameters.Version
    dry_run: bool
    answers: list[admission.Answer] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Back:
    message_id: int


def send(connection: Connection, letters: Sequence[Letter], how: How) -> list[Replayed]:
    """Each through its door, in their order, and on record."""
    came: dict[int, Replayed] = {}
    how.answers.clear()
    for project_id in _each(letter.row.project_id for letter in letters if letter.as_item):
        came |= _items(connection, project_id or 0, [x for x in letters if x.as_item and x.row.project_id == project_id], how)
    for customer_id in _each(letter.row.customer_id for letter in letters if not letter.as_item):
        came |= _messages(connection, customer_id, [x for x in letters if not x.as_item and x.row.customer_id == customer_id], how)
    results = [came[letter.row.id] for letter in letters]
    _record(connection, letters, results, how)
    return [result.forgotten() for result in results] if how.dry_run else results


def _each(values: Iterable[Value]) -> list[Value]:
    return [*dict.fromkeys(values)]


def _items(connection: Connection, project_id: int, letters: Sequence[Letter], how: How) -> dict[int, Replayed]:
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


def _messages(connection: Connection, customer_id: int | None, letters: Sequence[Letter], how: How) -> dict[int, Replayed]:
    """Messages, in the name of the customer whose letters they are: a replay reaches no further than the first sending."""
    rooms.check(how.db, how.settings)
    sender = admission.Sender(how.person.id, customer_id, "replay")
    answers = admission.within(connection, [letter.sent for letter in letters], sender=sender, worker=WORKER, settings=how.settings)
    how.answers.extend(answers)
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


def _record(connection: Connection, letters: Sequence[Letter], results: Sequence[Replayed], how: How) -> None:
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
