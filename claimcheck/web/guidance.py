"""How to judge, changed in place by leads: its versions, what a version changed, and what two who change it at once are told."""

from __future__ import annotations

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors, projects
from claimcheck.control import guidance
from claimcheck.control.guidance import Guidance
from claimcheck.projects import Project
from claimcheck.web import access, desk, htmx, numbers, places

blueprint = Blueprint("guidance", __name__, url_prefix="/projects/<int:project_id>/guidance")


@blueprint.get("")
@access.allow("lead", "operator")
def show(project_id: int):
    one, versions = _load(project_id)
    return _show(one, versions)


def _load(project_id: int) -> tuple[Project, list[Guidance]]:
    one = projects.load(desk().db, project_id, access.current())
    return one, guidance.of_project(desk().db, project_id=one.id)


def _show(one: Project, versions: list[Guidance], *, typed: dict[str, str] | None = None, error: errors.Error | None = None) -> str:
    chosen, before = _chosen(versions)
    theirs = guidance.compare(versions[0].text, typed["text"]) if typed and isinstance(error, errors.GuidanceChanged) else None
    changed = guidance.compare(before.text if before else "", chosen.text) if chosen else None
    shown = typed or {"text": versions[0].text, "why": "", "after": str(versions[0].version)}
    if theirs is not None:  # who sends it again has seen theirs
        shown |= {"after": str(versions[0].version)}
    context = {"one": one, "versions": versions, "now": versions[0], "typed": shown, "error": error, "theirs": theirs, "back": _back(one)}
    return render_template("guidance/show.html", chosen=chosen, before=before, changed=changed, **context)


def _back(one: Project) -> str:
    """Where the lead came from."""
    return places.own(request.values.get("from")) or url_for("projects.show", project_id=one.id)


def _chosen(versions: list[Guidance]) -> tuple[Guidance | None, Guidance | None]:
    """The version that is asked for, and the one before it or the one that it is to be compared with."""
    by_number = {str(v.version): v for v in versions}
    chosen = by_number.get(request.args.get("version", ""))
    if chosen is None:
        return None, None
    earlier = next((v for v in versions if v.version < chosen.version), None)
    return chosen, by_number.get(request.args.get("with", ""), earlier)


@blueprint.post("")
@access.allow("lead")
def change(project_id: int):
    """A new version; what was typed comes back with an error, and beside it what somebody else wrote meanwhile."""
    one, _ = _load(project_id)
    typed = {"text": request.form.get("text", "").replace("\r\n", "\n"), "why": request.form.get("why", ""), "after": request.form.get("after", "")}
    after = numbers.whole(typed["after"], 0)
    try:
        guidance.write(desk().db, project_id=one.id, text=typed["text"], why=typed["why"], after=after, me=access.current().id)
    except (errors.Invalid, errors.GuidanceChanged, errors.ProjectCancelled) as error:
        return _show(*_load(project_id), typed=typed, error=error), error.status
    flash("The guidance is in force. Whoever has an item open is asked to look again.")
    return htmx.go(_back(one))
