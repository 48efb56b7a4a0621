"""`/v1/projects/{id}/results`: what came of the items, page by page."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlencode

from flask import Response, request
from pydantic import Field

from claimcheck import projects
from claimcheck.db import Database
from claimcheck.proof import results
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import Query
from claimcheck.web.api.routes import Call, route

TYPES = {"json": "application/json", "ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}


class Page(Query):
    after: int = Field(0, ge=0, le=2**63 - 1, description="the decision_id to go on after")
    limit: int = Field(100, ge=1, le=1000)
    format: Literal["json", "ndjson", "csv"] | None = Field(None, description="else by the Accept header")


class Result(models.Answer):
    decision_id: int
    item_id: int
    idempotency_key: str
    trace_id: str
    outcome: str
    verdict: str | None
    answer: Any
    reason_code: str
    note: str
    decided_by: str
    approved_by: str | None
    decided_at: datetime
    supersedes: int | None
    superseded_by: int | None
    project_version: int
    shown_version: int
    evidence_version: int
    evidence_hash: models.Hash
    current_evidence_version: int
    current_evidence_hash: models.Hash | None
    evidence_changed: bool


class Results(models.Answer):
    results: list[Result]
    after: int = Field(description="go on after this one, now or later")
    next: str | None = Field(description="the next page, if there is one now")


@route(
    "GET", "/projects/{project_id}/results", roles=("customer", "lead"), query=Page,
    answers={200: (Results, "application/x-ndjson", "text/csv")},
)  # fmt: skip
def page(call: Call, project_id: int) -> Any:
    """Outcomes in the order of settling, as JSON, NDJSON or CSV. Go on with `next`, or later after `after`: none is left out.

    An outcome that was overturned stays in its place and names what superseded it; the overturn is a result of its own.
    In CSV a cell that a spreadsheet would compute begins with an apostrophe; JSON and NDJSON carry raw values.
    """
    asked = call.query
    project = projects.load(desk().db, project_id, call.person)
    found = results.page(desk().db, project_id=project.id, after=asked.after, limit=asked.limit + 1).rows
    shown = _shown(desk().db, project, found[: asked.limit])
    after = shown[-1]["decision_id"] if shown else asked.after
    more = _address(project.id, asked, after) if len(found) > asked.limit else None
    return _written(asked.format or _accepted(), shown, after, more)


def _shown(db: Database, project: projects.Project, found: list[results.Result]) -> list[dict[str, Any]]:
    rows = [results.as_dict(db, project.id, r) for r in found]
    return [{name: row[name] for name in Result.model_fields} for row in rows]


def _address(project_id: int, asked: Page, after: int) -> str:
    kept = {"after": after, "limit": asked.limit, **({"format": asked.format} if asked.format else {})}
    return answers.address(f"/v1/projects/{project_id}/results?{urlencode(kept)}")


def _accepted() -> str:
    wanted = request.accept_mimetypes.best_match(["application/json", "application/x-ndjson", "text/csv"]) or "application/json"
    return {"application/x-ndjson": "ndjson", "text/csv": "csv"}.get(wanted, "json")


def _written(form: str, shown: list[dict[str, Any]], after: int, more: str | None) -> Response:
    if form == "json":
        body = answers.encoded({"results": shown, "after": after, "next": more})
    elif form == "ndjson":
        body = b"".join(answers.encoded(row) + b"\n" for row in shown)
    else:
        body = results.to_csv([answers.plain(row) for row in shown], [*Result.model_fields]).encode()
    response = Response(body, content_type=TYPES[form])
    response.headers.update({"X-After": str(after), "Vary": "Authorization, Accept"})
    if more:
        response.headers["Link"] = f'<{more}>; rel="next"'
    return response
