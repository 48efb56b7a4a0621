"""Overturning in bulk, for leads: the search for outcomes, what it would come to, its approval by another lead, and how far it is."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, url_for

from claimcheck import errors, projects
from claimcheck.bulk import bulk_overturns, finding
from claimcheck.bulk.bulk_overturns import BulkOverturn
from claimcheck.projects import Project
from claimcheck.triage import choices
from claimcheck.web import access, controls, desk, htmx, numbers, overturn_words
from claimcheck.web.controls import Typed

blueprint = Blueprint("overturns", __name__, url_prefix="/overturns")
blueprint.record_once(lambda state: state.app.jinja_env.filters.update(overturn_words.FILTERS))
leads = access.allow("lead")
SHOWN, PAST = 20, 20
CAME_TO = ("overturned", "left_out", "waits")


@blueprint.get("")
@leads
def index():
    """The search, and the bulk overturns begun so far."""
    db, me, chosen = desk().db, access.current(), numbers.asked("project")
    project = projects.load(db, chosen, me) if chosen else None
    told = _told()
    found = finding.search(db, finding.read(told, project.id), after=told["after"]) if project else None
    past = bulk_overturns.page(db, project_id=chosen or None, before=numbers.asked("before", bulk_overturns.NEWEST), limit=PAST + 1)
    return render_template(
        "overturns/index.html", one=project, rules=projects.rules(db, project.id, project.version) if project else None,
        told=told, page=found, narrow={n: v for n, v in told.items() if v and n not in ("project", "after")},
        past=past[:PAST], more=len(past) > PAST, pending=bulk_overturns.pending(db), projects=projects.page(db, me, limit=500),
        choices=choices.of_project(db, project_id=project.id if project else None), effects=finding.effects(db, project_id=chosen) if project else [],
    )  # fmt: skip


def _told() -> dict[str, str]:
    """The filters as they came, by a form or an address."""
    given = request.form if request.method == "POST" else request.args
    return {name: given.get(name, "") for name in finding.NAMES}


@blueprint.get("/new")
@leads
def new():
    """Which outcomes, and the form that says what is to hold instead."""
    project = projects.load(desk().db, numbers.asked("project"), access.current())
    return _new(project, Typed(), str(bulk_overturns.MOST))


def _new(project: Project, typed: Typed, most: str, error: errors.Error | None = None) -> str:
    told, rules = _told(), projects.rules(desk().db, project.id, project.version)
    named = choices.of_project(desk().db, project_id=project.id)
    form = controls.without(controls.form(rules, "overturn", typed), "")
    return render_template(
        "overturns/new.html", one=project, told=told, rules=rules, form=form, error=error, most=most, longest=bulk_overturns.MOST,
        parts=overturn_words.told_parts(told, named), reopens=typed.reopens,
    )  # fmt: skip


@blueprint.post("")
@leads
def begin():
    """Begins one; what was typed comes back with an error."""
    db, me, typed = desk().db, access.current(), Typed.of_form(request.form)
    project, most = projects.load(db, numbers.asked("project"), me), request.form.get("most", "").strip()
    try:
        asked = finding.read(_told(), project.id)
        instead = typed.instead(projects.rules(db, project.id, project.version).question)
        how: dict[str, Any] = {"reason_code": typed.reason, "note": typed.note, "most": numbers.asked("most")}
        made = bulk_overturns.begin(db, asked, me=me.id, **how, **instead)
    except (errors.Invalid, errors.Conflict) as error:
        return _new(project, typed, most, error), error.status
    return htmx.go(url_for("overturns.show", bulk_id=made))


@blueprint.get("/<int:bulk_id>")
@leads
def show(bulk_id: int):
    return _show(_load(bulk_id))


def _load(bulk_id: int) -> BulkOverturn:
    return bulk_overturns.load(desk().db, bulk_id=bulk_id, me=access.current().id)


def _show(one: BulkOverturn, error: errors.Error | None = None, typed: str = "") -> Response:
    """Its page as it is now; `typed`: the reason that somebody gave for a step that was not taken."""
    db, came_to = desk().db, request.args.get("came_to")
    chosen = came_to if came_to in CAME_TO else None
    listed = bulk_overturns.members(db, bulk_id=one.id, after=numbers.asked("after"), limit=SHOWN + 1, came_to=chosen)
    rules = projects.rules(db, one.project_id, projects.version(db, one.project_id))
    facts: dict[str, Any] = {
        "one": one,
        "rules": rules,
        "reasons": {r.code: r.label for r in rules.reason_codes},
        "mine": one.requested_by == access.current().id,
        "effects": finding.effects(db, project_id=one.project_id),
        "left_out": bulk_overturns.reasons(db, bulk_id=one.id),
        "eyes": bulk_overturns.eyes(db, bulk_id=one.id) if one.state in ("listed", "pending") else [],
        "steps": bulk_overturns.history(db, bulk_id=one.id),
    }
    context = {"listed": listed[:SHOWN], "more": len(listed) > SHOWN, "came_to": chosen, "error": error, "typed": typed}
    return make_response(render_template("overturns/show.html", **facts, **context))


@blueprint.get("/<int:bulk_id>/status")
@access.allow("lead", background=True)
def status(bulk_id: int):
    """How far it is, alone. Where somebody moved it on it says so, and leaves the page to its reader: they may be typing."""
    one = _load(bulk_id)
    seen = numbers.asked("version")
    if one.state == "listed" and seen == 1:
        return htmx.go(url_for("overturns.show", bulk_id=one.id))
    return render_template("overturns/_status.html", one=one, seen=seen)


@blueprint.post("/<int:bulk_id>/steps")
@leads
def step(bulk_id: int):
    """Asks for it, approves, rejects or withdraws it; pauses, resumes or stops it. Who comes second gets 409, and the page with what they typed."""
    act, why = request.form.get("step", ""), request.form.get("why", "").replace("\r\n", "\n")
    try:
        if act not in bulk_overturns.WAYS:
            raise errors.Invalid.field("step", f"must be one of {', '.join(bulk_overturns.WAYS)}")
        bulk_overturns.move(desk().db, act, bulk_id=bulk_id, me=access.current(), version=numbers.asked("version"), why=why)
    except (errors.Invalid, errors.Conflict, errors.Forbidden) as error:
        response = _show(_load(bulk_id), error, why)
        response.status_code = error.status
        return response
    return htmx.go(url_for("overturns.show", bulk_id=bulk_id))
