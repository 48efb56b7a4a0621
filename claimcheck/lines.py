"""Reads NDJSON of any length, a line at a time, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

LINE_BYTES = 20 * 1024 * 1024
KEPT_BYTES = 1024 * 1024  # of a line that is too long
BLOCK = 64 * 1024


class Stream(Protocol):
    """Anything that bytes are read from: a request's body, a file."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line over the limit: how it begins, and how many bytes it has."""

    beginning: bytes
    size: int


@dataclass(slots=True)
class _Line:
    """The line that is being read. Bytes past the limit are counted, not kept."""

    kept: bytearray
    size: int = 0

    def add(self, piece: bytes, limit: int) -> None:
        self.size += len(piece)
        self.kept += piece
        if self.size > limit:
            del self.kept[KEPT_BYTES:]

    def end(self, limit: int) -> bytes | TooLong:
        whole = TooLong(bytes(self.kept[:KEPT_BYTES]), self.size) if self.size > limit else bytes(self.kept).removesuffix(b"\r")
        self.kept, self.size = bytearray(), 0
        return whole


def read(stream: Stream, limit: int = LINE_BYTES) -> Iterator[bytes | TooLong]:
    """The stream's lines that are not blank, without their ends; a line over `limit` bytes as TooLong."""
    return (line for _, line in numbered(stream, limit))


def numbered(stream: Stream, limit: int = LINE_BYTES) -> Iterator[tuple[int, bytes | TooLong]]:
    """Likewise, each with its number as an editor shows it: from 1, blank lines counted."""
    return ((n, line) for n, line in enumerate(_every(stream, limit), 1) if isinstance(line, TooLong) or line.strip())


def _every(stream: Stream, limit: int) -> Iterator[bytes | TooLong]:
    line = _Line(bytearray())
    while block := stream.read(BLOCK):
        *ended, rest = block.split(b"\n")
        for piece in ended:
            if not line.size and len(piece) <= limit:  # whole in this block: nothing to put together
                yield piece.removesuffix(b"\r")
            else:
                line.add(piece, limit)
                yield line.end(limit)
        line.add(rest, limit)
    yield line.end(limit)
