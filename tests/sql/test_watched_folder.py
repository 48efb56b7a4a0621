"""The folder that a project watches: each object once by key and ETag, bounded, its own project's alone; what can't be read is a dead letter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from claimcheck import errors, items
from claimcheck.formats import watching
from claimcheck.formats.watching import Folders
from tests.intake import World, without

WATCH = {"format": "csv", "map": {"no": "idempotency_key"}}


@pytest.fixture
def folders(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folders]:
    monkeypatch.setattr(watching, "IDLE_SECONDS", -1.0)
    world.sql.execute("UPDATE projects SET cancelled_at = clock_timestamp() WHERE id IN (SELECT project_id FROM watched_folders)")
    yield Folders(world.web, world.store)


def put(world: World, project: int, name: str, data: bytes) -> None:
    world.store.put(f"{watching.prefix(project)}{name}", data, len(data), "text/csv", hashlib.sha256(data).hexdigest())


def keys(world: World, project: int) -> list[str]:
    return [row[0] for row in world.all("SELECT idempotency_key FROM items WHERE project_id = %s ORDER BY id", project)]


def test_it_takes_each_object_once_and_another_under_the_same_name_again(world: World, folders: Folders) -> None:
    project, other = world.project(watch=WATCH), world.project()
    put(world, project, "a.csv", b"no,name\n1,Ada\n2,Ben\n")
    put(world, other, "b.csv", b"no,name\n9,Dov\n")
    assert (folders.round(), folders.round()) == (1, 0)
    assert keys(world, project) == ["1", "2"] and keys(world, other) == [], "who watches nothing is sent nothing"
    put(world, project, "a.csv", b"no,name\n2,Ben\n3,Chi\nx,y,z\n")
    assert (folders.round(), folders.round()) == (1, 0)
    assert keys(world, project) == ["1", "2", "3"]
    newest, first = watching.lately(world.web, project_id=project)
    assert (newest.accepted, newest.repeated, newest.refused, first.accepted) == (1, 1, 1, 2)


def test_it_keeps_what_it_cannot_read_as_a_dead_letter_and_goes_on(world: World, folders: Folders) -> None:
    project = world.project(watch=WATCH)
    put(world, project, "a.csv", b"\xff\xfe\x00")
    put(world, project, "b.csv", b"")
    put(world, project, "c.csv", b"no,name\n1,Ada\n")
    assert folders.round() == 3 and folders.round() == 0 and keys(world, project) == ["1"]
    refused = world.all("SELECT code, idempotency_key, body, headers FROM dead_letters WHERE project_id = %s ORDER BY id", project)
    assert [(r.code, r.idempotency_key, bytes(r.body)) for r in refused] == [
        ("INVALID_FILE", "a.csv", b"\xff\xfe\x00"),
        ("INVALID_FILE", "b.csv", b""),
    ]
    assert refused[0].headers["object"] == f"inbox/{project}/a.csv"
    assert [t.detail != "" for t in watching.lately(world.web, project_id=project)] == [False, True, True]


def test_it_takes_few_at_once_and_leaves_a_folder_to_whoever_looks(world: World, folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.project(watch=WATCH)
    for n in range(5):
        put(world, project, f"{n}.csv", f"no,name\n{n},x\n".encode())
    monkeypatch.setattr(watching, "TAKEN", 2)
    monkeypatch.setattr(watching, "LISTED", 3)
    taken: list[int] = []
    take = Folders._take

    def also(self: Folders, *given: Any) -> bool:
        taken.append(Folders(world.web, world.store).round())  # another process looks meanwhile
        return take(self, *given)

    monkeypatch.setattr(Folders, "_take", also)
    assert [folders.round() for _ in range(4)] == [2, 2, 1, 0]
    assert taken == [0] * 5 and keys(world, project) == ["0", "1", "2", "3", "4"]


def test_it_waits_with_an_object_while_the_desk_asks_senders_to_wait(world: World, folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    project = world.project(watch=WATCH)
    put(world, project, "a.csv", b"no,name\n1,Ada\n")

    def full(*_: Any, **__: Any) -> Any:
        raise errors.QueueSaturated

    with monkeypatch.context() as patched:
        patched.setattr(items, "room", full)
        assert folders.round() == 0 and keys(world, project) == []
    assert folders.round() == 1 and keys(world, project) == ["1"]


def test_that_test_notices_a_folder_that_forgets(world: World, folders: Folders) -> None:
    project = world.project(watch=WATCH, name=f"forgets {uuid4().hex}")
    put(world, project, "a.csv", b"no,name\n1,Ada\n")
    with without("watched/known", "w.etag = o.etag", "false"):
        assert (folders.round(), folders.round()) == (1, 1)
