"""Policy gaps for leads: what went wrong together, how sure that is, examples, and the guidance to mend."""

from __future__ import annotations

from flask import Blueprint, render_template

from claimcheck.control import facets, figures, gaps
from claimcheck.control.gaps import Gap
from claimcheck.web import access, desk, numbers

blueprint = Blueprint("policy_gaps", __name__, url_prefix="/policy-gaps")
WORDS = {
    "queue": "in the queue",
    "batch": "of the batch",
    "counterparty": "of the counterparty",
    "match decision": "that intake found",
}
WAYS = (("abandoned", "left undecided"), ("escalated", "escalated"), ("disagreed", "disagreed on"), ("overturned", "overturned"))


@blueprint.get("")
@access.allow("lead")
def index():
    return render_template("policy_gaps/index.html", **_found(_project()))


@blueprint.get("/found")
@access.allow("lead", background=True)
def found():
    return render_template("policy_gaps/_found.html", **_found(_project()))


def _project() -> int:
    return numbers.asked("project")


def _found(project: int) -> dict[str, object]:
    db = desk().db
    wholes = gaps.projects(db)
    return {
        "project": project,
        "wholes": wholes,
        "whole": next((w for w in wholes if w.project_id == project), None),
        "gaps": gaps.page(db, project_id=project),
        "mark": figures.marks(db)["gaps"],
        "feature_word": feature_word,
        "field_of": field_of,
        "ways": WAYS,
        "latest": gaps.LATEST,
    }


def feature_word(gap: Gap) -> str:
    """What its items have in common, in front of the value."""
    return WORDS.get(gap.feature, f"with the {gap.feature}")


def field_of(gap: Gap) -> str:
    """The field whose value they have in common, as masks name one; else nothing."""
    return ".".join(facets.steps(gap.feature)) if gap.feature.startswith("/") else ""
