"""Backups that are none, half ones, or were changed: said so before anything is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimcheck import errors
from claimcheck.operations import backups, restoring

FILES = (backups.DUMP, backups.INDEX, backups.KEY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).write_text(name)
    write(tmp_path)
    return tmp_path


def write(folder: Path, **more: Any) -> None:
    files = {name: backups.digest(folder / name) for name in FILES}
    whole = {"form": backups.FORM, "made_at": "2027-01-01T00:00:00+00:00", "migrations": [], "rows": {}, "files": files} | more
    (folder / backups.MANIFEST).write_text(json.dumps({name: value for name, value in whole.items() if value is not ...}))


def test_it_reads_one_that_is_whole(folder: Path) -> None:
    assert restoring.read(folder)["rows"] == {}


@pytest.mark.parametrize("wrong", ["[]", "null", "[" * 100_000, "{", "\ud800", '{"form": 1}'])
def test_it_refuses_a_manifest_that_is_none(folder: Path, wrong: str) -> None:
    (folder / backups.MANIFEST).write_bytes(wrong.encode("utf-8", "surrogatepass"))
    with pytest.raises(errors.Invalid, match="FOLDER"):
        restoring.read(folder)


@pytest.mark.parametrize(
    "more",
    [
        {"files": ...},
        {"files": []},
        {"files": {}},
        {"rows": ...},
        {"migrations": "x"},
        {"migrations": [["x"]]},
        {"made_at": 1},
        {"files": {backups.DUMP: [1]}},
    ],
)
def test_it_refuses_a_manifest_that_does_not_say_all(folder: Path, more: dict[str, Any]) -> None:
    """Above all one that leaves a file out, which would then be loaded unseen."""
    write(folder, **more)
    with pytest.raises(errors.Invalid, match="FOLDER"):
        restoring.read(folder)


@pytest.mark.parametrize("name", FILES)
def test_it_notices_a_file_that_was_changed(folder: Path, name: str) -> None:
    (folder / name).write_text("otherwise")
    with pytest.raises(errors.Invalid, match=name):
        restoring.read(folder)
