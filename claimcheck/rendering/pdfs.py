"""PDF. Only its beginning is read here; the parser is PDF.js, in a frame that can reach nothing."""

import re

from claimcheck.rendering import hints, limits, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part, Read

# Strict at the start: what leads with anything but white space is first of all some other format.
HEADER = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,1000}%PDF-[12]\.\d")


def read(part: Part, source: Read) -> views.Pdf:
    check(source(part, limits.HEAD))
    if part.size > limits.PDF:
        raise NotShown(f"A PDF over {limits.PDF // limits.MIB} MiB is offered as a file.")
    return views.Pdf(part)


def check(head: bytes) -> None:
    if not HEADER.match(head):
        raise NotShown(f"This says it is a PDF, but its bytes are {hints.words(head)}.")
