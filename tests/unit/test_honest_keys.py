"""Keys and titles are shown with what would hide or turn their characters by name, wherever a page lists them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from claimcheck.web.filters import honest

TEMPLATES = Path(__file__).parents[2] / "templates"
SHOWN = re.compile(r"\{\{[^}]*\.idempotency_key\b[^}]*\}\}")


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("invoice-\u202e1700", "invoice-‹RLO›1700"),
        ("a\u2066b\u2069", "a‹LRI›b‹PDI›"),
        ("a\u200bb\u0000", "a‹ZWSP›b‹NUL›"),
        ("Größe 7, שלום", "Größe 7, שלום"),
    ],
)
def test_it_shows_what_turns_or_hides_characters_by_name(key: str, shown: str) -> None:
    assert honest(key) == shown


def test_every_page_that_shows_a_key_shows_it_honestly() -> None:
    said = [(path.name, found) for path in TEMPLATES.rglob("*.html") for found in SHOWN.findall(path.read_text())]
    assert len(said) > 8
    assert not [one for one in said if "| honest" not in one[1]]
