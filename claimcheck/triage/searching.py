"""Searching items: the filter that promises least is walked in its index, a bounded number of items is judged, and the page says how far it looked.

Nothing is counted and nothing is sorted, so a page costs the same however much there is. Why, and what each walk costs: `queue/README.md`, Triage.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from claimcheck import errors
from claimcheck.db import Connection, Database

PAGE = 20  # items of a page
LOOKS, DEAR = 32, 16  # items that a page looks at where each of them costs several reads, and where it costs more of them
FAR = 2**62
STATES = ("not_durable", "pending", "leased", "blocked", "escalated", "approval", "paused", "settled", "cancelled")
OPEN = ("pending", "blocked", "paused", "escalated", "approval")  # the oldest first
PLACE = re.compile(r"(?:([0-9]{1,18}(?:\.[0-9]{1,18})?)~)?([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class Asked:
    """Filters, each of them optional. `older` and `newer` bound when items arrived; `least` and `most` the amount, whatever its sign.

    `order` is newest or oldest; None: oldest for what waits, newest for all else. `after` is the place where a page goes on.
    """

    project_id: int | None = None
    queue: str | None = None
    state: str | None = None
    older: datetime | None = None
    newer: datetime | None = None
    least: Decimal | None = None
    most: Decimal | None = None
    reason: str | None = None
    reviewer_id: int | None = None
    partition: str | None = None
    trace_id: str | None = None
    key: str | None = None
    order: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item to be judged (None: judged already, in vain), and its place in the walk."""

    item_id: int | None
    place: str


@dataclass(frozen=True, slots=True)
class Row:
    """An item of a page. `n` is its number among the candidates; `reason` is that of the outcome in force."""

    n: int
    id: int
    project_id: int
    project: str
    idempotency_key: str
    trace_id: str
    created_at: datetime
    state: str
    queue: str | None
    priority: int
    lease_count: int | None
    amount: Decimal | None
    currency: str | None
    title: str
    outcome: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """A page. `next_after` is where the next one goes on (None: this is the last); `looked_at` items were looked through for it,

    as far as the asker may know: a customer, and whoever searches by a reason or a reviewer, is told of those that are shown.
    """

    items: list[Row]
    next_after: str | None
    looked_at: int


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


def search(db: Database | Connection, asked: Asked, *, customer_id: int | None = None, page: int = PAGE) -> Found:
    """A page of items that fit; with `customer_id` only that customer's. Raises Invalid for filters that need another one beside them.

    A longer `page` than a screen's is for workers: it looks at that many items.
    A customer learns nothing of what was looked through in vain: neither how much it is, nor where it lies.
    """
    check(asked)
    if customer_id is not None and asked.project_id is not None and not _theirs(db, asked.project_id, customer_id):
        return Found([], None, 0)
    candidates, judged = _walk(db, asked, customer_id, page)
    ids = [c.item_id for c in candidates]
    first = {item_id: n for n, item_id in reversed(list(enumerate(ids)))}  # an item is met twice where somebody decided it twice
    ids = [item_id if first[item_id] == n else None for n, item_id in enumerate(ids)]
    blind = {"reasoned": asked.reason is not None, "reviewed": asked.reviewer_id is not None}
    rows = db.all("triage/page", Row, **_params(judged), **blind, customer_id=customer_id, ids=ids, page=page)
    hidden = customer_id is not None or any(blind.values())  # what a blind look gave as its reason, and whose it is, is not even counted
    if len(rows) > page:
        last = rows[page - 1]
        return Found(rows[:page], candidates[last.n - 1].place, page if hidden else last.n)
    full = len(candidates) >= _limit(asked, page)
    return Found(rows, candidates[-1].place if full else None, len(rows) if hidden else len(candidates))


def _theirs(db: Database | Connection, project_id: int, customer_id: int) -> bool:
    return db.one("triage/theirs", _Id, project_id=project_id, customer_id=customer_id) is not None


def check(asked: Asked) -> None:
    """Raises Invalid where a filter needs another one beside it."""
    for name in ("reason", "partition", "least", "most"):
        if getattr(asked, name) is not None and asked.project_id is None:
            raise errors.Invalid.field(name, "choose the project too: it means something within one only")


def _params(asked: Asked) -> dict[str, Any]:
    return {name: value for name, value in asdict(asked).items() if name not in ("order", "after")}


def _limit(asked: Asked, page: int) -> int:
    """How many items a page looks at: no more than it shows, where nothing but the walk judges them."""
    if page > PAGE:
        return page
    if asked.least is not None or asked.most is not None:
        return DEAR
    judged = replace(asked, project_id=None, order=None, after=None)
    return PAGE + 1 if judged == Asked() else LOOKS


def _walk(db: Database | Connection, asked: Asked, customer_id: int | None, page: int) -> tuple[list[Candidate], Asked]:
    """Candidates in order, and what is still to be judged of them."""
    found = PLACE.fullmatch(asked.after or "")
    amount, place = (found[1], int(found[2])) if found else (None, None)
    down, up = {"high": FAR if place is None else place}, {"low": 0 if place is None else place}
    ask = _params(asked) | {"limit": _limit(asked, page), "customer_id": customer_id}
    if asked.trace_id or asked.key:
        return _all(db, "triage/named", down, ask), asked
    if asked.reviewer_id is not None:
        before = down | {"below": int(Decimal(amount or 2**52)), "first": place is None}
        return _all(db, "triage/of_reviewer", before, ask), replace(asked, reviewer_id=None, reason=None)
    if asked.reason:
        return _all(db, "triage/of_reason", down, ask), replace(asked, reason=None)
    if asked.least is not None or asked.most is not None:
        band = {"least": asked.least or Decimal(0), "most": asked.most or Decimal(10) ** 30, "below": Decimal(amount or 10**30)}
        return _all(db, "triage/of_amount", down, ask | band), asked
    if asked.partition:
        return _all(db, "triage/partition", up, ask), asked
    return _by_state(db, asked, customer_id, amount, place, ask), asked


def _by_state(
    db: Database | Connection, asked: Asked, customer_id: int | None, amount: str | None, place: int | None, ask: dict[str, Any]
) -> list[Candidate]:
    newest = asked.order == "newest" or (asked.order is None and asked.state not in OPEN)
    bounds = {"low": place if place is not None and not newest else 0, "high": place if place is not None and newest else FAR, "newest": newest}
    if asked.state == "leased" and customer_id is None:
        return _all(db, "triage/held", {"list": int((amount or "0").partition(".")[0]), "low": place or 0}, ask)
    if asked.state == "cancelled" and asked.project_id is not None:
        return _all(db, "triage/stopped", {"high": FAR if place is None else place}, ask)
    if asked.state in (*OPEN, "leased"):
        return _all(db, "triage/open", bounds | _among(db, asked, customer_id), ask)
    return _all(db, "triage/items", bounds, ask)


def _among(db: Database | Connection, asked: Asked, customer_id: int | None) -> dict[str, Any]:
    """Which of the open tasks' indexes is walked."""
    queue = None
    if asked.queue and asked.project_id is not None:
        queue = db.one("triage/queue_of", _Id, project_id=asked.project_id, name=asked.queue)
    if queue:
        among = "queue"
    elif asked.project_id is not None:
        among = "project"
    elif customer_id is not None:
        among = "theirs"
    else:
        among = "led" if asked.state == "escalated" else "all"
    return {"among": among, "queue_id": queue.id if queue else None}


def _all(db: Database | Connection, statement: str, bounds: dict[str, Any], ask: dict[str, Any]) -> list[Candidate]:
    return db.all(statement, Candidate, **(ask | bounds))
