"""`/v1/assignments/{id}`: hold it, give it back, decide it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from pydantic import Field

from claimcheck import errors, projects, rules
from claimcheck.review import assignments, decisions
from claimcheck.validation import Code, Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.requests import Body
from claimcheck.web.api.routes import Call, route
from claimcheck.web.api.tasks import WORKERS

Token = Annotated[str, Field(min_length=1, max_length=100, description="the lease's token, as the claim answered it")]


class Held(Model):
    """Proof that the assignment is yours."""

    lease_token: Token


class Release(Held):
    reason: Annotated[Prose, Field(max_length=500)] | None = None


class Skip(Held):
    reason: Code = Field(description="one of the project's skip reasons")


class SendBack(Held):
    note: Prose = Field(min_length=1, description="what the next reviewer should do differently")


class Submit(Held):
    """`verdict` or `answer`, as the question asks for it."""

    evidence_hash: models.Hash
    verdict: Annotated[str, Field(max_length=20)] | None = None
    answer: Any = Field(None, description="a grade's whole number, a preference's value, or a list of choices")
    reason_code: Annotated[str, Field(min_length=1, max_length=100)]
    note: Prose = ""


Done = TypeVar("Done")


def _under_lease(call: Call, assignment_id: int, act: Callable[..., Done], **given: Any) -> Done:
    """Does it under the lease that the caller sent. Raises StaleLease, or NotFound for somebody else's assignment."""
    try:
        return act(desk().db, assignment_id=assignment_id, lease_token=_token(call.body), me=call.person.id, **given)
    except errors.StaleLease:
        assignments.load(desk().db, assignment_id=assignment_id, me=call.person.id)
        raise


def _token(body: Held) -> UUID:
    """What is no token at all is as stale as one that was."""
    try:
        return UUID(body.lease_token)
    except ValueError:
        return UUID(int=0)


class Lease(models.Answer):
    lease_expires: datetime
    idle: bool = Field(description="the person was away too long, so it was not extended")


class SentBack(models.Answer):
    task_id: int


@route(
    "POST", "/assignments/{assignment_id}/heartbeat", roles=WORKERS, body=Body(Held), answers={200: Lease},
    raises=(errors.StaleLease,),
)  # fmt: skip
def heartbeat(call: Call, assignment_id: int) -> Any:
    """Extends a live lease, up to the project's longest hold. 409 once it has expired: claim again."""
    beat = _under_lease(call, assignment_id, assignments.heartbeat)
    return 200, {"lease_expires": beat.lease_expires, "idle": beat.idle}


@route("POST", "/assignments/{assignment_id}/release", roles=WORKERS, body=Body(Release), answers={204: None}, raises=(errors.StaleLease,))
def release(call: Call, assignment_id: int) -> Any:
    """Gives the task back; you may get it again."""
    _under_lease(call, assignment_id, assignments.release, reason=call.body.reason)
    return 204, None


@route("POST", "/assignments/{assignment_id}/skip", roles=WORKERS, body=Body(Skip), answers={204: None}, raises=(errors.StaleLease,))
def skip(call: Call, assignment_id: int) -> Any:
    """Gives the task back for one of the project's reasons; it comes to you after all your other work."""
    held = assignments.load(desk().db, assignment_id=assignment_id, me=call.person.id)
    rules.check_skip(projects.rules(desk().db, held.project_id, held.project_version), call.body.reason)
    _under_lease(call, assignment_id, assignments.skip, reason=call.body.reason)
    return 204, None


@route(
    "POST", "/assignments/{assignment_id}/submit", roles=WORKERS, body=Body(Submit), answers={200: models.Receipt},
    raises=(errors.StaleLease, errors.AlreadyDecided, errors.EvidenceChanged, errors.ProjectCancelled, errors.SameEyes),
)  # fmt: skip
def submit(call: Call, assignment_id: int) -> Any:
    """Decides, under the lease, on the evidence that you saw. The same submit again answers with the same receipt, byte for byte."""
    sent, secret = call.body, desk().settings.secret_key or ""
    chosen = {"verdict": sent.verdict, "answer": sent.answer, "reason_code": sent.reason_code, "note": sent.note}
    decision_id = _under_lease(call, assignment_id, decisions.submit, evidence_hash=bytes.fromhex(sent.evidence_hash), **chosen)
    return 200, decisions.receipt(desk().db, decision_id=decision_id, secret=secret)


@route(
    "POST", "/assignments/{assignment_id}/send-back", roles=("lead",), body=Body(SendBack), answers={200: SentBack},
    raises=(errors.StaleLease,),
)  # fmt: skip
def send_back(call: Call, assignment_id: int) -> Any:
    """Returns an escalation that you hold to the reviewers, with a note; its count of abandoned leases starts again."""
    task_id = _under_lease(call, assignment_id, decisions.send_back, note=call.body.note)
    return 200, {"task_id": task_id}
