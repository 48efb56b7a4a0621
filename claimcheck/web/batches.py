"""A batch for who sent it: how far it is, when it will be done, what was refused, and its results as they settle."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from claimcheck import projects
from claimcheck.intake import batches, dead_letters
from claimcheck.proof import results
from claimcheck.web import access, controls, desk, forecasts, numbers

blueprint = Blueprint("batches", __name__)
REFUSED, NEWEST = 100, 15


@blueprint.get("/batches/<int:batch_id>")
@access.allow("lead", "operator", "customer")
def show(batch_id: int):
    db, me = desk().db, access.current()
    one = batches.load(db, batch_id=batch_id, person=me)
    project = projects.load(db, one.project_id, me)
    context = {
        "one": one,
        "project": project,
        "told": forecasts.tell(project.id, one.id),
        "refused": dead_letters.of_batch(db, batch_id=one.id, after=numbers.asked("after", digits=18), limit=REFUSED),
        "settled": settled(project, one.id) if me.role != "operator" else [],
    }
    return render_template("batches/show.html", **context)


def settled(project: projects.Project, batch_id: int | None = None) -> list[tuple[results.Settled, str]]:
    """The newest outcomes, and what each says in the project's words."""
    found = results.lately(desk().db, project_id=project.id, batch_id=batch_id, limit=NEWEST)
    rules = project.parsed
    return [(row, _words(rules, row)) for row in found]


def _words(rules: controls.Rules, row: results.Settled) -> str:
    if row.outcome == "reopen":
        return "Open again"
    return controls.words(rules, verdict=None if row.outcome == "answer" else row.outcome, answer=row.answer)


@blueprint.get("/batches/<int:batch_id>/forecast")
@access.allow("lead", "operator", "customer", background=True)
def forecast(batch_id: int):
    """The forecast alone, which the batch's page looks at again and again."""
    one = batches.load(desk().db, batch_id=batch_id, person=access.current())
    return render_template("forecasts/_card.html", told=forecasts.tell(one.project_id, one.id), again=request.path)


@blueprint.get("/batches/<int:batch_id>/settled")
@access.allow("lead", "customer", background=True)
def newest(batch_id: int):
    """The newest results of a batch alone."""
    one = batches.load(desk().db, batch_id=batch_id, person=access.current())
    project = projects.load(desk().db, one.project_id, access.current())
    return render_template("forecasts/_settled.html", settled=settled(project, one.id), settled_again=request.path)


@blueprint.get("/projects/<int:project_id>/settled")
@access.allow("lead", "customer", background=True)
def of_project(project_id: int):
    """The newest results of a project alone."""
    project = projects.load(desk().db, project_id, access.current())
    return render_template("forecasts/_settled.html", settled=settled(project), settled_again=request.path)
