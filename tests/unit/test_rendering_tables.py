"""CSV: the separator found, the header told, everything bounded."""

import contextlib
import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.rendering import limits, tables, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part


def view(data: bytes, size: int | None = None) -> views.Table | views.Text:
    return tables.read(Part(1, "a.csv", "text/csv", size or len(data)), lambda _part, limit: data[:limit])


def cells(row: tuple[views.Cell, ...] | None) -> list[str]:
    assert row is not None
    return ["".join(span.text for span in cell.spans) for cell in row]


@pytest.mark.parametrize("separator", tables.SEPARATORS)
def test_it_finds_the_separator_by_trial(separator: str):
    lines = [["date", "who", "amount"], ["2026-11-01", "A, B; C", "12"], ["2026-11-02", 'say "hi"', "7"]]
    text = "\n".join(separator.join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    found = view(text.encode())
    assert isinstance(found, views.Table)
    assert [cells(found.header), *map(cells, found.rows)] == lines
    assert found.right == (False, False, True)


def test_it_passes_over_a_byte_order_mark_and_reads_arabic():
    found = view("\ufeffname;amount\nأحمد;١٢٫٥\nLea;3,5\n".encode())
    assert isinstance(found, views.Table)
    assert cells(found.header) == ["name", "amount"]
    assert cells(found.rows[0]) == ["أحمد", "١٢٫٥"]


@pytest.mark.parametrize("first", ["1;2", "a;a", "a;", "2026-11-01;x"])
def test_a_first_row_that_names_nothing_is_no_header(first: str):
    found = view(f"{first}\n3;4\n5;6\n".encode())
    assert isinstance(found, views.Table)
    assert found.header is None
    assert len(found.rows) == 3


def test_it_keeps_line_ends_inside_quotes_and_odd_characters_inside_cells():
    found = view('a,b\n"x\ny","p\x0cq\u2028r"\n'.encode())
    assert isinstance(found, views.Table)
    assert cells(found.rows[0]) == ["x\ny", "pFFqLSEPr"]


def test_it_shows_one_line_of_ten_megabytes_as_text():
    found = view(b"a" * 10_000_000)
    assert isinstance(found, views.Text)
    assert found.notes[0].startswith("This cannot be read as a table (field larger than field limit")
    assert len(found.lines) == 1


def test_it_bounds_rows_and_columns():
    wide = view(b"a," * 5_000_000)
    assert isinstance(wide, views.Table)
    assert len(wide.rows[0]) == limits.TABLE_COLUMNS
    long = view(b"a,b\n" * 5_000)
    assert isinstance(long, views.Table)
    assert len(long.rows) == limits.TABLE_ROWS
    assert long.notes == (f"{limits.TABLE_ROWS} of 4,999 rows are shown; the download has the rest.",)
    both = view((b"a," * 100 + b"\n") * 1000)
    assert isinstance(both, views.Table)
    assert sum(map(len, both.rows)) <= limits.TABLE_CELLS


def test_it_leaves_out_the_row_that_the_limit_cut():
    found = view(b"n,m\n" + b"1234567,1234567\n" * 100_000)
    assert isinstance(found, views.Table)
    assert found.notes == ("The first 500 rows are shown; the download has the rest.",)
    assert found.right == (True, True)


def test_it_pads_short_rows_and_folds_long_cells():
    found = view(b"a,b,c\n1\n" + b"x" * 5000 + b",2,3\n")
    assert isinstance(found, views.Table)
    assert cells(found.rows[0]) == ["1", "", ""]
    assert found.rows[1][0].cut == 5000 - limits.CELL_CHARACTERS


def test_formulas_are_text():
    found = view(b'a,b\n"=HYPERLINK(""http://x"")",@SUM(A1)\n')
    assert isinstance(found, views.Table)
    assert cells(found.rows[0]) == ['=HYPERLINK("http://x")', "@SUM(A1)"]


def test_it_shows_what_has_no_separator_as_text():
    assert isinstance(view(b"only words here\nand here\n"), views.Text)


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_it_takes_any_bytes(data: bytes):
    before = csv.field_size_limit()
    with contextlib.suppress(NotShown):
        assert isinstance(view(data or b" "), (views.Table, views.Text))
    assert csv.field_size_limit() == before
