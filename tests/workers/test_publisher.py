"""The publisher as a process: it drains the spool, survives what dies around it, and leaves in good order."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from claimcheck import errors, publishing
from claimcheck.config import ROOT
from claimcheck.db import Connection
from claimcheck.embedded import ports, processes, weed
from claimcheck.operations.pulse import Pulse
from claimcheck.store import Store
from tests.intake import World, eventually, row, without
from workers import publisher

UNPUBLISHED = "SELECT count(*) FROM items WHERE not_durable_in = %s"
DURABLE = "SELECT count(*) FROM items WHERE project_id = %s AND evidence_version > 0"
ATTEMPTS = """SELECT min(e.attempts) AS least, max(e.attempts) AS most FROM evidence e JOIN items i ON i.id = e.item_id
               WHERE i.project_id = %s AND e.published_at IS NULL"""
TASKS = "SELECT count(*) AS n, count(DISTINCT item_id) AS items FROM tasks WHERE project_id = %s"


@pytest.fixture
def world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    world.quiet()
    yield world
    world.end()


@contextmanager
def process(world: World) -> Iterator[subprocess.Popen[bytes]]:
    """`python -m workers.publisher`, killed if it still lives at the end."""
    environ = {**os.environ, **world.settings.environ(), "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen([sys.executable, "-P", "-m", "workers.publisher"], env=environ, cwd="/", stderr=subprocess.PIPE)
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


@contextmanager
def thread(world: World, store: Store) -> Iterator[None]:
    """The same loop in a thread, on this store."""
    stop = threading.Event()
    running = threading.Thread(target=publisher.run, args=(world.worker, store, stop))
    running.start()
    try:
        yield
    finally:
        stop.set()
        running.join()


def test_it_publishes_what_comes_and_ends_in_good_order(world: World) -> None:
    with process(world) as running:
        project = world.project()
        world.accept(project, [row(f"k{n}") for n in range(10)])
        eventually(lambda: world.one(DURABLE, project) == 10)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0
        assert running.stderr and running.stderr.read() == b""


def _check_takeover(world: World) -> None:
    """Three hundred items, a kill -9 in the middle, and a second publisher that finishes."""
    project = world.project()
    world.accept(project, [row(f"k{n}", partition_key=["a", None][n % 2]) for n in range(300)])
    with process(world) as first:
        eventually(lambda: world.one(DURABLE, project) > 0)
        first.kill()
        first.wait()
    left = world.one(UNPUBLISHED, project)
    assert 0 < left < 300, "the kill did not come in the middle"
    world.sql.execute("UPDATE evidence SET publish_until = clock_timestamp() + interval '3 seconds' WHERE publish_until > clock_timestamp()")
    with process(world):
        eventually(lambda: world.one(UNPUBLISHED, project) == 0)
    assert world.all(TASKS, project) == [(300, 300)]
    assert world.all("SELECT last_no, promoted_no FROM partitions WHERE project_id = %s", project) == [(150, 1)]
    assert world.one("SELECT count(*) FROM spool") == 0


def test_it_finishes_what_a_killed_publisher_left(world: World) -> None:
    _check_takeover(world)


def _check_leases(world: World) -> None:
    world.accept(world.project(), [row("k")])
    assert len(world.worker.all("evidence/take", publishing._Taken, limit=10, bytes=10**9, lease_seconds=3600.0)) == 1
    assert publishing.publish(world.worker, world.store).taken == 0
    world.sql.execute("UPDATE evidence SET publish_until = clock_timestamp() WHERE spooled_until IS NOT NULL")
    assert publishing.publish_once(world.worker, world.store) == 1


def test_it_takes_up_a_lapsed_lease_and_no_live_one(world: World) -> None:
    _check_leases(world)


@pytest.mark.parametrize("instead", ["(SELECT now FROM clock) AND publish_until IS NULL", "'infinity'"], ids=["no lapsed one", "a live one"])
def test_that_test_notices_a_lease_that_is_judged_wrongly(world: World, instead: str) -> None:
    with without("evidence/take", "(SELECT now FROM clock)", instead), pytest.raises(AssertionError):
        _check_leases(world)


class OwnStore:
    """A store of the test's own, to be taken down."""

    def __init__(self, folder: Path):
        keys = {"access_key": secrets.token_hex(10), "secret_key": secrets.token_hex(20), "bucket": "claimcheck"}
        self.server = weed.Weed(folder / "store", ports.pick([0] * len(weed.PORTS)), **keys, log=folder / "store.log")
        self.server.prepare()
        self.keys = {f"s3_{name}": value for name, value in keys.items()}
        self.program = self.server.program()

    def up(self) -> None:
        self.child = processes.start(self.program)
        assert processes.wait_until(self.server.is_ready, 60)

    def down(self) -> None:
        processes.stop(self.program, self.child)


@pytest.fixture
def own_store(tmp_path: Path) -> Iterator[OwnStore]:
    own = OwnStore(tmp_path)
    own.up()
    yield own
    own.down()


def due(world: World) -> None:
    """What waits for another attempt has waited long enough."""
    world.sql.execute("UPDATE evidence SET publish_until = clock_timestamp() WHERE spooled_until IS NOT NULL AND NOT waits")


def published(world: World, store: Store) -> bool:
    """Whether a round was told nothing of a store that is away."""
    try:
        return publisher._round(world.worker, store, probe=True) == 0
    except errors.StoreUnavailable:
        due(world)
        return False


def test_it_waits_for_a_store_that_is_down_and_goes_on(world: World, own_store: OwnStore) -> None:
    project = world.project()
    store = Store(world.settings.model_copy(update={"s3_endpoint": own_store.server.endpoint, **own_store.keys}))
    world.accept(project, [row("before")])
    assert publisher._round(world.worker, store, probe=False) == 0
    own_store.down()
    world.accept(project, [row(f"k{n}") for n in range(50)])
    for n in range(5):
        with pytest.raises(errors.StoreUnavailable):
            publisher._round(world.worker, store, probe=n > 0)
        due(world)
    assert world.one(UNPUBLISHED, project) == 50
    assert world.all(ATTEMPTS, project) == [(1, 1)], "nothing is taken by a round that first asks whether the store is there"
    own_store.up()
    assert processes.wait_until(lambda: published(world, store), 60), "a store that has just started may be slow to make room: a round more"
    assert world.one(UNPUBLISHED, project) == 0
    assert world.all(TASKS, project) == [(51, 51)]
    assert all(
        store.stat(p.object_key).size == p.size
        for p in world.all("SELECT * FROM evidence_parts JOIN items ON id = item_id WHERE project_id = %s", project)
    )


def test_it_waits_for_a_database_that_is_away_and_goes_on(world: World, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project, name = world.project(), world.conninfos.name
    told: list[str] = []
    monkeypatch.setattr(publisher.log, "warning", lambda *_, error, **__: told.append(error))
    with thread(world, world.store):
        world.accept(project, [row("before")])
        eventually(lambda: world.one(DURABLE, project) == 1)
        postgres.execute("ALTER DATABASE {} ALLOW_CONNECTIONS false", name)
        world.sql.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()", (name,))
        eventually(lambda: told.count("UNAVAILABLE") >= 2)
        postgres.execute("ALTER DATABASE {} ALLOW_CONNECTIONS true", name)
        eventually(lambda: _accepted(world, project))
        eventually(lambda: world.one(UNPUBLISHED, project) == 0)
    assert world.all(TASKS, project) == [(2, 2)]


def _accepted(world: World, project: int) -> bool:
    try:
        return bool(world.accept(project, [row("after")]).taken)
    except errors.Unavailable:
        return False


class Waits(threading.Event):
    """A stop sign that counts how it is waited for, and is set after the fifth time."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout or 0)
        if len(self.seconds) == 5:
            self.set()
        return self.is_set()


def test_it_rests_when_idle_and_longer_when_nothing_answers(world: World) -> None:
    idle, away = Waits(), Waits()
    publisher.run(world.worker, world.store, idle)
    assert idle.seconds == [publisher.IDLE_SECONDS] * 5
    world.accept(world.project(), [row("k")])
    publisher.run(world.worker, Store(world.settings.model_copy(update={"s3_endpoint": "http://127.0.0.1:9"})), away)
    most = [min(publisher.LONGEST_SECONDS, publisher.AWAY_SECONDS * 2**n) for n in range(5)]
    assert all(longest / 2 <= waited <= longest for waited, longest in zip(away.seconds, most, strict=True))


def test_it_is_never_taken_for_empty_while_it_does_something(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it asks of the database, a drain that is waited for sees it at work."""
    pulse, asked, execute = Pulse(world.worker, "publisher"), list[tuple[str, int]](), Connection._execute

    def noted(self: Connection, statement: str, *more: Any) -> Any:
        asked.append((statement, pulse.in_hand()))
        return execute(self, statement, *more)

    monkeypatch.setattr(Connection, "_execute", noted)
    publisher.run(world.worker, world.store, Waits(), pulse)
    assert len(asked) > 10 and {statement for statement, busy in asked if not busy} == set()
