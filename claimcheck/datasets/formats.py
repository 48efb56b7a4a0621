"""A version's files: JSONL from the facts, CSV and Parquet from the JSONL as it is kept. Bytes come out a piece at a time."""

from __future__ import annotations

import importlib.util
import io
import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, cast

from claimcheck import spreadsheets

OLD = ("decision_id", "outcome", "answer")
ROW = ("item_id", "idempotency_key", "status", "decision_id", "outcome", "answer", "reason_code", "note", "decided_at", "project_version",
       "evidence_version", "evidence_hash", "old_decision_id", "old_outcome", "old_answer", "reason", "looks")  # fmt: skip
CHANGE = ("item_id", "idempotency_key", "status", "old_decision_id", "old_outcome", "old_answer", "new_decision_id", "new_outcome", "new_answer",
          "reason")  # fmt: skip
NUMBERS = {"item_id", "decision_id", "project_version", "evidence_version", "old_decision_id", "new_decision_id"}
TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
BATCH = 500  # rows


def line(row: dict[str, Any]) -> bytes:
    """A row as a line of JSONL."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def lines(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The rows of a JSONL file that comes in chunks."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from map(json.loads, whole)


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its inner objects as columns of their own."""
    inner = {f"{side}_{name}": (row.get(side) or {}).get(name) for side in ("old", "new") if side in row for name in OLD}
    return {name: value for name, value in row.items() if name not in ("old", "new")} | inner


def to_csv(rows: Iterable[dict[str, Any]], columns: tuple[str, ...]) -> Iterator[bytes]:
    """Rows as CSV, some hundred at a time. A cell that a spreadsheet would compute begins with an apostrophe; the JSONL carries the raw value."""
    yield spreadsheets.lines([columns]).encode()
    for some in _some(rows, BATCH):
        yield spreadsheets.lines([row.get(name) for name in columns] for row in map(flat, some)).encode()


def _some(rows: Iterable[dict[str, Any]], count: int) -> Iterator[list[dict[str, Any]]]:
    left = iter(rows)
    while some := [*islice(left, count)]:
        yield some


def has_parquet() -> bool:
    """Whether the optional package `pyarrow` is installed."""
    return importlib.util.find_spec("pyarrow") is not None


@contextmanager
def parquet(rows: Iterable[dict[str, Any]], columns: tuple[str, ...]) -> Iterator[io.BufferedRandom]:
    """Rows as a Parquet file on disk, for as long as the block lasts. Answers and looks are JSON in text, since their shape is the project's."""
    import pyarrow as pa  # pyright: ignore[reportMissingImports]
    from pyarrow import parquet as pq  # pyright: ignore[reportMissingImports]

    schema = pa.schema([(name, pa.int64() if name in NUMBERS else pa.string()) for name in columns])
    with tempfile.TemporaryFile() as file:
        with pq.ParquetWriter(file, schema) as writer:
            for some in _some(rows, 10 * BATCH):
                flattened = [*map(flat, some)]
                writer.write_batch(pa.record_batch([[_text(row.get(name), name) for row in flattened] for name in columns], schema=schema))
        file.seek(0)
        yield cast(io.BufferedRandom, file)


def _text(value: Any, column: str) -> Any:
    plain = value is None or column in NUMBERS or (isinstance(value, str) and "answer" not in column)
    return value if plain else json.dumps(value, ensure_ascii=False)
