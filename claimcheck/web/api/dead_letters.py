"""`/v1/dead-letters`: what was refused, by cause, and sent again. Operators handle them and see no bytes; leads and their customer may."""

from __future__ import annotations

import base64
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from flask import Response
from pydantic import Field, model_validator

from claimcheck import errors, projects
from claimcheck.intake import dead_letters, replays
from claimcheck.rendering import names
from claimcheck.validation import Model, wrong
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import SMALL, Body, Query
from claimcheck.web.api.routes import INT4, INT8, Call, route

ROLES = ("customer", "lead", "operator")
BYTES = "application/octet-stream"
Id = Annotated[int, Field(ge=1, le=INT8)]


NO_NUL = r"^[^\x00]*$"

class Page(Query):
    project_id: int | None = Field(None, ge=1, le=INT4)
    code: str | None = Field(None, min_length=1, max_length=100, pattern=NO_NUL)
    cause: str | None = Field(None, max_length=200, pattern=NO_NUL)
    state: Literal["open", "all"] = Field("all", description="open: those that nobody has replayed yet")
    after: int = Field(0, ge=0, le=INT8)
    limit: int = Field(100, ge=1, le=500)


class Causes(Query):
    project_id: int | None = Field(None, ge=1, le=INT4)


class Replay(Model):
    """Sends a letter again: as it was, or with other bytes. Operators send it as it was; they see no payloads."""

    dry_run: bool = Field(False, description="tries it, and leaves nothing: no row, no record, no event")
    body: str | None = Field(None, max_length=replays.BODY_BYTES, description="instead of the letter's bytes, as text")
    body_base64: str | None = Field(None, max_length=replays.BODY_BYTES * 4 // 3 + 4, description="the same for what is no text")

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if self.body is not None and self.body_base64 is not None:
            raise wrong("body_base64", "must be absent where body is given")
        return self

    @property
    def data(self) -> bytes | None:
        if self.body is not None:
            return self.body.encode()
        try:
            return None if self.body_base64 is None else base64.b64decode(self.body_base64, validate=True)
        except ValueError:
            raise errors.Invalid.field("body_base64", "must be base64, with its padding") from None


class ReplayMany(Model):
    """Which open letters to send again, as they were: these, or all of a cause, a code, a project."""

    dead_letter_ids: list[Id] | None = Field(None, min_length=1, max_length=500)
    project_id: int | None = Field(None, ge=1, le=INT4)
    code: str | None = Field(None, min_length=1, max_length=100, pattern=NO_NUL)
    cause: str | None = Field(None, max_length=200, pattern=NO_NUL)
    dry_run: bool = Field(False, description=f"tries the first {replays.CHUNK} and leaves nothing")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if self.dead_letter_ids is None and self.project_id is None and self.code is None:
            raise wrong("dead_letter_ids", "is required where neither project_id nor code says which ones")
        return self


class DeadLetter(models.Answer):
    id: int
    project_id: int | None
    project: str | None
    batch_id: int | None
    idempotency_key: str | None
    code: str
    gate: str | None
    cause: str = Field(description="a short stable name to group by")
    field: str
    detail: str
    source: str = Field(description="the door: items, http, file, stream, replay, pool")
    source_hash: models.Hash = Field(description="of the bytes")
    bytes: int
    attempts: int
    message_id: int | None
    trace_id: str
    created_at: datetime
    state: str = Field(description="open, or what came of the last replay: admitted, repeated, refused")
    again_id: int | None = Field(description="the dead letter that a replay made of it, where it was refused again")
    came_again: int = Field(description="how often the same bytes were refused for the same after the first time, while it is open")


class DeadLetters(models.Answer):
    dead_letters: list[DeadLetter]
    next: str | None


class Cause(models.Answer):
    code: str
    cause: str
    gate: str | None
    letters: int
    bytes: int
    projects: int
    oldest: datetime
    newest: datetime
    example: str = Field(description="what the newest of them says")


class ByCause(models.Answer):
    causes: list[Cause]


class Replayed(models.Answer):
    dead_letter_id: int
    dry_run: bool
    result: Literal["admitted", "repeated", "refused"]
    message_id: int | None
    item_id: int | None
    again_id: int | None
    code: str | None
    detail: str


class ReplayedMany(models.Answer):
    dry_run: bool
    admitted: int
    repeated: int
    refused: int
    left: int = Field(description="of those asked for, open still")
    stopped: str = Field(description="what stopped it before its end, else empty")
    results: list[Replayed] = Field(description="oldest first; at most 2000 a call")


class Past(models.Answer):
    id: int
    created_at: datetime
    by: str
    edited: bool
    result: Literal["admitted", "repeated", "refused"]
    message_id: int | None
    item_id: int | None
    again_id: int | None
    code: str | None
    detail: str


class Whole(DeadLetter):
    headers: dict[str, Any]
    customer: str | None
    received_by: str | None
    replay_of: int | None = Field(description="the letter that was refused again as this one")
    replays: list[Past]


@route("GET", "/dead-letters", roles=ROLES, query=Page, answers={200: DeadLetters}, raises=(errors.NotFound,))
def page(call: Call) -> Any:
    """What was refused, oldest first, and why: a customer's own, an operator's and a lead's all."""
    asked, db = call.query, desk().db
    _check(call)
    wanted = dead_letters.Filter(asked.project_id, asked.code, asked.cause, open=asked.state == "open")
    found = dead_letters.page(db, person=call.person, wanted=wanted, after=asked.after, limit=asked.limit)
    return 200, {"dead_letters": [asdict(d) for d in found], "next": _next(asked, found)}


def _check(call: Call) -> None:
    """Another customer's project is one that isn't there."""
    if call.query.project_id is not None:
        projects.load(desk().db, call.query.project_id, call.person)


def _next(asked: Page, found: list[dead_letters.DeadLetter]) -> str | None:
    if len(found) < asked.limit:
        return None
    return answers.again("/v1/dead-letters", asked, after=found[-1].id)


@route("GET", "/dead-letters/causes", roles=ROLES, query=Causes, answers={200: ByCause}, raises=(errors.NotFound,))
def causes(call: Call) -> Any:
    """What is wrong with the open ones, the commonest first."""
    _check(call)
    found = dead_letters.causes(desk().db, person=call.person, project_id=call.query.project_id)
    return 200, {"causes": [asdict(cause) for cause in found]}


@route("GET", "/dead-letters/{dead_letter_id}", roles=ROLES, answers={200: Whole})
def get(call: Call, dead_letter_id: int) -> Any:
    """One, with its headers and replays, without its bytes."""
    db = desk().db
    found = dead_letters.load(db, dead_letter_id=dead_letter_id, person=call.person)
    past = replays.of_letter(db, dead_letter_id=found.id, person=call.person)
    return 200, {**asdict(found), "replays": [asdict(entry) for entry in past]}


@route("GET", "/dead-letters/{dead_letter_id}/body", roles=("customer", "lead"), answers={200: BYTES})
def body(call: Call, dead_letter_id: int) -> Any:
    """The bytes as they came; that they were opened is on record."""
    data = dead_letters.body(desk().db, dead_letter_id=dead_letter_id, person=call.person)
    kept = {"Cache-Control": "no-store", "Content-Disposition": names.disposition(f"dead-letter-{dead_letter_id}", inline=False)}
    return Response(data, mimetype=BYTES, headers=kept)


@route(
    "POST", "/dead-letters/{dead_letter_id}/replay", roles=ROLES, body=Body(Replay, 2 * replays.BODY_BYTES), answers={200: Replayed},
    raises=(errors.QueueSaturated, errors.ProjectCancelled, errors.Forbidden),
)  # fmt: skip
def replay(call: Call, dead_letter_id: int) -> Any:
    """Sends one through its door again, and all gates. The same bytes again are answered as before. What is refused again is a new dead letter."""
    asked: Replay = call.body
    told = {"body": asked.data, "dry_run": asked.dry_run}
    came = replays.one(desk().db, dead_letter_id=dead_letter_id, person=call.person, **told)
    return 200, {"dry_run": asked.dry_run, **asdict(came)}


@route(
    "POST", "/dead-letters/replay", roles=ROLES, body=Body(ReplayMany, SMALL), answers={200: ReplayedMany},
    raises=(errors.QueueSaturated,),
)  # fmt: skip
def replay_many(call: Call) -> Any:
    """Sends open ones again as they were, oldest first. What can't go in is refused by itself."""
    asked: ReplayMany = call.body
    ids = None if asked.dead_letter_ids is None else tuple(asked.dead_letter_ids)
    wanted = replays.Asked(ids, asked.code, asked.cause, asked.project_id)
    done = replays.many(desk().db, person=call.person, asked=wanted, dry_run=asked.dry_run)
    return 200, {
        **done.counts(),
        "dry_run": done.dry_run,
        "left": done.left,
        "stopped": done.stopped,
        "results": [{"dry_run": done.dry_run, **asdict(came)} for came in done.results],
    }
