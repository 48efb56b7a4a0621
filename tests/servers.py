"""Real servers for the tests: each started once a pytest session, kept by a process that ends with the session.

`python -m tests.servers NAME FOLDER SESSION` is that keeper; `get` starts it where no xdist worker has yet.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from claimcheck.embedded import ports, postgres, processes, valkey, weed

ROOT = Path(__file__).parents[1]
STARTING_SECONDS = 60


def _postgres(folder: Path) -> tuple[postgres.Postgres, dict[str, Any]]:
    passwords = {role: secrets.token_urlsafe(18) for role in ("postgres", "owner", "web", "worker")}
    server = postgres.Postgres(postgres.settle(folder), ports.pick([0])[0], passwords, folder / "log" / "postgres.log")
    return server, {"port": server.port, "passwords": passwords}


def _valkey(folder: Path) -> tuple[valkey.Valkey, dict[str, Any]]:
    passwords = {who: secrets.token_urlsafe(18) for who in ("admin", "desk")}
    server = valkey.Valkey(folder / "valkey", ports.pick([0])[0], passwords, folder / "log" / "valkey.log")
    return server, {"port": server.port, "passwords": passwords}


def _store(folder: Path) -> tuple[weed.Weed, dict[str, Any]]:
    keys = {"access_key": secrets.token_hex(10), "secret_key": secrets.token_hex(20), "bucket": "claimcheck"}
    server = weed.Weed(folder / "store", ports.pick([0] * len(weed.PORTS)), **keys, log=folder / "log" / "store.log")
    return server, {"endpoint": server.endpoint, **keys}


MAKERS = {"postgres": _postgres, "valkey": _valkey, "store": _store}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def get(name: str, folder: Path, session: str) -> dict[str, Any]:
    """What is needed to reach the session's server of that name; starts it the first time."""
    ready = folder / f"{name}.json"
    with locked(folder):
        if not ready.exists():
            _start_keeper(name, folder, session)
    return json.loads(ready.read_text(encoding="utf-8"))


def _start_keeper(name: str, folder: Path, session: str) -> None:
    ready, log = folder / f"{name}.json", folder / f"{name}.log"
    argv = [sys.executable, "-m", "tests.servers", name, str(folder), session]
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    # Not subprocess: the keeper may well outlive the xdist worker that started it.
    pid = os.posix_spawn(sys.executable, argv, {**os.environ, "PYTHONPATH": str(ROOT)}, file_actions=actions, setsid=True)
    processes.wait_until(lambda: ready.exists() or processes.identity(pid) is None, STARTING_SECONDS)
    if not ready.exists():
        raise RuntimeError(f"{name} did not start: {log.read_text()}")


def end_all(folder: Path) -> None:
    """Ends every keeper of the session and throws its data away."""
    kept = [json.loads(path.read_text(encoding="utf-8"))["keeper"] for path in folder.glob("*.json")]
    for keeper in kept:
        if processes.is_alive(keeper):
            os.kill(int(keeper.split("/")[1]), signal.SIGTERM)
    for keeper in kept:
        processes.wait_until(lambda name=keeper: not processes.is_alive(name), 30) or processes.end(keeper)
    shutil.rmtree(folder, ignore_errors=True)


def keep(name: str, folder: Path, session: str) -> None:
    """Starts one server and stays until told to stop or until the pytest session has gone."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    home = folder / name
    home.mkdir(mode=0o711)
    server, words = MAKERS[name](home)
    server.prepare()
    program = server.program()
    child = processes.start(program)
    if not processes.wait_until(server.is_ready, STARTING_SECONDS):
        sys.exit(program.log.read_text())
    if isinstance(server, postgres.Postgres):
        server.make_roles()
    _announce(folder / f"{name}.json", {**words, "pid": child.pid, "keeper": processes.identity(os.getpid())})
    while not told and processes.is_alive(session) and child.poll() is None:
        time.sleep(0.1)
    processes.stop(program, child)
    shutil.rmtree(home, ignore_errors=True)


def _announce(path: Path, words: dict[str, Any]) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(words), encoding="utf-8")
    new.replace(path)


if __name__ == "__main__":
    keep(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
