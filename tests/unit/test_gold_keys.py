"""A gold's copy has a key of its own, shaped like the key it stands for."""

from __future__ import annotations

import re

import pytest

from claimcheck.experts.golds import like


@pytest.mark.parametrize(
    ("key", "shape"),
    [("INV-2026-004711", r"INV-\d{4}-\d{6}"), ("k17", r"k\d{6}"), ("a1b2c", r"a1b\d{6}c"), ("passport", r"passport-\d{6}"), ("x" * 200, r"x{193}-\d{6}")],
)
def test_it_is_shaped_like_the_other(key: str, shape: str) -> None:
    made = like(key)
    assert re.fullmatch(shape, made)
    assert len(made) <= 200
