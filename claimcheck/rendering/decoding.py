"""Bytes to text. UTF-8 unless the file says otherwise in one of a few ways; never an exception."""

import codecs
from dataclasses import dataclass

from claimcheck.rendering import marks
from claimcheck.rendering.parts import Part

# Single-byte charsets decode every byte, so a wrong declaration gives wrong letters, never a crash.
CHARSETS = {
    "iso-8859-1": "cp1252", "latin-1": "cp1252", "windows-1252": "cp1252", "cp1252": "cp1252",
    "iso-8859-2": "iso-8859-2", "iso-8859-15": "iso-8859-15", "windows-1250": "cp1250",
    "windows-1251": "cp1251", "windows-1256": "cp1256", "utf-16": "utf-16",
}  # fmt: skip
BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True)
class Text:
    """`broken` counts the bytes that were not UTF-8; they stand in `text` as U+DC80–DCFF."""

    text: str
    broken: int = 0
    notes: tuple[str, ...] = ()


def decode(part: Part, head: bytes) -> Text:
    codec = next((name for bom, name in BOMS if head.startswith(bom)), CHARSETS.get(part.charset, "utf-8"))
    if codec.startswith("utf-8"):
        return _utf8(part, head, codec)
    return Text(head.decode(codec, "replace"), notes=(f"Read as {_spoken(part, codec)}.",))


def _utf8(part: Part, head: bytes, codec: str) -> Text:
    if len(head) < part.size:
        head = _whole_characters(head)
    text = head.decode(codec, "surrogateescape")
    broken = len(marks.BROKEN.findall(text))
    return Text(text, broken, (_broken(text, broken),) if broken else ())


def _whole_characters(head: bytes) -> bytes:
    """Drops a character that the reading limit cut in two, so that it does not look like damage."""
    for back in range(1, min(4, len(head)) + 1):
        byte = head[-back]
        if byte >= 0xC0:
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return head[:-back] if back < wanted else head
        if byte < 0x80:
            break
    return head


def _broken(text: str, broken: int) -> str:
    line = text.count("\n", 0, marks.BROKEN.search(text).start()) + 1  # type: ignore[union-attr]
    what = "1 byte is" if broken == 1 else f"{broken:,} bytes are"
    return f"{what} not UTF-8, first in line {line:,}; each is shown as its two hex digits."


def _spoken(part: Part, codec: str) -> str:
    return "UTF-16" if codec == "utf-16" else f"{part.charset}, as declared"
