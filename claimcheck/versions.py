"""A project's rules over time: every change is one more version, with its why, and the tasks that are open follow it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from claimcheck import errors, evidence, projects, sweeps
from claimcheck.config import Settings
from claimcheck.control import facets
from claimcheck.db import Connection, Database
from claimcheck.outbound import effects
from claimcheck.rules import Rules

FIXED = ("name", "skill")
RANKED = ("priority", "weight", "quality_floor", "thresholds")  # what the order of claims is made of


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a project's rules: who made it, and why."""

    version: int
    shown_version: int
    rules: dict[str, Any]
    why: str
    created_at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class _Locked:
    version: int
    shown_version: int
    cancelled: bool


@dataclass(frozen=True, slots=True)
class InForce:
    """The rules in force, and their version."""

    version: int
    rules: Rules


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change comes to. `version` is in force now; `secret` is a new webhook's."""

    version: int
    old: Rules
    new: Rules
    secret: str | None

    @property
    def nothing(self) -> bool:
        return self.old == self.new

    @property
    def fields(self) -> list[str]:
        """The rules that are others now."""
        return differing(self.old, self.new)


def differing(old: Rules, new: Rules) -> list[str]:
    """The rules that are not the same in both."""
    return [name for name in Rules.model_fields if getattr(old, name) != getattr(new, name)]


def page(db: Database | Connection, project_id: int, *, after: int = 0, limit: int = 50) -> list[Version]:
    """Versions of a project's rules, newest first: the newest, or those older than `after`. Fewer than `limit` where rules are large.

    The last page ends with version 1.
    """
    return db.all("versions/all", Version, project_id=project_id, after=after, limit=limit)


def last_changed(db: Database | Connection, project_id: int, fields: Collection[str]) -> dict[str, Version]:
    """The version that brought each of these rules as it stands, where it is among the newest and not the first."""
    found: dict[str, Version] = {}
    for newer, older in pairwise(page(db, project_id)):
        found |= {name: newer for name in fields if name not in found and newer.rules.get(name) != older.rules.get(name)}
    return found


def change(db: Database, project_id: int, me: int, new: Rules, *, why: str, settings: Settings | None = None) -> str | None:
    """The rules from now on; a webhook's secret where it is new. Rules that are in force already change nothing.

    Open tasks follow: they are hashed anew where what is shown or asked has changed, ranked anew where weight, priority or
    tier have; what a crash cuts off of that, a publisher finishes. What people hold stays theirs. Raises NotFound, Invalid for
    another name or skill, ProjectCancelled.
    """
    return edit(db, project_id, me, lambda *_: new, why=why, settings=settings).secret


def edit(
    db: Database, project_id: int, me: int, make: Callable[[Connection, InForce], Rules], *, why: str, settings: Settings | None = None
) -> Changed:
    """As `change`, to rules made of those in force, which nobody else changes meanwhile. `make` may raise, and may run several times."""
    changed = db.together(lambda connection: _change(connection, project_id, me, make, why, settings))
    if changed.nothing:
        return changed
    if _ranked(changed.old) != _ranked(changed.new):
        sweeps.rerank(db, project_id=project_id)
    if changed.old.asked() != changed.new.asked():
        evidence.rehash(db, project_id=project_id)
    if not {*changed.new.masked} <= {*changed.old.masked}:
        evidence.untitle(db, project_id=project_id)
    if gone := [pointer for pointer in changed.old.facets if pointer not in changed.new.facets]:
        facets.erase(db, project_id=project_id, gone=gone)
    return changed


def _ranked(rules: Rules) -> list[Any]:
    return [getattr(rules, name) for name in RANKED]


def _change(
    connection: Connection, project_id: int, me: int, make: Callable[[Connection, InForce], Rules], why: str, settings: Settings | None
) -> Changed:
    there = connection.one("versions/lock", _Locked, project_id=project_id)
    if there is None:
        raise errors.NotFound()
    old = projects.rules(connection, project_id, there.version)
    new = make(connection, InForce(there.version, old))
    if old == new:
        return Changed(there.version, old, new, None)
    _refuse(there, old, new)
    at = projects.InForce(there.version + 1, there.version + 1 if old.asked() != new.asked() else there.shown_version)
    projects.open_lanes(connection, new)
    projects.add_version(connection, project_id, at, new, me, why)
    changed = Changed(at.version, old, new, None)
    connection.run("versions/change", project_id=project_id, version=at.version, shown_version=at.shown_version, me=me, why=why,
                   fields=changed.fields, ranks=_ranked(old) != _ranked(new), seconds=sweeps.TURN_SECONDS, **projects.terms(new))  # fmt: skip
    projects.put_reasons(connection, project_id, new)
    projects.open_queues(connection, project_id, new)
    secret = effects.install(connection, project_id, new.webhook, settings) if old.webhook != new.webhook else None
    return replace(changed, secret=secret)


def _refuse(there: _Locked, old: Rules, new: Rules) -> None:
    if there.cancelled:
        raise errors.ProjectCancelled("The project was cancelled; its rules stay as they are.")
    fixed = next((name for name in FIXED if getattr(old, name) != getattr(new, name)), None)
    if fixed is not None:
        raise errors.Invalid.field(f"rules.{fixed}", f"must stay {getattr(old, fixed)!r}; open another project for another {fixed}")
