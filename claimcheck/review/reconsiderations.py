"""Reconsiderations: a reviewer asks a lead to look at a decision of theirs again, once; a lead answers, once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors
from claimcheck.db import Database

LONGEST = 2000  # characters of a note or an answer


@dataclass(frozen=True, slots=True)
class Open:
    """A question that waits for a lead. `outcome_id` is the item's outcome in force, which may be overturned."""

    decision_id: int
    item_id: int
    project: str
    project_id: int
    project_version: int
    title: str
    idempotency_key: str
    verdict: str | None
    answer: Any
    reason: str
    pseudonym: str
    note: str
    asked_at: datetime
    decided_at: datetime
    server_now: datetime
    outcome_id: int | None


@dataclass(frozen=True, slots=True)
class Reconsideration:
    """A question and, once a lead gave one, its answer."""

    decision_id: int
    person_id: int
    note: str
    asked_at: datetime
    answered_by: str | None
    answer: str | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Touched:
    decision_id: int


def load(db: Database, *, decision_id: int) -> Reconsideration | None:
    """The question about a decision, if there is one."""
    return db.one("reconsiderations/load", Reconsideration, decision_id=decision_id)


def open_ones(db: Database) -> list[Open]:
    """What waits for an answer, oldest first, at most 200."""
    return db.all("reconsiderations/open", Open)


def ask(db: Database, *, decision_id: int, me: int, note: str) -> None:
    """Asks about one of the caller's own decisions. Raises Invalid, NotFound, or Conflict where they asked before."""
    note = _text("note", note, "say what the lead should look at again")
    if db.one("reconsiderations/ask", _Touched, decision_id=decision_id, me=me, note=note):
        return
    before = load(db, decision_id=decision_id)
    if before is None or before.person_id != me:
        raise errors.NotFound()
    raise errors.Conflict("You have asked about this decision before; the first question stands.")


def answer(db: Database, *, decision_id: int, me: int, answer: str) -> None:
    """A lead's answer. Raises Invalid, NotFound, or Conflict where another lead answered first."""
    answer = _text("answer", answer, "write a sentence for the reviewer")
    if db.one("reconsiderations/answer", _Touched, decision_id=decision_id, me=me, answer=answer):
        return
    if load(db, decision_id=decision_id) is None:
        raise errors.NotFound()
    raise errors.Conflict("Another lead has answered this before you; their answer stands.")


def _text(field: str, value: str, advice: str) -> str:
    value = value.strip()
    if not value:
        raise errors.Invalid.field(field, advice)
    if len(value) > LONGEST:
        raise errors.Invalid.field(field, f"at most {LONGEST} characters, this has {len(value)}")
    if "\0" in value:
        raise errors.Invalid.field(field, "contains a NUL character; take it out")
    return value
