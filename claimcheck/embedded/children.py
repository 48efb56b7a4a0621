"""The running processes of a desk: started, watched, started again when they die, and ended in order."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimcheck.config import Settings
from claimcheck.embedded import processes
from claimcheck.embedded.processes import Program

PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds before each further start; the last one stays
SETTLED = 30.0  # a process that lived this long died of something new


@dataclass
class Child:
    program: Program
    process: subprocess.Popen[bytes]
    identity: str | None
    since: float = field(default_factory=time.monotonic)
    failures: int = 0
    due: float | None = None  # when it is to be started again


class Children:
    """All children of this process. `changed` is told after each start, so that a later run can find them."""

    def __init__(self, say: Callable[[str], None], changed: Callable[[], None] = lambda: None):
        self.say, self.changed = say, changed
        self.all: dict[str, Child] = {}
        self._trimmed = time.monotonic()

    def start(self, program: Program) -> Child:
        process = processes.start(program)
        child = self.all[program.name] = Child(program, process, processes.identity(process.pid))
        self.changed()
        return child

    def records(self) -> dict[str, dict[str, Any]]:
        """What a later run needs to end them, should we be killed."""
        return {name: {"identity": c.identity, "signal": int(c.program.stop_signal)} for name, c in self.all.items()}

    def has_died(self, name: str) -> bool:
        return self.all[name].process.poll() is not None

    def watch(self) -> None:
        """Once: notices the dead, and starts again those whose pause is over."""
        for child in list(self.all.values()):
            if child.due is None and child.process.poll() is not None:
                self._mourn(child)
            elif child.due is not None and time.monotonic() >= child.due:
                self._again(child)
        reap_strangers({child.process.pid for child in self.all.values()})

    def trim_logs(self, every: float = 30.0) -> None:
        """Now and then puts a long log aside while its writer goes on."""
        if time.monotonic() - self._trimmed > every:
            self._trimmed = time.monotonic()
            for child in self.all.values():
                processes.trim(child.program.log)

    def _mourn(self, child: Child) -> None:
        now = time.monotonic()
        child.failures = 1 if now - child.since > SETTLED else child.failures + 1
        pause = PAUSES[min(child.failures, len(PAUSES)) - 1]
        child.due = now + pause
        how = _ending(child.process.returncode)
        self.say(f"{child.program.name} ended ({how}); starting it again in {pause:g} s; its words are in {child.program.log}")

    def _again(self, child: Child) -> None:
        failures = child.failures
        self.start(child.program).failures = failures

    def end(self, names: Iterable[str], hurry: Callable[[], bool] = lambda: False) -> None:
        """Asks these to finish and waits, each for its grace; kills what is left, or all at once when told to hurry."""
        ending = [self.all[name] for name in names if name in self.all]
        for child in ending:
            processes.ask(child.program, child.process)
        began = time.monotonic()
        while left := [child for child in ending if child.process.poll() is None]:
            for child in left:
                if hurry() or time.monotonic() - began > child.program.grace:
                    self._kill(child)
            reap_strangers({child.process.pid for child in self.all.values()})
            time.sleep(0.02)
        for child in ending:
            self.all.pop(child.program.name, None)

    def _kill(self, child: Child) -> None:
        # A killed database leaves work to its next start; its quickest own way out does not.
        final = signal.SIGQUIT if child.program.stop_signal == signal.SIGINT else signal.SIGKILL
        with contextlib.suppress(ProcessLookupError):
            child.process.send_signal(final)


def note(supervisor: int, settings: Settings, children: Children, *, ready: bool = False) -> dict[str, Any]:
    """What stands in run.json: who runs the desk, what it consists of, and how to reach its servers."""
    given = {name: value for name, value in settings.model_dump(mode="json").items() if value not in (None, "")}
    known = {"supervisor": processes.identity(supervisor), "ready": ready, "port": settings.port}
    return {**known, "processes": children.records(), "settings": given}


def _ending(code: int) -> str:
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name


def descendants() -> set[int]:
    """The process numbers of our children and orphaned grandchildren, as the kernel lists them."""
    found: set[int] = set()
    for listing in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found |= {int(pid) for pid in listing.read_text().split()}
    return found


def reap_strangers(ours: set[int]) -> None:
    """Collects orphans that the kernel gave us because we are a subreaper; ours are collected by who started them."""
    for pid in descendants() - ours:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def end_strangers(grace: float = 3.0) -> None:
    """Ends whatever is left below us, so that nothing outlives the desk."""

    def gone() -> bool:
        reap_strangers(set())
        return not descendants()

    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        if processes.wait_until(gone, grace):
            return
