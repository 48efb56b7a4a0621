"""Plain text: lines with numbers, every odd character visible."""

import re

from claimcheck.rendering import decoding, hints, limits, marks, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part, Read

# Only real line ends: str.splitlines would also cut at form feeds and U+2028, which are shown as marks.
LINE_END = re.compile(r"\r\n|\n|\r")
DAMAGE = 0.3


def read(part: Part, source: Read) -> views.Text:
    head = source(part, limits.TEXT)
    return show(part, decode(part, head))


def decode(part: Part, head: bytes) -> decoding.Text:
    """The text of a part that says it is text. Raises NotShown where it plainly is not."""
    found = hints.binary(head)
    if found:
        raise NotShown(f"This says it is text ({part.media_type}), but its bytes are {found[1]}.")
    text = decoding.decode(part, head)
    # A file of NULs alone is odd text worth seeing; a mixture is some binary format.
    if text.broken > DAMAGE * len(head):
        raise NotShown(f"This says it is text ({part.media_type}), but too many of its bytes are not.")
    return text


def show(part: Part, text: decoding.Text, *notes: str) -> views.Text:
    if part.size > limits.TEXT:
        notes += (f"The first {limits.TEXT // limits.KIB} KiB are shown; the download has the rest.",)
    return views.Text(part, *_lines(text.text[: limits.TEXT], text.notes + notes))


def _lines(text: str, notes: tuple[str, ...]) -> tuple[tuple[views.Line, ...], tuple[str, ...]]:
    raw = LINE_END.split(text)
    if raw[-1] == "" and len(raw) > 1:
        raw.pop()
    if len(raw) > limits.LINES:
        notes += (f"{limits.LINES:,} of {len(raw):,} lines are shown; the download has the rest.",)
    budget = limits.MARKS
    lines = []
    for number, line in enumerate(raw[: limits.LINES], 1):
        spans = marks.spans(line[: limits.LINE_CHARACTERS], broken_bytes=True, most=budget)
        budget -= sum(span.mark for span in spans)
        lines.append(views.Line(number, spans, max(0, len(line) - limits.LINE_CHARACTERS)))
    return tuple(lines), notes
