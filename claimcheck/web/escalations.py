"""The leads' queue: why each item came here, who holds which, and questions about earlier decisions."""

from __future__ import annotations

from flask import Blueprint, make_response, render_template, url_for

from claimcheck import looks, projects, reconsiderations, tasks
from claimcheck.web import access, controls, desk, htmx

blueprint = Blueprint("escalations", __name__, url_prefix="/escalations")


@blueprint.get("")
@access.allow("lead")
def page(sorry: str = ""):
    me, db = access.current().id, desk().db
    asked = [
        (q, controls.words(projects.rules(db, q.project_id, q.project_version), verdict=q.verdict, answer=q.answer))
        for q in reconsiderations.open_ones(db)
    ]
    return render_template(
        "escalations/page.html", waiting=looks.escalations(db, me=me), asked=asked, holding=looks.holding(db, me=me), sorry=sorry
    )


@blueprint.post("/<int:item_id>/take")
@access.allow("lead")
def take(item_id: int):
    """Claims that one. Who comes second gets 409, and the list as it is now."""
    me, db = access.current().id, desk().db
    claim = tasks.claim(db, me=me, item_id=item_id)
    if claim is not None and claim.item_id == item_id:
        return htmx.go(url_for("assignments.show", assignment_id=claim.assignment_id))
    sorry = (
        "You hold another item: decide it, or give it back first."
        if claim
        else "Another lead was faster, or it is decided already. This is the list as it is now."
    )
    return make_response(page(sorry), 409)
