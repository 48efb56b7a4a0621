"""Skills for leads: whether work, people and gold match, who stands how, appeals, and the golds. Operators may look, at people and numbers alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flask import Blueprint, flash, render_template, request, url_for

from claimcheck import errors, projects
from claimcheck.experts import golds, standings
from claimcheck.experts.golds import Candidate
from claimcheck.web import access, controls, desk, htmx, skill_words

blueprint = Blueprint("skills", __name__, url_prefix="/skills")
leads = access.allow("lead")
SHARE = re.compile(r"[0-9]{1,3}(\.[0-9]{1,4})?")
STATUSES = {code: words for code, (words, _) in skill_words.STATUSES.items()}


@dataclass(frozen=True)
class Refused:
    """A form that was not taken: where it stands on the page, what was typed, and why."""

    at: str = ""
    message: str = ""
    typed: dict[str, str] = field(default_factory=dict)


@blueprint.record_once
def _filters(state: Any) -> None:
    state.app.jinja_env.filters.update(skill_words.FILTERS)


@blueprint.get("")
@access.allow("lead", "operator")
def index():
    found = standings.scarcity(desk().db)
    scale = max([1e-9, *(max(s.need_hours or 0, s.supply_hours or 0) for s in found)])
    waiting = [a.skill_id for a in _appeals()]
    return render_template("skills/index.html", skills=found, scale=scale, waiting=waiting)


@blueprint.get("/<int:skill_id>")
@access.allow("lead", "operator")
def show(skill_id: int):
    return _show(skill_id)


def _show(skill_id: int, refused: Refused | None = None) -> str:
    db, lead = desk().db, access.current().role == "lead"
    skill = standings.skill(db, skill_id=skill_id)
    context = {
        "skill": skill,
        "scale": max(1e-9, skill.need_hours or 0, skill.supply_hours or 0),
        "experts": standings.of_skill(db, skill_id=skill_id),
        "statuses": STATUSES,
        "may": lead,
        "appeals": [a for a in _appeals() if a.skill_id == skill_id],
        "golds": golds.page(db, skill_id=skill_id) if lead else [],
        "candidates": [(c, _said(c)) for c in golds.candidates(db, skill_id=skill_id)] if lead else [],
        "refused": refused or Refused(),
    }
    return render_template("skills/show.html", **context)


def _appeals() -> list[standings.Appeal]:
    """What people wrote is for leads."""
    return standings.appeals(desk().db) if access.current().role == "lead" else []


def _said(candidate: Candidate) -> str:
    db = desk().db
    asked = projects.rules(db, candidate.project_id, projects.version(db, candidate.project_id))
    return controls.words(asked, verdict=candidate.verdict, answer=candidate.answer)


def _do(skill_id: int, at: str, said: str, act: Callable[[], object]):
    """Does it, and goes back to its place on the page; a refusal is said there, with what was typed."""
    try:
        act()
    except (errors.Invalid, errors.Conflict) as error:
        return _show(skill_id, Refused(at, error.errors[0].message if error.errors else error.detail, request.form.to_dict())), error.status
    flash(said)
    return htmx.go(url_for("skills.show", skill_id=skill_id, _anchor=at.split("-")[0]))


@blueprint.post("/<int:skill_id>/terms")
@leads
def terms(skill_id: int):
    """What the skill asks of its people."""

    def put() -> None:
        rates = {name: _share(name) for name in ("gold_rate", "novice_rate")}
        standings.put_terms(desk().db, skill_id=skill_id, exam="exam" in request.form, **rates, me=access.current().id)

    return _do(skill_id, "terms", "The terms hold from now on.", put)


def _share(name: str) -> float:
    """Per cent, as typed, as a share."""
    given = request.form.get(name, "").strip().replace(",", ".")
    if not SHARE.fullmatch(given) or float(given) > 100:
        raise errors.Invalid.field(name, "give per cent, from 0 to 100")
    return float(given) / 100


@blueprint.post("/<int:skill_id>/experts/<int:person_id>")
@leads
def put(skill_id: int, person_id: int):
    """Pauses, resumes or re-weighs somebody by hand."""
    tier, form = request.form.get("tier", ""), request.form
    given = {"status": form.get("status", ""), "tier": int(tier) if tier in ("0", "1", "2", "3") else -1, "pinned": "pinned" in form}
    who = {"person_id": person_id, "skill_id": skill_id, "me": access.current().id}
    return _do(skill_id, f"people-{person_id}", "Changed, and on record.", lambda: standings.put(desk().db, **who, **given, why=form.get("why", "")))


@blueprint.post("/<int:skill_id>/appeals/<int:appeal_id>")
@leads
def answer(skill_id: int, appeal_id: int):
    """Answers an appeal; with `resume`, the pause is lifted too."""
    given = {"appeal_id": appeal_id, "me": access.current().id, "text": request.form.get("answer", ""), "resume": "resume" in request.form}
    return _do(skill_id, f"appeals-{appeal_id}", "Answered.", lambda: standings.answer(desk().db, **given))


@blueprint.post("/<int:skill_id>/golds")
@leads
def add(skill_id: int):
    """Makes gold of what an adjudicator settled. The label is the adjudicator's, not the form's."""
    item_id, db = request.form.get("item_id", ""), desk().db
    found = next((c for c in golds.candidates(db, skill_id=skill_id) if str(c.item_id) == item_id), None)
    if found is None:
        raise errors.NotFound()
    right = found.verdict if found.verdict is not None else found.answer
    made = {"item_id": found.item_id, "accepted": [right], "me": access.current().id, "origin": "adjudicated", "note": found.note}
    return _do(skill_id, "golds", "It is gold from now on; a copy is on its way.", lambda: golds.add(db, **made))


@blueprint.post("/<int:skill_id>/golds/<int:gold_id>/retirement")
@leads
def retire(skill_id: int, gold_id: int):
    """Takes a gold out of use."""
    return _do(skill_id, "golds", "Retired.", lambda: golds.retire(desk().db, gold_id=gold_id, me=access.current().id))
