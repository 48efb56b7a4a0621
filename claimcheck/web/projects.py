"""Projects: the rules in force and their versions, where the items are, pause, cancel, and a change of rules."""

from __future__ import annotations

import yaml
from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors, project_files, projects, versions
from claimcheck.forecasts import alerts, boosting, record
from claimcheck.formats import watching
from claimcheck.intake import batches
from claimcheck.projects import Project
from claimcheck.rules import Rules
from claimcheck.web import access, desk, forecasts, htmx, numbers
from claimcheck.web.batches import settled

blueprint = Blueprint("projects", __name__, url_prefix="/projects")
PAGE, VERSIONS = 50, 20


@blueprint.get("")
@access.allow("lead", "operator", "customer")
def index():
    found = projects.page(desk().db, access.current(), after=numbers.asked("after"), limit=PAGE + 1)
    counts = projects.counts(desk().db, [one.id for one in found[:PAGE]])
    said = record.newest(desk().db, [one.id for one in found[:PAGE]])
    return render_template("projects/index.html", listed=found[:PAGE], counts=counts, said=said, more=len(found) > PAGE)


@blueprint.get("/<int:project_id>")
@access.allow("lead", "operator", "customer")
def show(project_id: int):
    return _show(_load(project_id))


def _load(project_id: int) -> Project:
    """The project, if the asker may see it. Raises NotFound."""
    return projects.load(desk().db, project_id, access.current())


def _show(one: Project, *, typed: dict[str, str] | None = None, error: errors.Error | None = None, secret: str | None = None) -> str:
    db = desk().db
    return render_template(
        "projects/show.html",
        one=one,
        rules=one.parsed,
        text=written(one.parsed),
        counts=projects.counts(db, [one.id])[one.id],
        boost=boosting.of_project(db, project_id=one.id),
        told=forecasts.tell(one.id),
        alerted=alerts.page(db, project_id=one.id),
        sent=batches.page(db, project_id=one.id),
        settled=settled(one) if access.current().role != "operator" else [],
        versions=versions.page(db, one.id, after=numbers.asked("after"), limit=VERSIONS),
        watched=watching.lately(db, project_id=one.id) if one.parsed.watch else [],
        folder=watching.prefix(one.id),
        typed=typed,
        error=error,
        secret=secret,
    )


def written(rules: Rules) -> str:
    """Rules as a project file, without what is the default anyway."""
    return yaml.safe_dump(rules.model_dump(mode="json", exclude_defaults=True), sort_keys=False, allow_unicode=True, width=100)


@blueprint.post("/<int:project_id>/versions")
@access.allow("lead")
def change(project_id: int):
    """New rules from a project file's text; what was typed comes back with an error."""
    one, form = _load(project_id), request.form
    typed = {name: form.get(name, "").replace("\r\n", "\n") for name in ("rules", "why")}
    try:
        if not typed["why"].strip():
            raise errors.Invalid.field("why", "say why the rules change, for the record")
        new = project_files.parse(typed["rules"].encode())
        secret = versions.change(desk().db, one.id, access.current().id, new, why=typed["why"].strip()[:2000], settings=desk().settings)
    except (errors.Invalid, errors.ProjectCancelled) as error:
        return _show(one, typed=typed, error=error), error.status
    if secret:
        return _show(_load(project_id), secret=secret)
    flash(f"Version {_load(project_id).version} is in force.")
    return htmx.go(url_for("projects.show", project_id=project_id))


@blueprint.post("/<int:project_id>/pause")
@access.allow("lead")
def pause(project_id: int):
    projects.pause(desk().db, _load(project_id).id, access.current().id)
    flash("The project is paused: nothing more of it is handed out; what people hold, they may finish.")
    return htmx.go(url_for("projects.show", project_id=project_id))


@blueprint.post("/<int:project_id>/pause/end")
@access.allow("lead")
def resume(project_id: int):
    projects.resume(desk().db, _load(project_id).id, access.current().id)
    flash("The project goes on.")
    return htmx.go(url_for("projects.show", project_id=project_id))


@blueprint.post("/<int:project_id>/boost")
@access.allow("lead")
def boost(project_id: int):
    """Takes the boost off (`off` is 1), or lets the desk boost again before the deadline."""
    off = request.form.get("off") == "1"
    boosting.switch(desk().db, project_id=_load(project_id).id, off=off, me=access.current().id)
    flash("The project keeps its weight, deadline or not." if off else "The desk may boost it again before its deadline.")
    return htmx.go(url_for("projects.show", project_id=project_id))


@blueprint.post("/<int:project_id>/cancellation")
@access.allow("lead", "customer")
def cancel(project_id: int):
    projects.cancel(desk().db, _load(project_id).id, access.current().id)
    flash("The project is cancelled. Looks that people hold now still count until their lease runs out.")
    return htmx.go(url_for("projects.show", project_id=project_id))
