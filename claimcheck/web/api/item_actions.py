"""`/v1/items/actions`: a lead assigns, moves, prioritises, sends back or cancels many items at once."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from claimcheck import errors
from claimcheck.triage import acting, actions
from claimcheck.triage.actions import Wish
from claimcheck.validation import Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Body, Query
from claimcheck.web.api.routes import INT4, INT8, Call, route

LEAD = ("lead",)
Kind = Literal["assign", "move", "prioritise", "send_back", "cancel"]
ItemId = Annotated[int, Field(ge=1, le=INT8)]


class Ask(Model):
    """What is to be done, and with which items: named by `item_ids`, or all that fit `filters`."""

    kind: Kind
    item_ids: list[ItemId] = Field(default=[], max_length=actions.NAMED)
    filters: dict[Annotated[str, Field(max_length=20)], Annotated[str, Field(max_length=300)]] | None = Field(
        None, description="as in `GET /v1/items`, without `after`"
    )
    why: Prose = Field("", description="needed to send back and to cancel; kept with each item")
    to: int | None = Field(None, ge=1, le=INT4, description="of assign: whom they are kept for; absent: for nobody any more")
    hours: int = Field(actions.HOURS, ge=1, le=actions.LONGEST_HOURS, description="of assign: for how long")
    queue: str = Field("", max_length=60, description="of move: a queue of the items' project")
    priority: int | None = Field(None, ge=-10, le=20, description="of prioritise")


class Go(Model):
    """How long the list was that you saw, so that nothing is done to another one."""

    members: int = Field(ge=0, le=INT4)


class Page(Query):
    before: int = Field(actions.NEWEST, ge=1, le=actions.NEWEST)
    limit: int = Field(50, ge=1, le=200)


class MembersQuery(Query):
    after: int = Field(0, ge=0, le=INT4)
    limit: int = Field(100, ge=1, le=500)
    refused: bool = Field(False, description="only what was not done")


class One(models.Answer):
    id: int
    kind: Kind
    what: dict[str, Any] = Field(description="`to` and `until`, `queue`, or `priority`")
    why: str
    filters: dict[str, str] | None
    state: Literal["gathering", "listed", "acting", "done", "dropped"]
    members: int
    acted: int = Field(description="of them, those that came to their end")
    done: int = Field(description="of those, the ones with which it was done")
    asked_by: str
    asked_at: datetime


class Lines(models.Answer):
    actions: list[One]
    next: str | None


class Member(models.Answer):
    n: int
    item_id: int
    idempotency_key: str
    done: bool | None = Field(description="null until its turn has come")
    why: str | None = Field(description="why not; or what is still to come")


class Members(models.Answer):
    members: list[Member]
    next: str | None


class Made(models.Answer):
    id: int
    status_url: str


@route("POST", "/items/actions", roles=LEAD, body=Body(Ask), answers={202: Made})
def make(call: Call) -> Any:
    """Begins one. Named items are acted on at once; those that fit filters are listed first, and wait for `…/go-on`."""
    sent, db = call.body, desk().db
    wish = Wish(sent.kind, why=sent.why, to=sent.to, hours=sent.hours, queue=sent.queue, priority=sent.priority)
    made = actions.ask(db, wish, me=call.person.id, item_ids=sent.item_ids, filters=sent.filters)
    if sent.item_ids:
        acting.begin(db, action_id=made)
    return 202, _made(made)


def _made(action_id: int) -> dict[str, Any]:
    return {"id": action_id, "status_url": answers.address(f"/v1/items/actions/{action_id}")}


@route("GET", "/items/actions", roles=LEAD, query=Page, answers={200: Lines})
def page(call: Call) -> Any:
    """Those begun so far, the newest first."""
    found = actions.page(desk().db, me=call.person.id, before=call.query.before, limit=call.query.limit)
    more = answers.following("/v1/items/actions", call.query, found, before="id")
    return 200, {"actions": [One.of(action) for action in found], "next": more}


@route("GET", "/items/actions/{action_id}", roles=LEAD, answers={200: One})
def get(call: Call, action_id: int) -> Any:
    """One: how far it is."""
    return 200, One.of(actions.load(desk().db, action_id=action_id, me=call.person.id))


@route("GET", "/items/actions/{action_id}/members", roles=LEAD, query=MembersQuery, answers={200: Members})
def members(call: Call, action_id: int) -> Any:
    """The list in its order, and what came of each item: done, or why not."""
    db, asked = desk().db, call.query
    action = actions.load(db, action_id=action_id, me=call.person.id)
    found = actions.members(db, action_id=action.id, after=asked.after, limit=asked.limit, refused=asked.refused)
    more = answers.following(f"/v1/items/actions/{action.id}/members", asked, found, after="n")
    return 200, {"members": [Member.of(m) for m in found], "next": more}


@route("POST", "/items/actions/{action_id}/go-on", roles=LEAD, body=Body(Go), answers={202: Made}, raises=(errors.Conflict,))
def go_on(call: Call, action_id: int) -> Any:
    """Has the list acted on, once it is complete (`listed`) and as long as you saw it."""
    actions.go_on(desk().db, action_id=action_id, me=call.person.id, members=call.body.members)
    return 202, _made(action_id)


@route("POST", "/items/actions/{action_id}/drop", roles=LEAD, answers={202: Made}, raises=(errors.Conflict,))
def drop(call: Call, action_id: int) -> Any:
    """Stops it. What was done stays done."""
    actions.drop(desk().db, action_id=action_id, me=call.person.id)
    return 202, _made(action_id)
