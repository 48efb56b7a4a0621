"""The drop folder: files in the order of their names by one pool at a time; no file keeps others out, and none leads elsewhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claimcheck.intake import dropping
from claimcheck.intake.dropping import DropFolder
from tests import pipeline
from tests.intake import World
from tests.pipeline import message


@pytest.fixture(scope="module")
def _world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    yield world
    world.end()


@pytest.fixture
def world(_world: World) -> World:
    _world.quiet()
    pipeline.clear(_world)
    return _world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "drop"
    folder.mkdir()
    return folder


def pool(world: World, folder: Path) -> DropFolder:
    return DropFolder(folder, world.web, "test", threading.Event(), lambda: pipeline.SETTINGS, still=0)


def admitted(world: World, project: int) -> list[str]:
    return [key for (key,) in world.all("SELECT idempotency_key FROM messages WHERE project_id = %s ORDER BY id", project)]


def test_it_lets_one_pool_at_a_time_keep_the_order_of_the_names(world: World, folder: Path) -> None:
    project = world.project()
    for name in ("1", "2"):
        (folder / f"{name}.json").write_bytes(message(project, name))
    first, second = pool(world, folder), pool(world, folder)
    admit = first._admit

    def slowly(path: Path, file: Any) -> Any:
        assert second.round() == 0, "the second one must not begin with the second file"
        return admit(path, file)

    first._admit = slowly  # type: ignore[method-assign]
    assert first.round() == 2 and admitted(world, project) == ["1", "2"]
    (folder / "3.json").write_bytes(message(project, "3"))
    assert second.round() == 1 and admitted(world, project) == ["1", "2", "3"]


@pytest.mark.parametrize("where", ["file", "done"])
def test_it_follows_no_link(world: World, folder: Path, tmp_path: Path, where: str) -> None:
    """Who may write here may not read, nor write, all that the pool may."""
    project, elsewhere = world.project(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret").write_bytes(b"the secret key\n")
    (folder / "2.json").write_bytes(message(project, "2"))
    letters = world.one("SELECT count(*) FROM dead_letters")
    if where == "file":
        (folder / "1.ndjson").symlink_to(elsewhere / "secret")
        assert pool(world, folder).round() == 1 and admitted(world, project) == ["2"]
    else:
        (folder / "done").symlink_to(elsewhere)
        assert pool(world, folder).round() == 0
    assert [path.name for path in elsewhere.iterdir()] == ["secret"]
    assert world.one("SELECT count(*) FROM dead_letters") == letters


def test_it_goes_on_behind_a_file_that_can_not_be_read(world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, whole = world.project(), dropping._open
    for name in ("1", "2"):
        (folder / f"{name}.json").write_bytes(message(project, name))

    def opened(path: Path) -> Any:
        if path.name == "1.json":
            raise PermissionError(13, "Permission denied")
        return whole(path)

    monkeypatch.setattr(dropping, "_open", opened)
    assert pool(world, folder).round() == 1 and admitted(world, project) == ["2"] and (folder / "1.json").exists()


def test_it_takes_a_file_in_once_that_can_not_be_moved(world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else each round would put every message of it on record as a repeat."""
    project, one = world.project(), pool(world, folder)
    (folder / "1.json").write_bytes(message(project, "1"))

    move = one._move

    def stuck(path: Path) -> None:
        if path.name == "1.json":
            raise PermissionError(1, "Operation not permitted")
        move(path)

    with monkeypatch.context() as held:
        held.setattr(one, "_move", stuck)
        assert [one.round() for _ in range(2)] == [0, 0]
        (folder / "2.json").write_bytes(b"no JSON")
        assert [one.round() for _ in range(3)] == [1, 0, 0]
    assert one.round() == 1 and (folder / "done" / "1.json").exists()
    decisions = world.all("SELECT decision FROM pipeline_records WHERE project_id = %s ORDER BY id", project)
    assert [decision for (decision,) in decisions] == ["admitted"]


def test_it_takes_a_file_whose_name_is_no_text(world: World, folder: Path) -> None:
    (folder / os.fsdecode(b"odd\xff\n.json")).write_bytes(b"no JSON either")
    assert pool(world, folder).round() == 1
    assert world.one("SELECT headers ->> 'file' FROM dead_letters ORDER BY id DESC LIMIT 1") == "odd��.json"


def test_it_leaves_a_file_alone_while_it_is_being_written(world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain copy into the folder: what is written behind our reading would be in `done`, and nowhere else."""
    project, one, path = world.project(), pool(world, folder), folder / "1.ndjson"
    one.still = 3600
    path.write_bytes(message(project, "1") + b"\n")
    (folder / "2.ndjson").write_bytes(message(project, "2") + b"\n")
    os.utime(folder / "2.ndjson", (0, 0))
    assert [one.round() for _ in range(2)] == [1, 0] and admitted(world, project) == ["2"]
    one.still, admit = 0, one._admit

    def slowly(path: Path, file: Any) -> Any:
        sent = admit(path, file)
        with path.open("ab") as more:
            more.write(message(project, "3") + b"\n")
        return sent

    with monkeypatch.context() as held:
        held.setattr(one, "_admit", slowly)
        assert one.round() == 0 and path.exists()
    assert one.round() == 1 and admitted(world, project) == ["2", "1", "3"]


def test_it_says_once_what_it_does_not_take(world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, told = world.project(), []
    monkeypatch.setattr(dropping.log, "error", lambda event, **more: told.append(more["file"]))
    for name in ("breaks.csv", "README", ".hidden.csv"):
        (folder / name).touch()
    (folder / "folder.json").mkdir()
    (folder / "link.json").symlink_to(folder / "README")
    (folder / "UPPER.JSON").write_bytes(message(project, "1"))
    one = pool(world, folder)
    assert [one.round() for _ in range(3)] == [1, 0, 0] and admitted(world, project) == ["1"]
    assert told == ["README", "breaks.csv", "folder.json", "link.json"]
