"""What was decided: receipts, the question whether a lead would look again, and the lead's answers."""

from __future__ import annotations

import contextlib

from flask import Blueprint, Response, flash, make_response, request, url_for

from claimcheck import errors, projects, questions
from claimcheck.review import decisions, reconsiderations
from claimcheck.web import access, desk, escalations, htmx, item_page, work
from claimcheck.web.controls import Typed

blueprint = Blueprint("decisions", __name__, url_prefix="/decisions/<int:decision_id>")
OVERTURNED = "You were right: it is overturned."


@blueprint.get("/receipt")
@access.allow("reviewer", "lead", "customer")
def receipt(decision_id: int):
    """The signed JSON, to be kept and checked without us."""
    found = decisions.visible(desk().db, decision_id=decision_id, person=access.current())
    response = make_response(decisions.receipt(desk().db, decision_id=found.id, secret=desk().settings.secret_key or ""))
    response.mimetype = "application/json"
    response.headers["Content-Disposition"] = f'attachment; filename="receipt-{decision_id}.json"'
    return response


@blueprint.post("/reconsideration")
@access.allow("reviewer", "lead")
def ask(decision_id: int):
    """A reviewer asks a lead to look again."""
    note = request.form.get("note", "")
    try:
        reconsiderations.ask(desk().db, decision_id=decision_id, me=access.current().id, note=note)
    except (errors.Invalid, errors.Conflict) as error:
        return _with(work.show(work.Refused(decision_id, note, _said(error))), error)
    flash("A lead will look at it again; the answer appears here.")
    return htmx.go(url_for("work.page"))


@blueprint.post("/reconsideration/answer")
@access.allow("lead")
def answer(decision_id: int):
    """A lead answers without changing anything."""
    given = request.form.get("answer", "")
    try:
        reconsiderations.answer(desk().db, decision_id=decision_id, me=access.current().id, answer=given)
    except (errors.Invalid, errors.Conflict) as error:
        return _with(escalations.show(_said(error), (decision_id, given)), error)
    flash("Answered.")
    return htmx.go(url_for("escalations.page"))


@blueprint.post("/overturn")
@access.allow("lead")
def overturn(decision_id: int):
    """A lead says what holds instead. The second lead gets 409, and the item as it is now."""
    me, typed = access.current(), Typed.of_form(request.form)
    target = decisions.visible(desk().db, decision_id=decision_id, person=me)
    try:
        made = decisions.overturn(
            desk().db, decision_id=decision_id, me=me.id, reason_code=typed.reason, note=typed.note, **typed.instead(_question(target))
        )
    except (errors.Invalid, errors.Conflict) as error:
        return _with(item_page.show(target.item_id, me, typed=typed, refused=error), error)
    _answer_too(me.id)
    flash(_done(made, typed.reopens))
    return htmx.go(url_for("items.show", item_id=target.item_id))


def _done(made: decisions.Overturned, reopened: bool) -> str:
    if made.decision_id is None:
        return "Asked for a second pair of eyes: what stands holds until somebody else has looked at it."
    return f"{'Opened again' if reopened else 'Overturned'} by decision {made.decision_id}."


def _answer_too(me: int) -> None:
    """The answer to the reviewer who had asked; if another lead answered meanwhile, that one stands."""
    asked, said = request.form.get("asked", ""), request.form.get("answer", "").replace("\0", "").strip()
    if asked.isascii() and asked.isdigit() and len(asked) < 18:
        with contextlib.suppress(errors.Conflict, errors.NotFound):
            reconsiderations.answer(desk().db, decision_id=int(asked), me=me, answer=said[: reconsiderations.LONGEST] or OVERTURNED)


def _with(response: Response, error: errors.Error) -> Response:
    response.status_code = error.status
    return response


def _said(error: errors.Error) -> str:
    return error.errors[0].message if error.errors else error.detail


def _question(target: decisions.Decision) -> questions.Question:
    """What its project asks now."""
    db = desk().db
    return projects.rules(db, target.project_id, projects.version(db, target.project_id)).question
