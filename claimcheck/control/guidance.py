"""How to judge, as leads write it: a rule of the project with versions of its own, changed in place and never over somebody else's change."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from claimcheck import errors, rules, versions
from claimcheck.db import Connection, Database
from claimcheck.rules import Rules

MOST = 50  # versions that are shown
Mark = Literal["same", "added", "removed"]


@dataclass(frozen=True, slots=True)
class Guidance:
    """A version of the guidance, by the number of the project's version that brought it."""

    version: int
    text: str
    why: str
    created_at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a comparison."""

    mark: Mark
    text: str


def of_project(db: Database, *, project_id: int) -> list[Guidance]:
    """Every version, the one in force first; the first one of a project may be empty."""
    return db.all("guidance/versions", Guidance, project_id=project_id, limit=MOST)


def at(db: Database, *, project_id: int, moment: datetime) -> Guidance | None:
    """What was in force at a moment; None before the project was there."""
    return db.one("guidance/at", Guidance, project_id=project_id, at=moment)


def write(db: Database, *, project_id: int, text: str, why: str, after: int, me: int) -> int:
    """The guidance from now on, and the version that brings it. `after` is the version that the writer had before them.

    Raises GuidanceChanged where another one is in force by now, Invalid, NotFound, ProjectCancelled. The same text changes nothing.
    """
    text = text.replace("\r\n", "\n").strip()
    if not why.strip():
        raise errors.Invalid.field("why", "say why the guidance changes, for the record")

    def make(connection: Connection, now: versions.InForce) -> Rules:
        [newest] = connection.all("guidance/versions", Guidance, project_id=project_id, limit=1)
        if newest.text != text and newest.version != after:
            raise errors.GuidanceChanged()
        return rules.parse({**now.rules.stored(), "guidance": text})

    return versions.edit(db, project_id, me, make, why=why.strip()[:2000]).version


def compare(old: str, new: str) -> list[Line]:
    """What became of each line."""
    before, after, found = old.splitlines(), new.splitlines(), list[Line]()
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            found += [Line("same", line) for line in before[a:b]]
        else:
            found += [Line("removed", line) for line in before[a:b]] + [Line("added", line) for line in after[c:d]]
    return found
