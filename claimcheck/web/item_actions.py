"""Actions over many items: begun from the list, with what became of each item, for leads."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors
from claimcheck.triage import acting, actions, asking
from claimcheck.triage.actions import Action, Wish
from claimcheck.web import access, desk, htmx, item_list, numbers
from claimcheck.web.item_list import Typed

blueprint = Blueprint("item_actions", __name__, url_prefix="/items/actions")
blueprint.record_once(lambda state: state.app.jinja_env.filters.update(action_state=action_state))
leads = access.allow("lead")
SHOWN, PAST = 20, 30


@blueprint.get("")
@leads
def index():
    """Those begun so far."""
    past = actions.page(desk().db, me=access.current().id, before=numbers.asked("before", actions.NEWEST), limit=PAST + 1)
    words = {"kinds": item_list.KINDS, "words": item_list.in_words(access.current())}
    return render_template("item_actions/index.html", past=past[:PAST], more=len(past) > PAST, **words)


@blueprint.post("")
@leads
def make():
    """Begins one over what is ticked, or over all that fits; refused, the list comes back with what was ticked and typed."""
    db, me = desk().db, access.current()
    filters = {name: request.form.get(f"filter.{name}", "") for name in asking.NAMES}
    ticked = request.form.getlist("item")
    try:
        wish = _wish()
        named = [] if request.form.get("which") == "all" else _items(ticked)
        kept = {name: value for name, value in filters.items() if value and name != "after"} if request.form.get("which") == "all" else None
        made = actions.ask(db, wish, me=me.id, item_ids=named, filters=kept)
    except errors.Invalid as error:
        return item_list.show(item_list.told(filters, me), me, typed=Typed(request.form.to_dict(), frozenset(ticked), error))
    if named:
        acting.begin(db, action_id=made)
    back: dict[str, Any] = {name: value for name, value in filters.items() if value}
    return htmx.go(url_for("item_actions.show", action_id=made, **back))


def _wish() -> Wish:
    """Raises Invalid."""
    form = {name: request.form.get(name, "").replace("\0", "").strip() for name in ("kind", "why", "to", "hours", "queue", "priority")}
    if form["kind"] == "assign" and not form["to"]:
        raise errors.Invalid.field("to", "choose whom they are kept for")
    to, hours, priority = _whole("to", form["to"].removeprefix("nobody")), _whole("hours", form["hours"]), _whole("priority", form["priority"])
    return Wish(form["kind"], form["why"], to, actions.HOURS if hours is None else hours, form["queue"], priority)


def _whole(name: str, text: str) -> int | None:
    digits = text.removeprefix("-").removeprefix("−")
    if not text:
        return None
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise errors.Invalid.field(name, "must be a whole number")
    return int(digits) if digits == text else -int(digits)


def _items(ticked: list[str]) -> list[int]:
    """Raises Invalid."""
    if not ticked:
        raise errors.Invalid.field("item", "tick the items that it is about")
    if not all(one.isascii() and one.isdigit() and len(one) < 19 for one in ticked):
        raise errors.Invalid.field("item", "give items by their numbers")
    return [int(one) for one in ticked]


@blueprint.get("/<int:action_id>")
@leads
def show(action_id: int):
    """One, and what became of each item."""
    return _show(actions.load(desk().db, action_id=action_id, me=access.current().id))


def _show(action: Action, error: errors.Error | None = None) -> tuple[str, int]:
    refused = request.args.get("refused") == "1"
    after = numbers.asked("after") if request.method == "GET" else 0
    listed = actions.members(desk().db, action_id=action.id, after=after, limit=SHOWN + 1, refused=refused)
    context = {"one": action, "listed": listed[:SHOWN], "more": len(listed) > SHOWN, "refused": refused, "error": error}
    context |= {"kinds": item_list.KINDS, "words": item_list.in_words(access.current()), "longest": actions.LONGEST_LIST}
    back = {name: value for name, value in request.args.items() if name in asking.NAMES and value and name != "after"} or action.filters or {}
    text = render_template("item_actions/show.html", **context, back=item_list.address(back), kept=back)
    return text, error.status if error else 200


@blueprint.get("/<int:action_id>/progress")
@access.allow("lead", background=True)
def progress(action_id: int):
    """How far it is, alone; the page anew once that is over."""
    one = actions.load(desk().db, action_id=action_id, me=access.current().id)
    if one.state != request.args.get("state"):
        return htmx.go(url_for("item_actions.show", action_id=one.id))
    return render_template("item_actions/_progress.html", one=one)


@blueprint.post("/<int:action_id>/go-on")
@leads
def go_on(action_id: int):
    """Has the list acted on."""
    try:
        actions.go_on(desk().db, action_id=action_id, me=access.current().id, members=numbers.asked("members"))
    except errors.Conflict as error:
        return _show(actions.load(desk().db, action_id=action_id, me=access.current().id), error)
    acting.begin(desk().db, action_id=action_id)
    return htmx.go(url_for("item_actions.show", action_id=action_id))


@blueprint.post("/<int:action_id>/drop")
@leads
def drop(action_id: int):
    """Stops it."""
    try:
        actions.drop(desk().db, action_id=action_id, me=access.current().id)
    except errors.Conflict as error:
        return _show(actions.load(desk().db, action_id=action_id, me=access.current().id), error)
    flash("Stopped. What was done stays done.")
    return htmx.go(url_for("item_actions.show", action_id=action_id))


def action_state(one: Action, me: int) -> tuple[str, str]:
    """How far one is, as this person sees it, and the mark beside it: one that did nothing is no success."""
    if one.state == "listed":
        return ("nothing fits", "") if not one.members else ("waits for you" if one.asker_id == me else f"waits for {one.asked_by}", "ask")
    if one.state == "done":
        return ("done", "ok") if one.done == one.members else ("done in part", "ask") if one.done else ("nothing done", "no")
    return {"gathering": ("listing", "ask"), "acting": ("under way", "ask"), "dropped": ("stopped", "")}[one.state]
