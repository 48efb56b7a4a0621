"""Whoever can write to Redis can ring the bell, and nothing else (attacks.md A19)."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import redis

from claimcheck.config import ROOT
from tests.workers.machinery import Hook, Machinery
from tests.workers.stage import Stage
from workers import doorbell


class Shell:
    """Runs a command when it is unpickled."""

    def __init__(self, command: str):
        self.command = command

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


def call(function: str, *args: Any, instance: Any = None, kwargs: Any = None) -> bytes:
    return json.dumps([function, instance, list(args), kwargs or {}]).encode()


class Planter:
    """Writes jobs into Redis as an attacker would, each with a canary file of its own."""

    def __init__(self, client: redis.Redis, folder: Path):
        self.client, self.folder = client, folder
        self.ring = call(doorbell.FUNCTION, 0)
        folder.mkdir()

    def touch(self, name: str) -> str:
        return f"touch {self.folder / name}"

    def job(self, name: str, data: bytes, queued: bool = True, **more: Any) -> str:
        now = "2026-11-29T00:00:00.000000Z"
        fields = {"data": data, "created_at": now, "enqueued_at": now, "origin": doorbell.QUEUE, "status": "queued", "timeout": 60}
        self.client.hset(f"rq:job:{name}", mapping={**fields, **more})
        if queued:
            self.client.rpush(f"rq:queue:{doorbell.QUEUE}", name)
        return name

    def plant(self) -> None:
        """Every way we know of."""
        self.job("by-name", call("os.system", self.touch("by-name")))
        self.job("by-pickle", pickle.dumps(("os.system", None, [self.touch("by-pickle")], {})))
        self.job("in-data", pickle.dumps(Shell(self.touch("in-data"))))
        self.job("in-meta", self.ring, meta=pickle.dumps(Shell(self.touch("in-meta"))))
        self.job("in-result", self.ring, result=pickle.dumps(Shell(self.touch("in-result"))))
        self.job("by-instance", call("format", self.touch("x"), instance="{0}"))
        for callback in ("success", "failure", "stopped"):
            self.job(f"{callback}-callback", call(doorbell.FUNCTION, 0), **{f"{callback}_callback_name": f"tests.workers.canary.{callback}"})
        self.job("failing-callback", call("no.such.thing"), failure_callback_name="tests.workers.canary.failing")
        self.client.sadd("rq:job:by-dependent:dependents", "dependent")
        self.job("dependent", call("os.system", self.touch("dependent")), queued=False, dependency_ids='["by-dependent"]', status="deferred")
        self.job("by-dependent", self.ring)
        self.job("abandoned", self.ring, queued=False, status="started", failure_callback_name="tests.workers.canary.abandoned",
                 meta=pickle.dumps(Shell(self.touch("abandoned-meta"))))  # fmt: skip
        self.client.zadd(f"rq:wip:{doorbell.QUEUE}", {"abandoned:1": 1})
        self.job("grouped", self.ring, queued=False, meta=pickle.dumps(Shell(self.touch("grouped"))), group_id="g")
        self.client.sadd("rq:groups", "g")
        self.client.sadd("rq:group:g", "grouped")
        told = [{"url": f"http://127.0.0.1:{self.port}/", "job_status": status, "method": "POST"} for status in ("finished", "failed")]
        self.job("telling", self.ring, webhooks=json.dumps(told))

    port = 9

    def went_off(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}


@pytest.fixture
def planter(machinery: Machinery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planter:
    monkeypatch.setenv("CANARIES", str(tmp_path / "canaries"))
    machinery.start("valkey")
    return Planter(machinery.admin(), tmp_path / "canaries")


@pytest.fixture
def loud(machinery: Machinery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = machinery.environ
    monkeypatch.setattr(machinery, "environ", lambda: {**environ(), "CANARIES": str(tmp_path / "canaries")})


@pytest.mark.usefixtures("loud")
def test_it_does_nothing_that_redis_says_but_ring(planter: Planter, stage: Stage, machinery: Machinery, hook: Hook) -> None:
    planter.port = hook.server.server_port
    planter.plant()
    decision = stage.outcome(stage.project())
    planter.job("honest", call(doorbell.FUNCTION, stage.row(decision).id))
    machinery.start("worker")
    machinery.drained()
    machinery.wait(lambda: not planter.client.llen(f"rq:queue:{doorbell.QUEUE}"))
    machinery.wait(lambda: not planter.client.zcard(f"rq:wip:{doorbell.QUEUE}"))
    assert stage.row(decision).state == "done" and not planter.went_off()
    assert not hook.entries("bad signature"), "RQ's own webhook was called"
    assert machinery.stop("worker") == 0


def test_it_would_go_off_in_the_stock_worker(planter: Planter, machinery: Machinery, hook: Hook) -> None:
    """The attacks are real: else the test above shows nothing."""
    planter.port = hook.server.server_port
    planter.plant()
    environ = {**machinery.environ(), "CANARIES": str(planter.folder)}
    argv = [sys.executable, "-m", "tests.workers.stock", machinery.valkey.url("admin")]
    subprocess.run(argv, env=environ, cwd=ROOT, timeout=90, check=False, capture_output=True)
    assert planter.went_off() >= {"by-name", "failing", "abandoned", "grouped"}
    assert hook.entries("bad signature")


def test_it_takes_no_orders(planter: Planter, stage: Stage, machinery: Machinery) -> None:
    """Not to stop, by publish/subscribe, nor to pause, by a key."""
    child = machinery.start("worker")
    machinery.wait(lambda: planter.client.smembers("rq:workers"))
    (name,) = planter.client.smembers("rq:workers")  # type: ignore[misc]
    planter.client.set("rq:suspended", 1)
    planter.client.publish(f"rq:pubsub:{name.decode().removeprefix('rq:worker:')}", json.dumps({"command": "shutdown"}))
    decision = stage.outcome(stage.project())
    planter.job("honest", call(doorbell.FUNCTION, stage.row(decision).id))
    machinery.drained()
    assert child.poll() is None and "listens" in machinery.words("worker")


@pytest.mark.usefixtures("planter")
def test_it_never_says_the_password_on_a_command_line(stage: Stage, machinery: Machinery) -> None:
    stage.outcome(stage.project())
    for name in ("worker", "dispatcher"):
        machinery.start(name)
    machinery.drained()
    password = machinery.valkey.passwords["desk"].encode()
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if password in _read(path)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_it_refuses_a_redis_that_evicts(planter: Planter, machinery: Machinery) -> None:
    planter.client.config_set("maxmemory-policy", "allkeys-lru")
    child = machinery.start("worker")
    assert child.wait(60) != 0 and "noeviction" in machinery.words("worker")


def test_it_waits_for_a_ring_without_losing_redis(planter: Planter, stage: Stage, machinery: Machinery) -> None:
    """A socket's time-out that is shorter than the wait for a job would cut it off, and lose what is popped just then."""
    machinery.start("worker")
    machinery.wait_listening("worker")
    time.sleep(13)
    assert "could not connect" not in machinery.words("worker")
    decision = stage.outcome(stage.project())
    planter.job("honest", call(doorbell.FUNCTION, stage.row(decision).id))
    machinery.drained()


def test_it_listens_to_one_queue_and_forks_nothing(planter: Planter, machinery: Machinery) -> None:
    child = machinery.start("worker")
    machinery.wait(lambda: planter.client.smembers(f"rq:workers:{doorbell.QUEUE}"))
    (key,) = planter.client.smembers("rq:workers")  # type: ignore[misc]
    assert planter.client.hget(key, "queues") == doorbell.QUEUE.encode()
    assert not Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()


def test_it_finishes_what_it_began_when_told_to_stop(planter: Planter, stage: Stage, machinery: Machinery, hook: Hook) -> None:
    hook.misbehave(delay_seconds=3.0)
    decision = stage.outcome(stage.project(url=hook.url, standing=False))
    machinery.start("worker")
    planter.job("honest", call(doorbell.FUNCTION, stage.row(decision).id))
    machinery.wait(hook.entries)
    assert stage.row(decision).state == "leased"
    assert machinery.stop("worker") == 0 and stage.row(decision).state == "done"


def test_it_hurries_when_told_twice(planter: Planter, stage: Stage, machinery: Machinery, hook: Hook) -> None:
    hook.misbehave(delay_seconds=8.0)
    decision = stage.outcome(stage.project(url=hook.url, standing=False))
    child = machinery.start("worker")
    planter.job("honest", call(doorbell.FUNCTION, stage.row(decision).id))
    machinery.wait(hook.entries)
    began = time.monotonic()
    child.send_signal(signal.SIGTERM)
    time.sleep(1.5)
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) != 0 and time.monotonic() - began < 7 and stage.row(decision).state == "leased"
