"""An MT940 file cut into statements and their fields, byte for byte: what can't be understood can be kept as it came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TAG = re.compile(rb"\x01?:((?:13|20|21|25|28|34|60|61|62|64|65|86|90)[A-Z]?|NS):")
_END = re.compile(rb"-(?:\}.*|XXX|\x03)?[ \t]*\r?\n?", re.DOTALL)
UTF_8, OTHERWISE = "utf-8", "cp1252"


@dataclass(frozen=True, slots=True)
class Field:
    """A field with its tag (`60F`), the number of its first line, and its bytes from the tag on; `text` is what stands behind the tag."""

    tag: str
    line: int
    raw: bytes
    text: str

    @property
    def name(self) -> str:
        """As a diagnosis names it."""
        return f":{self.tag}: in line {self.line}"


@dataclass(frozen=True, slots=True)
class Block:
    """A statement's fields, in their order, and all of its bytes."""

    fields: tuple[Field, ...]
    raw: bytes

    def all(self, tag: str) -> list[Field]:
        """Its fields of one tag, whatever letter follows it."""
        return [field for field in self.fields if field.tag.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == tag]


def encoding_of(data: bytes) -> str:
    """UTF-8 where the bytes are that, else what banks write their umlauts in."""
    try:
        data.decode(UTF_8)
    except UnicodeDecodeError:
        return OTHERWISE
    return UTF_8


def blocks(data: bytes, encoding: str) -> list[Block]:
    """The file's statements. Each begins at its `:20:`, or at the first tag after another one's end."""
    return [_block(chunk, encoding) for chunk in _chunks(data.removeprefix(b"\xef\xbb\xbf"))]


def _chunks(data: bytes) -> Iterator[list[tuple[int, bytes]]]:
    chunk: list[tuple[int, bytes]] = []
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        tag = _TAG.match(line)
        if chunk and (_END.fullmatch(line) or (tag and tag[1] == b"20")):
            yield chunk
            chunk = []
        if chunk or tag:  # what stands before a statement is the envelope
            chunk.append((number, line))
    if chunk:
        yield chunk


def _block(lines: list[tuple[int, bytes]], encoding: str) -> Block:
    fields: list[list[tuple[int, bytes]]] = []
    for number, line in lines:
        if _TAG.match(line):
            fields.append([])
        fields[-1].append((number, line))
    return Block(tuple(_field(field, encoding) for field in fields), b"".join(line for _, line in lines))


def _field(lines: list[tuple[int, bytes]], encoding: str) -> Field:
    raw = b"".join(line for _, line in lines).removeprefix(b"\x01")
    found = _TAG.match(raw)
    assert found is not None
    text = raw[found.end() :].decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n").rstrip()
    return Field(found[1].decode(), lines[0][0], raw, text)
