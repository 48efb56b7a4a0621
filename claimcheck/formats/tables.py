"""Items and outcomes as CSV: a column a field, values inside values as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from claimcheck import canonical, spreadsheets

OUTCOME = ("outcome", "answer", "reason_code", "note", "decided_by", "decided_at", "decision_id")
OWN = ("idempotency_key", "item_id", "evidence_version", *OUTCOME, "files")


class Item(Protocol):
    """What is known of an item beside its payload."""

    @property
    def idempotency_key(self) -> str: ...
    @property
    def item_id(self) -> int: ...
    @property
    def version(self) -> int: ...
    @property
    def files(self) -> list[str]: ...
    def decided(self) -> dict[str, Any] | None: ...


def written(rows: Iterable[tuple[Item, dict[str, Any]]], fields: list[str]) -> Iterator[bytes]:
    """Line by line. A field that is called like one of our columns is `payload.NAME`."""
    yield _line([*OWN, *(f"payload.{name}" if name in OWN else name for name in fields)])
    for row, payload in rows:
        outcome = row.decided() or {}
        own = (row.idempotency_key, row.item_id, row.version, *(outcome.get(name) for name in OUTCOME), "; ".join(row.files))
        yield _line([*own, *(payload.get(name) for name in fields)])


def _line(values: Iterable[Any]) -> bytes:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n").writerow([cell(value) for value in values])
    return out.getvalue().encode()


def cell(value: Any) -> str:
    """A number is nothing that a spreadsheet computes; a text may be, and is then led by an apostrophe."""
    if isinstance(value, int | canonical.Number) and not isinstance(value, bool):
        return str(value)
    return spreadsheets.cell(canonical.encode(value, sort_keys=False).decode() if isinstance(value, dict | list) else value)
