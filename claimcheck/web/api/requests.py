"""Reads what a caller sent: parameters and bodies, by models, within limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from flask import request
from gunicorn.http.errors import ParseException
from pydantic import BaseModel, ConfigDict
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from claimcheck import canonical, errors
from claimcheck.validation import validated
from claimcheck.web.errors import UNFRAMED

M = TypeVar("M", bound=BaseModel)
KIB, MIB = 1024, 1024 * 1024
SMALL, LARGE = 256 * KIB, 32 * MIB
CUT = "The body was cut short; send the same again: what is in already is not taken twice."


class Query(BaseModel):
    """Parameters of an address: unknown ones are refused, numbers are read from their digits."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def query(model: type[M]) -> M:
    """The address's parameters. Raises BadRequest for one that is unknown, given twice, or wrong."""
    given = request.args.to_dict(flat=False)
    twice = next((name for name, values in given.items() if len(values) > 1), None)
    if twice is not None:
        raise errors.BadRequest(f"{twice}: is given twice; give it once", errors=[errors.FieldError(twice, "is given twice; give it once")])
    nul = next((name for name, values in given.items() if "\0" in values[0]), None)
    if nul is not None:
        raise errors.BadRequest(f"{nul}: must not hold NUL", errors=[errors.FieldError(nul, "must not hold NUL")])
    try:
        return validated(model, {name: values[0] for name, values in given.items()})
    except errors.Invalid as error:
        raise errors.BadRequest(error.detail, errors=error.errors) from None


@dataclass(frozen=True)
class Body:
    """A JSON body of this model. With `raw` the parsed object is given on as it is, to be judged further down."""

    model: type[BaseModel]
    limit: int = SMALL
    raw: bool = False
    optional: bool = False
    also: tuple[str, ...] = ()  # other content types, which the view reads by itself
    unread: bool = False  # the view reads JSON by itself too, whatever it is

    @property
    def raises(self) -> list[type[errors.Error]]:
        return [errors.BadRequest, *([] if self.unread else [errors.Invalid]), errors.TooLarge, errors.UnsupportedMediaType]

    def read(self) -> Any:
        """The body. Raises BadRequest, UnsupportedMediaType, TooLarge, Invalid; None where the view reads it by itself."""
        if request.mimetype in self.also:
            return None
        if self.optional and not request.content_length and not request.mimetype:
            return self.model()
        if request.mimetype != "application/json":
            raise errors.UnsupportedMediaType(f"Send Content-Type: {' or '.join(('application/json', *self.also))}.")
        if self.unread:
            return None
        data = parsed(received(self.limit))
        return data if self.raw else validated(self.model, data)


def received(limit: int) -> bytes:
    """The whole body. Raises TooLarge beyond the limit, BadRequest where it was cut short."""
    stream = Stream(limit)
    try:
        return b"".join(iter(partial(stream.read, 64 * KIB), b""))
    except RequestEntityTooLarge:
        raise errors.TooLarge(f"The body is larger than {limit:,} bytes; send files ahead through POST /v1/uploads.") from None


class Stream:
    """The body as it comes, up to a limit. Its end is an error where less came than was announced, whoever serves us."""

    def __init__(self, limit: int):
        request.max_content_length = limit
        self.source, self.left = request.stream, request.content_length or 0

    def read(self, size: int) -> bytes:
        try:
            block = self.source.read(size)
        except (ClientDisconnected, OSError):
            raise errors.BadRequest(CUT) from None
        except ParseException:
            raise errors.BadRequest(UNFRAMED) from None
        self.left -= len(block)
        if not block and self.left > 0:
            raise errors.BadRequest(CUT)
        return block


def parsed(data: bytes) -> Any:
    """The JSON in a body. Raises BadRequest that names the place."""
    try:
        return canonical.parse_json(data)
    except canonical.InvalidJSON as error:
        field = error.path.removeprefix("$").removeprefix(".") or "body"
        raise errors.BadRequest(f"{field}: {error.detail}", errors=[errors.FieldError(field, error.detail)]) from None
