"""What workers do for actions over many items: the list, then one item a transaction. It may be cut off anywhere and goes on from there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from claimcheck.db import Connection, Database
from claimcheck.operations import chores
from claimcheck.review import decisions, tasks
from claimcheck.triage import asking, searching
from claimcheck.triage.actions import LONGEST_LIST

CHUNK = 500  # items that one step of a search looks at
AT_ONCE = 1.0  # seconds of a request that begins one; a worker has the rest


@dataclass(frozen=True, slots=True)
class _Work:
    id: int
    kind: str
    filters: dict[str, str] | None
    looked_to: str | None
    state: str
    members: int


@dataclass(frozen=True, slots=True)
class _Ended:
    """An item's end: done, or why not. `decision_id` is the outcome's that opened it again."""

    n: int
    done: bool
    why: str | None
    decision_id: int | None


def waits(db: Database) -> bool:
    """Whether an action waits for a worker, or something is kept for somebody whose time is over."""
    return chores.told(db.one("item_actions/waits", chores.Waits))


def run(db: Database, *, chunk: int = CHUNK) -> None:
    """Goes on with every action, in turns, until none has anything to do or others have them in hand."""
    while tasks.lapse_meant(db):
        pass
    chores.in_turns(db, lambda connection, without: step(connection, without=without, chunk=chunk))


def begin(db: Database, *, action_id: int, seconds: float = AT_ONCE) -> None:
    """Acts on the first items at once. Where it breaks it is left to the workers, who tell of it."""
    until = time.monotonic() + seconds
    with suppress(chores.Broke):
        while time.monotonic() < until and db.together(lambda connection: step(connection, action_id=action_id)):
            pass


def step(connection: Connection, *, action_id: int | None = None, without: Sequence[int] = (), chunk: int = CHUNK) -> bool:
    """A piece of a list, or one item; its action's row is locked meanwhile. False: there is nothing to do. Raises chores.Broke."""
    work = connection.one("item_actions/next_work", _Work, action_id=action_id, without=[*without])
    if work is None:
        return False
    with chores.on(work.id):
        if work.state == "gathering":
            _gather(connection, work, chunk)
        else:
            _act(connection, work.id)
    return True


def _gather(connection: Connection, work: _Work, chunk: int) -> None:
    asked = asking.read((work.filters or {}) | {"after": work.looked_to or ""})
    found = searching.search(connection, asked, page=chunk)
    ids, room = [item.id for item in found.items], LONGEST_LIST - work.members
    connection.run("item_actions/gather", action_id=work.id, item_ids=ids, room=room, looked_to=found.next_after)


def _act(connection: Connection, action_id: int) -> None:
    ended = connection.one("item_actions/act", _Ended, action_id=action_id)
    if ended is not None and ended.decision_id is not None:
        decisions.refresh_reopened(connection, ended.decision_id)
