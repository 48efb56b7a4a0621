"""`/v1/dead-letters`: what was refused. The bytes stay in the desk."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from pydantic import Field

from claimcheck import dead_letters, errors, projects
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Query
from claimcheck.web.api.routes import INT4, INT8, Call, route


class Page(Query):
    project_id: int | None = Field(None, ge=1, le=INT4)
    after: int = Field(0, ge=0, le=INT8)
    limit: int = Field(100, ge=1, le=500)


class DeadLetter(models.Answer):
    id: int
    project_id: int
    project: str
    batch_id: int | None
    idempotency_key: str | None
    code: str
    field: str
    detail: str
    source_hash: models.Hash
    bytes: int
    trace_id: str
    created_at: datetime


class DeadLetters(models.Answer):
    dead_letters: list[DeadLetter]
    next: str | None


@route("GET", "/dead-letters", roles=("operator", "customer"), query=Page, answers={200: DeadLetters}, raises=(errors.NotFound,))
def page(call: Call) -> Any:
    """What was refused, oldest first, and why: a customer's own, an operator's all."""
    asked, db = call.query, desk().db
    if asked.project_id is not None:
        projects.load(db, asked.project_id, call.person)
    found = dead_letters.page(db, person=call.person, project_id=asked.project_id, after=asked.after, limit=asked.limit)
    same = [*DeadLetter.model_fields]
    return 200, {"dead_letters": [{name: getattr(d, name) for name in same} for d in found], "next": _next(asked, found)}


def _next(asked: Page, found: list[dead_letters.DeadLetter]) -> str | None:
    if len(found) < asked.limit:
        return None
    project = {"project_id": asked.project_id} if asked.project_id is not None else {}
    return answers.address(f"/v1/dead-letters?{urlencode({**project, 'after': found[-1].id, 'limit': asked.limit})}")
