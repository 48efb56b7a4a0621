"""CSV as a table: separator found by trial, header guessed, rows and columns bounded."""

import csv
import re
from collections import Counter
from itertools import islice

from claimcheck.rendering import limits, marks, views, words
from claimcheck.rendering.parts import Part, Read

SEPARATORS = (",", ";", "\t", "|")
TRIAL_ROWS = 25
NUMBER = re.compile(r"\s*[-+]?[\d٠-٩][\d٠-٩.,'\s\u00a0\u202f]*%?\s*")
# Not str.splitlines: it also cuts at form feeds and U+2028, which belong to their cell.
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
DATE = re.compile(r"\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}.*")

Records = list[list[str]]


def read(part: Part, source: Read) -> views.Table | views.Text:
    text = words.decode(part, source(part, limits.TABLE))
    try:
        records = _records(text.text.removeprefix("\ufeff"), part.size > limits.TABLE)
    except csv.Error as error:
        return words.show(part, text, f"This cannot be read as a table ({error}); it is shown as text.")
    if max(map(len, records), default=0) < 2:
        return words.show(part, text, "No separator was found in this table; it is shown as text.")
    return _table(part, records, text.notes)


def _records(text: str, partial: bool) -> Records:
    lines = LINE.findall(text)
    separator = max(SEPARATORS, key=lambda each: _fit(lines, each))
    records = [record for record in csv.reader(lines, delimiter=separator) if record]
    return records[:-1] if partial and len(records) > 1 else records


def _fit(lines: list[str], separator: str) -> tuple[int, int]:
    """How well a separator cuts the first rows: (rows of the commonest width, that width)."""
    try:
        widths = Counter(map(len, islice(csv.reader(lines[: 4 * TRIAL_ROWS], delimiter=separator), TRIAL_ROWS)))
    except csv.Error:
        return (0, 0)
    width, rows = max(widths.items(), key=lambda item: (item[0] > 1, item[1], item[0]), default=(0, 0))
    return (rows, width) if width > 1 else (0, 0)


def _table(part: Part, records: Records, notes: tuple[str, ...]) -> views.Table:
    header = records[0] if _heads(records) else None
    body = records[1:] if header else records
    width = max(map(len, records))
    columns = min(width, limits.TABLE_COLUMNS)
    shown = body[: min(limits.TABLE_ROWS, limits.TABLE_CELLS // columns)]
    return views.Table(
        part,
        _row(header, columns) if header else None,
        tuple(_row(record, columns) for record in shown),
        tuple(_numeric(shown, column) for column in range(columns)),
        notes + _left_out(part, len(shown), len(body), columns, width),
    )


def _heads(records: Records) -> bool:
    """A first row names the columns when its cells are filled, distinct, and neither numbers nor dates."""
    first = records[0]
    named = all(cell.strip() and not NUMBER.fullmatch(cell) and not DATE.fullmatch(cell) for cell in first)
    return len(records) > 1 and named and len(set(first)) == len(first)


def _row(record: list[str], columns: int) -> tuple[views.Cell, ...]:
    cells = tuple(map(_cell, record[:columns]))
    return cells + (views.Cell(()),) * (columns - len(cells))


def _cell(text: str) -> views.Cell:
    shown = marks.spans(text[: limits.CELL_CHARACTERS], broken_bytes=True, most=20)
    return views.Cell(shown, max(0, len(text) - limits.CELL_CHARACTERS))


def _numeric(rows: Records, column: int) -> bool:
    filled = [row[column] for row in rows if len(row) > column and row[column].strip()]
    return bool(filled) and all(len(cell) < 40 and NUMBER.fullmatch(cell) for cell in filled)


def _left_out(part: Part, rows: int, all_rows: int, columns: int, width: int) -> tuple[str, ...]:
    notes = []
    if part.size > limits.TABLE:
        notes.append(f"The first {rows:,} rows are shown; the download has the rest.")
    elif rows < all_rows:
        notes.append(f"{rows:,} of {all_rows:,} rows are shown; the download has the rest.")
    if columns < width:
        notes.append(f"{columns} of {width:,} columns are shown; the download has the rest.")
    return tuple(notes)
