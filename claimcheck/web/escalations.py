"""The leads' queue: why each item came here, who holds which, and questions about earlier decisions."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, render_template

from claimcheck import projects
from claimcheck.review import looks, reconsiderations
from claimcheck.review.reconsiderations import Open
from claimcheck.web import access, controls, desk, taking

blueprint = Blueprint("escalations", __name__, url_prefix="/escalations")


@blueprint.get("")
@access.allow("lead")
def page():
    return show()


def show(sorry: str = "", answer: tuple[int, str] = (0, "")) -> Response:
    """The list as it is now. `sorry`: what could not be done; `answer`: a decision, and words about it that were not taken."""
    me, db = access.current().id, desk().db
    context = {
        "waiting": looks.escalations(db, me=me),
        "asked": [(question, _said(question)) for question in reconsiderations.open_ones(db)],
        "holding": looks.holding(db, me=me),
        "sorry": sorry,
        "kept": answer,
    }
    return make_response(render_template("escalations/page.html", **context))


def _said(question: Open) -> str:
    rules = projects.rules(desk().db, question.project_id, question.project_version)
    return controls.words(rules, verdict=question.verdict, answer=question.answer)


@blueprint.post("/<int:item_id>/take")
@access.allow("lead")
def take(item_id: int):
    """Claims that one. Who comes second gets 409, and the list as it is now."""
    return taking.take(item_id, show, "Another lead was faster, or it is decided already. This is the list as it is now.")
