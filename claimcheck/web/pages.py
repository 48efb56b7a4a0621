"""The front door, the go-to box, the look of the pages, and the health checks."""

from __future__ import annotations

import re
import threading
import time

from flask import Blueprint, jsonify, make_response, redirect, render_template, request, url_for

from claimcheck import errors
from claimcheck.operations import readiness
from claimcheck.triage import asking, searching
from claimcheck.web import Desk, access, desk, htmx, places

blueprint = Blueprint("pages", __name__)
THEMES, THEME_COOKIE = ("auto", "light", "dark"), "theme"
YEAR_SECONDS = 365 * 24 * 3600
FRESH_SECONDS = 1.0  # of what was found


@blueprint.get("/")
@access.allow()
def front_door():
    return redirect(places.home(access.current().role))


@blueprint.get("/go")
@access.allow()
def go_to():
    """An item's number, trace id or key, the name of a page, or one of our own addresses, typed or pasted."""
    text = " ".join(request.args.get("to", "").split())[:500]
    target = _target(text, access.current().role)
    if target:
        return redirect(target)
    return render_template("go.html", text=text), 404 if text else 200


def _target(text: str, role: str) -> str | None:
    number = re.fullmatch(r"(?:item)?\s*#?\s*(\d{1,18})", text, re.IGNORECASE)
    if number:
        return places.own(f"/items/{number[1]}")
    path = text.removeprefix(desk().settings.base_url).removeprefix(request.host_url.rstrip("/"))
    named = [place.path for place in places.for_role(role) if text and place.name.lower().startswith(text.lower())]
    return named[0] if named else places.own(path) or (_item(text) if role in ("lead", "customer") and text else None)


def _item(text: str) -> str | None:
    """The item, or the list of those, that carries this as its trace id or its key."""
    me, db = access.current(), desk().db
    for name, address in (("trace", url_for("items.page", trace=text)), ("key", url_for("items.page", key=text))):
        found = searching.search(db, asking.read({name: text}), customer_id=me.customer_id if me.role == "customer" else None)
        if found.items:
            return address if len(found.items) > 1 else url_for("items.show", item_id=found.items[0].id)
    return None


@blueprint.post("/theme")
@access.allow(background=True)
def theme():
    """Kept in a cookie, so that a page is never shown in the wrong light first."""
    chosen = request.form.get("theme", "auto")
    if chosen not in THEMES:
        raise errors.Invalid.field("theme", f"choose one of {', '.join(THEMES)}")
    back = places.own(request.form.get("next")) or "/"
    response = make_response("", 204) if htmx.is_htmx() else htmx.go(back)
    secure = desk().settings.base_url.startswith("https://")
    response.set_cookie(THEME_COOKIE, chosen, max_age=YEAR_SECONDS, httponly=True, secure=secure, samesite="Lax")
    return response


@blueprint.get("/healthz")
@access.public
def healthz():
    """Whether this process answers."""
    return jsonify(status="ok")


@blueprint.get("/readyz")
@access.public
def readyz():
    """Whether work can be done, each server with its name and the milliseconds that it took."""
    checks = checked(desk())
    ready = readiness.is_ready(checks)
    told = {check.name: "ok" if check.ok else "failing" for check in checks}
    return jsonify(status="ready" if ready else "not ready", checks=told, ms={check.name: check.ms for check in checks}), 200 if ready else 503


def checked(desk: Desk) -> list[readiness.Check]:
    """What the desk stands on, and whether each answers."""
    return lately.checks(desk)


class Lately:
    """Asks at most once a second, since anybody may ask; whoever waited while a slow server was asked takes that answer and asks no more."""

    def __init__(self) -> None:
        self.alone = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forgets what was found."""
        self.of: Desk | None = None
        self.ended, self.found = 0.0, list[readiness.Check]()

    def checks(self, desk: Desk) -> list[readiness.Check]:
        asked = time.monotonic()
        with self.alone:
            if self.of is not desk or self.ended < asked - FRESH_SECONDS:
                self.of, self.found = desk, readiness.checks(desk.settings, desk.db, desk.store)
                self.ended = time.monotonic()
            return self.found


lately = Lately()
