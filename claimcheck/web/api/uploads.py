"""`/v1/uploads`: large files, sent ahead."""

from __future__ import annotations

from typing import Any, BinaryIO, cast

from flask import request
from pydantic import Field
from werkzeug.exceptions import RequestEntityTooLarge

from claimcheck import errors
from claimcheck.intake import uploads
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.requests import MIB
from claimcheck.web.api.routes import Call, route

OVERHEAD = MIB  # of a multipart body beside its file


class Upload(models.Answer):
    upload: str = Field(description="name it in an item's `files`")
    name: str
    content_type: str
    size: int
    sha256: models.Hash


@route(
    "POST", "/uploads", roles=("customer",), answers={201: Upload},
    raises=(errors.Invalid, errors.TooLarge, errors.UnsupportedMediaType),
)  # fmt: skip
def send(call: Call) -> Any:
    """Takes a file, as multipart/form-data with one part named `file`. Its `upload` stands for it in an item's `files`."""
    if request.mimetype != "multipart/form-data":
        raise errors.UnsupportedMediaType("Send Content-Type: multipart/form-data, with one part named file.")
    request.max_content_length = uploads.LIMIT + OVERHEAD
    try:
        sent = [(name, f) for name, fs in request.files.lists() for f in fs]
    except RequestEntityTooLarge:
        raise errors.TooLarge(f"file: is larger than {uploads.LIMIT:,} bytes; split it") from None
    if [name for name, _ in sent] != ["file"] or request.form:
        raise errors.Invalid.field("file", "send exactly one part, named file, with a filename and a content type")
    file = sent[0][1]
    named = {"name": file.filename or "", "content_type": file.content_type or ""}
    kept = uploads.receive(desk().db, desk().store, person=call.person, file=cast(BinaryIO, file.stream), **named)
    same = ("name", "content_type", "size", "sha256")
    return 201, {"upload": str(kept.public_id), **{name: getattr(kept, name) for name in same}}
