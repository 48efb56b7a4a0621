"""Real processes for the tests of applying: workers, dispatchers, a Valkey that may be killed, and a receiver that misbehaves."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis

from claimcheck.config import ROOT
from claimcheck.embedded import ports, processes, valkey
from claimcheck.embedded.processes import Program
from claimcheck.outbound import receiver
from tests.workers.stage import SECRET, SECRET_KEY, Stage

SECONDS = 90.0  # that anything may take on a busy machine


class Machinery:
    """What runs beside a stage. Each program has a name; the same name may be started again after it was killed."""

    def __init__(self, stage: Stage, folder: Path):
        self.stage, self.folder = stage, folder
        self.running: dict[str, tuple[Program, subprocess.Popen[bytes]]] = {}
        self.more: dict[str, str] = {}  # settings beside those below
        passwords = {who: secrets.token_urlsafe(18) for who in ("admin", "desk")}
        (folder / "valkey").mkdir(exist_ok=True)
        self.valkey = valkey.Valkey(folder / "valkey", ports.pick([0])[0], passwords, folder / "valkey.log")

    def environ(self) -> dict[str, str]:
        mine = {
            "DATABASE_URL_WORKER": self.stage.conninfos.worker,
            "REDIS_URL": self.valkey.url("desk"),
            "SECRET_KEY": SECRET_KEY,
            "WEBHOOK_ALLOW": "127.0.0.0/8",
        }
        return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **mine, **self.more}

    def start(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        """`valkey`, `worker…` or `dispatcher…`."""
        if name == "valkey":
            return self.start_valkey()
        module = "workers.dispatcher" if name.startswith("dispatcher") else "workers.worker"
        program = Program(name, [sys.executable, "-P", "-m", module, *options], self.folder / f"{name}.log", environ=self.environ())
        return self._start(program)

    def start_valkey(self) -> subprocess.Popen[bytes]:
        self.valkey.prepare()
        child = self._start(self.valkey.program())
        assert processes.wait_until(self.valkey.is_ready, SECONDS)
        return child

    def _start(self, program: Program) -> subprocess.Popen[bytes]:
        child = processes.start(program)
        self.running[program.name] = (program, child)
        return child

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """As `kill -9`, and waits for the end."""
        child = self.running.pop(name)[1]
        child.send_signal(number)
        child.wait(SECONDS)

    def pause(self, name: str, number: int) -> None:
        """SIGSTOP or SIGCONT."""
        self.running[name][1].send_signal(number)

    def stop(self, name: str) -> int:
        """SIGTERM; the exit code."""
        program, child = self.running.pop(name)
        return processes.stop(program, child)

    def admin(self) -> redis.Redis:
        return redis.Redis.from_url(self.valkey.url("admin"), socket_timeout=5)

    def words(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def wait(self, true: Callable[[], Any], seconds: float = SECONDS) -> None:
        assert processes.wait_until(lambda: bool(true()), seconds, every=0.05), {
            "states": self.stage.states(),
            "logs": {name: self.words(name)[-1500:] for name in self.running if name != "valkey"},
        }

    def wait_listening(self, name: str) -> None:
        self.wait(lambda: "listens" in self.words(name))

    def drained(self, seconds: float = SECONDS) -> None:
        """Waits until nothing is waiting or on its way."""
        self.wait(lambda: self.stage.open() == 0, seconds)

    def end(self) -> None:
        for name in list(self.running):
            self.pause(name, signal.SIGCONT)
            self.kill(name)


class Hook:
    """A receiver in this process that keeps count, deduplicates by `webhook-id`, and misbehaves as told."""

    def __init__(self, path: Path):
        self.path = path
        self.server = receiver.start(secret=SECRET, log=path, out=(path.parent / f"{path.stem}.out").open("w"))
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return self.server.url

    def misbehave(self, **faults: Any) -> None:
        self.server.faults = receiver.Faults(**faults)

    def entries(self, result: str = "first") -> list[dict[str, Any]]:
        return [entry for entry in receiver.entries(self.path) if entry["result"] == result]

    def effects(self) -> Counter[int]:
        """How often each decision has had its effect, after deduplication."""
        return Counter(int(entry["webhook_id"]) for entry in self.entries())

    def end(self) -> None:
        self.server.shutdown()
        self.server.close()
        self.server.out.close()


def settle(seconds: float) -> None:
    """Lets a fault last."""
    time.sleep(seconds)
