"""An item's payload: a new version of it in, its parts out. Every reading is on record before its first byte leaves."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from flask import Response
from pydantic import Field

from claimcheck import errors, evidence, projects, revisions
from claimcheck.access import masking
from claimcheck.access.masking import Reveal
from claimcheck.review import history
from claimcheck.validation import Code, Model, Name
from claimcheck.web import desk
from claimcheck.web.api import answers, models
from claimcheck.web.api.requests import LARGE, Body, Query
from claimcheck.web.api.routes import Call, route

GONE = (errors.StoreUnavailable, errors.PayloadMissing, errors.PayloadDamaged)
INERT = {  # whatever it says it is, a browser must not run it here
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Authorization",
}


def address(item_id: int, version: int, n: int) -> str:
    """Where a part is read by those who may see the item at any time."""
    return answers.address(f"/v1/items/{item_id}/versions/{version}/parts/{n}")


def held_address(assignment_id: int, n: int) -> str:
    """Where a part is read by whoever holds the assignment."""
    return answers.address(f"/v1/assignments/{assignment_id}/parts/{n}")


class Payload(Model):
    """The item's payload from now on, whole."""

    payload: Any = Field(description="an object of fields to show, and `files`")


class Reveals(Model):
    """Masked fields to be shown. Each of them is an access event with the purpose."""

    fields: list[Name] = Field(min_length=1, max_length=masking.FIELDS)
    purpose: Code = Field(description="one of the project's `purposes`")


class Purpose(Query):
    purpose: str | None = Field(None, min_length=1, max_length=100, pattern=r"^[^\x00]*$", description="reveals a masked file, one of `purposes`")


class PayloadTaken(models.Answer):
    item_id: int
    evidence_version: int
    status_url: str


@route(
    "PUT", "/items/{item_id}/payload", roles=("customer",), body=Body(Payload, LARGE, raw=True), answers={202: PayloadTaken},
    raises=(errors.QueueSaturated, errors.ProjectCancelled),
)  # fmt: skip
def put(call: Call, item_id: int) -> Any:
    """A new version of an item's evidence; the old ones stay. Who holds the item is told at the submit that it changed."""
    if not isinstance(call.body, dict) or set(call.body) != {"payload"}:
        raise errors.Invalid.field("payload", 'is required, and stands alone: {"payload": {…}}')
    made = revisions.revise(desk().db, person=call.person, item_id=item_id, payload=call.body["payload"])
    where = {"status_url": answers.address(f"/v1/items/{made.item_id}")}
    return 202, {"item_id": made.item_id, "evidence_version": made.version, **where}


@route("GET", "/items/{item_id}/payload", roles=("customer", "lead"), answers={200: "application/json"}, raises=GONE)
def get(call: Call, item_id: int) -> Any:
    """The fields of an item's newest payload."""
    return _item_fields(call, item_id, masking.NOTHING)


@route(
    "POST", "/items/{item_id}/reveals", roles=("lead",), body=Body(Reveals), answers={200: "application/json"}, raises=GONE,
)  # fmt: skip
def reveals(call: Call, item_id: int) -> Any:
    """The fields of an item's newest payload with these masked ones shown."""
    return _item_fields(call, item_id, Reveal(tuple(call.body.fields), call.body.purpose))


def _item_fields(call: Call, item_id: int, reveal: Reveal) -> Response:
    facts = history.facts(desk().db, item_id=item_id, customer_id=projects.reach(call.person))
    return _item_part(call, facts.id, facts.evidence_version, 0, reveal)


def _item_part(call: Call, item_id: int, version: int, n: int, reveal: Reveal) -> Response:
    asked = {"item_id": item_id, "version": version, "n": n, "purpose": "api", "reveal": reveal}
    return streamed(evidence.open_item_part(desk().db, desk().store, person=call.person, **asked))


@route(
    "GET", "/items/{item_id}/versions/{version}/parts/{n}", roles=("customer", "lead"), query=Purpose, answers={200: "*/*"},
    raises=(*GONE, errors.Masked, errors.Invalid),
)  # fmt: skip
def part(call: Call, item_id: int, version: int, n: int) -> Any:
    """A stored object of an item, byte for byte; part 0 is the payload's fields. To leads what is masked is masked; a masked file needs a purpose."""
    return _item_part(call, item_id, version, n, Reveal((), call.query.purpose))


@route(
    "GET", "/assignments/{assignment_id}/payload", roles=("reviewer", "lead"), answers={200: "application/json"},
    raises=GONE,
)  # fmt: skip
def held(call: Call, assignment_id: int) -> Any:
    """The payload's fields, while you hold the assignment; masked ones read `[masked]`."""
    return _held_part(call, assignment_id, 0, masking.NOTHING)


@route(
    "POST", "/assignments/{assignment_id}/reveals", roles=("reviewer", "lead"), body=Body(Reveals), answers={200: "application/json"},
    raises=GONE,
)  # fmt: skip
def held_reveals(call: Call, assignment_id: int) -> Any:
    """The payload's fields with these masked ones shown, while you hold the assignment."""
    return _held_part(call, assignment_id, 0, Reveal(tuple(call.body.fields), call.body.purpose))


def _held_part(call: Call, assignment_id: int, n: int, reveal: Reveal) -> Response:
    asked = {"assignment_id": assignment_id, "person_id": call.person.id, "n": n, "reveal": reveal}
    return streamed(evidence.open_part(desk().db, desk().store, **asked))


@route(
    "GET", "/assignments/{assignment_id}/parts/{n}", roles=("reviewer", "lead"), query=Purpose, answers={200: "*/*"},
    raises=(*GONE, errors.Masked, errors.Invalid),
)  # fmt: skip
def held_part(call: Call, assignment_id: int, n: int) -> Any:
    """A stored object of the item, byte for byte, while you hold the assignment; a masked file needs a purpose."""
    return _held_part(call, assignment_id, n, Reveal((), call.query.purpose))


def streamed(opened: evidence.OpenPart) -> Response:
    """A part's bytes as a download, inert in a browser."""
    response = Response(opened.stream, content_type=opened.content_type, headers=INERT)
    response.content_length = opened.size
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(opened.name, safe='')}"
    response.headers["ETag"] = f'"{opened.sha256.hex()}"'
    return response
