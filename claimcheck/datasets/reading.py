"""Reads what a version is made of, page by page: items with their decisions up to its cut, and tombstones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from claimcheck.datasets.rows import Cut, Decision, Item, Tombstone
from claimcheck.db import Database

PAGE = 500  # items


@dataclass(frozen=True, slots=True)
class _Line:
    """An item and one of its decisions; all of it None where it has none."""

    item_id: int
    idempotency_key: str
    id: int | None
    task_id: int | None
    look: bool | None
    person_id: int | None
    by: str | None
    verdict: str | None
    answer: Any
    outcome: str | None
    supersedes: int | None
    project_version: int | None
    evidence_version: int | None
    evidence_hash: bytes | None
    reason_code: str | None
    note: str | None
    at: datetime | None


def items(db: Database, *, project_id: int, at: Cut) -> Iterator[list[Item]]:
    """A project's items as of a version, by id, in pages; those that nobody ever looked at among them."""
    after = 0
    while page := db.all("datasets/decisions", _Line, project_id=project_id, after=after, up_to=at.up_to, limit=PAGE):
        last = page[-1].item_id
        stones: dict[int, list[Tombstone]] = {}
        for stone in tombstones(db, project_id=project_id, after=after, last=last, version=at.version):
            stones.setdefault(stone.item_id, []).append(stone)
        grouped = groupby(page, key=lambda line: (line.item_id, line.idempotency_key))
        yield [Item(*key, [_decision(line) for line in lines if line.id is not None], stones.get(key[0], [])) for key, lines in grouped]
        after = last


def tombstones(db: Database, *, project_id: int, after: int, last: int, version: int) -> list[Tombstone]:
    """Those of the items above `after`, up to `last`, of this version and earlier ones."""
    return db.all("datasets/tombstones", Tombstone, project_id=project_id, after=after, last=last, version=version)


def _decision(line: _Line) -> Decision:
    return Decision(**{name: getattr(line, name) for name in Decision.__slots__})
