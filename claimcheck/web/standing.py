"""My standing: how somebody stands in each of their skills, why, what lifts a pause, and the appeal to a lead."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors
from claimcheck.experts import standing, standings
from claimcheck.experts.standings import Mine
from claimcheck.quality import exam
from claimcheck.web import access, desk, htmx

blueprint = Blueprint("standing", __name__, url_prefix="/standing")
SHOWN = 25  # golds, one by one


@dataclass(frozen=True)
class Progress:
    """How far an exam or the extra golds are: `done` of (for an exam at most) `of`, so many of them right."""

    what: str
    done: int
    of: int
    right: int


@dataclass(frozen=True)
class Refused:
    """An appeal that was not taken, with what was typed and why."""

    skill_id: int
    note: str
    message: str


@blueprint.get("")
@access.allow("reviewer", "lead")
def page():
    return _page()


def _page(refused: Refused | None = None) -> str:
    me, db = access.current().id, desk().db
    mine = standings.of_person(db, person_id=me)
    skills = [(m, progress(m), standings.results(db, person_id=me, skill_id=m.skill_id)) for m in sorted(mine, key=lambda m: m.status == "active")]
    return render_template("standing/page.html", skills=skills, refused=refused, shown=SHOWN, longest=standings.LONGEST)


def progress(mine: Mine) -> Progress | None:
    """Of the exam, or of the golds that a soft pause asks for."""
    if mine.status == "exam":
        return Progress("Entry exam", mine.exam_n, exam.LONGEST, mine.exam_ok)
    if mine.status != "soft_paused" or not mine.extra_left:
        return None
    of = max(standing.EXTRA, mine.extra_left)
    return Progress("Extra golds", of - mine.extra_left, of, mine.extra_ok)


@blueprint.post("/<int:skill_id>/appeals")
@access.allow("reviewer", "lead")
def appeal(skill_id: int):
    me, db, note = access.current().id, desk().db, request.form.get("note", "")
    standings.one(db, person_id=me, skill_id=skill_id)
    try:
        standings.appeal(db, me=me, skill_id=skill_id, note=note)
    except (errors.Invalid, errors.NothingToAppeal) as error:
        return _page(Refused(skill_id, note, error.errors[0].message if error.errors else error.detail)), error.status
    flash("Your appeal is with the leads. The answer comes here.")
    return htmx.go(url_for("standing.page", _anchor=f"skill-{skill_id}"))
