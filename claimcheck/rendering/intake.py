"""What intake refuses of a part before anything is stored: each refusal names the field and the fix."""

import re
from collections.abc import Callable

from claimcheck.rendering import hints, limits, marks, pdfs, pictures
from claimcheck.rendering.errors import InvalidPart, NotShown
from claimcheck.rendering.parts import FIELDS, Part

WORD = r"[A-Za-z0-9!#$&^_.+-]{1,64}"
MEDIA_TYPE = re.compile(rf"{WORD}/{WORD}(?:\s*;\s*{WORD}=(?:{WORD}|\"[^\"\\\x00-\x1f\x7f]{{0,64}}\"))*")
FORBIDDEN = re.compile(r"[\x00-\x1f\x7f/\\\ud800-\udfff]")


def check_part(name: str, content_type: str, head: bytes, size: int | None = None, limit: int = limits.PART) -> None:
    """Raises InvalidPart. `head` is the part's first 4 KiB at least, or all of it where no `size` is given; bytes."""
    size = len(head) if size is None else size
    _check_name(name)
    if not MEDIA_TYPE.fullmatch(content_type):
        raise InvalidPart("content_type", f"{_said(content_type)} is no media type; send one like image/png.")
    if size == 0:
        raise InvalidPart("size", "the file is empty; leave it out or send its bytes.")
    if size > limit:
        raise InvalidPart("size", f"{size:,} bytes are over the limit of {limit:,}; send a smaller file.")
    _check_bytes(Part(0, name, content_type, size), head)


def _check_name(name: str) -> None:
    if not name.strip() or name.strip(". ") == "":
        raise InvalidPart("name", "a file needs a name.")
    if len(name) > limits.NAME_CHARACTERS:
        raise InvalidPart("name", f"{len(name):,} characters are over the limit of {limits.NAME_CHARACTERS}.")
    if FORBIDDEN.search(name):
        raise InvalidPart("name", f"{_said(name)} holds a slash or a control character; send a plain file name.")
    if name == FIELDS:
        raise InvalidPart("name", f"{FIELDS} is the desk's own name for the fields; rename the file.")


def _check_bytes(part: Part, head: bytes) -> None:
    expected = EXPECTED.get(part.media_type) or (_text if part.media_type.startswith(TEXTS) else None)
    if expected:
        try:
            expected(part, head)
        except NotShown as problem:
            raise InvalidPart("content_type", f"{problem.reason} Declare what it is.") from problem


def _text(part: Part, head: bytes) -> None:
    found = hints.binary(head)
    if found:
        raise NotShown(f"This says it is {part.media_type}, but its bytes are {found[1]}.")


def _pdf(_part: Part, head: bytes) -> None:
    pdfs.check(head)


def _picture(part: Part, head: bytes) -> None:
    media_type = pictures.ALIASES.get(part.media_type, part.media_type)
    found = hints.looks_like(head)
    if found is None or found[0] != media_type:
        name = pictures.FORMATS[media_type][0]
        raise NotShown(f"This says it is a {name} picture, but its bytes are {hints.words(head)}.")


def _said(text: str) -> str:
    return f"“{marks.plain(text, 60)}”"


TEXTS = ("text/", "application/json", "application/xml", "image/svg+xml")
EXPECTED: dict[str, Callable[[Part, bytes], None]] = {
    "application/pdf": _pdf,
    **dict.fromkeys((*pictures.FORMATS, *pictures.ALIASES), _picture),
}
