"""What intake refuses, and what a file name becomes in a header."""

import re
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck import rendering
from claimcheck.rendering import limits, names
from tests.unit import rendering_pictures as made


def refused(name: str = "a.txt", content_type: str = "text/plain", data: bytes = b"x", **more: int) -> rendering.InvalidPart:
    with pytest.raises(rendering.InvalidPart) as found:
        rendering.check_part(name, content_type, data, **more)
    return found.value


@pytest.mark.parametrize(
    ("name", "content_type", "data"),
    [
        ("a.txt", "text/plain; charset=utf-8", b"caf\xe9 \0 x"),
        ("über uns.csv", "text/csv", b"a,b"),
        ("مستند.pdf", "application/pdf", b"%PDF-1.4\n"),
        ("x.svg", "image/svg+xml", b"<svg onload=alert(1)>"),
        ("x.html", "text/html", b"<script>1</script>"),
        ("x.bin", "application/octet-stream", b"PK\x03\x04"),
        ("x.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"PK\x03\x04"),
        ("x.jpg", "image/jpg", made.jpeg()),
        ("n" * 200, "text/plain", b"x"),
        ("..a", "text/plain", b"x"),
    ],
)
def test_it_takes_what_can_be_kept(name: str, content_type: str, data: bytes):
    rendering.check_part(name, content_type, data, len(data))


@pytest.mark.parametrize(
    "name", ["", " ", ".", "..", "a/b", "a\\b", "/etc/passwd", "a\0b", "a\nb", "a\x1fb", "\ud800", "n" * 201, "payload.json"]
)
def test_it_names_a_bad_name(name: str):
    error = refused(name=name)
    assert error.field == "name"
    error.detail.encode()


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text",
        "text/",
        "/plain",
        "text/plain\n",
        "text/pl ain",
        "text/plain; x",
        "text/plain\0",
        'a/b;c="\r\n"',
        "*/*",
        "text/" + "x" * 65,
    ],
)
def test_it_names_what_is_no_content_type(content_type: str):
    assert refused(content_type=content_type).field == "content_type"


@pytest.mark.parametrize(
    ("content_type", "data", "words"),
    [
        ("application/pdf", b"PK\x03\x04", "a ZIP archive"),
        ("image/png", b"<html>", "an HTML page"),
        ("image/png", made.jpeg(), "a JPEG picture"),
        ("image/gif", b"%PDF-1.7", "a PDF"),
        ("text/plain", b"PK\x03\x04", "a ZIP archive"),
        ("text/html", b"\x7fELF", "a Linux program"),
        ("application/json", made.png(), "a PNG picture"),
        ("image/svg+xml", made.png(), "a PNG picture"),
    ],
)
def test_it_names_a_wrong_content_type_and_what_the_bytes_are(content_type: str, data: bytes, words: str):
    error = refused(content_type=content_type, data=data)
    assert error.field == "content_type"
    assert f"its bytes are {words}" in error.detail


def test_it_names_an_empty_and_an_oversized_file():
    assert refused(data=b"").field == "size"
    assert refused(size=limits.PART + 1).detail.startswith("104,857,601 bytes are over the limit")
    assert refused(size=11, limit=10).field == "size"


HOSTILE = [
    'a"; filename="evil.html', "a\r\nSet-Cookie: x=1", "invoice\u202efdp.exe", "../../etc/passwd", "..\\..\\x", "CON", "nul.txt", "com1.pdf",
    "a\0.txt", "%2e%2e%2f", "a;b=c", "🚀.pdf",
    "مستند.pdf", "é\u0301.txt", " . ", "", "\u2028", "\ud800x", "x" * 300 + ".pdf", "a:b|c*d?e<f>g",
]  # fmt: skip


def check(name: str) -> None:
    header = names.disposition(name)
    found = re.fullmatch(r"attachment; filename=\"([A-Za-z0-9._ -]+)\"; filename\*=UTF-8''([A-Za-z0-9._~%-]+)", header)
    assert found
    header.encode("latin-1")
    decoded = unquote(found[2], errors="strict")
    assert not re.search(r"[\\/:*?\"<>|\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200e\u200f]", decoded)
    assert decoded not in (".", "..")
    assert len(decoded) <= 160
    assert not names.DEVICES.fullmatch(decoded)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_name_in_a_header_is_one_harmless_name(name: str):
    check(name)


@settings(deadline=None)
@given(st.text(st.characters()))
def test_any_name_in_a_header_is_one_harmless_name(name: str):
    check(name)


def test_a_good_name_is_kept_in_both_forms():
    assert names.disposition("Größe 1.pdf") == "attachment; filename=\"Groe 1.pdf\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201.pdf"
    assert unquote(names.disposition("مستند.pdf", inline=True).rsplit("'", 1)[1]) == "مستند.pdf"
    assert names.safe("x" * 300 + ".pdf").endswith("x.pdf")
