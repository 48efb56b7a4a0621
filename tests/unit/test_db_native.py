"""How statements reach the server: in its own placeholders."""

from __future__ import annotations

import pytest

from claimcheck.db import STATEMENTS, _native


def test_a_statement_s_parameters_are_numbered_by_name() -> None:
    assert _native("SELECT %(b)s::int, %(a)b, %(b)s, '100%%'") == (b"SELECT $1::int, $2, $1, '100%'", ("b", "a"))


@pytest.mark.parametrize("statement", sorted(STATEMENTS))
def test_no_statement_keeps_a_percent_sign_of_ours(statement: str) -> None:
    assert b"%(" not in _native(STATEMENTS[statement])[0]
