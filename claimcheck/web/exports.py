"""A project's items and outcomes as one file; every item is on record before it is read."""

from __future__ import annotations

from flask import Blueprint, Response, request

from claimcheck import projects
from claimcheck.formats import label_studio, leaving
from claimcheck.web import access, desk

blueprint = Blueprint("exports", __name__, url_prefix="/projects/<int:project_id>/exports")
owners = access.allow("lead", "customer")
INERT = "sandbox; default-src 'none'; frame-ancestors 'none'"


@blueprint.post("")
@owners
def make(project_id: int):
    """The file, as a stream. What is masked stays so for leads, unless they name a purpose."""
    project, me, form = projects.load(desk().db, project_id, access.current()), access.current(), request.form
    asked, purpose = form.get("format", ""), form.get("purpose", "").replace("\0", "") or None
    chunks = leaving.written(desk().db, desk().store, project=project, me=me, form=asked, purpose=purpose)
    return _kept(Response(chunks, content_type=leaving.TYPES[asked]), f"project-{project.id}-{leaving.FILES[asked]}")


@blueprint.get("/label-studio.xml")
@owners
def config(project_id: int):
    """The labelling configuration that Label Studio's tasks go with."""
    project = projects.load(desk().db, project_id, access.current())
    text = label_studio.config(project.parsed, leaving.fields(desk().db, project))
    return _kept(Response(text, content_type="application/octet-stream"), f"project-{project.id}-config.xml")


def _kept(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers.update({"Content-Security-Policy": INERT, "Cache-Control": "no-store"})
    return response
