"""Pay: everybody's own ledger; for leads somebody else's too, with corrections."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, Response, flash, render_template, request, url_for

from claimcheck import errors
from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.experts import payouts
from claimcheck.web import access, desk, htmx, numbers
from claimcheck.web.expert_words import FILTERS

blueprint = Blueprint("pay", __name__)
blueprint.record_once(lambda state: state.app.jinja_env.filters.update(FILTERS))
PAGE = 50
MONTHS = 6  # that are shown at once


@dataclass(frozen=True)
class Refused:
    """A correction that was not taken, with what was typed and why."""

    payout_id: int
    amount: str
    why: str
    message: str


@blueprint.get("/pay")
@access.allow("reviewer", "lead")
def page():
    return _page(_whose(request.args.get("person")), numbers.asked("before", payouts.NEWEST, digits=18))


def _page(whose: Person, before: int, refused: Refused | None = None) -> str:
    db, month = desk().db, request.args.get("month") or None
    found = payouts.page(db, person_id=whose.id, before=before, **_within(month), limit=PAGE + 1)
    return render_template(
        "pay/page.html",
        whose=whose,
        own=whose.id == access.current().id,
        totals=payouts.totals(db, person_id=whose.id),
        shown=MONTHS,
        lines=found[:PAGE],
        more=len(found) > PAGE,
        before=before if before < payouts.NEWEST else None,
        month=month,
        refused=refused,
    )


def _whose(given: str | None) -> Person:
    """Oneself, or, for a lead, whoever is asked for. Raises NotFound."""
    me = access.current()
    if not given or given == str(me.id):
        return me
    if me.role != "lead" or not (given.isascii() and given.isdigit() and len(given) < 10):
        raise errors.NotFound()
    return people.load(desk().db, person_id=int(given))


def _within(month: str | None) -> dict[str, datetime]:
    """The bounds of a month. Raises Invalid."""
    return dict(zip(("since", "until"), payouts.month(month) if month else (payouts.START, payouts.END), strict=True))


@blueprint.get("/pay.csv")
@access.allow("reviewer", "lead")
def statement():
    """The statement of a month, or of all time, row by row."""
    whose, month = _whose(request.args.get("person")), request.args.get("month")
    rows = payouts.statement(desk().db, person_id=whose.id, **_within(month))
    response = Response(rows, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="pay-{whose.pseudonym}-{month or "all"}.csv"'
    return response


@blueprint.post("/payouts/<int:payout_id>/reversal")
@access.allow("lead")
def reverse(payout_id: int):
    form, db = request.form, desk().db
    owner = payouts.owner(db, payout_id=payout_id)
    try:
        taken = payouts.read(form.get("amount", ""), owner.currency)
        payouts.reverse(db, payout_id=payout_id, amount_minor=taken, why=form.get("why", "").replace("\r\n", "\n"), me=access.current().id)
    except (errors.Invalid, errors.NotReversible) as error:
        refused = Refused(payout_id, form.get("amount", ""), form.get("why", ""), error.errors[0].message if error.errors else error.detail)
        return _page(_whose(str(owner.person_id)), payout_id + 1, refused), error.status
    flash(f"{payouts.written(taken, owner.currency)} are taken back, on record.")
    return htmx.go(url_for("pay.page", person=owner.person_id))
