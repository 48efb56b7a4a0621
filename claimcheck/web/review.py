"""The door to the work: what is held, what is left, and the button that claims."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for

from claimcheck.review import looks, tasks
from claimcheck.web import access, desk, htmx, screen

blueprint = Blueprint("review", __name__, url_prefix="/review")


@blueprint.get("")
@access.allow("reviewer", "lead")
def page():
    me, db = access.current().id, desk().db
    context = screen.left(me)
    nothing = looks.why_nothing(db, me=me) if not context["left"].waiting else None
    return render_template("review/page.html", holding=looks.holding(db, me=me), nothing=nothing, beaten="empty" in request.args, **context)


@blueprint.post("/next")
@access.allow("reviewer", "lead")
def next_item():
    """Claims; who holds something gets that again."""
    claim = tasks.claim(desk().db, me=access.current().id)
    return htmx.go(url_for("assignments.show", assignment_id=claim.assignment_id) if claim else url_for("review.page", empty=1))


@blueprint.get("/left")
@access.allow("reviewer", "lead", background=True)
def left():
    """The line of what is left; 204 where nothing changed."""
    context = screen.left(access.current().id)
    if request.args.get("was") == context["left_mark"]:
        return "", 204
    return render_template("_partials/left.html", **context)
