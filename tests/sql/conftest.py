from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.intake import World


@pytest.fixture(scope="module")
def _world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    yield world
    world.end()


@pytest.fixture
def world(_world: World) -> World:
    """The module's desk, with nothing of other tests waiting or pending."""
    _world.quiet()
    return _world
