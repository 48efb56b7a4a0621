"""An item in a reviewer's hands: its page, its lease, its draft, its decision, and the ways to give it back."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from flask import Blueprint, Response, flash, make_response, render_template, request, session, url_for
from markupsafe import Markup

from claimcheck import errors, rules
from claimcheck.approvals import standing
from claimcheck.bulk import batch_decisions
from claimcheck.review import assignments, decisions, drafts, looks, tasks
from claimcheck.review.assignments import Assignment
from claimcheck.web import access, desk, filters, htmx, numbers, screen, shown
from claimcheck.web import batch_decisions as batches
from claimcheck.web.controls import Typed

blueprint = Blueprint("assignments", __name__, url_prefix="/assignments/<int:assignment_id>")
workers = access.allow("reviewer", "lead")
NO_TOKEN = UUID(int=0)


@blueprint.record_once
def _filters(state: object) -> None:
    state.app.jinja_env.filters.update(filters.FILTERS)  # pyright: ignore[reportAttributeAccessIssue]


@blueprint.get("")
@workers
def show(assignment_id: int):
    """Claims nothing: reload and back are safe."""
    return screen.show(assignment_id, access.current().id)


@blueprint.post("/lease")
@access.allow("reviewer", "lead", background=True)
def lease(assignment_id: int):
    """The sign of life. Its answer is the clock, and nothing else of the page."""
    me, db = access.current().id, desk().db
    try:
        beat = assignments.heartbeat(db, assignment_id=assignment_id, lease_token=_token(), me=me, idle_seconds=_seconds())
        held = assignments.load(db, assignment_id=assignment_id, me=me)
        clock, status = screen.clock(held, idle=beat.idle), 200
    except errors.StaleLease:
        clock, status = screen.lost_clock(looks.whereabouts(db, assignment_id=assignment_id, me=me)), 409
    if not htmx.is_htmx():
        return _here(assignment_id)
    return render_template("_partials/clock.html", clock=clock), status


@blueprint.post("/draft")
@workers
def draft(assignment_id: int):
    """Keeps what was typed. An empty form keeps nothing."""
    me, db, typed = access.current().id, desk().db, Typed.of_form(request.form)
    if typed.empty:
        drafts.forget(db, task_id=assignments.load(db, assignment_id=assignment_id, me=me).task_id, me=me)
        age = None
    else:
        age = 0 if drafts.save(db, assignment_id=assignment_id, me=me, body=typed.body()) else None
    return render_template("_partials/draft_state.html", draft=age) if htmx.is_htmx() else _here(assignment_id)


@blueprint.post("/decision")
@workers
def decision(assignment_id: int):
    """Decides, and goes on to the next. The same POST again gives the same receipt."""
    me, db, typed = access.current().id, desk().db, Typed.of_form(request.form)
    assignment = assignments.load(db, assignment_id=assignment_id, me=me)
    try:
        decided = _submit(assignment, me, typed)
    except errors.Invalid as error:
        return _with(screen.show(assignment_id, me, typed=typed, invalid=error), error.status)
    except errors.EvidenceChanged as error:
        return _with(screen.show(assignment_id, me, typed=typed.unchosen(), banner=screen.CHANGED), error.status)
    except errors.Conflict as error:
        if not typed.empty:
            drafts.save(db, assignment_id=assignment_id, me=me, body=typed.body())
        return _with(screen.show(assignment_id, me, typed=typed), error.status)
    receipt = url_for("decisions.receipt", decision_id=decided)
    if (batch := _sampled(assignment)) is not None:
        return _next_sampled(batch)
    notice = Markup('{} <a href="{}" download>Receipt {}</a>').format(_said(assignment), receipt, decided)
    if notice not in [told for _, told in session.get("_flashes", [])]:  # the same POST again
        flash(notice)
    return next_for(me, assignment.queue)


def _said(assignment: Assignment) -> str:
    """What became of a decision. Of an escalation alone is it told that it waits: of a review it would tell gold, which never does."""
    waits = assignment.queue == "escalation" and any(one.state == "pending" for one in standing.of_item(desk().db, item_id=assignment.item_id))
    return "Decided; it holds once somebody else has looked at it." if waits else "Decided."


def _sampled(assignment: Assignment) -> int | None:
    """The batch decision in whose sample the item is, for its lead."""
    return batch_decisions.of_assignment(desk().db, assignment_id=assignment.id) if access.current().role == "lead" else None


def _next_sampled(batch_id: int) -> Response:
    """On to the next item of the sample, or back to the batch decision."""
    with suppress(errors.Conflict):
        return batches.open_next(batch_id)
    return htmx.go(url_for("batch_decisions.show", batch_id=batch_id))


@blueprint.post("/reveals")
@workers
def reveal(assignment_id: int):
    """Shows masked fields for a purpose; each is on record first. What was typed meanwhile stays in the form."""
    me, db, typed = access.current().id, desk().db, Typed.of_form(request.form)
    assignment = assignments.load(db, assignment_id=assignment_id, me=me)
    words, asked = None if typed.empty else typed, shown.asked()
    try:
        shown.masks(assignment.project_id, asked)
    except errors.Invalid as error:
        banner = screen.Banner("Nothing was revealed.", filters.sentence(error.errors[0].message), "ask")
        return _with(screen.show(assignment_id, me, typed=words, banner=banner), error.status)
    return screen.show(assignment_id, me, typed=words, reveal=asked)


def _submit(assignment: Assignment, me: int, typed: Typed) -> int:
    form = request.form
    return decisions.submit(
        desk().db,
        assignment_id=assignment.id,
        lease_token=_token(),
        me=me,
        evidence_hash=_hash(form.get("evidence_hash", "")),
        reason_code=typed.reason,
        note=typed.note,
        **typed.decision(screen.rules_of(assignment).question),
    )


@blueprint.post("/release")
@workers
def release(assignment_id: int):
    """Gives it back."""
    me = access.current().id
    try:
        assignments.release(desk().db, assignment_id=assignment_id, lease_token=_token(), me=me)
    except errors.StaleLease as error:
        return _with(screen.show(assignment_id, me), error.status)
    flash("Given back; somebody else can take it now.")
    return htmx.go(url_for("review.page"))


@blueprint.post("/skip")
@workers
def skip(assignment_id: int):
    """Gives it back with a reason, and goes on to something else, if there is anything."""
    me, db, reason = access.current().id, desk().db, request.form.get("reason", "")
    assignment = assignments.load(db, assignment_id=assignment_id, me=me)
    try:
        rules.check_skip(screen.rules_of(assignment), reason)
        assignments.skip(db, assignment_id=assignment_id, lease_token=_token(), me=me, reason=reason)
    except errors.Invalid as error:
        return _with(screen.show(assignment_id, me, invalid=error), error.status)
    except errors.StaleLease as error:
        return _with(screen.show(assignment_id, me), error.status)
    if looks.fresh_left(db, me=me):
        flash("Skipped; it comes back to you last.")
        return next_for(me, assignment.queue)
    flash("Skipped. Nothing else is left but what you skipped.")
    return htmx.go(url_for("review.page"))


@blueprint.post("/return")
@access.allow("lead")
def returned(assignment_id: int):
    """A lead sends an escalation back to the reviewers, with a note."""
    me, note = access.current().id, request.form.get("note", "")
    try:
        decisions.send_back(desk().db, assignment_id=assignment_id, lease_token=_token(), me=me, note=note)
    except errors.Invalid as error:
        return _with(screen.show(assignment_id, me, send_back_error=error.errors[0].message, send_back_note=note), error.status)
    except errors.StaleLease as error:
        return _with(screen.show(assignment_id, me), error.status)
    flash("Sent back to review; the count starts again at 0.")
    return htmx.go(url_for("escalations.page"))


@blueprint.post("/again")
@workers
def again(assignment_id: int):
    """Takes the same item once more, with its draft, if it is still to be had."""
    me, db = access.current().id, desk().db
    old = assignments.load(db, assignment_id=assignment_id, me=me)
    claim = tasks.claim(db, me=me, item_id=old.item_id)
    if claim is None or claim.item_id != old.item_id:
        return _with(screen.show(assignment_id, me), 409)
    return _here(claim.assignment_id)


def next_for(me: int, queue: str) -> Response:
    """On to the next item; a lead who works on escalations or adjudications stays with those."""
    of_leads = queue in screen.BESIDE_REVIEW and access.current().role == "lead"
    queues = sorted(screen.BESIDE_REVIEW, key=lambda other: other != queue) if of_leads else [None]
    claim = next(filter(None, (tasks.claim(desk().db, me=me, queue=one) for one in queues)), None)
    if claim is not None:
        return _here(claim.assignment_id)
    return htmx.go(url_for("escalations.page" if of_leads else "review.page"))


def _here(assignment_id: int) -> Response:
    return htmx.go(url_for("assignments.show", assignment_id=assignment_id))


def _with(response: Response, status: int) -> Response:
    response = make_response(response)
    response.status_code = status
    return response


def _token() -> UUID:
    """The lease token that the form carries; one that nobody ever had where it carries none."""
    try:
        return UUID(request.form.get("lease_token", ""))
    except ValueError:
        return NO_TOKEN


def _seconds() -> int:
    return min(numbers.asked("idle_seconds"), 10**6)


def _hash(given: str) -> bytes:
    """The evidence hash that the form was shown with; nobody's where it is none."""
    try:
        return bytes.fromhex(given)
    except ValueError:
        return b""
