"""A reviewer's own day: what they decided, its receipts, and what they asked a lead to look at again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flask import Blueprint, Response, make_response, render_template

from claimcheck import errors, projects
from claimcheck.review import history
from claimcheck.review.history import Today
from claimcheck.rules import Rules
from claimcheck.web import access, controls, desk, screen

blueprint = Blueprint("work", __name__, url_prefix="/work")


@dataclass(frozen=True)
class Refused:
    """A question that was not taken, with what was typed and why."""

    decision_id: int
    note: str
    message: str


@blueprint.get("")
@access.allow("reviewer", "lead")
def page():
    return show()


def show(refused: Refused | None = None) -> Response:
    """The page of the day; `refused` opens the question again that could not be sent."""
    me, db = access.current().id, desk().db
    today = history.today(db, me=me)
    rules = cache(_rules)
    rows = [(row, controls.words(rules(row.project_id, row.project_version), verdict=row.verdict, answer=row.answer)) for row in today]
    return make_response(render_template("work/page.html", rows=rows, spent=_spent(today), refused=refused, **screen.left(me)))


def _rules(project_id: int, version: int) -> Rules | None:
    try:
        return projects.rules(desk().db, project_id, version)
    except errors.NotFound:
        return None


def _spent(today: list[Today]) -> float:
    """Seconds from claim to decision, all together."""
    return sum(row.seconds for row in today)
