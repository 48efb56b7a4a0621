"""Saved views of the list of items, each under an address of its own, for leads."""

from __future__ import annotations

from flask import Blueprint, flash, request, url_for

from claimcheck import errors
from claimcheck.triage import asking, views
from claimcheck.web import access, desk, htmx, item_list
from claimcheck.web.item_list import Typed

blueprint = Blueprint("saved_views", __name__, url_prefix="/items/views")
leads = access.allow("lead")


@blueprint.get("/<int:view_id>")
@leads
def show(view_id: int):
    """The list by the view's filters. Raises NotFound."""
    me = access.current()
    view = views.load(desk().db, view_id=min(view_id, 2**31 - 1), me=me.id)
    return item_list.show(item_list.told(view.filters, me), me, view=view)


@blueprint.post("")
@leads
def save():
    """Keeps the filters of the list under a name; refused, the list comes back with what was typed."""
    me = access.current()
    filters = {name: request.form.get(f"filter.{name}", "") for name in asking.NAMES}
    try:
        made = views.save(desk().db, me=me.id, name=request.form.get("name", ""), shared=request.form.get("shared") == "yes", filters=filters)
    except errors.Invalid as error:
        return item_list.show(item_list.told(filters, me), me, typed=Typed(request.form.to_dict(), frozenset(), error))
    return htmx.go(url_for("saved_views.show", view_id=made))


@blueprint.post("/<int:view_id>/remove")
@leads
def remove(view_id: int):
    """Takes one's own away."""
    views.remove(desk().db, view_id=min(view_id, 2**31 - 1), me=access.current().id)
    flash("The view is gone. Its filters are still those of this address.")
    return htmx.go(item_list.address({name: request.form.get(f"filter.{name}", "") for name in asking.NAMES}))
