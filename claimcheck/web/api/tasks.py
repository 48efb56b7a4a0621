"""`/v1/tasks/next`: the claim."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from claimcheck import evidence, projects, questions, rules
from claimcheck.db import Connection
from claimcheck.review import assignments, looks, tasks
from claimcheck.validation import Code, Model
from claimcheck.web import desk
from claimcheck.web.api import models, payload
from claimcheck.web.api.requests import Body
from claimcheck.web.api.routes import INT8, Call, route

ASK_AGAIN = 5  # seconds, where nothing is held that could come back sooner or later
LONGEST = 60
WORKERS = ("reviewer", "lead")


class Ask(Model):
    """Narrows the choice; nothing of it needs to be said."""

    skill: Code | None = None
    queue: Code | None = None
    item_id: int | None = Field(None, ge=1, le=INT8)


class Look(models.Answer):
    """What somebody said who looked at the item, without their name."""

    verdict: str | None
    answer: Any
    reason_code: str
    reason: str
    note: str
    seconds: float = Field(description="how long they held it")


class Chosen(models.Answer):
    said: Any = Field(description="a verdict, an answer, or one of several choices")
    looks: int


class Disagreement(models.Answer):
    """What an adjudication is about."""

    looks: list[Look] = Field(description="in an order that is drawn for you")
    chosen: list[Chosen] = Field(description="how many looks said what")


class Task(models.Answer):
    """A task in your hands until `lease_expires`. `lease_token` proves it; heartbeats extend it."""

    assignment_id: int
    task_id: int
    item_id: int
    project_id: int
    project: str
    kind: str
    queue: str
    lease_token: UUID
    lease_no: int
    lease_expires: datetime
    hold_until: datetime
    payload_url: str = Field(description="the payload's fields")
    parts: list[models.Part]
    evidence_version: int
    evidence_hash: models.Hash
    question: questions.Question
    verdicts: list[str] = Field(description="those that it may end in; empty where the question only takes an answer")
    reason_codes: list[str]
    reasons: list[rules.ReasonCode]
    skip_reasons: list[rules.Reason]
    guidance: str
    disagreement: Disagreement | None = Field(description="of an adjudication, or where a second look differs; its decision needs a `note`")


@route("POST", "/tasks/next", roles=WORKERS, body=Body(Ask, optional=True), answers={200: Task, 204: None})
def next(call: Call) -> Any:  # noqa: A001 (tasks.next)
    """Your next task, or the one that you hold already. 204 when there is nothing for you now; `Retry-After` says when to ask again."""
    db, me, ask = desk().db, call.person.id, call.body
    claimed = tasks.claim(db, me=me, skill=ask.skill, queue=ask.queue, item_id=ask.item_id)
    if claimed is None:
        return 204, None, {"Retry-After": _wait(tasks.left(db, me=me))}
    with db.connection() as connection:
        return 200, shown(connection, assignments.load(connection, assignment_id=claimed.assignment_id, me=me))


def _wait(left: tasks.Left) -> str:
    free = ASK_AGAIN if left.next_free_seconds is None else left.next_free_seconds
    return str(min(max(free, 1), LONGEST))


def shown(db: Connection, held: assignments.Assignment) -> dict[str, Any]:
    """An assignment in its holder's hands, with what is asked of them."""
    asked = projects.rules(db, held.project_id, held.project_version)
    same = ("task_id", "item_id", "project_id", "project", "kind", "queue", "lease_token", "lease_no", "lease_expires", "hold_until",
            "evidence_version", "evidence_hash")  # fmt: skip
    return {
        "assignment_id": held.id,
        **{name: getattr(held, name) for name in same},
        "payload_url": payload.held_address(held.id, 0),
        "parts": _parts(db, held),
        **_asked(asked, held.kind),
        "disagreement": _disagreement(db, held) if held.kind in ("adjudication", "approval") else None,
    }


def _disagreement(db: Connection, held: assignments.Assignment) -> dict[str, Any]:
    """As the adjudication's page shows it; nobody but its holder ever gets it."""
    found = looks.disputed(db, assignment_id=held.id, me=held.person_id)
    said = [one for look in found for one in look.chosen]
    return {
        "looks": [Look.of(look) for look in found],
        "chosen": [{"said": one, "looks": said.count(one)} for n, one in enumerate(said) if one not in said[:n]],
    }


def _parts(db: Connection, held: assignments.Assignment) -> list[dict[str, Any]]:
    listed = evidence.parts(db, item_id=held.item_id, version=held.evidence_version)
    same = ("n", "name", "content_type", "size", "sha256")
    return [{**{name: getattr(p, name) for name in same}, "url": payload.held_address(held.id, p.n)} for p in listed]


def _asked(asked: rules.Rules, kind: str) -> dict[str, Any]:
    return {
        "question": asked.question,
        "verdicts": rules.verdicts(asked, kind),
        "reason_codes": [r.code for r in asked.reason_codes],
        "reasons": asked.reason_codes,
        "skip_reasons": asked.skip_reasons,
        "guidance": asked.guidance,
    }
