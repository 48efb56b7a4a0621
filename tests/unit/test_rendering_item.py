"""An item's screen: what the project names, in its order, two sides beside each other, and no bytes that make it fail."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimcheck import rendering
from claimcheck.rendering import kinds, views
from tests.unit import rendering_pictures as made

FILES: dict[str, tuple[str, bytes]] = {
    "front.png": ("image/png", made.png(3, 2)),
    "back.png": ("image/png", made.png(2, 3)),
    "a.txt": ("text/plain", b"one\n"),
    "provider.json": ("application/json", b'{"name": "Ada", "score": 0.9}'),
    "other.json": ("application/json", b'{"name": "Ava", "score": 0.90}'),
}


def show(fields: Any = None, files: Mapping[str, tuple[str, bytes]] | None = None, **rules: Any) -> tuple[views.View, ...]:
    found = dict(files or {})
    if fields is not None:
        found = {"payload.json": ("application/json", fields if isinstance(fields, bytes) else json.dumps(fields).encode()), **found}
    contents = {n: data for n, (_, data) in enumerate(found.values())}
    parts = [rendering.Part(n, name, kind, len(data), f"/p/{n}") for n, (name, (kind, data)) in enumerate(found.items())]
    return rendering.show(parts, lambda part, limit: contents[part.n][:limit], rendering.Rules.of(**rules))


def kinds_of(found: tuple[views.View, ...]) -> list[str]:
    return [view.kind for view in found]


def names(view: views.View) -> list[str]:
    assert isinstance(view, views.Fields)
    assert isinstance(view.root, views.Group)
    return [entry.label.exact for entry in view.root.entries]


def test_without_rules_everything_is_shown_and_the_reserved_key_is_not():
    found = show({"b": 1, "a": 2, "files": [{"name": "x"}]}, FILES)
    assert kinds_of(found) == ["fields", "image", "image", "text", "fields", "fields"]
    assert names(found[0]) == ["b", "a"]


def test_what_an_item_has_not_parts_no_fields_and_comes_last():
    found = show({"a": 1, "b": 2}, {"a.txt": FILES["a.txt"]}, show=["gone", "a", "lost", "b", "a.txt"])
    assert kinds_of(found) == ["fields", "text", "missing", "missing"]
    assert names(found[0]) == ["a", "b"]


def test_the_projects_order_holds_and_neighbouring_fields_stand_together():
    found = show({"a": 1, "b": 2, "c": 3}, FILES, show=["c", "a", "front.png", "b"])
    assert kinds_of(found) == ["fields", "image", "fields"]
    assert (names(found[0]), names(found[2])) == (["c", "a"], ["b"])


def test_what_the_project_does_not_name_is_not_read():
    read = []

    def source(part: rendering.Part, limit: int) -> bytes:
        read.append(part.name)
        return b'{"a": 1}'[:limit] if part.n == 0 else made.png()

    parts = [rendering.Part(0, "payload.json", "application/json", 8), rendering.Part(1, "x.png", "image/png", len(made.png()))]
    rendering.show(parts, source, rendering.Rules.of(show=["a"]))
    assert read == ["payload.json"]


def test_what_is_named_and_absent_is_said():
    found = show({"a": 1}, show=["a", "provider_answer"])
    assert kinds_of(found) == ["fields", "missing"]
    assert isinstance(found[1], views.Missing)
    assert found[1].label.text == "Provider answer"


def test_two_objects_are_aligned_wherever_they_stand():
    for found in (
        show({"left": {"x": 1}, "right": {"x": 2}}, pairs=[{"left": "left", "right": "right"}]),
        show({"left": {"x": 1}, "right": {"x": 2}}, show=[{"left": "left", "right": "right", "title": "T"}]),
        show(None, FILES, show=[{"left": "provider.json", "right": "other.json"}]),
    ):
        assert isinstance(found[0], views.Aligned)
        assert found[0].rows[0].differs


def test_two_pictures_texts_or_unlike_things_stand_side_by_side():
    sides = [
        ("front.png", "back.png", "image", "image"),
        ("a.txt", "front.png", "text", "image"),
        ("answer", "a.txt", "fields", "text"),
        ("answer", "gone", "fields", "missing"),
    ]
    for left, right, left_kind, right_kind in sides:
        (found,) = show({"answer": "x" * 900}, FILES, show=[{"left": left, "right": right}])
        assert isinstance(found, views.Pair)
        assert (found.left.view.kind, found.right.view.kind) == (left_kind, right_kind)


def test_a_pair_stands_in_the_place_of_its_first_name_and_shows_nothing_twice():
    rules = {"pairs": [{"left": "left", "right": "right"}]}
    document = {"a": 1, "left": "x" * 500, "right": "y" * 500, "z": 2}
    assert kinds_of(show(document, show=["a", "right", "z", "left"], **rules)) == ["fields", "pair", "fields"]
    assert kinds_of(show(document, **rules)) == ["pair", "fields"]
    assert names(show(document, **rules)[1]) == ["a", "z"]


def test_a_judged_text_is_not_folded_when_the_project_names_it():
    folded, whole = show({"answer": "x" * 5000}), show({"answer": "x" * 5000}, show=["answer"])
    assert folded[0].root.entries[0].node.preview  # type: ignore[union-attr]
    assert not whole[0].root.entries[0].node.preview  # type: ignore[union-attr]


@pytest.mark.parametrize("document", [b"{", b"[1]", b"\xff\xfe\xfd", b"[" * 10_000, b"PK\x03\x04aaaa", b""])
def test_fields_that_cannot_be_read_are_shown_as_what_they_are(document: bytes):
    found = show(document, {"a.txt": FILES["a.txt"]})
    assert len(found) == 2
    assert found[0].kind in ("text", "fields", "download")


@pytest.mark.parametrize(
    ("content_type", "data", "reason"),
    [
        ("image/svg+xml", b"<svg onload=alert(1)>", "SVG can carry script, so it is offered as a file."),
        ("application/pdf", b"PK\x03\x04rest", "This says it is a PDF, but its bytes are a ZIP archive."),
        ("application/pdf", made.GIF_AND_PAGE, "This says it is a PDF, but its bytes are a GIF picture."),
        ("image/tiff", b"II*\0", "Browsers do not draw TIFF, so it is offered as a file. A PNG or a PDF would be shown here."),
        ("application/zip", b"PK\x03\x04", "An archive is not unpacked here, so it is offered as a file."),
        ("video/mp4", b"x", "Video is not played here; video/mp4 is offered as a file."),
        (
            "application/vnd.ms-excel",
            b"x",
            "Office documents can carry macros; application/vnd.ms-excel is offered as a file. A PDF would be shown here.",
        ),
        ("application/x-unheard-of", b"x", "There is no safe way to show application/x-unheard-of, so it is offered as a file."),
        ("text/plain", b"", "This file is empty."),
    ],
)
def test_a_download_gives_its_reason(content_type: str, data: bytes, reason: str):
    (found,) = show(None, {"x": (content_type, data)})
    assert isinstance(found, views.Download)
    assert found.reason == reason


@pytest.mark.parametrize("content_type", ["application/xml", "text/xml", "application/atom+xml", "text/javascript", "text/css"])
def test_code_is_shown_as_its_source(content_type: str):
    (found,) = show(None, {"x": (content_type, b"<!DOCTYPE r [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><r>&e;</r>")})
    assert isinstance(found, views.Text)
    assert "&e;" in found.lines[0].spans[0].text


def test_errors_of_the_store_pass_through():
    def source(*_: object) -> bytes:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        rendering.show([rendering.Part(0, "payload.json", "application/json", 3)], source)


MAGIC = st.sampled_from(
    [
        b"",
        b"%PDF-1.7\n",
        b"PK\x03\x04",
        made.png(),
        made.gif(),
        made.jpeg(),
        made.webp(),
        b"<html>",
        b"<svg>",
        b"{",
        b"[",
        b"a,b\n",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
    ]
)
TYPES = st.sampled_from(
    [
        *kinds.READERS,
        "text/x",
        "image/svg+xml",
        "application/ld+json",
        "application/octet-stream",
        "",
        "x",
        "text/plain; charset=utf-16",
        "text/csv; charset=windows-1256",
    ]
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TYPES, MAGIC, st.binary(max_size=200), st.text(max_size=20))
def test_no_bytes_under_any_type_make_it_fail(content_type: str, magic: bytes, data: bytes, name: str):
    (found,) = show(None, {f"f{name}": (content_type, magic + data)})
    assert found.kind in ("text", "fields", "table", "image", "pdf", "html", "download")


def test_an_object_whose_other_side_is_not_there_stands_in_its_column():
    for document, missing in (({"bank": {"a": 1, "b": {"c": 2}}}, "left"), ({"ledger": {"a": 1, "b": {"c": 2}}}, "right")):
        (found,) = show(document, show=[{"left": "ledger", "right": "bank"}])
        assert isinstance(found, views.Aligned) and found.missing == missing
        assert [row.label.exact for row in found.rows] == ["a", "b.c"]
        assert all((row.left is None, row.right is None) == (missing == "left", missing == "right") for row in found.rows)
    for odd in ({"bank": {}}, {"bank": {"a": 1}, "ledger": "x" * 900}):
        assert isinstance(show(odd, show=[{"left": "ledger", "right": "bank"}])[0], views.Pair)
