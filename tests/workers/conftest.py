from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.workers.stage import Stage


@pytest.fixture
def stage(database: Any) -> Iterator[Stage]:
    """The module's database, empty."""
    stage = Stage(database)
    stage.clear()
    yield stage
    stage.end()
