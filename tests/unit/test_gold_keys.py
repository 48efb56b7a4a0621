"""A gold's copy has a key of its own, such as its project's other keys are: it says nothing of gold to who compares them."""

from __future__ import annotations

import re

import pytest

from claimcheck.experts.golds import like


@pytest.mark.parametrize(
    ("key", "latest", "shape", "most"),
    [
        ("INV-2026-004711", "INV-2026-005000", r"INV-2026-(00\d{4}|010\d{3})", 10_099),
        ("k-000012", "k-000040", r"k-000\d{3}", 179),
        ("k17", "k40", r"k\d{1,3}", 179),
        ("2026-11-30-0007", "2026-11-30-9998", r"2026-11-30-\d{4}", 9_999),
        ("T-9382716", "T-1000003", r"T-\d{7}", 9_999_999),
        ("row 1.json", "row 12.json", r"row \d{1,3}\.json", 123),
        ("f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "x", r"f\d\dd\dfae-\ddec-\d\dd\d-a\d{3}-\d\da\dc\d\de\dbf\d", 9),
        ("a1b2c", "a1b3c", r"a1b2c-\d{6}", 999_999),
        ("passport", "visa", r"passport-\d{6}", 999_999),
        ("x" * 200, "y", r"x{193}-\d{6}", 999_999),
    ],
)
def test_it_is_one_that_the_project_could_have(key: str, latest: str, shape: str, most: int) -> None:
    for made in {like(key, latest) for _ in range(50)}:
        assert re.fullmatch(shape, made) and len(made) <= 200 and int(re.findall(r"\d+", made)[-1]) <= most, made
