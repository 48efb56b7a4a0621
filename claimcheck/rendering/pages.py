"""HTML, cleaned to text and structure. What comes out is shown only inside a sandboxed frame."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass

from claimcheck.rendering import decoding, hints, limits, marks, scrub, views, words
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part, Read

MARKUP = re.compile(r"<[a-z!/]", re.IGNORECASE)
WALL_SECONDS = 10


@dataclass(frozen=True)
class Page:
    """`html` is clean; `addresses` say as text where its links and pictures pointed."""

    html: str
    addresses: tuple[str, ...] = ()


def read(part: Part, source: Read) -> views.Html | views.Text:
    if part.size > limits.HTML:
        text = words.decode(part, source(part, limits.TEXT))
        return words.show(part, text, f"HTML over {limits.HTML // limits.MIB} MiB is shown as its source.")
    text = decode(part, source(part, limits.HTML))
    if not MARKUP.search(text.text):
        return words.show(part, text, "There is no markup in this page; it is shown as text.")
    return views.Html(part, text.notes)


def decode(part: Part, data: bytes) -> decoding.Text:
    found = hints.binary(data[: limits.HEAD])
    if found:
        raise NotShown(f"This says it is an HTML page, but its bytes are {found[1]}.")
    return words.decode(part, data)


def page(part: Part, data: bytes) -> Page:
    """The clean page of bytes that `read` accepts. Raises NotShown for all others, and for HTML bombs."""
    if len(data) > limits.HTML:
        raise NotShown("This page is too large to be cleaned, so it is offered as a file.")
    found = _scrub(marks.ODD.sub("\ufffd", decode(part, data).text))
    return Page(found["html"], tuple(found["addresses"]))


def _scrub(html: str) -> dict:
    command = [sys.executable, "-I", scrub.__file__]
    try:
        done = subprocess.run(command, input=html.encode(), capture_output=True, timeout=WALL_SECONDS, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        raise NotShown("This page takes too much work to be cleaned, so it is offered as a file.") from None
    return json.loads(done.stdout)
