"""Pictures are judged by their headers and their structure, never decoded."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.rendering import limits, pictures, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part
from tests.unit import rendering_pictures as made

WHOLE = {
    "image/png": made.png(7, 5),
    "image/jpeg": made.jpeg(7, 5),
    "image/gif": made.gif(7, 5),
    "image/webp": made.webp(7, 5),
}
DOCUMENTS = Path(__file__).parents[3] / "shared" / "data" / "documents"


def view(content_type: str, data: bytes) -> views.Image:
    return pictures.read(Part(1, "a", content_type, len(data)), lambda _part, limit: data[:limit])


def refusal(content_type: str, data: bytes) -> str:
    with pytest.raises(NotShown) as refused:
        view(content_type, data)
    return refused.value.reason


@pytest.mark.parametrize("content_type", WHOLE)
def test_it_reads_the_size_from_the_header(content_type: str):
    found = view(content_type, WHOLE[content_type])
    assert (found.media_type, found.width, found.height, found.notes) == (content_type, 7, 5, ())


@pytest.mark.parametrize("kind", ["VP8 ", "VP8X"])
def test_it_reads_every_kind_of_webp(kind: str):
    assert view("image/webp", made.webp(640, 480, kind)).width == 640


def test_it_knows_the_old_names_of_types():
    assert view("image/jpg", WHOLE["image/jpeg"]).media_type == "image/jpeg"


@pytest.mark.parametrize("content_type", WHOLE)
def test_the_first_bytes_must_be_the_formats_own(content_type: str):
    assert refusal(content_type, b"X" + WHOLE[content_type][1:]).endswith("but its bytes are something else.")


@pytest.mark.parametrize("declared", WHOLE)
@pytest.mark.parametrize("real", WHOLE)
def test_only_the_declared_format_is_shown(declared: str, real: str):
    if declared == real:
        return
    assert "but its bytes are a" in refusal(declared, WHOLE[real])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<html><script>1</script>", "an HTML page"),
        (b"PK\x03\x04" + b"\0" * 40, "a ZIP archive"),
        (b"%PDF-1.7", "a PDF"),
        (b"<svg onload=x>", "an SVG drawing"),
        (b"hello", "plain text"),
        (b"\x00\x01\x02\x03" * 9, "something else"),
    ],
)
@pytest.mark.parametrize("declared", WHOLE)
def test_it_says_what_the_bytes_are_instead(declared: str, data: bytes, words: str):
    assert refusal(declared, data).endswith(f"but its bytes are {words}.")


@pytest.mark.parametrize(
    ("content_type", "data"),
    [
        ("image/gif", made.GIF_AND_PAGE),
        ("image/gif", made.gif(comment=made.SCRIPT)),
        ("image/gif", made.gif() + made.SCRIPT),
        ("image/png", made.png(extra=made.text_chunk(b"Comment\0" + made.SCRIPT))),
        ("image/png", made.png() + b"<!DOCTYPE html><body>"),
        ("image/jpeg", made.jpeg(segments=b"\xff\xfe\0\x20" + made.SCRIPT)),
        ("image/webp", made.webp() + b"<IFRAME src=x>"),
    ],
)
def test_a_picture_that_is_also_a_page_is_a_download(content_type: str, data: bytes):
    reason = refusal(content_type, data)
    assert "carries HTML" in reason or "damaged" in reason


@pytest.mark.parametrize(
    ("content_type", "data"),
    [
        ("image/png", made.png(50_000, 50_000, pixels=False)),
        ("image/png", made.png(1, 60_000, pixels=False)),
        ("image/png", made.png(2**31, 2**31, pixels=False)),
        ("image/jpeg", made.jpeg(65_000, 65_000)),
        ("image/gif", made.gif(65_000, 65_000)),
        ("image/gif", made.gif(1, 1, frame=(65_000, 1))),
        ("image/gif", made.gif(1, 1, frame=(1, 65_000))),
        ("image/webp", made.webp(16_000, 16_000, "VP8 ")),
        ("image/webp", made.webp(16_777_216, 16_777_216, "VP8X")),
    ],
)
def test_a_bomb_is_refused_by_its_header(content_type: str, data: bytes):
    assert "more than a screen can open safely" in refusal(content_type, data)


@pytest.mark.parametrize("content_type", WHOLE)
def test_no_pixels_are_no_picture(content_type: str):
    empty = {"image/png": made.png(0, 5), "image/jpeg": made.jpeg(0, 5), "image/gif": made.gif(0, 0)}.get(content_type)
    if empty is None:
        return
    assert "no pixels" in refusal(content_type, empty)


@pytest.mark.parametrize("content_type", WHOLE)
def test_it_says_when_more_follows_the_end_or_the_end_is_missing(content_type: str):
    assert view(content_type, WHOLE[content_type] + b"x" * 1500).notes == ("1,500 bytes follow the end of the picture and are not shown.",)
    assert view(content_type, WHOLE[content_type][:-3]).notes == ("The end of this picture is missing.",)


def test_a_file_over_the_limit_is_not_even_read():
    with pytest.raises(NotShown):
        pictures.read(Part(1, "a", "image/png", limits.IMAGE + 1), lambda *_: pytest.fail("it was read"))


@settings(deadline=None)
@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_no_bytes_make_it_fail(content_type: str, data: st.DataObject):
    whole = bytearray(WHOLE[content_type])
    for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=6)):
        whole[at] = data.draw(st.integers(0, 255))
    part = Part(1, "a", content_type, len(whole))
    assert pictures.verified(part, bytes(whole[: data.draw(st.integers(0, len(whole)))])) in (content_type, None)


def test_nothing_here_can_decode_a_picture():
    code = "import sys, claimcheck.rendering; sys.exit(any(m.split('.')[0] in ('PIL', 'cv2', 'imageio') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "content_type", "size"), [("image.jpg", "image/jpeg", (300, 200)), ("page-0-X0.png", "image/png", (324, 450))]
)
def test_it_shows_real_pictures(name: str, content_type: str, size: tuple[int, int]):
    if not DOCUMENTS.is_dir():
        pytest.skip(f"{DOCUMENTS} is not here")
    found = view(content_type, (DOCUMENTS / name).read_bytes())
    assert ((found.width, found.height), found.notes) == (size, ())
