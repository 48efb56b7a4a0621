"""An item as leads and its customer see it: facts, evidence, history, the outcome, and what may be done about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response, make_response, render_template

from claimcheck import canonical, errors, evidence, projects
from claimcheck.access.people import Person
from claimcheck.approvals import standing
from claimcheck.review import history, looks, reconsiderations
from claimcheck.review.history import Entry, Facts, Version
from claimcheck.review.looks import LateLook
from claimcheck.rules import Rules
from claimcheck.web import controls, desk
from claimcheck.web.controls import Typed


def show(item_id: int, me: Person, *, typed: Typed | None = None, refused: errors.Error | None = None, **more: Any) -> Response:
    """The page; `typed` and `refused` are an overturn that was not taken. Raises NotFound."""
    db = desk().db
    facts = history.facts(db, item_id=item_id, customer_id=me.customer_id if me.role == "customer" else None)
    rules = projects.rules(db, facts.project_id, facts.project_version)
    entries = history.of_item(db, item_id=item_id)
    context = {
        "facts": facts,
        "rules": rules,
        "versions": [_hashed(version, facts) for version in history.versions(db, item_id=item_id)],
        "entries": entries if me.role == "lead" else [e for e in entries if e.outcome is not None],
        "said": controls.words(rules, verdict=facts.outcome if facts.answer is None else None, answer=facts.answer) if facts.outcome else "",
        "late": _late(item_id, rules) if me.role == "lead" else [],
        "form": _overturn(facts, rules, typed or Typed()) if me.role == "lead" else None,
        "form_open": typed is not None,
        "reopens": typed is not None and typed.reopens,
        "refused": refused,
        "approvals": standing.of_item(db, item_id=item_id) if me.role == "lead" else [],
        "question": _question(entries) if me.role == "lead" else None,
    }
    return make_response(render_template("items/show.html", **context, **more))


def _late(item_id: int, rules: Rules) -> list[tuple[LateLook, str, str]]:
    """Late looks with what they said and why, in the project's words."""
    reasons = {r.code: r.label for r in rules.reason_codes}
    found = looks.late_looks(desk().db, item_id=item_id)
    return [
        (look, controls.words(rules, verdict=look.verdict, answer=look.answer), reasons.get(look.reason_code, look.reason_code)) for look in found
    ]


def _hashed(version: Version, facts: Facts) -> Version:
    """A version that no task and no decision carries has its hash computed: what it would be shown under now."""
    if version.evidence_hash is not None or version.published_at is None:
        return version
    shown = {"item_id": facts.id, "evidence_version": version.version, "project_id": facts.project_id, "shown_version": facts.shown_version}
    document = evidence.document(desk().db, **shown)
    return replace(version, evidence_hash=bytes.fromhex(canonical.source_hash(canonical.encode(document))))


def _overturn(facts: Facts, rules: Rules, typed: Typed) -> controls.Form | None:
    """The form that overturns the outcome in force, without the choice that holds already."""
    if facts.outcome_id is None or facts.outcome == "reopen":
        return None
    form = controls.form(rules, "overturn", typed)
    holds = f"verdict:{facts.outcome}" if facts.answer is None else f"answer:{facts.answer}"
    return controls.without(form, holds)


def _question(entries: list[Entry]) -> reconsiderations.Reconsideration | None:
    """The reviewer's question about one of the decisions, unanswered first. A hidden look's waits too: it would tell what was said."""
    open_looks = [e.decision_id for e in entries if e.kind == "look" and e.decision_id and not e.hidden]
    asked = [reconsiderations.load(desk().db, decision_id=decision_id) for decision_id in open_looks]
    found = sorted((q for q in asked if q), key=lambda q: q.answered_at is not None)
    return found[0] if found else None
