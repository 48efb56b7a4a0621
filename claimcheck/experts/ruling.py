"""What a submit is checked against, and what its look does to the task, as the statement's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors, projects, rules
from claimcheck.db import Database
from claimcheck.experts import judging

BY_THE_STATEMENT: dict[str, Any] = dict.fromkeys(("looks_before", "ends_as", "because", "settles_verdict", "settles_answer", "adjudication_price"))


@dataclass(frozen=True, slots=True)
class Terms:
    """An assignment's task and its rules; `my_weight`, `temperature` and `weighs` are the holder's and the skill's (quality/)."""

    task_id: int
    project_id: int
    project_version: int
    kind: str
    item_id: int
    wanted: int
    looks: int
    my_weight: float
    temperature: float
    weighs: bool


def terms(db: Database, *, assignment_id: int, me: int) -> Terms:
    """Of an assignment that is or was the caller's. Raises NotFound."""
    found = db.one("assignments/terms", Terms, assignment_id=assignment_id, me=me)
    if found is None:
        raise errors.NotFound()
    return found


def judged(db: Database, terms: Terms, params: dict[str, Any]) -> dict[str, Any]:
    """What this look does to its task, as the statement's parameters; it holds for the looks that were there.

    Where all looks have to be alike the statement judges by itself, under the task's lock.
    """
    in_force = projects.rules(db, terms.project_id, terms.project_version)
    price, by = {"adjudication_price": in_force.prices.adjudication}, in_force.agreement
    if terms.kind not in ("review", "relabel") or (by.mode == "unanimous" and not by.audited):
        return BY_THE_STATEMENT | price
    mine = judging.Look(params["verdict"], params["answer"] and params["answer"].obj, terms.my_weight)
    ruling = _ruling(db, terms, in_force, mine)
    judged = {"looks_before": terms.looks, "ends_as": ruling.ends_as, "because": ruling.because or None}
    return BY_THE_STATEMENT | price | judged | _settling(in_force, ruling)


def _settling(in_force: rules.Rules, ruling: judging.Ruling) -> dict[str, Any]:
    if ruling.ends_as != "decided":
        return {}
    return {"settles_verdict": ruling.said} if in_force.question.by_verdict else {"settles_answer": Jsonb(ruling.said)}


def _ruling(db: Database, terms: Terms, in_force: rules.Rules, mine: judging.Look) -> judging.Ruling:
    if terms.looks + 1 < terms.wanted:
        return judging.Ruling(None)
    before = db.all("looks/weighed", judging.Weighed, item_id=terms.item_id, task_id=terms.task_id) if terms.wanted > 1 else []
    looks = [*(judging.Look(w.verdict, w.answer, w.weight) for w in before), mine]
    return judging.rule(in_force, judging.Skill(terms.temperature, terms.weighs), wanted=terms.wanted, looks=looks)
