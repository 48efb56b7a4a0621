"""`workers.intake` as a process: drained by a signal, hurried by a second one, killed; nothing is lost and nothing is there twice."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claimcheck.config import ROOT
from claimcheck.embedded import processes
from claimcheck.intake import parameters
from tests.doors import Door
from tests.intake import World
from tests.pipeline import items, message

SECONDS = 120.0


class Process:
    """Intake processes on one database and one stream."""

    def __init__(self, door: Door, folder: Path):
        self.door, self.world, self.folder = door, door.world, folder
        self.children: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        log = (self.folder / f"intake-{len(self.children)}.log").open("ab")
        given = {"DATABASE_URL_WEB": self.world.conninfos.web, "STREAMS_URL": self.door.valkey, "CLAIMCHECK_HOME": str(self.folder)}
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **given}
        with log:
            child = subprocess.Popen([sys.executable, "-P", "-m", "workers.intake"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environ)
        self.children.append(child)
        return child

    def words(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in sorted(self.folder.glob("intake-*.log")))

    def wait(self, holds: Any) -> None:
        assert processes.wait_until(lambda: bool(holds()), SECONDS, every=0.02), self.words()

    def end(self) -> None:
        for child in self.children:
            child.kill()
            child.wait()


@pytest.fixture(scope="module")
def world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    asked = parameters.Parameters(**(parameters.DEFAULTS.settings | {"lease_timeout_ms": 2_100, "run_messages": 5, "prefetch": 20, "queue_maxsize": 40,
                                                                    "handlers": 2, "max_attempts": 100}))  # fmt: skip
    parameters.change(world.web, asked, after=0, source="file", why="the tests of processes", by=world.cast.dov.id)
    yield world
    world.end()


@pytest.fixture(params=["inbox", "stream"])
def intake(request: pytest.FixtureRequest, world: World, valkey: str, valkey_admin: str, tmp_path: Path) -> Iterator[Process]:
    world.quiet()
    door = Door(world, request.param, valkey, valkey_admin)
    process = Process(door, tmp_path)
    yield process
    process.end()
    door.end()


def sent(intake: Process, count: int) -> int:
    project = intake.world.project()
    intake.door.send([message(project, f"{n:04}", "PQRSTU"[n % 6]) for n in range(count)])
    return project


def begun(intake: Process, project: int, at_least: int = 1) -> None:
    intake.wait(lambda: intake.world.one("SELECT count(*) FROM items WHERE project_id = %s", project) >= at_least)


def whole(intake: Process, project: int, count: int) -> None:
    intake.wait(lambda: intake.world.one("SELECT count(*) FROM items WHERE project_id = %s", project) == count)
    expected = [f"{n:04}" for partition in range(6) for n in range(partition, count, 6)]
    assert sorted(items(intake.world, project)) == sorted(expected)
    for partition in range(6):
        ours = [key for key in items(intake.world, project) if int(key) % 6 == partition]
        assert ours == sorted(ours), "in order"
    assert not intake.world.refused(project)
    doubled = "SELECT count(*) FROM pipeline_records WHERE project_id = %s AND decision = 'routed' GROUP BY message_id HAVING count(*) > 1"
    assert not intake.world.all(doubled, project)


def test_it_drains_and_the_next_one_goes_on(intake: Process) -> None:
    project = sent(intake, 240)
    first = intake.start()
    begun(intake, project)
    first.send_signal(signal.SIGTERM)
    assert first.wait(SECONDS) == 0
    states = "SELECT state FROM pipeline_workers WHERE name LIKE %s"
    assert {row.state for row in intake.world.all(states, f"%:{first.pid}")} == {"stopped"}
    assert not intake.world.one("SELECT count(*) FROM inbox_partitions WHERE lease IS NOT NULL"), "everything was handed back"
    intake.start()
    whole(intake, project, 240)


@pytest.mark.parametrize("how", ["kill -9", "a second signal"])
def test_it_loses_nothing_when_it_ends_at_once(intake: Process, how: str) -> None:
    project = sent(intake, 240)
    first = intake.start()
    begun(intake, project)
    if how == "kill -9":
        first.kill()
    else:
        first.send_signal(signal.SIGTERM)
        while first.poll() is None:  # the second that counts comes a second later; it may have drained by then
            first.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):  # a storm of signals would leave it no time to hear one
                first.wait(0.2)
    first.wait(SECONDS)
    intake.start()
    whole(intake, project, 240)


def test_it_loses_nothing_when_each_is_killed_soon(intake: Process) -> None:
    project = sent(intake, 240)
    for n in range(3):
        child = intake.start()
        begun(intake, project, min(240, 1 + 60 * n))
        child.kill()
        child.wait()
    intake.start()
    intake.start()
    whole(intake, project, 240)


def test_it_takes_what_is_dropped(world: World, valkey: str, valkey_admin: str, tmp_path: Path) -> None:
    door = Door(world, "inbox", valkey, valkey_admin)
    intake, project, drop = Process(door, tmp_path), world.project(), tmp_path / "drop"
    try:
        drop.mkdir()
        (drop / ".unfinished.ndjson").write_bytes(message(project, "not yet"))
        (drop / "1.ndjson").write_bytes(b"\n".join(message(project, f"{n}") for n in range(30)) + b"\nnot JSON\n")
        (drop / "2.json").write_bytes(message(project, "30"))
        intake.start()
        intake.wait(lambda: (drop / "done" / "2.json").exists())
        intake.wait(lambda: len(items(world, project)) == 31)
        assert items(world, project) == [f"{n}" for n in range(31)]
        assert (drop / "done" / "1.ndjson").exists() and (drop / ".unfinished.ndjson").exists()
        assert world.one("SELECT headers ->> 'file' FROM dead_letters WHERE source = 'file' ORDER BY id DESC LIMIT 1") == "1.ndjson"
    finally:
        intake.end()
        door.end()


def test_it_refuses_to_begin_with_settings_that_are_not_safe(world: World, valkey: str, valkey_admin: str, tmp_path: Path) -> None:
    door = Door(world, "inbox", valkey, valkey_admin)
    intake = Process(door, tmp_path)
    slow = "INSERT INTO pipeline_workers (name, source, settings_version, state, measured, p99_ms) VALUES ('slow', 'inbox', 1, 'running', 1000, 9000)"
    world.sql.execute(slow)
    try:
        assert intake.start().wait(SECONDS) == 1
        assert "lease_timeout_ms" in intake.words() and "9000" in intake.words()
    finally:
        world.sql.execute("DELETE FROM pipeline_workers WHERE name = 'slow'")
        intake.end()
        door.end()



def test_it_goes_on_with_the_settings_it_has_while_newer_ones_are_not_safe(world: World, valkey: str, valkey_admin: str, tmp_path: Path) -> None:
    door = Door(world, "inbox", valkey, valkey_admin)
    intake, mine = Process(door, tmp_path), world.one("SELECT max(version) FROM pipeline_settings")
    slow = "INSERT INTO pipeline_workers (name, source, settings_version, state, measured, p99_ms, seen_at) VALUES ('slow', 'inbox', 1, 'running', 1000, 2050, 'infinity')"
    newer = "INSERT INTO pipeline_settings (version, settings, source, why, created_by) SELECT %s, settings || %s, 'page', 'a test', created_by FROM pipeline_settings WHERE version = %s"
    worked_by = "SELECT DISTINCT settings_version FROM pipeline_records WHERE project_id = %s AND decision = 'routed'"

    def handled(count: int) -> set[int]:
        project = sent(intake, count)
        whole(intake, project, count)
        return {row.settings_version for row in world.all(worked_by, project)}

    try:
        intake.start()
        assert handled(6) == {mine}
        world.sql.execute(slow)
        world.sql.execute(newer, [mine + 1, '{"lease_timeout_ms": 2040}', mine])
        intake.wait(lambda: "the settings are not safe" in intake.words())
        assert "2040" in intake.words() and "2050" in intake.words() and handled(6) == {mine}
        world.sql.execute("DELETE FROM pipeline_workers WHERE name = 'slow'")
        intake.wait(lambda: "settings changed" in intake.words())
        assert handled(6) == {mine + 1}
    finally:
        world.sql.execute("DELETE FROM pipeline_workers WHERE name = 'slow'")
        intake.end()
        door.end()
