"""Saved views: a search of items under a name and an address of its own, for its person alone or for all leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from claimcheck import errors
from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.triage import asking, searching

MOST, LONGEST_NAME = 50, 80  # views of a person; characters of a name


@dataclass(frozen=True, slots=True)
class View:
    """One. `filters` are as an address carries them."""

    id: int
    person_id: int
    person: str
    name: str
    shared: bool
    filters: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def save(db: Database, *, me: int, name: str, shared: bool, filters: Mapping[str, str]) -> int:
    """Keeps a search, in place of the one under that name; its number. Raises Invalid."""
    name = people.line(" ".join(name.split()), "name", LONGEST_NAME)
    searching.check(asking.read(filters))
    kept = asking.kept(filters)
    if not kept:
        raise errors.Invalid.field("filters", "choose at least one: a view of all items has an address already")
    made = db.one("saved_views/save", _Id, me=me, name=name, shared=shared, filters=Jsonb(kept), most=MOST)
    if made is None:
        raise errors.Invalid.field("name", f"you have {MOST} views; remove one first")
    return made.id


def known(filters: Mapping[str, str]) -> Mapping[str, str]:
    """The filters, if each is one. Raises Invalid."""
    unknown = next((name for name in filters if name not in asking.NAMES or name == "after"), None)
    if unknown is not None:
        raise errors.Invalid.field("filters", f"{unknown!r} is not one of them")
    return filters


def page(db: Database, *, me: int) -> list[View]:
    """This person's own, then those that others share."""
    return db.all("saved_views/page", View, me=me)


def load(db: Database, *, view_id: int, me: int) -> View:
    """One that is this person's, or shared. Raises NotFound."""
    found = db.one("saved_views/load", View, view_id=view_id, me=me)
    if found is None:
        raise errors.NotFound()
    return found


def remove(db: Database, *, view_id: int, me: int) -> None:
    """Only whoever saved one removes it. Raises NotFound."""
    if not db.run("saved_views/remove", view_id=view_id, me=me):
        raise errors.NotFound()
