"""Homes for desks that are really started."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded import running


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the database's account can reach, which pytest's own are not; emptied of processes afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="desk-run-"))
    folder.chmod(0o711)
    yield folder
    running.end_all(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def home(open_folder: Path) -> Path:
    """Where a CLAIMCHECK_HOME is going to be."""
    return open_folder / "home"
