"""Batch decisions for leads: groups of alike items, the sample, the bound it gives, and what came of each item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, flash, make_response, render_template, request, url_for

from claimcheck import errors, projects
from claimcheck.bulk import batch_decisions, groups, samples
from claimcheck.bulk.batch_decisions import BatchDecision
from claimcheck.projects import Project
from claimcheck.rules import Rules
from claimcheck.web import access, batch_words, controls, desk, htmx, numbers
from claimcheck.web.controls import Typed

blueprint = Blueprint("batch_decisions", __name__, url_prefix="/batch-decisions")
blueprint.record_once(lambda state: state.app.jinja_env.filters.update(batch_words.FILTERS))
leads = access.allow("lead")
SHOWN, PAST = 20, 20
ENDS = ("decided", "opened", "stale")
LISTS = ("all", "sample", *ENDS)


@dataclass(frozen=True)
class Begun:
    """What the form says beside the decision: which group, and how large a list and sample."""

    same: dict[str, str | None]
    tolerate: int
    most: int


@blueprint.get("")
@leads
def index():
    """What waits in a project, in groups, and the batch decisions begun so far."""
    db, me, chosen = desk().db, access.current(), numbers.asked("project")
    project = projects.load(db, chosen, me) if chosen else None
    several = project is not None and projects.rules(db, project.id, project.version).first_wanted > 1
    found = groups.page(db, project_id=project.id, me=me.id, after=numbers.asked("after")) if project and not several else None
    past = batch_decisions.page(db, project_id=chosen or None, before=numbers.asked("before", batch_decisions.NEWEST), limit=PAST + 1)
    listed = [p for p in projects.page(db, me, limit=500) if p.cancelled_at is None]
    return render_template(
        "batch_decisions/index.html", one=project, several=several, page=found, past=past[:PAST], more=len(past) > PAST, projects=listed
    )


@blueprint.get("/new")
@leads
def new():
    """The group, and the form that says what is proposed for all of it."""
    project = projects.load(desk().db, numbers.asked("project"), access.current())
    given = {name: request.args.get(name) for name in groups.PARTS}
    return _new(project, Begun(given, 0, batch_decisions.MOST), Typed())


def _new(project: Project, begun: Begun, typed: Typed, error: errors.Error | None = None) -> str:
    rules = projects.rules(desk().db, project.id, project.version)
    form = controls.without(controls.form(rules, "overturn", typed), "")
    words = {"parts": batch_words.PARTS, "tolerated": batch_decisions.TOLERATED, "longest": batch_decisions.LONGEST_LIST}
    return render_template("batch_decisions/new.html", one=project, rules=rules, form=form, begun=begun, error=error, **words)


@blueprint.post("")
@leads
def make():
    """Begins one; what was typed comes back with an error."""
    db, me, typed = desk().db, access.current(), Typed.of_form(request.form)
    project = projects.load(db, numbers.asked("project"), me)
    asked = {name: request.form.get(name, "").replace("\r\n", "\n") for name in groups.PARTS if name in request.form.getlist("same")}
    begun = Begun({name: asked.get(name) for name in groups.PARTS}, numbers.asked("tolerate"), numbers.asked("most"))
    try:
        how = {"same": begun.same, "reason_code": typed.reason, "note": typed.note, "tolerate": begun.tolerate, "most": begun.most}
        decided = typed.decision(projects.rules(db, project.id, project.version).question)
        made = batch_decisions.ask(db, project=project, me=me.id, **how, **decided)
    except (errors.Invalid, errors.ProjectCancelled) as error:
        return _new(project, begun, typed, error), error.status
    return htmx.go(url_for("batch_decisions.show", batch_id=made))


@blueprint.get("/<int:batch_id>")
@leads
def show(batch_id: int):
    return _show(batch_decisions.load(desk().db, batch_id=batch_id))


def _show(one: BatchDecision, error: errors.Error | None = None) -> Response:
    told = batch_decisions.tells(one, access.current().id)
    context = {"error": error, "told": told, **(_listed(one) if told else {})}
    return make_response(render_template("batch_decisions/show.html", **_facts(one, told), **context))


def _listed(one: BatchDecision) -> dict[str, Any]:
    """A page of the sample while it is looked at, of all the items otherwise; or of what was asked for."""
    db, after, asked = desk().db, numbers.asked("after"), request.args.get("came_to")
    chosen = asked if asked in LISTS else "sample" if one.state == "sampling" else "all"
    if chosen == "sample":
        listed = samples.page(db, batch_id=one.id, after=after, limit=SHOWN + 1)
    else:
        listed = batch_decisions.members(db, batch_id=one.id, after=after, limit=SHOWN + 1, came_to=chosen if chosen in ENDS else None)
    return {"listed": listed[:SHOWN], "more": len(listed) > SHOWN, "came_to": chosen}


def _facts(one: BatchDecision, told: bool) -> dict[str, Any]:
    """What a batch decision's cards show; to whom it tells nothing of what is proposed, no more than how far it is."""
    if not told:
        return {"one": one, "bound": None, "said": "", "reason": "", "mine": False}
    rules: Rules = projects.rules(desk().db, one.project_id, one.project_version)
    reasons = {r.code: r.label for r in rules.reason_codes}
    return {
        "one": one,
        "bound": batch_decisions.progress(desk().db, one),
        "said_of": lambda d: controls.words(rules, verdict=d.verdict, answer=d.answer),
        "said": controls.words(rules, verdict=one.verdict, answer=one.answer),
        "reason": reasons.get(one.reason_code, one.reason_code),
        "mine": one.led_by == access.current().id,
    }


@blueprint.get("/<int:batch_id>/progress")
@access.allow("lead", background=True)
def progress(batch_id: int):
    """How far the workers are, alone; the page anew once they are done with this step."""
    one = batch_decisions.load(desk().db, batch_id=batch_id)
    if one.state != request.args.get("state"):
        return htmx.go(url_for("batch_decisions.show", batch_id=one.id))
    return render_template("batch_decisions/_progress.html", one=one)


@blueprint.post("/<int:batch_id>/sample")
@leads
def sample(batch_id: int):
    """On to the next item of the sample."""
    try:
        return open_next(batch_id)
    except errors.Conflict as error:
        return _refused(batch_id, error)


def open_next(batch_id: int) -> Response:
    """To the next item of the sample, or to the batch decision's page once all were looked at. Raises Conflict."""
    claim = batch_decisions.open_next(desk().db, batch_id=batch_id, me=access.current().id)
    if claim is None:
        return htmx.go(url_for("batch_decisions.show", batch_id=batch_id))
    return htmx.go(url_for("assignments.show", assignment_id=claim.assignment_id))


@blueprint.post("/<int:batch_id>/rest")
@leads
def decide(batch_id: int):
    """Has the rest decided."""
    return _done(batch_id, lambda me: batch_decisions.decide(desk().db, batch_id=batch_id, me=me, version=numbers.asked("version")))


@blueprint.post("/<int:batch_id>/drop")
@leads
def drop(batch_id: int):
    """Gives every item back."""
    how = {"batch_id": batch_id, "version": numbers.asked("version"), "why": request.form.get("why", "")[:2000]}
    return _done(batch_id, lambda me: batch_decisions.drop(desk().db, me=me, **how), "Dropped; its items go back to their queues.")


@blueprint.post("/<int:batch_id>/undo")
@leads
def undo(batch_id: int):
    """Takes all back that has not gone out."""
    return _done(batch_id, lambda me: batch_decisions.undo(desk().db, batch_id=batch_id, me=me))


@blueprint.post("/<int:batch_id>/members/<int:n>/undo")
@leads
def undo_one(batch_id: int, n: int):
    """Takes a single one back."""
    number = min(n, 10**6)
    return _done(batch_id, lambda me: batch_decisions.undo_one(desk().db, batch_id=batch_id, n=number, me=me), "Taken back; the item is open again.")


def _done(batch_id: int, act: Any, said: str = "") -> Response:
    try:
        act(access.current().id)
    except (errors.Conflict, errors.Invalid) as error:
        return _refused(batch_id, error)
    if said:
        flash(said)
    return htmx.go(url_for("batch_decisions.show", batch_id=batch_id))


def _refused(batch_id: int, error: errors.Error) -> Response:
    """The page as it is now, and why nothing was done."""
    response = _show(batch_decisions.load(desk().db, batch_id=batch_id), error)
    response.status_code = error.status
    return response
