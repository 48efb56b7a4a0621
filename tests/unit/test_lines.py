"""NDJSON in constant memory."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimcheck import lines


@given(st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=20), st.integers(1, 7))
def test_it_gives_the_lines_whatever_the_blocks(texts: list[bytes], size: int) -> None:
    class Dripping(io.BytesIO):
        def read(self, _: int | None = -1, /) -> bytes:
            return super().read(size)

    wanted = [text.removesuffix(b"\r") for text in texts if text.strip()]
    assert list(lines.read(Dripping(b"\n".join(texts)))) == wanted


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_it_takes_a_last_line_with_or_without_its_end(end: bytes) -> None:
    assert list(lines.read(io.BytesIO(b"a\r\n\n  \nb" + end))) == [b"a", b"b"]


def test_it_names_a_line_that_is_too_long_and_reads_on() -> None:
    long = b"x" * 3_000_000
    found = list(lines.read(io.BytesIO(b"a\n" + long + b"\nb\n"), limit=2_000_000))
    assert found == [b"a", lines.TooLong(long[: lines.KEPT_BYTES], 3_000_000), b"b"]


def test_it_keeps_only_the_beginning_of_a_line_that_never_ends() -> None:
    class Endless:
        left = 200

        def read(self, size: int, /) -> bytes:
            self.left -= 1
            return b"x" * min(1_000_000, size * 100) if self.left >= 0 else b""

    tracemalloc.start()
    try:
        (found,) = lines.read(Endless(), limit=2_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(found, lines.TooLong) and found.size == 200_000_000
    assert peak < 10_000_000
