"""Own addresses: which paths are safe to send somebody to, and where each role is at home."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from flask import current_app, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

OWN_PATH = re.compile(r"/(?![/\\])[A-Za-z0-9_\-./?=&%+:,~@]*")
ALL = ("reviewer", "lead", "customer", "operator")


@dataclass(frozen=True)
class Place:
    """A page of the navigation: shown to these roles, once the page is built. `key` follows G on the keyboard; "" for one that is not in the bar."""

    path: str
    name: str
    key: str
    roles: tuple[str, ...]


PLACES = (
    Place("/control", "Control", "c", ("lead", "operator")),
    Place("/review", "Review", "r", ("reviewer", "lead")),
    Place("/escalations", "Escalations", "e", ("lead",)),
    Place("/approvals", "Approvals", "a", ("lead",)),
    Place("/batch-decisions", "Batch decisions", "b", ("lead",)),
    Place("/overturns", "Overturns", "u", ("lead",)),
    Place("/work", "My work", "w", ("reviewer", "lead")),
    Place("/standing", "My standing", "s", ("reviewer",)),  # a lead's own are in the menu under their name
    Place("/pay", "Pay", "y", ("reviewer",)),
    Place("/items", "Items", "i", ("lead", "customer")),
    Place("/projects", "Projects", "p", ("lead", "customer", "operator")),
    Place("/forecasts", "Forecasts", "f", ("lead", "customer")),
    Place("/effects", "Effects", "x", ("operator",)),
    Place("/operations", "Operations", "n", ("operator",)),
    Place("/people", "People", "o", ("lead", "operator")),
    Place("/skills", "Skills", "k", ("lead", "operator")),
    Place("/pipeline", "Pipeline", "l", ("lead", "operator")),
    Place("/policy-gaps", "Policy gaps", "", ("lead",)),
    Place("/access-events", "Who saw what", "v", ("lead", "customer", "operator")),
    Place("/dead-letters", "Dead letters", "d", ("lead", "customer", "operator")),
)
HOMES = {"reviewer": "/review", "lead": "/escalations", "customer": "/projects", "operator": "/people"}


def exists(path: str, method: str = "GET") -> bool:
    """Whether an address of ours answers that method there."""
    try:
        current_app.url_map.bind(request.host).match(urlsplit(path).path, method=method)
    except RequestRedirect:
        return True
    except HTTPException:
        return False
    return True


def own(target: str | None, method: str = "GET") -> str | None:
    """The target, if it is a path of ours and nothing else can be read into it."""
    if not target or not OWN_PATH.fullmatch(target) or not OWN_PATH.fullmatch(unquote(target).split("?")[0]):
        return None
    return target if exists(target, method) else None


def for_role(role: str) -> list[Place]:
    """The navigation of a role, built pages only."""
    return [place for place in PLACES if role in place.roles and exists(place.path)]


def home(role: str) -> str:
    """Where a role's work begins."""
    if exists(HOMES[role]):
        return HOMES[role]
    return next((place.path for place in for_role(role)), "/account")
