"""Groups of alike items that wait: by queue, counterparty, match decision, currency, and the band that their variance lies in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from claimcheck import errors
from claimcheck.db import Database

WINDOW = 200  # open tasks that one page of groups looks through: each may lie on a page of its own, and so may its item
PARTS = ("queue", "counterparty", "match_decision", "currency", "band")
LONGEST = 300  # characters of a part


@dataclass(frozen=True, slots=True)
class Group:
    """Items that have these parts in common; a part that is empty is one that they lack."""

    same: tuple[str, ...]
    items: int
    oldest: datetime

    @property
    def parts(self) -> dict[str, str]:
        return dict(zip(PARTS, self.same, strict=True))


@dataclass(frozen=True, slots=True)
class Page:
    """What was found among `looked` open tasks; `last` is where to look further from, None at the end."""

    groups: list[Group]
    looked: int
    last: int | None


@dataclass(frozen=True, slots=True)
class _Row:
    alike: list[str] | None
    items: int
    oldest: datetime | None
    looked: int
    last: int


def page(db: Database, *, project_id: int, me: int, after: int = 0) -> Page:
    """Groups of what waits for a single look of anybody's, but for what this lead has seen, the largest first."""
    rows = db.all("batch_decisions/groups", _Row, project_id=project_id, me=me, after=after, window=WINDOW)
    found = [Group(tuple(row.alike), row.items, row.oldest) for row in rows if row.alike and row.oldest]
    looked, last = (rows[0].looked, rows[0].last) if rows else (0, 0)
    return Page(found, looked, last if looked == WINDOW else None)


def same(parts: Mapping[str, str | None]) -> list[str | None]:
    """A group as it is stored: what its items have in common, part by part; None for what they need not have. Raises Invalid."""
    unknown = next((name for name in parts if name not in PARTS), None)
    if unknown is not None:
        raise errors.Invalid.field("same", f"names {unknown!r}; items are alike by {', '.join(PARTS)}")
    chosen = [parts.get(name) for name in PARTS]
    long = next((name for name, value in zip(PARTS, chosen, strict=True) if value is not None and (len(value) > LONGEST or "\x00" in value)), None)
    if long is not None:
        raise errors.Invalid.field(f"same.{long}", f"must be at most {LONGEST} characters, without NUL")
    if all(value is None for value in chosen):
        raise errors.Invalid.field("same", f"say what the items have in common: at least one of {', '.join(PARTS)}")
    return chosen
