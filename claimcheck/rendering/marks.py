"""Text made honest: every character that would hide, reorder or break is shown as a labelled mark."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from claimcheck.rendering import limits

# Controls, zero-width and bidirectional overrides, line separators, byte-order marks, lone surrogates.
# Joiners (U+200C, U+200D) and the plain direction marks stay: Persian and emoji need them.
ODD = re.compile("([\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f])\\1*")
BROKEN = re.compile("[\udc80-\udcff]")
CONTROLS = "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
NAMES = dict(enumerate(CONTROLS.split())) | {
    0x7F: "DEL", 0x200B: "ZWSP", 0x2028: "LSEP", 0x2029: "PSEP", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "POP", 0x202D: "LRO", 0x202E: "RLO",
    0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xFEFF: "BOM",
}  # fmt: skip


@dataclass(frozen=True)
class Span:
    """A run of text; with `mark` set, what stands for it on the screen is a label, explained by `title`."""

    text: str
    mark: bool = False
    title: str = ""


def spans(text: str, *, broken_bytes: bool = False, most: int = limits.MARKS) -> tuple[Span, ...]:
    """Cuts text into plain runs and marks. `broken_bytes`: U+DC80–DCFF stand for bytes that were not UTF-8."""
    return tuple(_cut(text, broken_bytes, most))


def _cut(text: str, broken_bytes: bool, most: int) -> Iterator[Span]:
    at = made = 0
    for odd in ODD.finditer(text):
        if made >= most:
            break
        if odd.start() > at:
            yield Span(text[at : odd.start()])
        yield _mark(odd[1], odd.end() - odd.start(), broken_bytes)
        at, made = odd.end(), made + 1
    if at < len(text):
        yield Span(ODD.sub("\ufffd", text[at:]))


def _mark(character: str, times: int, broken_bytes: bool) -> Span:
    label, title = _label(character, broken_bytes)
    return Span(label if times == 1 else f"{label} ×{times:,}", mark=True, title=title)


def _label(character: str, broken_bytes: bool) -> tuple[str, str]:
    code = ord(character)
    if broken_bytes and BROKEN.match(character):
        return f"{code - 0xDC00:02X}", f"byte {code - 0xDC00:02X}, not UTF-8"
    point = f"U+{code:04X}"
    return NAMES.get(code, point), f"{unicodedata.name(character, 'control character').lower()}, {point}"


def plain(text: str, most: int = limits.NAME_CHARACTERS) -> str:
    """The same for places that hold no markup (names, labels): marks become a replacement character."""
    return ODD.sub("\ufffd", text[:most])
