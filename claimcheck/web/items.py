"""Items for leads, and for the customer whose they are: a list that reads no payload, and the page of one."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from claimcheck import errors, history, masking, projects
from claimcheck.triage import asking, choices, searching
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


@blueprint.get("")
@access.allow("lead", "customer")
def page():
    """A page of items by the filters of the address, which is there to be shared."""
    if not set(request.args) <= set(asking.NAMES):
        abort(400)
    me, db = access.current(), desk().db
    told = {name: request.args.get(name, "") for name in asking.NAMES}
    if me.role == "customer":
        told["reviewer"] = ""  # who decides is not theirs to know
    asked = asking.read(told)
    found = searching.search(db, asked, customer_id=me.customer_id if me.role == "customer" else None)
    known = projects.page(db, me, limit=500)
    named = choices.of_project(db, project_id=asked.project_id if asked.project_id in {p.id for p in known} else None)
    more = {name: value for name, value in told.items() if value and name != "after"}
    return render_template("items/page.html", page=found, states=STATES, told=told, more=more, projects=known, choices=named)


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
