"""CSV as spreadsheets read it: every cell quoted, and none that they would compute."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from typing import Any

FORMULA = re.compile(r"""[\s"']*[=+\-@＝＋－＠\t\r\n]""")  # a spreadsheet would compute it
NUMBER = re.compile(r"-?[0-9]+")


def lines(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of values as CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def cell(value: Any) -> str:
    """A value as text that no spreadsheet computes."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if NUMBER.fullmatch(text) or not FORMULA.match(text) else f"'{text}"
