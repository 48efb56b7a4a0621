"""`/v1/approvals`: which decisions wait for a second pair of eyes, and what became of them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import Field

from claimcheck.approvals import standing
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Query
from claimcheck.web.api.routes import INT4, INT8, Call, route

ROLES = ("lead",)


class Which(Query):
    project_id: int | None = Field(None, ge=1, le=INT4)
    after: int = Field(0, ge=0, le=INT8)
    limit: int = Field(50, ge=1, le=200)


class Waits(models.Answer):
    """What waits, and for how long; never what was proposed."""

    id: int
    item_id: int
    project_id: int
    project: str
    idempotency_key: str
    state: str = Field(description="`pending`: somebody else looks; `rejected`: they saw it differently, a lead decides")
    version: int
    asked_at: datetime
    held: bool = Field(description="somebody has the item in their hands for it")
    may: bool = Field(description="you may be the one who ends it")
    anybody: bool = Field(description="somebody may; where false, everybody who could had the item in their hands before")
    cancelled: bool


class Approvals(models.Answer):
    approvals: list[Waits]
    next: str | None


class Approval(models.Answer):
    """`proposed`, `answer`, `reason_code`, `proposed_by`, `overturns` and `rule` are null while it is open."""

    id: int
    item_id: int
    project_id: int
    project: str
    idempotency_key: str
    state: str = Field(description="`pending`, `approved`, `rejected`, `resolved` or `voided`")
    version: int
    asked_at: datetime
    moved_at: datetime
    decision_id: int | None = Field(description="the outcome that it came to; null where what stood stays")
    overturns: bool | None
    proposed: str | None
    answer: Any
    reason_code: str | None
    proposed_by: str | None
    rule: dict[str, str] | None
    approved_by: str | None


@route("GET", "/approvals", roles=ROLES, query=Which, answers={200: Approvals})
def page(call: Call) -> Any:
    """Decisions that wait for a second pair of eyes, oldest first."""
    asked = call.query
    found = standing.page(desk().db, me=call.person.id, project_id=asked.project_id, after=asked.after, limit=asked.limit)
    shown = [Waits.of(one) for one in found]
    return 200, {"approvals": shown, "next": answers.following("/v1/approvals", asked, found, after="id")}


@route("GET", "/approvals/{approval_id}", roles=ROLES, answers={200: Approval})
def get(call: Call, approval_id: int) -> Any:  # noqa: ARG001
    """Where one stands; what was proposed, once nobody has to look at the item for it any more."""
    return 200, asdict(standing.load(desk().db, approval_id=approval_id))
