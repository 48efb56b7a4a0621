"""What every template can use: who is here, the navigation, our static files, times and numbers."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, g, request, send_from_directory
from flask_login import current_user
from markupsafe import Markup

from claimcheck import errors
from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.experts import standings
from claimcheck.forecasts import alerts
from claimcheck.intake import dead_letters
from claimcheck.web import access, desk, places
from claimcheck.web.pages import THEME_COOKIE, THEMES

STATIC = Path(__file__).parents[2] / "static"
YEAR_SECONDS = 365 * 24 * 3600
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def _person() -> Person | None:
    """Who is here, if that can be told: an error page must also come up without a database."""
    try:
        return current_user.person if current_user.is_authenticated else None
    except errors.Error:
        return None


def _count(place: places.Place) -> int | None:
    """The number beside a page's name in the navigation."""
    try:
        if place.path == "/dead-letters" and access.current().role in ("lead", "operator"):
            return dead_letters.waiting(desk().db)
        if place.path == "/forecasts":
            return alerts.in_danger(desk().db, access.current())
        if place.path == "/skills" and access.current().role == "lead":
            return standings.waiting_appeals(desk().db)
        return people.waiting_escalations(desk().db) if place.path == "/escalations" else None
    except errors.Error:
        return None


def _context() -> dict[str, Any]:
    person, theme = _person(), request.cookies.get(THEME_COOKIE)
    return {
        "person": person,
        "nav": [place for place in places.for_role(person.role) if place.key] if person else [],
        "nav_count": _count,
        "theme": theme if theme in THEMES else "auto",
        "themes": THEMES,
        "here": request.path,
        "trace_id": g.get("trace_id", ""),
    }


def when(moment: datetime) -> Markup:
    """A moment in UTC; our script adds how long ago that is, and the reader's own clock time as its title."""
    moment = moment.astimezone(UTC)
    shown = f"{moment.day} {moment:%b %Y %H:%M} UTC"
    return Markup('<time datetime="{}" data-ago>{}</time>').format(moment.isoformat(timespec="seconds"), shown)


def exact(moment: datetime) -> Markup:
    """A moment to the second, in UTC."""
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(timespec="seconds"), f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}")


def span(seconds: float) -> str:
    """A length of time in words: 45 s, 12 min, 3 h 05 min, 2 d."""
    left = max(0, int(seconds))
    if left < 60:
        return f"{left} s"
    if left < 3600:
        return f"{left // 60} min"
    return f"{left // 3600} h {left % 3600 // 60:02} min" if left < 48 * 3600 else f"{left // 86400} d"


def number(value: int) -> str:
    """Digits in threes, parted by a narrow space that does not break: 48 213."""
    return f"{value:,}".replace(",", "\u202f")


def browser(agent: str) -> str:
    """A browser's name for itself in two words: Firefox on Windows."""
    name = next((words for sign, words in BROWSERS if sign in agent), agent.split("/")[0][:40] or "Unknown")
    system = next((words for sign, words in SYSTEMS if sign in agent), None)
    return f"{name} on {system}" if system else name


@lru_cache(maxsize=256)
def version(name: str) -> str:
    """Changes with the content of a static file, so that browsers may keep it for ever."""
    path = STATIC / name
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.is_file() else ""


def _versioned(endpoint: str, values: dict[str, Any]) -> None:
    if endpoint == "static" and "filename" in values:
        values.setdefault("v", version(values["filename"]))


@access.public
def static(filename: str) -> Response:
    current = bool(request.args.get("v")) and request.args.get("v") == version(filename)
    response = send_from_directory(STATIC, filename, max_age=YEAR_SECONDS if current else 0)
    if current:
        response.cache_control.immutable = True
    response.vary.clear()
    return response


def install(app: Flask) -> None:
    app.context_processor(_context)
    app.jinja_env.filters.update(when=when, exact=exact, span=span, number=number, browser=browser)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.url_defaults(_versioned)
    app.add_url_rule("/static/<path:filename>", "static", static)
