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
DRAWN = 8  # keys for a copy, of which the first that is free is taken
NUMBER = re.compile(r"[0-9]+(?=[^0-9]*$)")  # a key's last
MIXED = re.compile(r"[0-9][A-Za-z]+[0-9]")  # no counter's: digits among letters, as in a hash


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
    latest_key: str


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
    drawn = [(s.item_id, like(s.idempotency_key, s.latest_key), secrets.token_hex(16)) for s in short for _ in range(DRAWN)]
    item_ids, keys, traces = zip(*drawn, strict=True)
    copied = connection.all("golds/copy", _Copied, item_ids=[*item_ids], keys=[*keys], trace_ids=[*traces])
    of = {c.source_id: c.item_id for c in copied}
    hashes = evidence.hashes(connection, item_ids=[*of.values()])
    made = [(s.gold_id, of[s.item_id]) for s in short if s.item_id in of]
    connection.run("golds/expose", gold_ids=[g for g, _ in made], item_ids=[i for _, i in made], hashes=[hashes[i] for _, i in made])
    return len(made)


def like(key: str, latest: str) -> str:
    """Another key of the same shape: a counter's last number drawn from those that the project has come to, or will; of a hash each digit anew."""
    found = NUMBER.search(key)
    if MIXED.search(key) and sum(c.isdigit() for c in key) >= 6:
        return "".join(random.choice("0123456789") if c.isdigit() else c for c in key)  # noqa: S311 (a look alike, no secret)
    if found is None or MIXED.search(key):
        return f"{key[:193]}-{100_000 + secrets.randbelow(900_000)}"
    newest = NUMBER.search(latest)
    made = f"{key[: found.start()]}{_number(found[0], newest[0] if newest else found[0])}{key[found.end() :]}"
    return made if len(made) <= 200 else f"{key[:193]}-{100_000 + secrets.randbelow(900_000)}"


def _number(own: str, newest: str) -> str:
    """A number that could stand between these, or be one of the next: as wide where they are filled up with zeros, or all as long."""
    newest = newest if len(newest) <= len(own) + 2 else own
    padded, alike = own.startswith("0") or newest.startswith("0"), len(own) == len(newest) >= 5
    top = max(int(own), int(newest))
    least, most = 10 ** (len(own) - 1) if alike and not padded else 1, 2 * top + 99
    if padded or alike:
        most = min(most, 10 ** len(own) - 1)
    return str(least + secrets.randbelow(most - least + 1)).zfill(len(own) if padded else 1)
