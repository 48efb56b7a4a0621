from __future__ import annotations

from collections.abc import Callable, Iterator
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
def make_hook(tmp_path: Path) -> Iterator[Callable[[], Hook]]:
    """Makes receivers that behave."""
    made: list[Hook] = []

    def make() -> Hook:
        made.append(Hook(tmp_path / f"received{len(made)}.jsonl"))
        return made[-1]

    yield make
    for hook in made:
        hook.end()


@pytest.fixture
def hook(make_hook: Callable[[], Hook]) -> Hook:
    """A receiver that behaves."""
    return make_hook()
