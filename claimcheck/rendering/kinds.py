"""Which reader a declared type has, and why the other types have none."""

from collections.abc import Callable

from claimcheck.rendering import fields, pages, pdfs, pictures, tables, views, words
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part, Read

READERS: dict[str, Callable[[Part, Read], views.View]] = {
    "application/json": fields.read,
    "application/pdf": pdfs.read,
    "text/csv": tables.read,
    "text/tab-separated-values": tables.read,
    "text/html": pages.read,
    "application/xhtml+xml": pages.read,
    **dict.fromkeys((*pictures.FORMATS, *pictures.ALIASES), pictures.read),
    **dict.fromkeys(
        ("application/xml", "application/yaml", "application/x-ndjson", "application/jsonl", "message/rfc822"),
        words.read,
    ),
}
REASONS = {
    "image/svg+xml": "SVG can carry script, so it is offered as a file.",
    "image/tiff": "Browsers do not draw TIFF, so it is offered as a file. A PNG or a PDF would be shown here.",
    "image/heic": "Browsers do not draw HEIC, so it is offered as a file. A JPEG would be shown here.",
    "application/zip": "An archive is not unpacked here, so it is offered as a file.",
}
FAMILIES = (
    ("image/", "Only PNG, JPEG, GIF and WebP pictures are shown; {0} is offered as a file."),
    ("audio/", "Sound is not played here; {0} is offered as a file."),
    ("video/", "Video is not played here; {0} is offered as a file."),
    ("application/vnd.", "Office documents can carry macros; {0} is offered as a file. A PDF would be shown here."),
    ("application/msword", "Office documents can carry macros; {0} is offered as a file. A PDF would be shown here."),
    ("", "There is no safe way to show {0}, so it is offered as a file."),
)


def view(part: Part, source: Read) -> views.View:
    """The view of one file. A part whose bytes are not what it says is a download with the reason."""
    reader = reader_of(part.media_type)
    if part.size == 0:
        return views.Download(part, "This file is empty.")
    if reader is None:
        return views.Download(part, _reason(part.media_type))
    try:
        return reader(part, source)
    except NotShown as problem:
        return views.Download(part, problem.reason)


def reader_of(media_type: str) -> Callable[[Part, Read], views.View] | None:
    if media_type in READERS:
        return READERS[media_type]
    if media_type.endswith("+json"):
        return fields.read
    return words.read if media_type.startswith("text/") or _xml(media_type) else None


def _reason(media_type: str) -> str:
    found = next(reason for prefix, reason in FAMILIES if media_type.startswith(prefix))
    return REASONS.get(media_type, found.format(media_type or "a file without a type"))


def _xml(media_type: str) -> bool:
    return media_type.endswith("+xml") and media_type != "image/svg+xml"
