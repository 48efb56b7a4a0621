"""Dead letters as a work queue: by cause, one by one, mended, replayed, or only tried. Operators handle them and see no bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, abort, flash, render_template, request, url_for

from claimcheck import errors, projects, rendering
from claimcheck.intake import dead_letters, doors, mending, replays
from claimcheck.rendering import names, views, words
from claimcheck.web import access, desk, htmx, same_origin

blueprint = Blueprint("dead_letters", __name__, url_prefix="/dead-letters")
PAGE = 50
FILTERS = {"project", "code", "cause", "state", "after"}
handlers = access.allow("lead", "customer", "operator")
readers = access.allow("lead", "customer")
INERT = "sandbox; default-src 'none'"
SAID: dict[doors.Result, str] = {"admitted": "taken in", "repeated": "known already", "refused": "refused again"}


@dataclass(frozen=True)
class Bytes:
    """What a letter holds, for the screen: as text that may be mended, as text, or as its first bytes in hexadecimal."""

    text: str | None
    view: views.Text | None
    hexadecimal: list[str]
    reason: str = ""


@dataclass(frozen=True)
class Tried:
    """What would come of one letter; `lines`: what was mended in it; `way`: where it would go."""

    came: doors.Replayed
    mended: bool
    lines: list[mending.Line]
    way: mending.Way | None


@blueprint.get("")
@handlers
def index():
    if not set(request.args) <= FILTERS:
        abort(400)
    return _index()


def _index(tried: replays.Many | None = None, error: errors.Error | None = None) -> str:
    db, me, wanted = desk().db, access.current(), _wanted()
    found = dead_letters.page(db, person=me, wanted=wanted, after=_number("after") or 0, limit=PAGE + 1)
    return render_template(
        "dead_letters/index.html",
        causes=dead_letters.causes(db, person=me, project_id=wanted.project_id),
        letters=found[:PAGE],
        more=len(found) > PAGE,
        wanted=wanted,
        projects=projects.page(db, me, limit=500),
        chosen={*request.form.getlist("id")},
        tried=tried,
        error=error,
        most=replays.MOST,
    )


def _wanted() -> dead_letters.Filter:
    """The filters, of the address or of a form that carries them on."""
    code, cause = (_word(name) for name in ("code", "cause"))
    return dead_letters.Filter(_number("project"), code, cause if code else None, open=request.values.get("state") != "all")


def _word(name: str) -> str | None:
    given = request.values.get(name)
    return given.replace("\0", "")[:200] if given is not None and (given or name == "cause") else None


def _number(name: str) -> int | None:
    """Raises Invalid for what can't be a number here."""
    given, most = (request.values.get(name) or "").strip(), 2**31 if name == "project" else 2**63
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 20 and int(given) < most):
        raise errors.Invalid.field(name, "give a number")
    return int(given)


@blueprint.post("/dry-runs")
@handlers
def try_many():
    try:
        return _index(_many(dry_run=True))
    except (errors.Invalid, errors.QueueSaturated) as error:
        return _index(error=error), error.status


@blueprint.post("/replays")
@handlers
def replay_many():
    try:
        done = _many(dry_run=False)
    except (errors.Invalid, errors.QueueSaturated) as error:
        return _index(error=error), error.status
    flash(_told(done))
    kept = {"project": _number("project"), "state": request.form.get("state") or None}
    return htmx.go(url_for("dead_letters.index", **kept))


def _many(*, dry_run: bool) -> replays.Many:
    """Those that are chosen, else all that the form's filters name."""
    wanted, form = _wanted(), request.form
    chosen = form.get("chosen") == "yes"
    ids = [int(i) for i in form.getlist("id") if i.isascii() and i.isdigit() and len(i) < 19]
    if chosen and not ids:
        raise errors.Invalid.field("id", "choose at least one letter")
    asked = replays.Asked(tuple(ids) if chosen else None, wanted.code, wanted.cause, wanted.project_id)
    return replays.many(desk().db, person=access.current(), asked=asked, dry_run=dry_run)


def _told(done: replays.Many) -> str:
    counts = done.counts()
    if not done.results:
        return "Nothing was replayed: none of them is open, or their project was cancelled."
    parts = ", ".join(f"{counts[result]} {SAID[result]}" for result in replays.RESULTS if counts[result])
    left = f" {done.left} more are open." if done.left else ""
    return f"{len(done.results)} replayed: {parts}.{left}" + (f" It stopped early: {done.stopped}" if done.stopped else "")


@blueprint.get("/<int:letter_id>")
@handlers
def show(letter_id: int):
    """No bytes: they are behind their own button, and on record."""
    return _show(letter_id)


def _show(
    letter_id: int, *, data: bytes | None = None, tried: Tried | None = None, typed: str | None = None, error: errors.Error | None = None
) -> str:
    db, me = desk().db, access.current()
    letter = dead_letters.load(db, dead_letter_id=letter_id, person=me)
    return render_template(
        "dead_letters/show.html",
        letter=letter,
        past=replays.of_letter(db, dead_letter_id=letter_id, person=me),
        bytes=None if data is None else _bytes(letter, data),
        typed=typed,
        tried=tried,
        error=error,
    )


def _bytes(letter: dead_letters.Facts, data: bytes) -> Bytes:
    if b"\0" in data[: mending.HEX_BYTES]:
        return Bytes(None, None, mending.hexadecimal(data), "These bytes are no text.")
    text = mending.editable(data)
    address = url_for("dead_letters.download", letter_id=letter.id)
    part = rendering.Part(0, f"Dead letter {letter.id}", "text/plain", len(data), address)
    try:
        return Bytes(text, words.read(part, lambda _, limit: data[:limit]), [])
    except rendering.NotShown as problem:
        return Bytes(None, None, mending.hexadecimal(data), problem.reason)


@blueprint.post("/<int:letter_id>/bytes")
@readers
def reveal(letter_id: int):
    return _show(letter_id, data=_data(letter_id))


def _data(letter_id: int) -> bytes:
    return dead_letters.body(desk().db, dead_letter_id=letter_id, person=access.current())


@blueprint.get("/<int:letter_id>/bytes")
@readers
def download(letter_id: int):
    """The bytes as they came, as a file to keep; that they were opened is on record, so that no other site's page may open them."""
    same_origin.asked_for()
    response = Response(_data(letter_id), mimetype="application/octet-stream")
    response.headers["Content-Disposition"] = names.disposition(f"dead-letter-{letter_id}.txt")
    response.headers.update({"Content-Security-Policy": INERT, "Cache-Control": "no-store"})
    return response


@blueprint.post("/<int:letter_id>/dry-runs")
@handlers
def try_one(letter_id: int):
    return _acted(letter_id, lambda mended: _try(letter_id, mended))


def _try(letter_id: int, mended: bytes | None) -> str:
    db, me = desk().db, access.current()
    came = replays.one(db, dead_letter_id=letter_id, person=me, body=mended, dry_run=True)
    if mended is None:
        return _show(letter_id, tried=Tried(came, False, [], None))
    data = _data(letter_id)
    way = mending.way(db, mended) if came.result == "admitted" and came.item_id is None else None
    tried = Tried(came, data != mended, mending.difference(data, mended), way)
    return _show(letter_id, data=data, tried=tried, typed=mended.decode())


@blueprint.post("/<int:letter_id>/replays")
@handlers
def replay(letter_id: int):
    return _acted(letter_id, lambda mended: _replay(letter_id, mended))


def _replay(letter_id: int, mended: bytes | None) -> Response:
    came = replays.one(desk().db, dead_letter_id=letter_id, person=access.current(), body=mended)
    said = {
        "admitted": "It is taken in.",
        "repeated": "It was known already: nothing changed.",
        "refused": f"It was refused again: {came.detail[:500]}",
    }
    flash(said[came.result])
    return htmx.go(url_for("dead_letters.show", letter_id=came.again_id or letter_id))


def _acted(letter_id: int, act: Callable[[bytes | None], Any]) -> Any:
    """What comes of the form, or the letter's page with what stopped it and what was typed."""
    typed = request.form.get("body")
    mended = None if typed is None else typed.replace("\r\n", "\n").encode(errors="replace")
    try:
        return act(mended)
    except (errors.Invalid, errors.TooLarge, errors.Conflict, errors.QueueSaturated) as error:
        data = None if mended is None else _data(letter_id)
        return _show(letter_id, data=data, typed=typed, error=error), error.status
