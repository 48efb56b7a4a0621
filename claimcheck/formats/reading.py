"""Rows of intake out of a file of one of the formats, one after another."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from claimcheck import canonical, errors, lines
from claimcheck.formats import mapping

FORMATS = ("label-studio", "csv", "jsonl")
WHOLE = 64 * 1024 * 1024  # bytes of Label Studio's JSON, which is read as one value
DELIMITERS = ",;\t|"
HEAD = 64 * 1024
MOST = "; send cells of more than 128 KiB as JSONL"  # the limit of csv is the whole process's

Row = Any  # what `batches.take` takes: an item's object, or a line's bytes


def rows(file: BinaryIO, form: str, columns: Mapping[str, str]) -> Iterator[Row]:
    """The file's rows. Raises Invalid where the file as a whole is none of this form; a row that is wrong by itself is intake's to refuse."""
    read = {"label-studio": _label_studio, "csv": _csv, "jsonl": _jsonl}.get(form)
    if read is None:
        raise errors.Invalid.field("format", f"must be one of {', '.join(FORMATS)}")
    return read(file, columns)


def _jsonl(file: BinaryIO, columns: Mapping[str, str]) -> Iterator[Row]:
    """Rows as intake takes them (`payload` and an `idempotency_key`), or flat objects, each a payload."""
    return (_line(line, columns) if isinstance(line, bytes) else line for line in lines.read(file))


def _line(line: bytes, columns: Mapping[str, str]) -> Row:
    try:
        value = canonical.parse_json(line)
    except canonical.InvalidJSON:
        return line
    whole = not columns and isinstance(value, dict) and isinstance(value.get("payload"), dict)
    return value if whole or not isinstance(value, dict) else mapping.row(value, columns)


def _label_studio(file: BinaryIO, columns: Mapping[str, str]) -> Iterator[Row]:
    """Tasks as Label Studio takes and exports them: `[{"id": 1, "data": {…}}, …]`, or bare data."""
    data = file.read(WHOLE + 1)
    if len(data) > WHOLE:
        raise errors.TooLarge(f"file: is larger than {WHOLE // 1024 // 1024} MiB; split it, or send it as JSONL, which may be of any length")
    try:
        tasks = canonical.parse_json(data)
    except canonical.InvalidJSON as error:
        raise errors.Invalid.field("file", f"is no Label Studio JSON: {error.path} {error.detail}") from None
    if not isinstance(tasks, list):
        raise errors.Invalid.field("file", 'is no Label Studio JSON: it is a list of tasks, [{"data": {…}}, …]')
    return (_task(task, columns) for task in tasks)


def _task(task: Any, columns: Mapping[str, str]) -> Row:
    if not isinstance(task, dict):
        return task
    data = task.get("data")
    key = str(task["id"]) if isinstance(data, dict) and isinstance(task.get("id"), int | str) else None
    return mapping.row(data if isinstance(data, dict) else task, columns, key)


def _csv(file: BinaryIO, columns: Mapping[str, str]) -> Iterator[Row]:
    """A header, then one row an item; the delimiter is the one that the header has most of. Text stays text."""
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        head = text.readline(HEAD)
        if len(head) == HEAD and not head.endswith("\n"):
            raise errors.Invalid.field("file", f"has a first line of more than {HEAD // 1024} KiB; name fewer columns, or shorter ones")
        reader = csv.reader(_again(head, text), delimiter=max(DELIMITERS, key=head.count), strict=True)
        header = next(reader, [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(error, 1) from None
    _check_header(header, columns)
    return _records(reader, header, columns, text)


def _again(head: str, text: io.TextIOWrapper) -> Iterator[str]:
    yield head
    for line in text:  # noqa: UP028 - `yield from` would close it
        yield line


def _check_header(header: list[str], columns: Mapping[str, str]) -> None:
    if not any(name.strip() for name in header):
        raise errors.Invalid.field("file", "is empty; its first line names the columns")
    unnamed = next((n for n, name in enumerate(header, 1) if not name.strip()), None)
    if unnamed is not None:
        raise errors.Invalid.field("file", f"does not name its column {unnamed}; the first line names them all")
    twice = next((name for n, name in enumerate(header) if name in header[:n]), None)
    if twice is not None:
        raise errors.Invalid.field("file", f"names the column {twice!r} twice; rename one")
    mapping.check(columns, header)


def _records(reader: Any, header: list[str], columns: Mapping[str, str], text: io.TextIOWrapper) -> Iterator[Row]:
    try:
        for cells in reader:
            if cells:
                yield _record(cells, header, columns)
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(error, reader.line_num + isinstance(error, UnicodeDecodeError)) from None
    finally:
        with contextlib.suppress(ValueError):  # closed already
            text.detach()  # the file is whoever opened it's to close


def _record(cells: list[str], header: list[str], columns: Mapping[str, str]) -> dict[str, Any]:
    """Too many or too few cells are an item's own fault: intake refuses it by the name of what should not be there."""
    item = mapping.row(dict(zip(header, cells, strict=False)), columns)
    off = len(cells) - len(header)
    return item if not off else item | {f"a line of {len(cells)} cells under {len(header)} columns": cells[len(header) :]}


def _unreadable(error: Exception, line: int) -> errors.Invalid:
    if isinstance(error, UnicodeDecodeError):
        return errors.Invalid.field(f"line {line}", "is not UTF-8; save the file as UTF-8")
    return errors.Invalid.field(f"line {line}", f"is no CSV: {error}" + (MOST if "field limit" in str(error) else ""))
