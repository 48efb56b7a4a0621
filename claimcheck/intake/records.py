"""The pipeline's decisions on their way from the database into the log stream, each at least once: who reads drops doubles by their number."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from claimcheck.db import Connection, Database

EVENT = "pipeline.decision"
LIMIT = 500  # of one round, which is one transaction
FILES = "pipeline-*.jsonl"


class Stream(Protocol):
    """Where lines go. After `flush` they are there."""

    def write(self, text: str, /) -> Any: ...
    def flush(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Record:
    """A decision of the pipeline, with all that it rests on."""

    id: int
    at: datetime
    decision: str
    project_id: int | None
    message_id: int | None
    idempotency_key: str | None
    trace_id: str
    source_hash: bytes | None
    match_decision: str | None
    currency: str | None
    variance_amount: Decimal | None
    route: str | None
    queue: str | None
    item_id: int | None
    dead_letter_id: int | None
    code: str | None
    worker: str
    settings_version: int
    detail: dict[str, Any]


def relay(db: Database, stream: Stream, limit: int = LIMIT) -> int:
    """Writes what is not in the log yet, and then notes that it is; how many. Whoever is killed in between leaves them to be written again."""
    return db.together(lambda connection: _relay(connection, stream, limit))


def _relay(connection: Connection, stream: Stream, limit: int) -> int:
    found = connection.all("pipeline_records/unlogged", Record, limit=limit)
    if found:
        stream.write("".join(f"{line(record)}\n" for record in found))
        stream.flush()
        connection.run("pipeline_records/logged", record_ids=[record.id for record in found])
    return len(found)


def line(record: Record) -> str:
    """A record as it stands in the log: JSON with every column, money as text, hashes as hex, times in UTC."""
    said = {field.name: getattr(record, field.name) for field in dataclasses.fields(Record) if field.name != "id"}
    said |= {
        "at": record.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "source_hash": record.source_hash.hex() if record.source_hash else None,
        "variance_amount": f"{record.variance_amount:f}" if record.variance_amount is not None else None,
    }
    return json.dumps({"event": EVENT, "record": record.id, **said})  # in ASCII: some readers end a line at U+2028


class Log:
    """The log stream in a folder: one file a day, written at its end and never again; many processes may write to it at once."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.waiting: list[str] = []

    def write(self, text: str) -> None:
        """Whole lines."""
        self.waiting.append(text)

    def flush(self) -> None:
        """They are on the disk when this returns."""
        data, self.waiting = "".join(self.waiting).encode(), []
        path = self.folder / f"pipeline-{time.strftime('%Y-%m-%d', time.gmtime())}.jsonl"
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":  # somebody was killed within a line; it comes again
                data = b"\n" + data
            while data:
                data = data[os.write(file, data) :]
            os.fsync(file)
        finally:
            os.close(file)
        if not size:
            self._name()

    def _name(self) -> None:
        """The name of a file that is new is on the disk, too."""
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def log(home: Path) -> Log:
    """The log stream of a desk."""
    folder = home / "log"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(parents=True, mode=0o700)
    return Log(folder)


def files(home: Path) -> list[Path]:
    """The log's files, oldest first."""
    return sorted((home / "log").glob(FILES))
