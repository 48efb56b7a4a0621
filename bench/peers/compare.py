"""The same work, claim → complete, through everybody in turn: round by round, at one process and at four."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from bench import desk, ground, pair
from bench.figures import Part, over, spread
from bench.load import Floor
from bench.peers.places import Places
from claimcheck.config import ROOT
from claimcheck.embedded.postgres import Postgres

WARM, WINDOW = 0.6, 1.2  # seconds
QUICKEST = 3_000  # jobs a second that no peer reaches: so many wait before each measurement, or it would measure an empty queue
OURS, BARE = "desk", "bare"
LEAST = {"procrastinate": 2.0, "pgqueuer": 1.5, "chancy": 2.0, "rq": 2.0}  # of the bare pair; the desk's is 1 of each


def processes(full: bool) -> tuple[int, ...]:
    return (1, 8) if full else (1, 4)


def measure(name: str, places: Places, count: int) -> float:
    """Completions a second of so many processes together."""
    argv = [sys.executable, "-P", "-m", "bench.peers.worker", name]
    team = [
        subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(count)
    ]
    try:
        for n, one in enumerate(team):
            _tell(one, replace(places, number=n).json())
        for one in team:
            _hear(one, "READY", name)
        counted = time.monotonic() + 0.1 + WARM
        for one in team:
            _tell(one, f"{counted} {counted + WINDOW}")
        return sum(int(_hear(one, "DONE", name).split()[1]) for one in team) / WINDOW
    finally:
        for one in team:
            one.kill()
            one.communicate()


def _tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _hear(process: subprocess.Popen[str], word: str, name: str) -> str:
    """The line that begins with the word; a peer may say other things before."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(word):
            return line
    raise RuntimeError(f"{name} ended without saying {word}")


def _places(stack: ExitStack, postgres: Postgres) -> dict[str, Places]:
    """What each stands on: databases of one server, and for RQ a Valkey."""
    superuser, web = stack.enter_context(ground.database(postgres, Floor(pending=200_000, decided=100_000, skills=40)))
    pair.share_a_lane(superuser, 8)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="desk-bench-")))
    found = {OURS: Places(web=web), "rq": Places(valkey=stack.enter_context(desk.valkey(folder)).url("admin"))}
    for name in (BARE, "procrastinate", "pgqueuer", "chancy"):
        found[name] = Places(database=postgres.conninfo("postgres", stack.enter_context(ground.empty(postgres))))
    return found


def _fill(peer: ModuleType, places: Places, stock: int) -> int:
    """Adds what is missing to a full queue; how many jobs."""
    missing = math.ceil(max(0, QUICKEST * (WARM + WINDOW) - stock) / 1000) * 1000
    if missing:
        peer.add(places, missing)
    return missing


def main(full: bool, rounds: int = 5) -> Part:
    part = Part("peers", ["processes", "who", "claim → complete a second", "the desk / it", "bare pair / it"])
    levels = processes(full)
    with ground.server() as postgres, ExitStack() as stack:
        places = _places(stack, postgres)
        peers = {name: importlib.import_module(f"bench.peers.{name}") for name in places}
        for name, peer in peers.items():
            peer.prepare(places[name])
        found: dict[tuple[str, int], list[float]] = {}
        stock = dict.fromkeys(peers, 0)
        for n in range(rounds):
            for name, peer in peers.items():
                for count in levels:
                    stock[name] += _fill(peer, places[name], stock[name])
                    rate = measure(name, places[name], count)
                    stock[name] -= int(1.5 * rate * (WARM + WINDOW))
                    found.setdefault((name, count), []).append(rate)
            part.say(
                f"round {n + 1} of {rounds}: " + ", ".join(f"{peers[name].NAME} ×{count} {rates[-1]:.0f}/s" for (name, count), rates in found.items())
            )
    for count in levels:
        _compare(part, count, {name: found[name, count] for name in peers}, {name: peer.NAME for name, peer in peers.items()})
    return part


def _compare(part: Part, count: int, found: dict[str, list[float]], names: dict[str, str]) -> None:
    for name, rates in found.items():
        ours, bare = over(found[OURS], rates), over(found[BARE], rates)
        part.row(str(count), names[name], spread(rates, 0), spread(ours), spread(bare))
        if name in LEAST:
            part.goal(f"the desk to {names[name]}, {count} processes", ours, least=1.0)
            part.goal(f"the bare pair to {names[name]}, {count} processes", bare, least=LEAST[name])
