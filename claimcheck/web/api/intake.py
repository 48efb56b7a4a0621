"""`/v1/intake`: the pipeline's door for producers: one message, or an NDJSON stream of any length."""

from __future__ import annotations

import os
import socket
import sys
from dataclasses import replace
from typing import Any

from flask import g, request
from pydantic import Field, RootModel

from claimcheck import errors, lines, logs
from claimcheck.intake import admission, messages, parameters, sending
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.items import NDJSON
from claimcheck.web.api.requests import KIB, Body, Stream
from claimcheck.web.api.routes import Call, route

HEADERS = ("Content-Type", "Content-Length", "Date", "User-Agent", "Traceparent", "Tracestate", "X-Request-Id", "Idempotency-Key")  # no secrets
HEADER = 500  # characters of each


class Taken(models.Answer):
    """A message that is in. A repeat has the first one's id and trace id."""

    result: str = Field(description="admitted or repeated")
    message_id: int
    idempotency_key: str
    trace_id: str
    source_hash: models.Hash


class Refusal(models.Answer):
    line: int = Field(description="the how-manieth message of the stream, from 1; blank lines aside")
    idempotency_key: str | None
    code: str
    gate: str
    cause: str
    field: str
    detail: str
    dead_letter_id: int


class Streamed(models.Answer):
    """What became of a stream's messages; `refusals` are the first hundred."""

    lines: int
    accepted: int
    repeated: int
    refused: int
    refusals: list[Refusal]


class Accepted(RootModel[Taken | Streamed]):
    """For one message, what it became; for a stream, the counts."""


@route(
    "POST", "/intake", roles=("customer",), body=Body(messages.Message, messages.BYTES, also=(NDJSON,), unread=True),
    answers={200: Taken, 202: Accepted}, raises=(errors.DuplicateKey, errors.PoisonMessage, errors.QueueSaturated),
)  # fmt: skip
def send(call: Call) -> Any:
    """Takes one message in, or an NDJSON stream of any length. The same message again is a repeat (200).

    What is refused is kept: `dead_letter_id`, `gate` and `cause` say where and why, `errors` names every failure. A stream's good
    lines go in beside the bad ones. One that is cut, or told to wait, may be sent again whole, or from behind the `lines` that were read.
    """
    sender = admission.Sender(call.person.id, call.person.customer_id, "http", _headers())
    return _stream(sender) if request.mimetype == NDJSON else _one(sender)


def _one(sender: admission.Sender) -> Any:
    db = desk().db
    settings = parameters.current(db)
    admission.room(db, settings)
    [answer] = admission.admit(db, [_message()], sender=replace(sender, trace_id=g.trace_id), worker=_worker(), settings=settings)
    if answer.result == "refused":
        raise _refused(answer)
    logs.trace(answer.trace_id, "item_trace_id")
    same = ("result", "message_id", "idempotency_key", "trace_id", "source_hash")
    return 202 if answer.result == "admitted" else 200, {name: getattr(answer, name) for name in same}


def _stream(sender: admission.Sender) -> Any:
    sent = sending.Sent()
    try:
        sending.take(desk().db, sending.read(Stream(sys.maxsize)), sender=sender, worker=_worker(), sent=sent)
    except errors.Error as error:
        error.facts |= sending.facts(sent)
        raise
    return 202, sending.facts(sent)


def _message() -> admission.Body:
    """The whole body, or how it begins where it is too long: that much is kept."""
    stream, body = Stream(sys.maxsize), bytearray()
    while len(body) <= messages.BYTES and (block := stream.read(64 * KIB)):
        body += block
    if len(body) <= messages.BYTES:
        return bytes(body)
    return lines.TooLong(bytes(body[: messages.BYTES]), max(len(body), request.content_length or 0))


def _refused(answer: admission.Answer) -> errors.Error:
    kinds = {errors.DuplicateKey.code: errors.DuplicateKey}
    kind = errors.TooLarge if answer.cause == "too_large" else kinds.get(answer.code or "", errors.PoisonMessage)
    named = [errors.FieldError(r.field, r.detail) for r in answer.refusals]
    facts = {name: value for name, value in sending.refusal(answer).items() if name not in ("code", "field", "detail")}
    gates = [{"gate": r.gate, "cause": r.cause, "field": r.field} for r in answer.refusals]
    return kind(f"{answer.field} {answer.detail}", errors=named, refusals=gates, **facts)


def _headers() -> dict[str, str]:
    """Those worth keeping with a refused message."""
    given = {name: request.headers.get(name) for name in HEADERS}
    return {name: "".join(c for c in value if c.isprintable())[:HEADER] for name, value in given.items() if value}


def _worker() -> str:
    return f"web {socket.gethostname()}:{os.getpid()}"
