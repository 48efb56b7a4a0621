"""A desk under bin/run, for tests: started, asked, ended, and searched for what it left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

from claimcheck import config
from claimcheck.embedded import processes

ROOT = Path(__file__).parents[2]
START_SECONDS = 240  # a slow machine is no failure


def environ(home: Path, **more: str) -> dict[str, str]:
    """Ours without any setting, and with the home."""
    rest = {name: value for name, value in os.environ.items() if name not in config.names()}
    return {**rest, "CLAIMCHECK_HOME": str(home), **more}


class Run:
    """One bin/run. `words` is what it has said so far, both streams."""

    started: ClassVar[list[Run]] = []

    def __init__(self, home: Path, root: Path = ROOT, python: str = sys.executable, user: int | None = None, **more: str):
        self.home, self.log = home, home.with_name(f"{home.name}.words")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [python, str(root / "bin" / "run")], env=environ(home, **more), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd="/", user=user, group=user, extra_groups=None if user is None else [], start_new_session=True,
            )  # fmt: skip
        self.started.append(self)

    @property
    def words(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def until_ready(self) -> Run:
        ended = processes.wait_until(lambda: self.is_ready() or self.process.poll() is not None, START_SECONDS, every=0.1)
        assert ended, self.words
        assert self.is_ready(), self.words
        return self

    def is_ready(self) -> bool:
        run = self.json()
        return bool(run and run["ready"] and run["supervisor"] == processes.identity(self.process.pid))

    def json(self) -> dict[str, Any] | None:
        path = self.home / "run.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def settings(self) -> config.Settings:
        run = self.json()
        assert run
        return config.Settings(**run["settings"])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(START_SECONDS)

    def kill_tree(self) -> None:
        """kill -9 of everything at once, as a machine that loses its power does."""
        for pid in [self.process.pid, *belonging_to(self.home)]:
            if processes.identity(pid):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def belonging_to(home: Path) -> list[int]:
    """Every process whose command line or environment names the home."""
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if _names(path, home)]


def _names(process: Path, home: Path) -> bool:
    try:
        found = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    except OSError:
        return False
    return os.fsencode(home) in found and int(process.name) != os.getpid()


def is_deserted(home: Path) -> bool:
    """Whether nothing runs there any more; a killed one's heirs may need a moment."""
    return processes.wait_until(lambda: not belonging_to(home), 20, every=0.1)


def end_all(folder: Path) -> None:
    """Whatever a test that failed has left."""
    for pid in belonging_to(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    while Run.started:
        run = Run.started.pop()
        run.process.kill()
        run.process.wait()
