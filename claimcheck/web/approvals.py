"""What waits for a second pair of eyes, and for how long; never what was proposed."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, render_template, request, url_for

from claimcheck import errors
from claimcheck.approvals import standing
from claimcheck.bulk import bulk_overturns
from claimcheck.review import looks
from claimcheck.web import access, desk, taking

blueprint = Blueprint("approvals", __name__, url_prefix="/approvals")
PAGE = 50


@blueprint.get("")
@access.allow("lead")
def page():
    return show()


def show(sorry: str = "") -> Response:
    """The list as it is now. `sorry`: what could not be done."""
    me, db, project, after = access.current().id, desk().db, _number("project_id", 2**31), _number("after", 2**63)
    found = standing.page(db, me=me, project_id=project, after=after or 0, limit=PAGE)
    context = {
        "found": found,
        "waiting": standing.waiting(db),
        "holding": looks.holding(db, me=me),
        "more": url_for("approvals.page", project_id=project, after=found[-1].id) if len(found) == PAGE else None,
        "pending": bulk_overturns.pending(db),
        "sorry": sorry,
    }
    return make_response(render_template("approvals/page.html", **context))


def _number(name: str, below: int) -> int | None:
    """A number of the address. Raises Invalid."""
    text = request.args.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) < below):
        raise errors.Invalid.field(name, "must be a whole number above 0; leave it out for all")
    return int(text)


@blueprint.post("/<int:item_id>/take")
@access.allow("lead")
def take(item_id: int):
    """Claims that one. Who comes second gets 409, and the list as it is now."""
    return taking.take(item_id, show, "Somebody else was faster, or it is resolved already. This is the list as it is now.")
