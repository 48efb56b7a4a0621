"""Items for leads, and for the customer whose they are: a list that reads no payload, and the page of one."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request

from claimcheck import errors
from claimcheck.access import masking
from claimcheck.review import history
from claimcheck.triage import asking
from claimcheck.web import access, desk, item_list, item_page, numbers, shown

blueprint = Blueprint("items", __name__, url_prefix="/items")


@blueprint.get("")
@access.allow("lead", "customer")
def page():
    """A page of items by the filters of the address, which is there to be shared; with `look`, one of them beside it."""
    if not set(request.args) <= {*asking.NAMES, "look"}:
        abort(400)
    me, look = access.current(), request.args.get("look", "")
    if look and not (look.isascii() and look.isdigit() and len(look) < 19):
        raise errors.Invalid.field("look", "give an item's number")
    return item_list.show(item_list.told(request.args, me), me, look=int(look) if look else None)


@blueprint.get("/rows")
@access.allow("lead", "customer", background=True)
def rows():
    """The rows of a page as they are now, for a page that is open."""
    if not set(request.args) <= {*asking.NAMES}:
        abort(400)
    me = access.current()
    found = item_list.found(item_list.told(request.args, me), me)
    return render_template("items/_rows.html", page=found, states=item_list.STATES, typed=item_list.Typed(), place={}, facts=None)


@blueprint.get("/<int:item_id>/beside")
@access.allow("lead", "customer")
def beside(item_id: int):
    """An item's facts, to stand beside the list."""
    return render_template("items/_beside.html", **item_list.beside(item_id, access.current()))


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
    number = numbers.asked("version", facts.evidence_version)
    asked, said = shown.asked(), ""
    try:
        masks = shown.masks(facts.project_id, asked) if me.role == "lead" else None
    except errors.Invalid as error:
        asked, said = masking.NOTHING, error.errors[0].message
        masks = shown.masks(facts.project_id)
    seen = shown.of_item(facts, number, me, asked if masks else masking.NOTHING)
    return item_page.show(item_id, me, payload=seen, payload_version=number, masks=masks, not_revealed=said), 422 if said else 200
