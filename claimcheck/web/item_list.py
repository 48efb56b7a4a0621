"""The list of items as leads and customers see it: filters, the page found, saved views, and the form that acts on what is ticked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Response, make_response, render_template, url_for

from claimcheck import errors, projects
from claimcheck.access.people import Person
from claimcheck.review import history
from claimcheck.triage import actions, asking, choices, searching, views
from claimcheck.triage.views import View
from claimcheck.web import desk

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
KINDS = {
    "assign": "Keep for somebody",
    "move": "Move to a queue",
    "prioritise": "Set the priority",
    "send_back": "Send back to review",
    "cancel": "Cancel",
}
FILTERS = {
    "project": "Project", "state": "State", "queue": "Queue", "reason": "Reason", "reviewer": "Reviewer", "key": "Key", "trace": "Trace",
    "older": "Arrived before", "newer": "Arrived after", "least": "Amount from", "most": "Amount to", "partition": "Partition", "order": "Order",
}  # fmt: skip

NEWEST = 6  # entries of a history that stand beside the list


@dataclass(frozen=True)
class Typed:
    """What stands in the form that acts: as it was sent, where it was refused."""

    values: Mapping[str, str] = field(default_factory=dict)
    ticked: frozenset[str] = frozenset()
    error: errors.Invalid | None = None


def told(given: Mapping[str, str], me: Person) -> dict[str, str]:
    """The filters that were given, each under its name; who decides is not for customers to know."""
    found = {name: given.get(name, "") for name in asking.NAMES}
    return found if me.role == "lead" else found | {"reviewer": ""}


def found(filters: Mapping[str, str], me: Person) -> searching.Found:
    """The page of items. Raises Invalid."""
    return searching.search(desk().db, asking.read(filters), customer_id=me.customer_id if me.role == "customer" else None)


def show(filters: dict[str, str], me: Person, *, view: View | None = None, look: int | None = None, typed: Typed | None = None) -> Response:
    """The page of the list. Raises Invalid, or NotFound for an item to look at that is not this person's to see."""
    db, typed = desk().db, typed or Typed()
    page, known = found(filters, me), projects.page(db, me, limit=500)
    chosen = asking.read(filters).project_id
    named = choices.of_project(db, project_id=chosen if chosen in {p.id for p in known} else None)
    more = {name: value for name, value in filters.items() if value and name != "after"}
    context = {"page": page, "states": STATES, "told": filters, "more": more, "projects": known, "choices": named}
    context |= {"typed": typed, "view": view, "facts": None}
    context |= {"kinds": KINDS, "longest": actions.LONGEST_WHY, "place": {**more, **({"after": filters["after"]} if filters.get("after") else {})}}
    if me.role == "lead":
        context["views"] = views.page(db, me=me.id)
    if look is not None:
        context |= beside(look, me)
    return make_response(render_template("items/page.html", **context), typed.error.status if typed.error else 200)


def beside(item_id: int, me: Person) -> dict[str, Any]:
    """What the quick view shows of an item; no payload. Raises NotFound."""
    db = desk().db
    facts = history.facts(db, item_id=item_id, customer_id=me.customer_id if me.role == "customer" else None)
    entries = history.of_item(db, item_id=item_id)
    shown = entries if me.role == "lead" else [e for e in entries if e.outcome is not None]
    rules = projects.rules(db, facts.project_id, facts.project_version)
    return {"facts": facts, "entries": shown[-NEWEST:], "earlier": max(len(shown) - NEWEST, 0), "rules": rules}


def in_words(me: Person) -> Callable[[Mapping[str, str]], list[tuple[str, str]]]:
    """What names filters as the list's own form does, as (what, value)."""
    named = {"project": {str(p.id): p.name for p in projects.page(desk().db, me, limit=500)}, "state": STATES}
    named["reviewer"] = {one.value: one.label for one in choices.of_project(desk().db, project_id=None)["reviewer"]}
    return lambda filters: [(FILTERS.get(what, what), named.get(what, {}).get(value, value)) for what, value in filters.items()]


def address(filters: Mapping[str, str]) -> str:
    """The list under these filters."""
    kept: dict[str, Any] = {name: value for name, value in filters.items() if value and name in asking.NAMES}
    return url_for("items.page", **kept)
