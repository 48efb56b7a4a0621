"""Writes answers: JSON with times in UTC, hashes in hex, and addresses that start with the desk's own name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import Response
from pydantic import BaseModel

from claimcheck.web import desk


def respond(result: Any) -> Response:
    """A view's result as a response: a Response as it is, else (status, body) or (status, body, headers)."""
    if isinstance(result, Response):
        return result
    status, body, *rest = result
    if body is None:
        response = Response(status=status)
        del response.headers["Content-Type"]
    else:
        response = Response(body if isinstance(body, bytes) else encoded(body), status, mimetype="application/json")
    response.headers.update(rest[0] if rest else {})
    response.headers["Vary"] = "Authorization"
    return response


def encoded(body: Any) -> bytes:
    """JSON as the API writes it."""
    whole = body.model_dump(mode="json") if isinstance(body, BaseModel) else body
    return json.dumps(whole, default=_plain, ensure_ascii=False, separators=(",", ":")).encode()


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """A row's values as JSON would carry them."""
    return json.loads(encoded(row))


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return moment(value)
        case UUID():
            return str(value)
        case bytes():
            return value.hex()
        case Decimal():
            return float(value)
        case BaseModel():
            return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} does not go into an answer")


def moment(at: datetime) -> str:
    """A time as it stands in answers: UTC, microseconds, Z."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def again(path: str, asked: BaseModel, **other: Any) -> str:
    """The address of the same question with other values: the next page."""
    kept = {name: moment(value) if isinstance(value, datetime) else value for name, value in asked.model_dump(exclude_defaults=True).items()}
    return address(f"{path}?{urlencode({**kept, **other})}")


def following(path: str, asked: Any, found: Sequence[Any], **places: str) -> str | None:
    """The address of the page after one that is full: each place that it is asked by becomes what the last row says of it."""
    return again(path, asked, **{name: getattr(found[-1], of) for name, of in places.items()}) if len(found) == asked.limit else None


def address(path: str) -> str:
    """A path as the address that a caller reaches it by."""
    return f"{(desk().settings.base_url or '').rstrip('/')}{path}"
