"""A stream of messages through the door, of any length and in constant memory: one call of `admit` after the other, each of them bounded."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from claimcheck import errors, lines
from claimcheck.db import Database
from claimcheck.intake import admission, messages, parameters
from claimcheck.intake.admission import Answer, Body, Sender

CALL_BYTES = 4 * 1024 * 1024  # of one call's messages
SHOWN = 100  # refusals that an answer lists; all are kept
PAUSE_SECONDS = 0.25


@dataclass(slots=True)
class Sent:
    """What became of a stream's messages. `refusals` are the first SHOWN refused ones, each with its number, from 1."""

    lines: int = 0
    accepted: int = 0
    repeated: int = 0
    refused: int = 0
    refusals: list[tuple[int, Answer]] = field(default_factory=list)

    def add(self, answers: Iterable[Answer]) -> None:
        for answer in answers:
            self.lines += 1
            self.accepted += answer.result == "admitted"
            self.repeated += answer.result == "repeated"
            self.refused += answer.result == "refused"
            if answer.result == "refused" and len(self.refusals) < SHOWN:
                self.refusals.append((self.lines, answer))


def read(stream: lines.Stream) -> Iterator[Body]:
    """The messages of an NDJSON stream."""
    return lines.read(stream, messages.BYTES)


def take(db: Database, bodies: Iterable[Body], *, sender: Sender, worker: str, sent: Sent, patience: float = 0) -> Sent:
    """Takes messages of any number in; what became of them is added to `sent`, as far as it came where this raises.

    Raises QueueSaturated where the inbox stays full for `patience` seconds. Sent again, what is in already is a repeat.
    """
    for call in calls(bodies):
        settings = _room(db, patience)
        sent.add(admission.admit(db, call, sender=sender, worker=worker, settings=settings))
    return sent


def facts(sent: Sent) -> dict[str, Any]:
    """As an answer says it: `lines` were read, good or bad."""
    refusals = [{"line": n, **refusal(answer)} for n, answer in sent.refusals]
    counts = {name: getattr(sent, name) for name in ("lines", "accepted", "repeated", "refused")}
    return {**counts, "refusals": refusals}


def refusal(answer: Answer) -> dict[str, Any]:
    """A refused message as its sender sees it."""
    same = ("idempotency_key", "code", "gate", "cause", "field", "detail", "dead_letter_id")
    return {name: getattr(answer, name) for name in same}


def calls(bodies: Iterable[Body]) -> Iterator[list[Body]]:
    """In their order, as many together as one call of `admit` takes."""
    call: list[Body] = []
    size = 0
    for body in bodies:
        more = len(body if isinstance(body, bytes) else body.beginning)
        if call and (len(call) == admission.LIMIT or size + more > CALL_BYTES):
            yield call
            call, size = [], 0
        call.append(body)
        size += more
    if call:
        yield call


def _room(db: Database, patience: float) -> parameters.Version:
    """The settings in force, once the inbox takes more. A producer that isn't read from meanwhile is held back by that."""
    until = time.monotonic() + patience
    while True:
        settings = parameters.current(db)
        try:
            admission.room(db, settings)
        except errors.QueueSaturated:
            if time.monotonic() >= until:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return settings
