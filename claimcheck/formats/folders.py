"""A folder of files as rows of intake: with a manifest (CSV or JSONL) each row is an item, without one each file is."""

from __future__ import annotations

import csv
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimcheck import canonical, errors

MANIFESTS = ("manifest.csv", "manifest.jsonl")
OWN = ("idempotency_key", "partition_key", "priority", "trace_id", "files")
TYPES = {
    ".sta": "text/plain",
    ".mt940": "text/plain",
    ".jsonl": "text/plain",
    ".md": "text/plain",
    ".csv": "text/csv",
    ".json": "application/json",
    ".webp": "image/webp",
}


@dataclass(frozen=True, slots=True)
class Row:
    """An item to be: its row without files, and the files' paths with their types."""

    row: dict[str, Any]
    files: list[tuple[Path, str]]


def content_type(path: Path) -> str:
    """By the file's ending; the desk checks the bytes."""
    return TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def manifest_of(folder: Path, manifest: Path | None = None) -> Path | None:
    """The manifest that is named, else the folder's own, if it has one."""
    return manifest or next((folder / name for name in MANIFESTS if (folder / name).is_file()), None)


def read(folder: Path, manifest: Path | None = None) -> Iterator[Row]:
    """Rows in the manifest's order, or in the order of the files' names. Raises Invalid that names the row and the fix."""
    manifest = manifest_of(folder, manifest)
    if manifest is None:
        yield from _files(folder)
        return
    rows = _csv(manifest) if manifest.suffix.lower() == ".csv" else _jsonl(manifest)
    for n, row in enumerate(rows, 1):
        yield _row(folder, row, f"{manifest.name}, row {n}")


def _files(folder: Path) -> Iterator[Row]:
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")):
        name = path.relative_to(folder).as_posix()
        yield Row({"idempotency_key": name, "payload": {"file": name}}, [(path, content_type(path))])


def _csv(manifest: Path) -> Iterator[dict[str, Any]]:
    """Columns of the item's own names; every other one is a field of the payload. Several files are parted by semicolons."""
    with manifest.open(newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file, strict=True):
            own = {name: row[name] for name in OWN if row.get(name)}
            if "priority" in own:
                own["priority"] = _priority(own["priority"], manifest.name)
            own["files"] = [name.strip() for name in own.get("files", "").split(";") if name.strip()]
            yield own | {"payload": {name: value for name, value in row.items() if name and name not in OWN and value is not None}}


def _priority(text: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise errors.Invalid.field("priority", f"must be a whole number, not {text!r} ({where})") from None


def _jsonl(manifest: Path) -> Iterator[dict[str, Any]]:
    with manifest.open("rb") as file:
        for n, line in enumerate(filter(bytes.strip, file), 1):
            try:
                row = canonical.parse_json(line)
            except canonical.InvalidJSON as error:
                raise errors.Invalid.field(f"{manifest.name}, row {n}", str(error)) from None
            if not isinstance(row, dict):
                raise errors.Invalid.field(
                    f"{manifest.name}, row {n}", 'must be an object such as {"idempotency_key": …, "files": ["a.pdf"], "payload": {…}}'
                )
            yield row


def _row(folder: Path, row: dict[str, Any], where: str) -> Row:
    names = row.pop("files", None) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise errors.Invalid.field(f"{where}: files", "must be a list of names of files in the folder")
    files = [_file(folder, name, where) for name in names]
    row.setdefault("payload", {})
    if "idempotency_key" not in row and names:
        row["idempotency_key"] = names[0]
    return Row(row, [(path, content_type(path)) for path in files])


def _file(folder: Path, name: str, where: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise errors.Invalid.field(f"{where}: files", f"{name!r} is not a file in {folder}")
    return path
