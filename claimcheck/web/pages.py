"""The front door, the go-to box, the look of the pages, and the health checks."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from functools import lru_cache

import redis
from flask import Blueprint, jsonify, make_response, redirect, render_template, request

from claimcheck import errors, logs, migrations, people
from claimcheck.web import Desk, access, desk, htmx, places

blueprint = Blueprint("pages", __name__)
log = logs.get("claimcheck.web")
THEMES, THEME_COOKIE = ("auto", "light", "dark"), "theme"
YEAR_SECONDS = 365 * 24 * 3600
_one_at_a_time = threading.Lock()


@blueprint.get("/")
@access.allow()
def front_door():
    return redirect(places.home(access.current().role))


@blueprint.get("/go")
@access.allow()
def go_to():
    """An item's number, the name of a page, or one of our own addresses, typed or pasted."""
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
    return named[0] if named else places.own(path)


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
    """Whether work can be done. Redis is only a doorbell: its absence is told, and stops nothing."""
    with _one_at_a_time:
        checks = _checked_lately(int(time.monotonic()), desk())
    ready = all(ok for name, ok in checks.items() if name != "doorbell")
    told = {name: "ok" if ok else "failing" for name, ok in checks.items()}
    return jsonify(status="ready" if ready else "not ready", checks=told), 200 if ready else 503


@lru_cache(maxsize=1)
def _checked_lately(_second: int, desk: Desk) -> dict[str, bool]:
    """At most once a second: anybody may ask."""
    return {name: _holds(name, desk, check) for name, check in CHECKS.items()}


def _holds(name: str, desk: Desk, check: Callable[[Desk], bool]) -> bool:
    try:
        return check(desk)
    except Exception as error:
        log.warning("readyz.failing", check=name, error=f"{type(error).__name__}: {error}")
        return False


def _doorbell(desk: Desk) -> bool:
    client = redis.Redis.from_url(desk.settings.redis_url or "", socket_connect_timeout=1, socket_timeout=1)
    try:
        return bool(client.ping())
    finally:
        client.close()


CHECKS: dict[str, Callable[[Desk], bool]] = {
    "database": lambda desk: people.answers(desk.db),
    "migrations": lambda desk: not migrations.pending(desk.settings.database_url_web or ""),
    "store": lambda desk: desk.store.ready(),
    "doorbell": _doorbell,
}
