"""Datasets: the versions of what is delivered of a project, how far they are, their files, who has them."""

from __future__ import annotations

from urllib.parse import quote

from flask import Blueprint, Response, flash, render_template, url_for

from claimcheck import errors, projects
from claimcheck.datasets import manifests, retractions, versions
from claimcheck.datasets.versions import Version
from claimcheck.web import access, dataset_words, desk, htmx, numbers

blueprint = Blueprint("datasets", __name__)
blueprint.record_once(lambda state: state.app.jinja_env.filters.update(dataset_words.FILTERS))
theirs = access.allow("lead", "customer")
PAGE = 30
INERT = "sandbox; default-src 'none'"


@blueprint.get("/projects/<int:project_id>/datasets")
@theirs
def index(project_id: int):
    project = projects.load(desk().db, project_id, access.current())
    found = versions.page(desk().db, project_id=project.id, before=numbers.asked("before", versions.NEWEST), limit=PAGE + 1)
    newest = versions.newest(desk().db, project_id=project.id)
    return render_template("datasets/index.html", one=project, listed=found[:PAGE], more=len(found) > PAGE, newest=newest)


@blueprint.post("/projects/<int:project_id>/datasets")
@theirs
def ask(project_id: int):
    """Asks for the next version."""
    project = projects.load(desk().db, project_id, access.current())
    made = versions.ask(desk().db, project=project, me=access.current())
    flash("The next version is being made." if made.new else "This is the newest version; nothing was settled since, or it is still being made.")
    return htmx.go(url_for("datasets.show", dataset_id=made.id))


@blueprint.get("/datasets/<int:dataset_id>")
@theirs
def show(dataset_id: int):
    return _show(_load(dataset_id))


def _load(dataset_id: int) -> Version:
    """The version, if the asker may see it. Raises NotFound."""
    return versions.load(desk().db, dataset_id=dataset_id, person=access.current())


def _show(one: Version, error: errors.Error | None = None) -> str:
    db, lead = desk().db, access.current().role == "lead"
    taken_back = retractions.load(db, retraction_id=one.retraction_id) if one.retraction_id and lead else None
    files = versions.files(db, dataset_id=one.id) if one.delivered else []
    mine = any(ack.by == access.current().name for ack in one.acks)
    return render_template("datasets/show.html", one=one, files=files, taken_back=taken_back, mine=mine, error=error)


@blueprint.get("/datasets/<int:dataset_id>/progress")
@access.allow("lead", "customer", background=True)
def progress(dataset_id: int):
    """How far it is, alone; once it is made, the page anew."""
    one = _load(dataset_id)
    return htmx.go(url_for("datasets.show", dataset_id=one.id)) if one.delivered else render_template("datasets/_progress.html", one=one)


@blueprint.get("/datasets/<int:dataset_id>/files/<name>")
@theirs
def file(dataset_id: int, name: str):
    """A file or the manifest, as a download; put on record before its first byte leaves."""
    one = _load(dataset_id)
    opened = versions.open_file(desk().db, desk().store, dataset_id=one.id, name=name, me=access.current())
    response = Response(opened.stream, content_type=opened.content_type, headers={"Content-Security-Policy": INERT})
    response.content_length = opened.size
    saved = f"{one.project} v{one.version} {opened.name}" if name != manifests.NAME else name
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(saved, safe='')}"
    return response


@blueprint.post("/datasets/<int:dataset_id>/acknowledgement")
@access.allow("customer")
def acknowledge(dataset_id: int):
    """The customer has it."""
    one = _load(dataset_id)
    try:
        versions.acknowledge(desk().db, dataset_id=one.id, me=access.current())
    except errors.NotDelivered as error:
        return _show(one, error), error.status
    flash("Acknowledged; the desk's leads see it.")
    return htmx.go(url_for("datasets.show", dataset_id=one.id))


@blueprint.post("/datasets/<int:dataset_id>/attempts")
@access.allow("lead")
def again(dataset_id: int):
    """A version that was given up is tried anew."""
    versions.again(desk().db, dataset_id=_load(dataset_id).id, me=access.current())
    flash("It is tried again.")
    return htmx.go(url_for("datasets.show", dataset_id=dataset_id))
