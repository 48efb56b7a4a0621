"""Which column becomes which field: the one mapping that all formats share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from claimcheck import canonical, errors

OWN = ("idempotency_key", "partition_key", "priority", "trace_id")  # an item's own, beside its payload
KEY = 40  # hex digits of a key that is made of the content


def read(pairs: Iterable[str]) -> dict[str, str]:
    """`column=field` pairs. `column=` leaves the column out. Raises Invalid."""
    found: dict[str, str] = {}
    for pair in pairs:
        column, mark, field = (part.strip() for part in pair.rpartition("="))
        if not mark or not column:
            raise errors.Invalid.field("map", f"must be column=field, not {pair!r}")
        if column in found:
            raise errors.Invalid.field("map", f"names the column {column!r} twice; keep one")
        found[column] = field
    twice = next((f for n, f in enumerate(found.values()) if f and f in [*found.values()][:n]), None)
    if twice is not None:
        raise errors.Invalid.field("map", f"gives two columns to {twice!r}; each field has one")
    return found


def check(columns: Mapping[str, str], known: Iterable[str]) -> None:
    """Raises Invalid for a mapped column that isn't there."""
    there = [*known]
    lost = next((column for column in columns if column not in there), None)
    if lost is not None:
        raise errors.Invalid.field("map", f"names {lost!r}, which is not in the file; there are {', '.join(map(repr, there[:30]))}")


def row(values: Mapping[str, Any], columns: Mapping[str, str], key: Any = None) -> dict[str, Any]:
    """An item of a flat record. `key` is its own name where no column is one; without either it is made of the content.

    `holder.iban` as a field puts the value into an object. What is not mapped keeps its name.
    """
    item: dict[str, Any] = {"payload": {}} if key is None else {"idempotency_key": key, "payload": {}}
    for column, value in values.items():
        field = columns.get(column, column)
        if field in OWN:
            item |= {} if value in (None, "") else {field: _own(field, value)}
        elif field:
            _put(item["payload"], field, value, nested=column in columns)
    if "idempotency_key" not in item:
        item["idempotency_key"] = of_content(item["payload"])
    return item


def of_content(payload: Any) -> str:
    """A key that equal content has again, so that a file sent twice comes in once."""
    try:
        content = canonical.encode(payload)
    except canonical.InvalidJSON:  # a NUL in a cell: intake refuses the row and names the field
        content = repr(payload).encode()
    return hashlib.sha256(content).hexdigest()[:KEY]


def _own(field: str, value: Any) -> Any:
    if field == "priority" and isinstance(value, str):
        return int(value) if value.strip().lstrip("-").isdigit() and len(value) < 9 else value
    return str(value) if isinstance(value, int | canonical.Number) and field != "priority" else value


def _put(payload: dict[str, Any], field: str, value: Any, *, nested: bool) -> None:
    *outer, last = field.split(".") if nested else [field]
    for name in outer:
        payload = payload.setdefault(name, {})
        if not isinstance(payload, dict):
            raise errors.Invalid.field("map", f"puts {field!r} into {name!r}, which has a value of its own")
    payload[last] = value
