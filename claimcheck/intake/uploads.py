"""Uploads: large files, sent ahead to the store and then named in an item's `files`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import BinaryIO
from uuid import UUID, uuid4

from claimcheck import errors, lines, payloads, rendering
from claimcheck.access.people import Person
from claimcheck.db import Connection, Database
from claimcheck.payloads import Upload
from claimcheck.store import Store
from claimcheck.validation import Model, validated

LIMIT = 1024 * 1024 * 1024  # bytes
HEAD = 64 * 1024  # of a file, looked at for what it is


class _Named(Model):
    name: payloads.FileName
    content_type: payloads.ContentType


def receive(db: Database, store: Store, *, person: Person, name: str, content_type: str, file: BinaryIO) -> Upload:
    """Puts a file into the store and keeps its name; the file can be read twice (a form's temporary file).

    Raises Invalid for an empty file or one that is not of its type, TooLarge, StoreUnavailable.
    """
    validated(_Named, {"name": name, "content_type": content_type})
    head, size, sha256 = _measured(file)
    if not size:
        raise errors.Invalid.field("file", "is an empty file; send at least one byte")
    _check(name, content_type, head, size)
    public_id = uuid4()
    file.seek(0)
    store.put(f"uploads/{public_id}", file, size, content_type, sha256)
    return _keep(db, person, public_id, _Named(name=name, content_type=content_type), size, sha256)


def _check(name: str, content_type: str, head: bytes, size: int) -> None:
    try:
        rendering.check_part(name, content_type, head, size, LIMIT)
    except rendering.InvalidPart as error:
        raise errors.Invalid.field("file", error.detail) from None


def _measured(file: BinaryIO) -> tuple[bytes, int, str]:
    """(how the file begins, its size, its SHA-256), in constant memory."""
    digest, size = hashlib.sha256(), 0
    head = bytearray()
    while block := file.read(lines.BLOCK):
        digest.update(block)
        size += len(block)
        head += block[: max(0, HEAD - len(head))]
        if size > LIMIT:
            raise errors.TooLarge(f"file: is larger than {LIMIT:,} bytes; split it")
    return bytes(head), size, digest.hexdigest()


def _keep(db: Database, person: Person, public_id: UUID, named: _Named, size: int, sha256: str) -> Upload:
    row = db.one(
        "uploads/keep",
        Upload,
        public_id=public_id,
        person_id=person.id,
        name=named.name,
        content_type=named.content_type,
        size=size,
        sha256=bytes.fromhex(sha256),
        object_key=f"uploads/{public_id}",
    )
    if row is None:
        raise errors.NotFound()
    return row


def find(db: Database | Connection, *, project_id: int, by: int, names: Sequence[str]) -> dict[str, Upload]:
    """The uploads of these names that items of the project may use: its customer's, or the sender's own."""
    if not names:
        return {}
    found = db.all("uploads/find", Upload, project_id=project_id, by=by, uploads=list(set(names)))
    return {str(upload.public_id): upload for upload in found}


def mine(db: Database, *, person: Person, upload: str) -> Upload:
    """An upload that the person sent themselves. Raises NotFound."""
    try:
        found = db.one("uploads/mine", Upload, upload=UUID(upload), person_id=person.id)
    except ValueError:
        found = None
    if found is None:
        raise errors.NotFound()
    return found
