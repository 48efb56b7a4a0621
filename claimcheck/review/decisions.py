"""Decisions: looks and outcomes, bound to the evidence that was shown. They are never changed, only superseded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from claimcheck import canonical, errors, evidence, logs, projects, rules
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database
from claimcheck.experts import ruling
from claimcheck.proof import keys, receipts

REFUSED: dict[str, type[errors.Error]] = {
    "stale": errors.StaleLease,
    "different": errors.AlreadyDecided,
    "evidence_changed": errors.EvidenceChanged,
    "cancelled": errors.ProjectCancelled,
    "same_eyes": errors.SameEyes,
}


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision's row with the names that go with it. `outcome` is None for a look that settled nothing.

    `hidden`: its task still waits for other looks, so only who gave it may see it.
    """

    id: int
    item_id: int
    task_id: int
    assignment_id: int | None
    project_id: int
    project_version: int
    person_id: int
    pseudonym: str
    role: str
    verdict: str | None
    answer: Any
    outcome: str | None
    supersedes: int | None
    superseded_by: int | None
    evidence_version: int
    shown_version: int
    evidence_hash: bytes
    reason_code: str
    note: str
    created_at: datetime
    idempotency_key: str
    trace_id: str
    current_evidence_version: int
    project: str
    customer_id: int
    kind: str
    hidden: bool
    approval_id: int | None
    approved_by: str | None


@dataclass(frozen=True, slots=True)
class _Submitted:
    result: str
    decision_id: int | None


@dataclass(frozen=True, slots=True)
class Overturned:
    """The decision that supersedes an outcome; or, where the project wants a second pair of eyes on it, the approval that it waits for."""

    decision_id: int | None
    approval_id: int | None


@dataclass(frozen=True, slots=True)
class _Raised:
    task_id: int


@dataclass(frozen=True, slots=True)
class _Reopened:
    task_id: int
    item_id: int
    evidence_version: int
    current_version: int


def load(db: Database, *, decision_id: int) -> Decision:
    """One decision. Raises NotFound. Whether the asker may see it is the caller's to judge."""
    row = db.one("decisions/load", Decision, decision_id=decision_id)
    if row is None:
        raise errors.NotFound()
    return row


def visible(db: Database, *, decision_id: int, person: Person) -> Decision:
    """A decision that this person may see: their own, any for a lead, those on its items for a customer.

    Raises NotFound, also for somebody else's look while its task waits for independent ones.
    """
    found = load(db, decision_id=decision_id)
    read = person.role == "lead" or (person.role == "customer" and found.customer_id == person.customer_id)
    if found.person_id == person.id or (read and not found.hidden):
        return found
    raise errors.NotFound()


def submit(
    db: Database,
    *,
    assignment_id: int,
    lease_token: UUID,
    me: int,
    evidence_hash: bytes,
    reason_code: str,
    verdict: str | None = None,
    answer: Any = None,
    note: str = "",
) -> int:
    """Decides, under the fence; the decision's id. The same submit again gives the same id.

    Raises Invalid, StaleLease, AlreadyDecided, EvidenceChanged (the lease stays) or ProjectCancelled.
    """
    terms = ruling.terms(db, assignment_id=assignment_id, me=me)
    answer = _checked(db, terms, verdict, answer, reason_code, note)
    params = _answered(verdict, answer) | {"reason_code": reason_code, "note": cleaned(note), "evidence_hash": evidence_hash}
    params |= {"assignment_id": assignment_id, "lease_token": lease_token, "me": me}
    try:
        return _submit(db, terms, params)
    except errors.StaleLease:
        given = {name: params[name] for name in ("assignment_id", "lease_token", "me", "verdict", "answer", "reason_code", "note")}
        db.run("late_looks/keep", **given)
        raise


def _checked(db: Database, terms: ruling.Terms, verdict: str | None, answer: Any, reason_code: str, note: str) -> Any:
    """The answer in its canonical form: equal answers of several looks become equal votes."""
    needs_words = {"adjudication": "an adjudication", "approval": "a decision between two"}.get(terms.kind)
    if needs_words and not note.strip():
        raise errors.Invalid.field("note", f"say why: {needs_words} needs its reason in words")
    in_force = projects.rules(db, terms.project_id, terms.project_version)
    return rules.check_decision(in_force, terms.kind, verdict=verdict, answer=answer, reason_code=reason_code)


def _answered(verdict: str | None, answer: Any) -> dict[str, Any]:
    return {"verdict": verdict, "answer": None if answer is None else Jsonb(answer), "vote": canonical.vote(verdict, answer)}


def cleaned(note: str | None) -> str:
    """A note as it is kept. Raises Invalid."""
    text = (note or "").replace("\r\n", "\n")
    if len(text) > 10_000:
        raise errors.Invalid.field("note", f"is {len(text)} characters long; 10,000 are the limit")
    if "\x00" in text:
        raise errors.Invalid.field("note", "contains a NUL character; take it out")
    return text


def _submit(db: Database, terms: ruling.Terms, params: dict[str, Any]) -> int:
    for _ in range(40):  # 'again': a twin of this call committed while it ran; 'moved': another look did
        row = _submitted(db, terms, {**params, **ruling.judged(db, terms, params)})
        if row is None or row.result in REFUSED:
            raise REFUSED[row.result if row else "stale"]()
        if row.decision_id is not None and row.result in ("accepted", "repeated"):
            return row.decision_id
        terms = ruling.terms(db, assignment_id=params["assignment_id"], me=params["me"])
    raise errors.Unavailable()


def _submitted(db: Database, terms: ruling.Terms, asked: dict[str, Any]) -> _Submitted | None:
    """A second look in a transaction: it may open the item again, and the task that is raised then takes the newest evidence."""

    def look(connection: Connection) -> _Submitted | None:
        row = connection.one("decisions/submit", _Submitted, **asked)
        if row and row.result == "accepted" and row.decision_id is not None:
            refresh_reopened(connection, row.decision_id)
        return row

    return db.together(look) if terms.kind in ("second_look", "approval") else db.one("decisions/submit", _Submitted, **asked)


def send_back(db: Database, *, assignment_id: int, lease_token: UUID, me: int, note: str) -> int:
    """A lead returns an escalation to the reviewers with a note; the new task's id. Raises Invalid, StaleLease."""
    if not note.strip():
        raise errors.Invalid.field("note", "say what the next reviewer should do differently")
    row = db.one("decisions/send_back", _Raised, assignment_id=assignment_id, lease_token=lease_token, me=me, note=cleaned(note))
    if row is None:
        raise errors.StaleLease()
    return row.task_id


def overturn(
    db: Database,
    *,
    decision_id: int,
    me: int,
    reason_code: str,
    note: str = "",
    verdict: str | None = None,
    answer: Any = None,
    reopen: bool = False,
) -> Overturned:
    """A lead supersedes an outcome: by another verdict or answer, or by opening the item again.

    Raises NotFound, Invalid (also where nothing would change), AlreadyOverturned or ApprovalPending.
    """
    target = load(db, decision_id=decision_id)
    outcome, answer = _replacement(db, target, verdict, answer, reopen, reason_code)
    said = {"outcome": outcome, "answer": None if answer is None else Jsonb(answer), "reason_code": reason_code, "note": cleaned(note)}
    return db.together(lambda connection: _overturn(connection, {"decision_id": decision_id, "me": me, **said}))


def _overturn(connection: Connection, params: dict[str, Any]) -> Overturned:
    row = connection.one("decisions/overturn", Overturned, **params)
    if row is None:
        raise errors.Forbidden("Only a lead may overturn an outcome.")
    if params["outcome"] == "reopen" and row.decision_id is not None:
        refresh_reopened(connection, row.decision_id)
    return row


def _replacement(db: Database, target: Decision, verdict: str | None, answer: Any, reopen: bool, reason_code: str) -> tuple[str, Any]:
    """What holds instead and its answer, checked against the project's rules."""
    if target.outcome is None or target.outcome == "reopen":
        raise errors.Invalid.field("decision_id", "this decision settled nothing, so there is nothing to overturn")
    in_force = projects.rules(db, target.project_id, projects.version(db, target.project_id))
    outcome, answer = instead(in_force, verdict=verdict, answer=answer, reopen=reopen, reason_code=reason_code)
    if (outcome, answer) == (target.outcome, target.answer):
        raise errors.Invalid("That is what holds already; nothing would change.")
    return outcome, answer


def instead(in_force: rules.Rules, *, verdict: str | None, answer: Any, reopen: bool, reason_code: str) -> tuple[str, Any]:
    """What is to hold instead of an outcome, and its answer in canonical form. Raises Invalid."""
    if [verdict is not None, answer is not None, reopen].count(True) != 1:
        raise errors.Invalid("Say what holds instead: a verdict, an answer, or reopen: true; exactly one of them.")
    if reopen:
        rules.check_reason(in_force, reason_code)
        return "reopen", None
    answer = rules.check_decision(in_force, "escalation", verdict=verdict, answer=answer, reason_code=reason_code)
    return ("answer" if answer is not None else str(verdict)), answer


def refresh_reopened(connection: Connection, decision_id: int) -> None:
    """The task that a re-opening raised takes the item's newest evidence, where that changed since the decision."""
    task = connection.one("decisions/reopened", _Reopened, decision_id=decision_id)
    if task is not None:
        evidence.refresh_task(connection, task_id=task.task_id, item_id=task.item_id)


def receipt(db: Database, *, decision_id: int, secret: str) -> bytes:
    """The decision's signed receipt, the same bytes each time. Raises NotFound."""
    decision = load(db, decision_id=decision_id)
    logs.trace(decision.trace_id, "item_trace_id")
    key = keys.at(db, decision.created_at, secret)
    document = evidence.document(
        db, item_id=decision.item_id, evidence_version=decision.evidence_version, project_id=decision.project_id, shown_version=decision.shown_version
    )
    return receipts.build(_facts(decision, document, key.id), key.private(secret))


def _facts(decision: Decision, document: dict[str, Any], key_id: str) -> receipts.ReceiptFacts:
    return receipts.ReceiptFacts(
        decision_id=decision.id,
        item_id=decision.item_id,
        idempotency_key=decision.idempotency_key,
        project_id=decision.project_id,
        project_name=decision.project,
        project_version=decision.project_version,
        verdict=decision.verdict,
        answer=decision.answer,
        reason_code=decision.reason_code,
        note=decision.note,
        evidence_hash=decision.evidence_hash.hex(),
        evidence=document,
        evidence_version=decision.evidence_version,
        reviewer=decision.pseudonym,
        decided_at=decision.created_at,
        supersedes=decision.supersedes,
        key_id=key_id,
        approved_by=decision.approved_by,
    )
