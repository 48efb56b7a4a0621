"""The schema as the catalogue knows it, written so that two of them can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from claimcheck.db import Database

HEAD = "-- What queue/migrations/ end at. Written by `bin/claimcheck schema --write`; a test compares it with a migrated database.\n"


@dataclass(frozen=True, slots=True)
class _Column:
    of: str
    text: str


@dataclass(frozen=True, slots=True)
class _Rule:
    of: str
    place: str
    text: str


def dump(conninfo: str) -> str:
    """Tables with their columns, then what holds for each: constraints, indexes, triggers, rights; functions at the end."""
    db = Database(conninfo, max_size=1, name="claimcheck schema")
    try:
        columns, rules = db.all("schema/tables", _Column), db.all("schema/rules", _Rule)
    finally:
        db.close()
    held = {of: [rule.text for rule in group] for of, group in groupby(rules, key=lambda rule: rule.of)}
    parts = [HEAD]
    for of, group in groupby(columns, key=lambda column: column.of):
        parts.append(
            f"\nCREATE TABLE {of} (\n"
            + ",\n".join(column.text for column in group)
            + ");\n"
            + "".join(f"{text}\n" for text in held.pop(of, []))
        )
    return "".join([*parts, "\n", *(f"{text}\n\n" for group in held.values() for text in group)])
