"""Crowds on file."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimcheck import errors
from claimcheck.experts import crowds


def read(folder: Path, labels: str, gold: str) -> crowds.Crowd:
    (folder / "labels.csv").write_text(labels, encoding="utf-8")
    (folder / "gold.csv").write_text(gold, encoding="utf-8")
    return crowds.read(folder / "labels.csv", folder / "gold.csv")


def test_it_keeps_the_last_label_of_a_worker_and_item(tmp_path):
    found = read(tmp_path, "worker,item,label\nAda,1,x\nBen,1,y\nAda,2,x\nAda,1,z\n", "item,gold\n1,x\n")
    assert [(r.worker, r.item, r.label) for r in found.rows] == [("Ada", "1", "z"), ("Ben", "1", "y"), ("Ada", "2", "x")]
    assert found.items == ["1", "2"]


def test_it_takes_either_of_several_golds_and_counts_their_labels(tmp_path):
    found = read(tmp_path, "worker,item,label\nAda,1,x\n", "item,gold,by\n1, x | y,Chi\n9,w,Chi\n")
    assert found.gold["1"] == {"x", "y"}
    assert found.labels == ["x", "y"]  # w is gold of nothing that anybody labelled


def test_it_reads_what_spreadsheets_write(tmp_path):
    found = read(tmp_path, '\ufefflabel;x,item,worker,label\r\n1,"a, b", Ada ,"two\nlines"\r\n2,c,Ada,x\r\n', "item,gold\r\nc,x\r\n")
    assert [(r.worker, r.item, r.label) for r in found.rows] == [("Ada", "a, b", "two\nlines"), ("Ada", "c", "x")]


@pytest.mark.parametrize("cell", ["", "  ", "x" * 201, "a\0b"])
def test_it_names_the_line_of_a_cell_that_cannot_be(tmp_path, cell):
    with pytest.raises(errors.Invalid) as raised:
        read(tmp_path, f"worker,item,label\nAda,1,x\nBen,1,{cell}\n", "item,gold\n1,x\n")
    assert raised.value.errors[0].field == "labels.csv"
