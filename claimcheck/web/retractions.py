"""Retractions for leads: choose whose labels and from when on, see what would become of them, give the reason, do it."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors, projects
from claimcheck.datasets import retractions, versions
from claimcheck.datasets.retractions import Preview
from claimcheck.projects import Project
from claimcheck.web import access, desk, htmx, numbers

blueprint = Blueprint("retractions", __name__, url_prefix="/projects")
leads = access.allow("lead")
PAGE = 30


@dataclass(frozen=True)
class Chosen:
    """What the form says: whose labels, and from when on."""

    person_id: int | None = None
    scope: str = "change"
    since: str = ""

    @property
    def moment(self) -> datetime | None:
        """The time, in UTC. Raises Invalid."""
        if not self.since:
            return None
        try:
            at = datetime.fromisoformat(self.since)
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            raise errors.Invalid.field("since", "give a day and a time, such as 2027-01-31T18:00, in UTC") from None


def _chosen(given) -> Chosen:
    return Chosen(numbers.whole(given.get("person", ""), None), given.get("scope", "change"), given.get("since", "").strip()[:40])


@blueprint.get("/<int:project_id>/retractions")
@leads
def index(project_id: int):
    project, chosen = projects.load(desk().db, project_id, access.current()), _chosen(request.args)
    try:
        found = _preview(project, chosen)
    except errors.Invalid as error:
        return _page(project, chosen, error=error), error.status
    return _page(project, chosen, found)


def _preview(project: Project, chosen: Chosen) -> tuple[datetime, Preview] | None:
    """From when on, and what would become of the labels; None before anybody was chosen. Raises Invalid."""
    if chosen.person_id is None:
        return None
    db, whose = desk().db, {"project_id": project.id, "person_id": chosen.person_id}
    since = retractions.since_of(db, **whose, scope=chosen.scope, since=chosen.moment)
    return since, retractions.preview(db, **whose, since=since, looks_to=versions.cut(db))


def _page(
    project: Project, chosen: Chosen, found: tuple[datetime, Preview] | None = None, error: errors.Error | None = None, reason: str = ""
) -> str:
    db = desk().db
    authors = retractions.authors(db, project_id=project.id)
    return render_template(
        "retractions/index.html",
        one=project,
        chosen=chosen,
        authors=authors,
        whose=next((a for a in authors if a.id == chosen.person_id), None),
        found=found,
        listed=retractions.page(db, project_id=project.id, limit=PAGE),
        newest=versions.newest(db, project_id=project.id),
        key=_key() or uuid.uuid4().hex,
        reason=reason,
        error=error,
    )


@blueprint.post("/<int:project_id>/retractions")
@leads
def make(project_id: int):
    """Takes the labels back; what was typed comes back with an error."""
    project, form, chosen = projects.load(desk().db, project_id, access.current()), request.form, _chosen(request.form)
    try:
        made = retractions.retract(
            desk().db, project=project, me=access.current(), person_id=chosen.person_id or 0, scope=chosen.scope, since=chosen.moment,
            reason=form.get("reason", ""), relabel=form.get("relabel") != "no", idempotency_key=_key(),
        )  # fmt: skip
    except errors.Invalid as error:
        return _refused(project, chosen, error, form.get("reason", "")), error.status
    flash("The labels are taken back. The version that says so is being made.")
    return htmx.go(url_for("datasets.show", dataset_id=retractions.load(desk().db, retraction_id=made).dataset_id))


def _key() -> str | None:
    """The form's own, so that one sent twice is one."""
    given = request.form.get("key", "")
    return given if re.fullmatch("[0-9a-f]{32}", given) else None


def _refused(project: Project, chosen: Chosen, error: errors.Error, reason: str) -> str:
    try:
        found = _preview(project, chosen)
    except errors.Invalid:
        found = None
    return _page(project, chosen, found, error, reason)
