from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors import Door
from tests.intake import World
from tests.workers.machinery import Hook, Machinery
from tests.workers.stage import Stage


@pytest.fixture(scope="module")
def world(database: Any, store_server: Any) -> Iterator[World]:
    """A desk that takes items in, one for the module."""
    world = World(database, store_server)
    yield world
    world.end()


@pytest.fixture(params=["inbox", "stream"])
def door(request: pytest.FixtureRequest, world: World, valkey: str, valkey_admin: str) -> Iterator[Door]:
    """Each of the pipeline's sources in turn."""
    world.quiet()
    door = Door(world, request.param, valkey, valkey_admin)
    yield door
    door.end()


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
