"""Actions over many items: a lead assigns, moves, prioritises, sends back or cancels those that were named, or all that fit filters.

The list is fixed before anything is done; `acting` then does one item after the other, each with its own end: done, or why not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors
from claimcheck.access import people
from claimcheck.db import Connection, Database
from claimcheck.triage import asking, searching

KINDS = ("assign", "move", "prioritise", "send_back", "cancel")
REASONED = ("send_back", "cancel")  # what cannot be undone by doing it the other way round says why
NAMED, LONGEST_LIST = 500, 10_000  # items: named at once; that a list holds at most
LONGEST_WHY = 2000
HOURS, LONGEST_HOURS = 24, 168  # for which items are kept for somebody
LEADS_QUEUES = ("escalation", "adjudication", "approval", "automatic")  # nothing is moved there by hand
NEWEST = 2**62
MOVED = "This action has moved on since you looked at it. Look at it again."


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be done. `to` is a person (None: kept for nobody any more) for `hours`; `queue` and `priority` are where it goes."""

    kind: str
    why: str = ""
    to: int | None = None
    hours: int = HOURS
    queue: str = ""
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """One. `state`: gathering its list; listed, until a lead says go on; acting; done; dropped.

    Of `members`, `acted` have come to an end, `done` of them well. `blind`: other leads may have to be the second pair of eyes on what it proposes.
    """

    id: int
    kind: str
    what: dict[str, Any]
    why: str
    filters: dict[str, str] | None
    state: str
    members: int
    acted: int
    done: int
    asked_at: datetime
    asked_by: str
    kept_for: str | None
    asker_id: int
    blind: bool

    @property
    def under_way(self) -> bool:
        """Whether a worker has something to do for it."""
        return self.state in ("gathering", "acting")


@dataclass(frozen=True, slots=True)
class Member:
    """An item of the list; `done` is None until its turn has come."""

    n: int
    item_id: int
    idempotency_key: str
    title: str
    done: bool | None
    why: str | None


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def ask(db: Database, wish: Wish, *, me: int, item_ids: Sequence[int] = (), filters: Mapping[str, str] | None = None) -> int:
    """Begins one over these items, or over those that fit the filters; its id. Raises Invalid or Forbidden."""
    what, why = _what(db, wish), _why(wish)
    if bool(item_ids) == bool(filters):
        raise errors.Invalid.field("item_ids", "name items, or say by filters which ones; one of the two")
    named = _named(db, item_ids)
    kept = None if filters is None else Jsonb(_filters(filters))
    given = {"kind": wish.kind, "what": Jsonb(what), "why": why, "filters": kept, "item_ids": named, "me": me}
    made = db.one("item_actions/ask", _Id, **given)
    if made is None:
        raise errors.Forbidden("Only a lead acts on many items.")
    return made.id


def _what(db: Database, wish: Wish) -> dict[str, Any]:
    """What is kept of a wish. Raises Invalid."""
    if wish.kind not in KINDS:
        raise errors.Invalid.field("kind", f"choose one of {', '.join(KINDS)}")
    if wish.kind == "assign":
        return _assigned(db, wish)
    if wish.kind == "move":
        if not wish.queue or len(wish.queue) > 60 or "\0" in wish.queue or wish.queue in LEADS_QUEUES:
            raise errors.Invalid.field("queue", "name a queue of reviewers: review, or one of the project's own")
        return {"queue": wish.queue}
    if wish.kind == "prioritise":
        if wish.priority is None or not -10 <= wish.priority <= 20:
            raise errors.Invalid.field("priority", "must be a whole number from -10 to 20")
        return {"priority": wish.priority}
    return {}


def _assigned(db: Database, wish: Wish) -> dict[str, Any]:
    if wish.to is None:
        return {}
    if not 1 <= wish.hours <= LONGEST_HOURS:
        raise errors.Invalid.field("hours", f"must be a whole number from 1 to {LONGEST_HOURS}")
    try:
        person = people.load(db, person_id=wish.to)
    except errors.NotFound:
        person = None
    if person is None or person.role not in ("reviewer", "lead") or person.disabled_at is not None:
        raise errors.Invalid.field("to", "give the number of a reviewer or a lead who works here")
    return {"to": wish.to, "until": (datetime.now(UTC) + timedelta(hours=wish.hours)).isoformat()}


def _why(wish: Wish) -> str:
    why = wish.why.replace("\r\n", "\n").strip()
    if not why and wish.kind in REASONED:
        raise errors.Invalid.field("why", "say why; it is kept with each item")
    if len(why) > LONGEST_WHY or "\0" in why:
        raise errors.Invalid.field("why", f"must be at most {LONGEST_WHY:,} characters, without NUL")
    return why


def _named(db: Database, item_ids: Sequence[int]) -> list[int]:
    """Each once. Raises Invalid."""
    named = list(dict.fromkeys(item_ids))
    if len(named) > NAMED:
        raise errors.Invalid.field("item_ids", f"names {len(named)} items; {NAMED} are the limit at once, so say by filters which ones")
    known = {row.id for row in db.all("item_actions/known", _Id, item_ids=named)}
    unknown = next((item_id for item_id in named if item_id not in known), None)
    if unknown is not None:
        raise errors.Invalid.field("item_ids", f"there is no item {unknown}")
    return named


def _filters(given: Mapping[str, str]) -> dict[str, str]:
    """Filters as they are kept. Raises Invalid."""
    unknown = next((name for name in given if name not in asking.NAMES or name == "after"), None)
    if unknown is not None:
        raise errors.Invalid.field("filters", f"{unknown!r} is not one of them")
    searching.check(asking.read(given))
    kept = asking.kept(given)
    if not set(kept) - {"order"}:
        raise errors.Invalid.field("filters", "choose at least one: an action never means every item of the desk")
    return kept


def load(db: Database | Connection, *, action_id: int, me: int) -> Action:
    """One. Raises NotFound, or Forbidden where it would tell another lead what waits for their eyes."""
    found = db.one("item_actions/load", Action, action_id=action_id)
    if found is None:
        raise errors.NotFound()
    if found.blind and found.asker_id != me:
        raise errors.Forbidden("You may be asked for a second look at one of these items, so until then only the lead who asked for this sees it.")
    return found


def page(db: Database, *, me: int, before: int = NEWEST, limit: int = 50) -> list[Action]:
    """Those asked for so far that this person may see, the newest first."""
    return db.all("item_actions/page", Action, me=me, before=before, limit=limit)


def members(db: Database, *, action_id: int, after: int = 0, limit: int = 100, refused: bool = False) -> list[Member]:
    """The list from a place on; or only what was not done."""
    statement = "item_actions/refused" if refused else "item_actions/members"
    return db.all(statement, Member, action_id=action_id, after=after, limit=limit)


def go_on(db: Database, *, action_id: int, me: int, members: int) -> None:
    """Has the list acted on. Raises NotFound, or Conflict where it is not as long, or not as far, as was seen."""
    load(db, action_id=action_id, me=me)
    if not db.run("item_actions/go_on", action_id=action_id, me=me, members=members):
        raise errors.Conflict(MOVED)


def drop(db: Database, *, action_id: int, me: int) -> None:
    """Nothing more of it is done; what was done stays. Raises NotFound or Conflict."""
    load(db, action_id=action_id, me=me)
    if not db.run("item_actions/drop", action_id=action_id, me=me):
        raise errors.Conflict(MOVED)
