"""How statements reach the server: in its own placeholders."""

from __future__ import annotations

import pytest
from psycopg.adapt import PyFormat, Transformer

from claimcheck.db import ADAPTERS, STATEMENTS, _native


def test_a_statement_s_parameters_are_numbered_by_name() -> None:
    assert _native("SELECT %(b)s::int, %(a)b, %(b)s, '100%%'") == (b"SELECT $1::int, $2, $1, '100%'", ("b", "a"))


@pytest.mark.parametrize("statement", sorted(STATEMENTS))
def test_no_statement_keeps_a_percent_sign_of_ours(statement: str) -> None:
    assert b"%(" not in _native(STATEMENTS[statement])[0]


@pytest.mark.parametrize("numbers", [[1], [1, 40_000], [40_000, 1], [5_000_000_000]])
@pytest.mark.parametrize("form", [PyFormat.AUTO, PyFormat.TEXT, PyFormat.BINARY])
def test_a_list_of_numbers_is_of_bigints_however_big_they_are(numbers: list[int], form: PyFormat) -> None:
    bigints = 1016
    assert Transformer(ADAPTERS).get_dumper(numbers, form).oid == bigints
