"""`/v1/items/views`: a lead's searches of items under names, and those that other leads share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from claimcheck.triage import views
from claimcheck.validation import Model
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.requests import Body
from claimcheck.web.api.routes import Call, route

LEAD = ("lead",)


class Save(Model):
    """A search, under a name of your own; what stood under it before is gone."""

    name: str = Field(min_length=1, max_length=views.LONGEST_NAME)
    shared: bool = Field(False, description="for all leads")
    filters: dict[Annotated[str, Field(max_length=20)], Annotated[str, Field(max_length=300)]] = Field(
        description="as in `GET /v1/items`, without `after`; at least one"
    )


class One(models.Answer):
    id: int
    person_id: int = Field(description="whose it is; only they remove it or save it anew")
    person: str
    name: str
    shared: bool
    filters: dict[str, str]


class All(models.Answer):
    views: list[One]


@route("POST", "/items/views", roles=LEAD, body=Body(Save), answers={200: One})
def save(call: Call) -> Any:
    """Keeps a search; saved anew under its name it keeps its number, and so its address."""
    sent, db = call.body, desk().db
    made = views.save(db, me=call.person.id, name=sent.name, shared=sent.shared, filters=views.known(sent.filters))
    return 200, One.of(views.load(db, view_id=made, me=call.person.id))


@route("GET", "/items/views", roles=LEAD, answers={200: All})
def page(call: Call) -> Any:
    """Your own, then those that others share, each by name; all in one answer."""
    return 200, {"views": [One.of(view) for view in views.page(desk().db, me=call.person.id)]}


@route("GET", "/items/views/{view_id}", roles=LEAD, answers={200: One})
def get(call: Call, view_id: int) -> Any:
    """One that is yours or shared. Its items: `GET /v1/items` with its `filters`."""
    return 200, One.of(views.load(desk().db, view_id=view_id, me=call.person.id))


@route("DELETE", "/items/views/{view_id}", roles=LEAD, answers={204: None})
def remove(call: Call, view_id: int) -> Any:
    """Takes one of your own away."""
    views.remove(desk().db, view_id=view_id, me=call.person.id)
    return 204, None
