from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workers.machinery import Hook, Machinery
from tests.workers.stage import Stage


@pytest.fixture
def stage(database: Any) -> Iterator[Stage]:
    """The module's database, empty."""
    stage = Stage(database)
    stage.clear()
    yield stage
    stage.end()


@pytest.fixture
def machinery(stage: Stage, tmp_path: Path) -> Iterator[Machinery]:
    """Nothing runs yet."""
    machinery = Machinery(stage, tmp_path)
    yield machinery
    machinery.end()


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Hook]:
    """A receiver that behaves."""
    hook = Hook(tmp_path / "received.jsonl")
    yield hook
    hook.end()
