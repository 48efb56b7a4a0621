"""A PostgreSQL of the bench's own, and databases in it."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.load import Floor, load
from claimcheck import migrations
from claimcheck.embedded.postgres import Postgres
from claimcheck.embedded.throwaway import server

__all__ = ["database", "empty", "pgbench", "run", "server"]
RULES = '{"name": "bench", "skill": "bench", "reason_codes": [{"code": "ok", "label": "ok"}]}'


@contextmanager
def empty(postgres: Postgres) -> Iterator[str]:
    """The name of a database with nothing in it, dropped with the block."""
    name, root = f"bench_{secrets.token_hex(4)}", postgres.conninfo("postgres", "postgres")
    with psycopg.connect(root, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER claimcheck_owner")
    yield name
    with psycopg.connect(root, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def database(postgres: Postgres, floor: Floor, *, waits_for_disk: bool = True) -> Iterator[tuple[str, str]]:
    """(superuser's, web's) conninfo of a migrated database with that floor, whose items can be decided.

    Where a single statement's time is compared, its commit does not wait for the disk, whose moods would hide the plan.
    """
    with empty(postgres) as name:
        migrations.migrate(postgres.conninfo("owner", name))
        superuser = postgres.conninfo("postgres", name)
        load(superuser, floor)
        run(superuser, "ALTER TABLE project_versions DISABLE TRIGGER USER", f"UPDATE project_versions SET rules = '{RULES}'")
        if not waits_for_disk:
            run(superuser, f"ALTER DATABASE {name} SET synchronous_commit = off")
        yield superuser, postgres.conninfo("web", name)


def run(superuser: str, *statements: str) -> None:
    """The bench's own statements, each committed, past every trigger and foreign key."""
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for statement in statements:
            connection.execute(statement)


def pgbench(postgres: Postgres, conninfo: str, script: Path, clients: int, seconds: int) -> float:
    """Transactions a second of a script, prepared."""
    options = {"-M": "prepared", "-f": script, "-c": clients, "-j": min(clients, 2), "-T": seconds}
    argv = [postgres.place.binary("pgbench"), "-n", *(str(word) for pair in options.items() for word in pair), conninfo]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    line = next((line for line in done.stdout.splitlines() if line.startswith("tps")), None)
    if line is None:
        raise RuntimeError(done.stderr[-2000:])
    return float(line.split()[2])
