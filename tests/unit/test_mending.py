"""What a mended letter differs in, at a price that its size bounds."""

from __future__ import annotations

import itertools
import json

from claimcheck.intake import mending


def kinds(lines: list[mending.Line]) -> list[str]:
    return [line.kind for line in lines]


def test_it_shows_what_was_mended_and_two_lines_about_it():
    before = json.dumps({f"field {n}": n for n in range(200)}).encode()
    found = mending.difference(before, before.replace(b": 100,", b": 7,"))
    assert kinds(found) == ["same", "same", "gone", "come", "same", "same"]
    assert "".join(span.text for span in found[3].spans) == ' "field 100": 7,'


def test_it_shows_several_places_with_a_gap_between():
    before = json.dumps(list(range(100))).encode()
    found = mending.difference(before, before.replace(b" 10,", b" 7,").replace(b" 90,", b" 8,"))
    assert kinds(found) == ["same", "same", "gone", "come", "same", "same", "gap", "same", "same", "gone", "come", "same", "same"]


def test_it_says_nothing_of_the_same():
    assert mending.difference(b'{"a": 1}', b'{ "a":1 }') == [] == mending.difference(b"", b"")


def test_it_compares_no_more_than_it_can_in_a_moment(monkeypatch):
    """128,000 lines of which each stands there a thousand times would take hours."""
    compared: list[int] = []
    whole = mending.difflib.unified_diff
    monkeypatch.setattr(mending.difflib, "unified_diff", lambda old, new, **more: (compared.extend((len(old), len(new))), whole(old, new, **more))[1])
    values = itertools.cycle("123456789")
    one, other = (json.dumps([int(next(values)) for _ in range(80_000)]).encode() for _ in range(2))
    found = mending.difference(one, other[:-1] + b", 5]")
    assert compared and max(compared) <= 1000 and len(found) <= mending.LINES
