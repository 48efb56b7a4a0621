"""`/v1/batches/{id}`: how far the storing of what was sent is, and what was refused."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import Field

from claimcheck.intake import batches, dead_letters
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Query
from claimcheck.web.api.routes import Call, route

PAGE = 1000  # refused rows


class Page(Query):
    after: int = Field(0, ge=0, le=2**63 - 1, description="the refused row to go on after, by its dead_letter_id")


class Batch(models.Answer):
    """`claimable` ones are stored and have their task; `closed_at` is empty while a stream is read, or where it was cut."""

    id: int
    project_id: int
    accepted: int
    repeated: int
    claimable: int
    refused_count: int
    refused: list[Refused]
    next: str | None
    created_at: datetime
    closed_at: datetime | None


class Refused(models.Answer):
    idempotency_key: str | None
    code: str
    field: str
    detail: str
    dead_letter_id: int


@route("GET", "/batches/{batch_id}", roles=("customer",), query=Page, answers={200: Batch})
def get(call: Call, batch_id: int) -> Any:
    """How many rows of a batch were accepted and are claimable, and those that were refused, a thousand at a time."""
    db = desk().db
    batch = batches.load(db, batch_id=batch_id, person=call.person)
    refused = dead_letters.of_batch(db, batch_id=batch.id, after=call.query.after, limit=PAGE)
    same = ("id", "project_id", "accepted", "repeated", "claimable", "created_at", "closed_at")
    more = answers.address(f"/v1/batches/{batch.id}?after={refused[-1].dead_letter_id}") if len(refused) == PAGE else None
    return 200, {
        **{name: getattr(batch, name) for name in same},
        "refused": [asdict(row) for row in refused],
        "refused_count": batch.refused,
        "next": more,
    }
