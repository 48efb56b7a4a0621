"""`/v1/projects/{id}/items` and `/v1/items/{id}`: send items, find one, read what became of it."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

from flask import request
from pydantic import Field

from claimcheck import errors, items, lines, projects
from claimcheck.intake import batches
from claimcheck.review import history
from claimcheck.triage import asking, searching
from claimcheck.validation import Model
from claimcheck.web import desk
from claimcheck.web.api import models, payload
from claimcheck.web.api.projects import Started, listed, started
from claimcheck.web.api.requests import LARGE, Body, Query, Stream
from claimcheck.web.api.routes import Call, route

NDJSON = "application/x-ndjson"
STATES = {"full": "leased", "held": "leased", None: "not_durable", "passed_on": "escalated"}


class Items(Model):
    """Rows to take in, each with its own idempotency key."""

    items: list[items.Item]


class Find(Query):
    idempotency_key: str = Field(min_length=1, max_length=200)


class Filters(Query):
    """What to search by, each of them optional; `project` is needed beside reason, partition, least and most."""

    project: str = Field("", description="its number")
    queue: str = Field("", description="where the item stands now")
    state: str = Field("", description=", ".join(searching.STATES))
    older: str = Field("", description="arrived before: an age (12h, 3d) or a moment")
    newer: str = Field("", description="arrived after: an age or a moment")
    least: str = Field("", description="of the amount, whatever its sign")
    most: str = ""
    reason: str = Field("", description="code that a look or an outcome gave")
    reviewer: str = Field("", description="number of who decided or holds it; for leads")
    partition: str = Field("", description="its key")
    trace: str = Field("", description="trace id, exactly")
    key: str = Field("", description="idempotency key, exactly")
    order: str = Field("", description="newest or oldest")
    after: str = Field("", description="`next_after` of the page before")


class Found(models.Answer):
    id: int
    project_id: int
    project: str
    idempotency_key: str
    trace_id: str
    title: str
    created_at: datetime
    state: str
    queue: str | None
    priority: int
    lease_count: int | None
    amount: str | None
    currency: str | None
    outcome: str | None
    reason: str | None


class Page(models.Answer):
    """`looked_at` items were looked through for this page; without `next_after` it is the last."""

    items: list[Found]
    next_after: str | None
    looked_at: int


class Version(models.Answer):
    version: int
    created_at: datetime
    published_at: datetime | None
    evidence_hash: models.Hash | None
    parts: list[models.Part]


class Entry(models.Answer):
    """One thing done with an item."""

    at: datetime
    kind: str
    who: str
    task_kind: str
    decision_id: int | None
    verdict: str | None
    answer: Any
    outcome: str | None
    reason: str | None
    note: str
    evidence_version: int
    evidence_hash: models.Hash | None


class Outcome(models.Answer):
    decision_id: int
    outcome: str
    verdict: str | None
    answer: Any
    reason_code: str | None
    settled_at: datetime
    evidence_version: int
    evidence_changed: bool


class Item(models.Answer):
    id: int
    item_id: int
    project_id: int
    batch_id: int
    idempotency_key: str
    source_hash: models.Hash
    trace_id: str
    priority: int
    partition_key: str | None
    title: str
    created_at: datetime
    state: str = Field(
        description="not_durable, pending, leased, blocked, paused, escalated, approval (waits for a second pair of eyes), settled, cancelled"
    )
    lease_count: int
    evidence_version: int
    outcome: Outcome | None
    versions: list[Version]
    history: list[Entry]


@route(
    "POST", "/projects/{project_id}/items", roles=("customer",), body=Body(Items, LARGE, raw=True, also=(NDJSON,)),
    answers={202: Started}, raises=(errors.QueueSaturated, errors.ProjectCancelled),
)  # fmt: skip
def send(call: Call, project_id: int) -> Any:
    """Takes items in, as JSON or as an NDJSON stream of any length. Good rows go in, bad ones are kept and listed with the batch.

    A stream that is cut, or told to wait, can be sent again whole: rows that are in already are counted as repeated.
    """
    db, me = desk().db, call.person
    project = projects.load(db, project_id, me)
    rows = lines.read(Stream(sys.maxsize)) if request.mimetype == NDJSON else _sent(call.body)
    batch_id = batches.open(db, project_id=project.id, by=me.id)
    try:
        batches.take(db, project=project.id, by=me.id, rows=rows, batch_id=batch_id)
    except errors.Error as error:
        error.facts |= started(batch_id)
        raise
    return 202, started(batch_id)


def _sent(body: Any) -> list[Any]:
    if not isinstance(body, dict) or set(body) != {"items"}:
        raise errors.Invalid.field("items", 'is required, and stands alone: {"items": […]}')
    return listed(body["items"])


@route("GET", "/projects/{project_id}/items", roles=("customer", "lead"), query=Find, answers={200: Item})
def find(call: Call, project_id: int) -> Any:
    """The item of a project that was sent under this idempotency key."""
    project = projects.load(desk().db, project_id, call.person)
    return 200, _one(call, items.find(desk().db, project_id=project.id, idempotency_key=call.query.idempotency_key))


@route("GET", "/items", roles=("customer", "lead"), query=Filters, answers={200: Page}, raises=(errors.Invalid,))
def search(call: Call) -> Any:
    """Items by filters, 20 a page; a page may hold fewer and still not be the last, since it looks at a bounded number of items."""
    given = call.query.model_dump()
    if call.person.role == "customer" and given["reviewer"]:
        raise errors.BadRequest("reviewer: is for leads; leave it out")
    found = searching.search(desk().db, asking.read(given), customer_id=projects.reach(call.person))
    rows = [_found(row) for row in found.items]
    return 200, {"items": rows, "next_after": found.next_after, "looked_at": found.looked_at}


def _found(row: searching.Row) -> dict[str, Any]:
    return {**Found.of(row), "amount": None if row.amount is None else f"{row.amount:f}"}


@route("GET", "/items/{item_id}", roles=("customer", "lead"), answers={200: Item})
def get(call: Call, item_id: int) -> Any:
    """An item: where it stands, its evidence, and what was done with it. What independent looks said stays hidden until all are in."""
    return 200, _one(call, item_id)


def _one(call: Call, item_id: int) -> dict[str, Any]:
    db = desk().db
    facts = history.facts(db, item_id=item_id, customer_id=projects.reach(call.person))
    same = ("project_id", "batch_id", "idempotency_key", "source_hash", "trace_id", "priority", "partition_key", "title", "created_at")
    return {
        "id": facts.id,
        "item_id": facts.id,
        **{name: getattr(facts, name) for name in same},
        "state": _state(facts),
        "lease_count": facts.lease_count or 0,
        "evidence_version": facts.evidence_version,
        "outcome": _outcome(facts),
        "versions": [_version(facts.id, v) for v in history.versions(db, item_id=facts.id)],
        "history": [_entry(e) for e in history.of_item(db, item_id=facts.id)],
    }


def _state(facts: history.Facts) -> str:
    if facts.task_kind in ("escalation", "adjudication") and facts.task_state in ("pending", "full"):
        return "escalated"
    if facts.task_kind == "approval" and facts.task_state in ("pending", "full"):
        return "approval" if facts.outcome_id is None else "settled"
    return STATES.get(facts.task_state, facts.task_state or "not_durable")


def _outcome(facts: history.Facts) -> dict[str, Any] | None:
    if facts.outcome_id is None or facts.outcome == "reopen":
        return None
    same = ("outcome", "verdict", "answer", "reason_code", "settled_at")
    changed = {"evidence_version": facts.outcome_version, "evidence_changed": facts.changed_since}
    return {"decision_id": facts.outcome_id, **{name: getattr(facts, name) for name in same}, **changed}


def _version(item_id: int, version: history.Version) -> dict[str, Any]:
    listed = [{**part, "url": payload.address(item_id, version.version, part["n"])} for part in version.parts or ()]
    same = ("version", "created_at", "published_at", "evidence_hash")
    return {**{name: getattr(version, name) for name in same}, "parts": listed}


def _entry(entry: history.Entry) -> dict[str, Any]:
    same = ("at", "kind", "task_kind", "decision_id", "verdict", "answer", "outcome", "reason", "note", "evidence_version", "evidence_hash")
    return {**{name: getattr(entry, name) for name in same}, "who": entry.pseudonym}
