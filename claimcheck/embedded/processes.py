"""Child processes: started on a leash, named for good, and ended."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from claimcheck.embedded.accounts import Account

LEASH = Path(__file__).with_name("leash.py")
LOG_BYTES = 10_000_000  # a longer log is put aside


@dataclass(frozen=True)
class Program:
    """What to run, and how to end it. `before` clears away what an earlier run may have left."""

    name: str
    argv: list[str]
    log: Path
    environ: Mapping[str, str] | None = field(default=None, repr=False)
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    grace: float = 10.0  # seconds between the signal and SIGKILL
    before: Callable[[], None] = lambda: None


def start(program: Program) -> subprocess.Popen[bytes]:
    """Starts it; it gets its stop signal when the calling *thread* ends, so call this from the main one."""
    program.before()
    user, group = (program.account.uid, program.account.gid) if program.account else (-1, -1)
    leash = [sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), str(int(program.stop_signal)), str(user), str(group)]
    with _log(program.log) as log:
        return subprocess.Popen(
            leash + program.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=program.environ, cwd="/"
        )


def _log(path: Path):
    path.parent.mkdir(mode=0o700, exist_ok=True)
    trim(path)
    return path.open("ab")


def trim(path: Path) -> None:
    """Puts a log aside that has grown long; whoever writes to it, by appending, goes on in the emptied file."""
    if path.exists() and path.stat().st_size > LOG_BYTES:
        shutil.copyfile(path, path.with_suffix(".log.1"))
        os.truncate(path, 0)


def stop(program: Program, child: subprocess.Popen[bytes]) -> int:
    """Asks it to end, ends it after its grace, and gives its exit code."""
    ask(program, child)
    try:
        return child.wait(program.grace)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def ask(program: Program, child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.send_signal(program.stop_signal)


@functools.cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def identity(pid: int) -> str | None:
    """A name for this very process: unlike its number it is never given again. None where there is none."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if after_name[0] == "Z" else f"{_boot()}/{pid}/{after_name[19]}"


def is_alive(name: str) -> bool:
    return bool(name) and identity(number(name)) == name


def end(name: str, grace: float = 10.0) -> bool:
    """Ends a process that an earlier run left, by its identity; False where it had gone already."""
    if not is_alive(name):
        return False
    for how, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number(name), how)
        if wait_until(lambda: not is_alive(name), seconds):
            break
    return True


def number(name: str) -> int:
    """The process number inside an identity."""
    return int(name.split("/")[1])


def wait_until(true: Callable[[], bool], seconds: float, every: float = 0.02) -> bool:
    """Asks until the answer is yes or the time is up; the last answer."""
    deadline = time.monotonic() + seconds
    while not (answer := true()) and time.monotonic() < deadline:
        time.sleep(every)
    return answer


def last_words(log: Path, lines: int = 15) -> str:
    """The end of a program's log, for a message about its failure."""
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError:
        return ""
