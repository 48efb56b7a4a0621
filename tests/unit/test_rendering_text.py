"""Text: every line and every odd character as it is, whatever the bytes."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.rendering import limits, marks, words
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part


def view(data: bytes, content_type: str = "text/plain"):
    part = Part(1, "a.txt", content_type, len(data), "/p/1")
    return words.read(part, lambda _part, limit: data[:limit])


def written(line) -> str:
    return "".join(f"[{span.text}]" if span.mark else span.text for span in line.spans)


def test_it_numbers_lines_at_every_kind_of_line_end_and_at_nothing_else():
    found = view("a\r\nb\nc\rd\x0ce\u2028f\x85g".encode())
    assert [line.number for line in found.lines] == [1, 2, 3, 4]
    assert written(found.lines[3]) == "d[FF]e[LSEP]f[U+0085]g"


def test_it_says_where_utf8_is_broken_and_shows_the_bytes():
    found = view(b"caf\xc3\xa9\ncaf\xe9 \x9f\n")
    assert [written(line) for line in found.lines] == ["café", "caf[E9] [9F]"]
    assert found.notes == ("2 bytes are not UTF-8, first in line 2; each is shown as its two hex digits.",)


def test_it_does_not_call_a_character_broken_that_the_limit_cut_in_two():
    data = b"x" * (limits.TEXT - 1) + "é".encode() + b"y" * 10
    found = view(data)
    assert found.notes == (f"The first {limits.TEXT // 1024} KiB are shown; the download has the rest.",)


def test_it_shows_nul_bytes_and_counts_their_runs():
    assert written(view(b"a\0\0\0b\0").lines[0]) == "a[NUL ×3]b[NUL]"


def test_it_takes_the_effect_from_direction_overrides_and_shows_them():
    spans = marks.spans("invoice\u202efdp.exe\u202c")
    assert [(s.text, s.mark) for s in spans] == [("invoice", False), ("RLO", True), ("fdp.exe", False), ("POP", True)]
    assert spans[1].title == "right-to-left override, U+202E"


def test_it_leaves_the_joiners_that_persian_and_emoji_need():
    text = "می\u200cخواهم 👩\u200d🚀"
    assert marks.spans(text) == (marks.Span(text),)


def test_it_bounds_lines_and_the_length_of_a_line():
    found = view(b"x" * 200_000 + b"\n" + b"\n" * 20_000)
    assert len(found.lines) == limits.LINES
    assert sum(len(span.text) for span in found.lines[0].spans) == limits.LINE_CHARACTERS
    assert found.lines[0].cut == 200_000 - limits.LINE_CHARACTERS
    assert found.notes == ("4,000 of 20,001 lines are shown; the download has the rest.",)


def test_it_asks_for_no_more_than_the_limit_of_a_file_of_a_billion_characters_in_one_line():
    asked = []

    def source(_part: Part, limit: int) -> bytes:
        asked.append(limit)
        return b"x" * limit

    found = words.read(Part(1, "a.txt", "text/plain", 10**9), source)
    assert asked == [limits.TEXT]
    assert len(found.lines) == 1


def test_it_bounds_the_marks_of_a_page():
    found = view(b"\x01\x02" * 50_000 + b"\n" + b"\x01\x02\n" * 1000)
    made = [span for line in found.lines for span in line.spans if span.mark]
    assert len(made) == limits.MARKS
    assert "\ufffd" in written(found.lines[-1])


def test_it_reads_a_byte_order_mark_and_declared_charsets():
    assert written(view("\ufeffà".encode()).lines[0]) == "à"
    assert written(view("à".encode("utf-16")).lines[0]) == "à"
    assert written(view(b"\xe0 \x80", "text/plain; charset=ISO-8859-1").lines[0]) == "à €"
    assert view(b"\xe0", 'text/plain; charset="iso-8859-1"').notes == ("Read as iso-8859-1, as declared.",)
    assert view(b"ab\xe0cd", "text/plain; charset=rot13").notes[0].startswith("1 byte is not UTF-8")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04" + b"a" * 60, "This says it is text (text/plain), but its bytes are a ZIP archive."),
        (b"%PDF-1.7\n", "This says it is text (text/plain), but its bytes are a PDF."),
        (b"MZ\x90\x00\x03\x00\x00\x00", "This says it is text (text/plain), but its bytes are a Windows program."),
        (bytes(range(128, 256)) * 4, "This says it is text (text/plain), but too many of its bytes are not."),
    ],
)
def test_it_refuses_bytes_that_are_no_text(data: bytes, reason: str):
    with pytest.raises(NotShown) as refused:
        view(data)
    assert refused.value.reason == reason


def test_it_takes_text_that_only_begins_like_a_program():
    assert written(view(b"MZ-12, an order\n").lines[0]) == "MZ-12, an order"


@settings(deadline=None)
@given(st.text(st.characters(), max_size=200))
def test_no_character_that_hides_or_reorders_survives_outside_a_mark(text: str):
    for span in marks.spans(text):
        assert span.mark or not marks.ODD.search(span.text)
        span.text.encode()
    assert not marks.ODD.search(marks.plain(text))


def test_every_control_and_direction_override_is_odd():
    hidden = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) in ("Cc", "Cs") and chr(c) not in "\t\n"]
    assert [c for c in hidden if not marks.ODD.fullmatch(c)] == []
    assert all(marks.ODD.fullmatch(chr(c)) for c in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029, 0xFEFF))
