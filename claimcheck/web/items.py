"""Items for leads, and for the customer whose they are: a list that reads no payload, and the page of one."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, render_template, request

from claimcheck import errors, history, masking, projects
from claimcheck.web import access, desk, item_page, shown

blueprint = Blueprint("items", __name__, url_prefix="/items")
STATES = {
    "not_durable": "Being stored",
    "pending": "Waiting",
    "leased": "Held",
    "blocked": "Waits for its turn",
    "escalated": "Escalated",
    "approval": "Second pair of eyes",
    "paused": "Paused",
    "settled": "Settled",
    "cancelled": "Cancelled",
}
FILTERS = {"project", "state", "key", "after"}


@blueprint.get("")
@access.allow("lead", "customer")
def page():
    if not set(request.args) <= FILTERS:
        abort(400)
    me, asked = access.current(), _asked()
    found = history.page(desk().db, customer_id=me.customer_id if me.role == "customer" else None, **asked)
    return render_template("items/page.html", page=found, states=STATES, asked=asked, projects=projects.page(desk().db, me, limit=500))


def _asked() -> dict[str, Any]:
    """The filters. Raises Invalid for a value that can't be one."""
    state = request.args.get("state") or None
    if state is not None and state not in STATES:
        raise errors.Invalid.field("state", f"choose one of {', '.join(STATES)}")
    key = (request.args.get("key") or "").replace("\0", "").strip()[:200] or None
    return {"project_id": _number("project"), "state": state, "key": key, "after": _number("after")}


def _number(name: str) -> int | None:
    given = request.args.get(name, "").strip()
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 18):
        raise errors.Invalid.field(name, "give a number")
    return int(given)


@blueprint.get("/<int:item_id>")
@access.allow("lead", "customer")
def show(item_id: int):
    """No payload: that is behind its own button, and on record."""
    return item_page.show(item_id, access.current())


@blueprint.post("/<int:item_id>/payload")
@access.allow("lead", "customer")
def payload(item_id: int):
    """The payload of a version, newest where none is named; each look at it is an access event, and each masked field that is revealed."""
    me = access.current()
    facts = history.facts(desk().db, item_id=item_id, customer_id=me.customer_id if me.role == "customer" else None)
    version = request.form.get("version", "")
    number = int(version) if version.isascii() and version.isdigit() and len(version) < 9 else facts.evidence_version
    asked, said = shown.asked(), ""
    try:
        masks = shown.masks(facts.project_id, asked) if me.role == "lead" else None
    except errors.Invalid as error:
        asked, said = masking.NOTHING, error.errors[0].message
        masks = shown.masks(facts.project_id)
    seen = shown.of_item(facts, number, me, asked if masks else masking.NOTHING)
    return item_page.show(item_id, me, payload=seen, payload_version=number, masks=masks, not_revealed=said), 422 if said else 200
