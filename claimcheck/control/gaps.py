"""Policy gaps: what items have in common that were abandoned, escalated, disagreed on or overturned more often than the rest of their project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from psycopg.types.json import Jsonb

from claimcheck.db import Connection, Database
from claimcheck.quality.lift import lift

LATEST = 50_000  # decisions whose items are looked at, and tasks of the leads
LEAST = 5  # items of a group that went wrong, before it is shown
ERROR = 0.05  # the chance that a project in which nothing matters shows any group at all
MOST = 500  # groups that are kept
VALUES = 200  # of a facet: the commonest ones


@dataclass(frozen=True, slots=True)
class Group:
    """Items of a project that have one thing in common; without a feature, all of them. `compared` are its groups of some size."""

    project_id: int
    feature: str
    value: str
    items: int
    gaps: int
    abandoned: int
    escalated: int
    disagreed: int
    overturned: int
    examples: list[int] | None
    compared: int


@dataclass(frozen=True, slots=True)
class Gap:
    """A group that stands out: `gaps` of its `items`, against `other_gaps` of `other_items` of the rest; `lift` times as often, `low` at least."""

    project_id: int
    project: str
    feature: str
    value: str
    label: str
    items: int
    gaps: int
    abandoned: int
    escalated: int
    disagreed: int
    overturned: int
    other_items: int
    other_gaps: int
    lift: float
    low: float
    examples: list[int]


@dataclass(frozen=True, slots=True)
class Whole:
    """A project's items that were looked at, and what of them went wrong."""

    project_id: int
    project: str
    items: int
    gaps: int
    abandoned: int
    escalated: int
    disagreed: int
    overturned: int


def count(connection: Connection) -> None:
    """Counts everything anew; the turn is the caller's."""
    found = connection.all("policy_gaps/count", Group, latest=LATEST, least=LEAST, values=VALUES)
    connection.run("policy_gaps/clear")
    connection.run("policy_gaps/put", found=Jsonb([*standing_out(found)]))


def standing_out(groups: list[Group]) -> Iterator[dict[str, object]]:
    """Each project's whole, and its groups whose bound lies above 1, as rows. All groups that a project compares share the error (Bonferroni)."""
    wholes = {g.project_id: g for g in groups if not g.feature}
    for whole in wholes.values():
        yield _row(whole, 0, 0)
    kept: list[tuple[float, dict[str, object]]] = []
    for group in groups:
        whole = wholes[group.project_id]
        others, other_gaps = whole.items - group.items, whole.gaps - group.gaps
        if not group.feature or others <= 0 or group.gaps * others <= other_gaps * group.items:
            continue
        found = lift(group.gaps, group.items, other_gaps, others, error=ERROR / group.compared)
        if found.low > 1:
            kept.append((group.gaps - group.items * other_gaps / others, _row(group, others, other_gaps, lift=found.ratio, low=found.low)))
    yield from (row for _, row in sorted(kept, key=lambda one: -one[0])[:MOST])


def _row(group: Group, others: int, other_gaps: int, *, lift: float | None = None, low: float | None = None) -> dict[str, object]:
    return {**asdict(group), "examples": group.examples or [], "other_items": others, "other_gaps": other_gaps, "lift": lift, "low": low}


def page(db: Database, *, project_id: int = 0, limit: int = 50) -> list[Gap]:
    """What stands out, in a project or (0) in all; where the most items could be spared first."""
    return db.all("policy_gaps/page", Gap, project_id=project_id, limit=limit)


def projects(db: Database) -> list[Whole]:
    """The projects in which something went wrong."""
    return db.all("policy_gaps/projects", Whole)
