"""`/v1/decisions/{id}`: read one, take its receipt, overturn it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from claimcheck import errors
from claimcheck.review import decisions
from claimcheck.validation import Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Body
from claimcheck.web.api.routes import Call, route

READERS = ("customer", "lead")


class Overturn(Model):
    """What holds instead: exactly one of `verdict`, `answer` and `reopen`."""

    reason_code: Annotated[str, Field(min_length=1, max_length=100)]
    note: Prose = ""
    verdict: Annotated[str, Field(max_length=20)] | None = None
    answer: Any = None
    reopen: bool = False


class Decision(models.Answer):
    id: int
    decision_id: int
    item_id: int
    project_id: int
    project_version: int
    idempotency_key: str
    trace_id: str
    kind: str
    decided_by: str
    approved_by: str | None = Field(description="whose second look it rests on, where the project's `four_eyes` asks for one")
    verdict: str | None
    answer: Any
    outcome: str | None = Field(description="what the item comes to by it; null for a look that settled nothing")
    reason_code: str
    note: str
    supersedes: int | None
    superseded_by: int | None
    evidence_version: int
    evidence_hash: models.Hash
    current_evidence_version: int
    evidence_changed: bool
    decided_at: datetime


@route("GET", "/decisions/{decision_id}", roles=READERS, answers={200: Decision})
def get(call: Call, decision_id: int) -> Any:
    """A decision. A look stays hidden while its task waits for independent ones."""
    return 200, _shown(decisions.visible(desk().db, decision_id=decision_id, person=call.person))


def _shown(found: decisions.Decision) -> dict[str, Any]:
    same = ("id", "item_id", "project_id", "project_version", "idempotency_key", "trace_id", "kind", "verdict", "answer", "outcome",
            "reason_code", "note", "approved_by", "supersedes", "superseded_by", "evidence_version", "evidence_hash",
            "current_evidence_version")  # fmt: skip
    return {
        **{name: getattr(found, name) for name in same},
        "decision_id": found.id,
        "decided_by": found.pseudonym,
        "decided_at": found.created_at,
        "evidence_changed": found.current_evidence_version > found.evidence_version,
    }


@route("GET", "/decisions/{decision_id}/receipt", roles=READERS, answers={200: models.Receipt})
def receipt(call: Call, decision_id: int) -> Any:
    """A decision's signed receipt, the same bytes each time."""
    found = decisions.visible(desk().db, decision_id=decision_id, person=call.person)
    return 200, decisions.receipt(desk().db, decision_id=found.id, secret=desk().settings.secret_key or "")


class Asked(models.Answer):
    """It is not in force yet: somebody else looks at the item first."""

    approval_id: int
    status_url: str


@route(
    "POST", "/decisions/{decision_id}/overturn", roles=("lead",), body=Body(Overturn), answers={201: Decision, 202: Asked},
    raises=(errors.AlreadyOverturned, errors.ApprovalPending),
)  # fmt: skip
def overturn(call: Call, decision_id: int) -> Any:
    """Supersedes an outcome, once: by another verdict or answer, or by opening the item again.

    202 where the project's `four_eyes` asks for a second pair of eyes on that: nothing changes until they have looked.
    """
    sent, db = call.body, desk().db
    made = decisions.overturn(
        db,
        decision_id=decision_id,
        me=call.person.id,
        reason_code=sent.reason_code,
        note=sent.note,
        verdict=sent.verdict,
        answer=sent.answer,
        reopen=sent.reopen,
    )
    if made.decision_id is None:
        return 202, {"approval_id": made.approval_id, "status_url": answers.address(f"/v1/approvals/{made.approval_id}")}
    return 201, _shown(decisions.load(db, decision_id=made.decision_id)), {"Location": answers.address(f"/v1/decisions/{made.decision_id}")}
