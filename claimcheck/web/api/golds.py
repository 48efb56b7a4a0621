"""`/v1/items/{id}/gold` and `/v1/golds/{id}`: an item whose answer is known becomes gold, and is taken out of use."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from claimcheck import errors
from claimcheck.experts import golds
from claimcheck.validation import Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.requests import Body
from claimcheck.web.api.routes import Call, route


class Label(Model):
    """The verdicts or answers that are right, any of them; nobody can read them again."""

    accepted: list[Any] = Field(min_length=1, max_length=20)
    note: Annotated[Prose, Field(max_length=2000)] = ""
    max_exposures: int = Field(golds.MAX_EXPOSURES, ge=1, le=1000, description="ordinary ones, before it is worn out")


class Made(models.Answer):
    id: int = Field(description="of the gold")


@route("POST", "/items/{item_id}/gold", roles=("lead",), body=Body(Label), answers={201: Made}, raises=(errors.GoldExists,))
def make(call: Call, item_id: int) -> Any:
    """Makes an item gold: its copies are handed out among live work, and measure those who look at them."""
    sent: Label = call.body
    told = {"accepted": sent.accepted, "note": sent.note, "max_exposures": sent.max_exposures}
    return 201, {"id": golds.add(desk().db, item_id=item_id, me=call.person.id, **told)}


@route("POST", "/golds/{gold_id}/retire", roles=("lead",), answers={204: None})
def retire(call: Call, gold_id: int) -> Any:
    """Takes a gold out of use; 404 where it is not live."""
    golds.retire(desk().db, gold_id=gold_id, me=call.person.id)
    return 204, None
