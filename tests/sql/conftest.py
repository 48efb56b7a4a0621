from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from bench.field import Field, fill
from bench.screens import reader
from tests.intake import World

FIELD = Field(100_000)


@pytest.fixture(scope="session")
def fields(make_database: Any) -> Iterator[list[psycopg.Connection[dict[str, Any]]]]:
    """Connections to a field of 10,000 items and to one of 100,000 with half a million decisions. Whoever writes there takes it back."""
    databases = make_database(), make_database()
    for database, size in zip(databases, (Field(FIELD.items // 10), FIELD), strict=True):
        fill(database.superuser, size)
    connections = [reader(database.superuser) for database in databases]
    yield connections
    for connection in connections:
        connection.close()


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
