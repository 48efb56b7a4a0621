"""`/v1/access-events`: who saw a customer's data, page by page."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from flask import Response
from pydantic import Field

from claimcheck import errors
from claimcheck.access import access_events
from claimcheck.access.access_events import EVER, NEVER, Filter
from claimcheck.validation import Moment
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Query
from claimcheck.web.api.routes import INT4, INT8, Call, route

CSV = "text/csv"


class Page(Query):
    customer_id: int | None = Field(None, ge=1, le=INT4, description="whose data was seen; customers may leave it out, and see their own")
    person: str | None = Field(None, min_length=1, max_length=50, pattern=r"^[^\x00]*$", description="who saw it, as named on receipts")
    item_id: int | None = Field(None, ge=1, le=INT8)
    since: Moment | None = None
    until: Moment | None = Field(None, description="events before this moment")
    before: int = Field(access_events.NEWEST, ge=1, le=INT8, description="the id to go on below")
    limit: int = Field(100, ge=1, le=1000)
    format: Literal["json", "csv"] = Field("json", description="csv gives all of them at once, as a stream")


class AccessEvent(models.Answer):
    id: int
    at: datetime
    person: str = Field(description="as on receipts")
    role: str
    project_id: int
    project: str
    item_id: int
    idempotency_key: str
    evidence_version: int
    part: str = Field(description="`payload.json`: the payload's fields; else a file")
    field: str | None = Field(description="the masked field or file that was revealed")
    purpose: str


class AccessEvents(models.Answer):
    access_events: list[AccessEvent]
    next: str | None


@route(
    "GET", "/access-events", roles=("customer", "lead", "operator"), query=Page, answers={200: (AccessEvents, CSV)},
    raises=(errors.NotFound, errors.Invalid),
)  # fmt: skip
def page(call: Call) -> Any:
    """Who saw a customer's data, newest first: every part of every item, each masked field that was revealed, and what for.

    To customers without copies of gold.
    """
    asked, db = call.query, desk().db
    wanted = _wanted(call)
    if asked.format == "csv":
        return Response(access_events.written(db, wanted), content_type=f"{CSV}; charset=utf-8", headers={"Vary": "Authorization"})
    found = access_events.page(db, wanted, before=asked.before, limit=asked.limit + 1)
    shown = found[: asked.limit]
    more = answers.again("/v1/access-events", asked, before=shown[-1].id) if len(found) > asked.limit else None
    return 200, {"access_events": [_shown(sight) for sight in shown], "next": more}


def _wanted(call: Call) -> Filter:
    asked, mine = call.query, call.person.customer_id
    customer = mine if call.person.role == "customer" else asked.customer_id
    if customer is None:
        raise errors.Invalid.field("customer_id", "is required: whose data was seen")
    if asked.customer_id not in (None, customer):
        raise errors.NotFound()
    person_id = access_events.known(desk().db, asked.person).id if asked.person else None
    return Filter(customer, person_id, asked.item_id, asked.since or EVER, asked.until or NEVER, copies=call.person.role != "customer")


def _shown(sight: access_events.Sight) -> dict[str, Any]:
    row = asdict(sight) | {"person": sight.pseudonym}
    return {name: row[name] for name in AccessEvent.model_fields}
