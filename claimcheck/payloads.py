"""What an item carries: the payload's fields as canonical JSON, and its files, each a part with its size and hash."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, StringConstraints, model_validator

from claimcheck import canonical, errors, rendering
from claimcheck.control import facets as facets_
from claimcheck.validation import Model, Name, validated, wrong

MIB = 1024 * 1024
INLINE_BYTES, FIELDS_BYTES, FILES = 20 * MIB, MIB, 50
FIELDS_NAME, FIELDS_TYPE = "payload.json", "application/json"
TITLE = 200  # characters


def _file_name(name: str) -> str:
    if "/" in name or "\\" in name or name in (".", ".."):
        raise ValueError("must be a file's bare name, without a folder")
    if name == FIELDS_NAME:
        raise ValueError(f"must not be {FIELDS_NAME}: the payload's own fields are kept under that name")
    return name


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise ValueError("must be the `upload` that POST /v1/uploads answered with") from None


FileName = Annotated[Name, AfterValidator(_file_name)]
ContentType = Annotated[str, StringConstraints(min_length=3, max_length=200)]


class File(Model):
    """One of a payload's `files`: its bytes in `base64`, or the `upload` that was sent ahead."""

    name: FileName
    content_type: ContentType
    base64: str | None = None
    upload: Annotated[str, AfterValidator(_uuid)] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> File:
        if (self.base64 is None) == (self.upload is None):
            raise wrong("base64", "send the file's bytes in base64, or name its upload: exactly one of them")
        return self


@dataclass(frozen=True, slots=True)
class Upload:
    """A large file that was sent ahead and lies in the store."""

    public_id: UUID
    name: str
    content_type: str
    size: int
    sha256: bytes
    object_key: str


@dataclass(frozen=True, slots=True)
class Part:
    """A stored object of an item's evidence; `data` is None where it lies in the store already."""

    n: int
    name: str
    content_type: str
    size: int
    sha256: bytes
    object_key: str
    data: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Payload:
    """A payload that was checked, before its uploads are looked up. `within` is where it stood in what was sent."""

    within: str
    fields: Mapping[str, Any] = field(repr=False)
    document: bytes = field(repr=False)
    files: tuple[File, ...] = field(repr=False)
    title: str | None
    facets: Mapping[str, Any] = field(repr=False)

    def uploads(self) -> Iterator[str]:
        """The uploads that its files name."""
        return (file.upload for file in self.files if file.upload is not None)


def read(
    value: Any, within: str, title_field: str | None = None, masked: Collection[str] = (), facets: Sequence[str] = ()
) -> Payload:
    """A payload as somebody sent it. Raises Invalid that names the field, such as `items[3].payload.files[0].name`."""
    if not isinstance(value, Mapping):
        raise errors.Invalid.field(within, "must be an object: the fields to show, and `files`")
    fields = {name: value[name] for name in sorted(value) if name != "files"}
    files = _files(value.get("files", []), f"{within}.files")
    if not fields and not files:
        raise errors.Invalid.field(within, "is empty; put fields or files in it")
    document = _document(fields, within)
    if len(document) + sum(len(f.base64 or "") for f in files) > INLINE_BYTES:
        raise errors.Invalid.field(within, f"is larger than {INLINE_BYTES // MIB} MiB; send large files ahead through POST /v1/uploads")
    return Payload(within, fields, document, files, _title(value, title_field, masked), facets_.read(fields, facets))


def _document(fields: Mapping[str, Any], within: str) -> bytes:
    try:
        document = canonical.encode(fields)
    except canonical.InvalidJSON as error:
        raise errors.Invalid.field(within + error.path.removeprefix("$"), error.detail) from None
    if len(document) > FIELDS_BYTES:
        said = f"has fields of {len(document):,} bytes; the limit is {FIELDS_BYTES:,}: move the largest into `files`"
        raise errors.Invalid.field(within, said)
    return document


def _files(value: Any, within: str) -> tuple[File, ...]:
    if not isinstance(value, list):
        raise errors.Invalid.field(within, "must be a list of {name, content_type, base64 | upload}")
    if len(value) > FILES:
        raise errors.Invalid.field(within, f"has {len(value)} files; the limit is {FILES}")
    files = tuple(validated(File, file, f"{within}[{n}]") for n, file in enumerate(value))
    names = [file.name for file in files]
    twice = next((n for n, name in enumerate(names) if name in names[:n]), None)
    if twice is not None:
        raise errors.Invalid.field(f"{within}[{twice}].name", f"is {names[twice]!r} a second time; give each file its own name")
    return files


def _title(value: Mapping[str, Any], title_field: str | None, masked: Collection[str]) -> str | None:
    """The field that the project names, else the first text that is not masked, on one line."""
    named = value.get(title_field) if title_field else None
    if not isinstance(named, str | int | canonical.Number):
        named = next((v for k, v in value.items() if isinstance(v, str) and v.strip() and k not in masked), None)
    return " ".join(str(named).split())[:TITLE] if named is not None else None


def parts(payload: Payload, project_id: int, uploads: Mapping[str, Upload]) -> tuple[Part, ...]:
    """The payload's parts, its fields first. Raises Invalid for a file that can't be taken."""
    first = _part(0, FIELDS_NAME, FIELDS_TYPE, payload.document, project_id)
    return (first, *(_file(n, file, f"{payload.within}.files[{n - 1}]", project_id, uploads) for n, file in enumerate(payload.files, 1)))


def _part(n: int, name: str, content_type: str, data: bytes, project_id: int) -> Part:
    digest = hashlib.sha256(data)
    return Part(n, name, content_type, len(data), digest.digest(), f"p{project_id}/{digest.hexdigest()}", data)


def _file(n: int, file: File, within: str, project_id: int, uploads: Mapping[str, Upload]) -> Part:
    if file.upload is not None:
        return _uploaded(n, file, within, uploads)
    part = _part(n, file.name, file.content_type, _decoded(file.base64 or "", f"{within}.base64"), project_id)
    check(file.name, file.content_type, part.data or b"", within)
    return part


def _uploaded(n: int, file: File, within: str, uploads: Mapping[str, Upload]) -> Part:
    upload = uploads.get(file.upload or "")
    if upload is None:
        raise errors.Invalid.field(f"{within}.upload", "is not known; send the file through POST /v1/uploads and use its answer")
    if upload.content_type != file.content_type:
        raise errors.Invalid.field(f"{within}.content_type", f"must be {upload.content_type}, as the upload was sent and checked")
    return Part(n, file.name, file.content_type, upload.size, upload.sha256, upload.object_key, None)


def _decoded(text: str, within: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        said = "is not base64 (RFC 4648, with + and /, padded, no line breaks); encode the file's bytes again"
        raise errors.Invalid.field(within, said) from None
    if not data:
        raise errors.Invalid.field(within, "is an empty file; send at least one byte, or leave the file out")
    return data


def check(name: str, content_type: str, data: bytes, within: str) -> None:
    """Raises Invalid where a file is not what its name and type say."""
    try:
        rendering.check_part(name, content_type, data)
    except rendering.InvalidPart as error:
        raise errors.Invalid.field(f"{within}.{'base64' if error.field == 'size' else error.field}", error.detail) from None


def content(payload: Payload, parts: tuple[Part, ...]) -> dict[str, Any]:
    """The payload as content, whichever way its files came: bytes by their hash."""
    files = [{"name": p.name, "content_type": p.content_type, "sha256": p.sha256.hex()} for p in parts[1:]]
    return {**payload.fields, "files": files}
