"""Golds: items whose answer is known, the copies of them that people meet among live work, and what is made of their looks."""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import canonical, errors, evidence, projects, rules
from claimcheck.db import Connection, Database

MAX_EXPOSURES = 5
NUMBER = re.compile(r"[0-9]+(?=[^0-9]*$)")  # a key's last


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold without its label. `exposures` are ordinary ones; exams do not wear it out."""

    id: int
    item_id: int
    project_id: int
    project: str
    title: str
    idempotency_key: str
    origin: str
    exposures: int
    max_exposures: int
    made_by: str
    made_at: datetime
    retired_at: datetime | None
    retired_why: str | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that an adjudicator settled, which may become gold."""

    decision_id: int
    item_id: int
    project_id: int
    project: str
    title: str
    idempotency_key: str
    verdict: str | None
    answer: Any
    note: str
    adjudicator: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


@dataclass(frozen=True, slots=True)
class _Source:
    project_id: int
    project_version: int


@dataclass(frozen=True, slots=True)
class _Short:
    gold_id: int
    item_id: int
    idempotency_key: str


@dataclass(frozen=True, slots=True)
class _Copied:
    source_id: int
    item_id: int


def add(
    db: Database,
    *,
    item_id: int,
    accepted: Sequence[Any],
    me: int,
    origin: str = "given",
    note: str = "",
    max_exposures: int = MAX_EXPOSURES,
) -> int:
    """Makes an item gold; its id. `accepted` are verdicts or answers, any of which is right.

    Raises NotFound, Invalid for a label that the question does not allow, GoldExists.
    """
    source = db.one("golds/source", _Source, item_id=item_id)
    if source is None:
        raise errors.NotFound()
    asked = projects.rules(db, source.project_id, source.project_version)
    labels = [_label(asked, one) for one in accepted]
    if not 1 <= len(labels) <= 20:
        raise errors.Invalid.field("accepted", "name from 1 to 20 right answers")
    if not 1 <= max_exposures <= 1000:
        raise errors.Invalid.field("max_exposures", "must be from 1 to 1000")
    made = db.one("golds/add", _Id, item_id=item_id, accepted=labels, note=note, origin=origin, max_exposures=max_exposures, me=me)
    if made is None:
        raise errors.GoldExists()
    return made.id


def _label(asked: rules.Rules, said: Any) -> str:
    if asked.question.by_verdict:
        if said not in ("approve", "reject"):
            raise errors.Invalid.field("accepted", "must be approve or reject")
        return str(said)
    try:
        return canonical.vote(None, asked.question.canonical(said))
    except errors.Invalid as wrong:
        raise errors.Invalid.field("accepted", f"each {wrong.errors[0].message}") from None


def retire(db: Database, *, gold_id: int, me: int) -> None:
    """Takes a gold out of use. Raises NotFound where it is not live."""
    if db.one("golds/retire", _Id, gold_id=gold_id, me=me) is None:
        raise errors.NotFound()


def page(db: Database, *, skill_id: int, before: int = 2**62, limit: int = 100) -> list[Gold]:
    """The golds of a skill, newest first, without labels."""
    return db.all("golds/page", Gold, skill_id=skill_id, before=before, limit=limit)


def candidates(db: Database, *, skill_id: int) -> list[Candidate]:
    """Adjudicated items of a skill that could become gold."""
    return db.all("golds/candidates", Candidate, skill_id=skill_id)


def stock(db: Database) -> int:
    """Makes a copy of each live gold that has none waiting, and lets copies follow their projects; how many were made."""
    db.run("golds/follow")
    return db.together(_stock)


def _stock(connection: Connection) -> int:
    short = connection.all("golds/short", _Short)
    if not short:
        return 0
    keys, traces = [like(s.idempotency_key) for s in short], [secrets.token_hex(16) for _ in short]
    copied = connection.all("golds/copy", _Copied, item_ids=[s.item_id for s in short], keys=keys, trace_ids=traces)
    of = {c.source_id: c.item_id for c in copied}
    hashes = evidence.hashes(connection, item_ids=[*of.values()])
    made = [(s.gold_id, of[s.item_id]) for s in short if s.item_id in of]
    connection.run("golds/expose", gold_ids=[g for g, _ in made], item_ids=[i for _, i in made], hashes=[hashes[i] for _, i in made])
    return len(made)


def like(key: str) -> str:
    """Another key of the same shape: each digit drawn anew, or the last number grown to six digits where too few can differ."""
    if sum(c.isdigit() for c in key) >= 6:
        return "".join(random.choice("0123456789") if c.isdigit() else c for c in key)  # noqa: S311 (a look alike, no secret)
    number = f"{100_000 + secrets.randbelow(900_000)}"
    grown, found = NUMBER.subn(number, key, count=1)
    return grown if found and len(grown) <= 200 else f"{key[:193]}-{number}"
