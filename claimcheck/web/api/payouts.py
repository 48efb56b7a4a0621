"""`/v1/reviewers/me/payouts` and `/v1/payouts`: the ledger, one's own, and a lead's corrections."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from claimcheck import errors
from claimcheck.experts import payouts
from claimcheck.validation import Model, Prose
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Body, Query
from claimcheck.web.api.routes import Call, route
from claimcheck.web.api.tasks import WORKERS

ADDRESS = "/v1/reviewers/me/payouts"


class Page(Query):
    before: int = Field(payouts.NEWEST, ge=1, le=2**63 - 1, description="the id to go on below")
    limit: int = Field(100, ge=1, le=1000)


class Line(models.Answer):
    id: int
    assignment_id: int | None = Field(description="none of a month's line for golds")
    item_id: int | None
    idempotency_key: str | None
    title: str
    project: str
    kind: str = Field(description="of the task; `golds` of a month's line for golds that are paid at a price of their own")
    amount_minor: int = Field(description="in the currency's smallest unit; negative where it takes from another line")
    currency: str
    why: str = Field(description="`look`: submitted under a valid lease; else what a month's line is for, or the reason of a correction")
    reverses: int | None = Field(description="the line that it takes from")
    reversed_by: int | None = Field(description="the line that takes from it")
    created_at: datetime


class Total(models.Answer):
    month: str = Field(pattern="^[0-9]{4}-[0-9]{2}$", description="in UTC")
    currency: str
    lines: int
    amount_minor: int


class Ledger(models.Answer):
    lines: list[Line]
    totals: list[Total] = Field(description="of all lines, the newest month first")
    next: str | None


class Reversal(Model):
    """How much is taken back, and why; the person reads it."""

    amount_minor: int = Field(ge=1, le=10**12)
    why: Annotated[Prose, Field(min_length=1, max_length=2000)]


class Reversed(models.Answer):
    id: int = Field(description="of the new line")


@route("GET", "/reviewers/me/payouts", roles=WORKERS, query=Page, answers={200: Ledger})
def mine(call: Call) -> Any:
    """Your ledger, newest line first, with the sums of each month and currency."""
    asked, db, me = call.query, desk().db, call.person.id
    found = payouts.page(db, person_id=me, before=asked.before, limit=asked.limit + 1)
    lines = found[: asked.limit]
    more = answers.again(ADDRESS, asked, before=lines[-1].id) if len(found) > asked.limit else None
    return 200, {"lines": [asdict(line) for line in lines], "totals": [_total(t) for t in payouts.totals(db, person_id=me)], "next": more}


def _total(total: payouts.Total) -> dict[str, Any]:
    return {**asdict(total), "month": f"{total.month:%Y-%m}"}


@route(
    "POST", "/payouts/{payout_id}/reverse", roles=("lead",), body=Body(Reversal), answers={201: Reversed},
    raises=(errors.NotReversible,),
)  # fmt: skip
def reverse(call: Call, payout_id: int) -> Any:
    """Takes from a line of anybody's, once, by a line of its own."""
    sent: Reversal = call.body
    made = payouts.reverse(desk().db, payout_id=payout_id, amount_minor=sent.amount_minor, why=sent.why, me=call.person.id)
    return 201, {"id": made}
