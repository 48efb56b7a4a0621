"""A PostgreSQL of the bench's own, databases in it, and figures side by side."""

from __future__ import annotations

import secrets
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.load import Floor, load
from claimcheck import migrations
from claimcheck.embedded import ports, processes
from claimcheck.embedded.postgres import Postgres, settle

ROLES = ("postgres", "owner", "web", "worker")


@contextmanager
def server() -> Iterator[Postgres]:
    """PostgreSQL as the desk starts it, with the desk's settings, ended with the block."""
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as folder:
        home = Path(folder)
        home.chmod(0o711)
        postgres = Postgres(settle(home), ports.pick([0])[0], {role: secrets.token_urlsafe(12) for role in ROLES}, home / "log")
        postgres.prepare()
        process = processes.start(postgres.program())
        try:
            processes.wait_until(postgres.is_ready, 60)
            postgres.make_roles()
            yield postgres
        finally:
            processes.ask(postgres.program(), process)
            process.wait(60)


@contextmanager
def database(postgres: Postgres, floor: Floor) -> Iterator[tuple[str, str]]:
    """(superuser's, web's) conninfo of a database with that floor."""
    name = f"bench_{secrets.token_hex(4)}"
    root = postgres.conninfo("postgres", "postgres")
    with psycopg.connect(root, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER claimcheck_owner")
    migrations.migrate(postgres.conninfo("owner", name))
    superuser = postgres.conninfo("postgres", name)
    load(superuser, floor)
    yield superuser, postgres.conninfo("web", name)
    with psycopg.connect(root, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def pgbench(postgres: Postgres, conninfo: str, script: Path, clients: int, seconds: int) -> float:
    """Transactions a second of a script, prepared."""
    argv = [
        postgres.place.binary("pgbench"),
        "-n",
        "-M",
        "prepared",
        "-f",
        str(script),
        "-c",
        str(clients),
        "-j",
        str(min(clients, 2)),
        "-T",
        str(seconds),
        conninfo,
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    line = next((line for line in done.stdout.splitlines() if line.startswith("tps")), None)
    if line is None:
        raise RuntimeError(done.stderr[-2000:])
    return float(line.split()[2])


def spread(values: list[float], digits: int = 2) -> str:
    """median [min..max]"""
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}..{max(values):.{digits}f}]"


def percentiles(seconds: list[float]) -> tuple[float, float]:
    """p50 and p99, in milliseconds."""
    ordered = sorted(seconds)
    return 1000 * ordered[len(ordered) // 2], 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def clock(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
