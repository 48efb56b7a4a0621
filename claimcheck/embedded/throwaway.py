"""A PostgreSQL for as long as a command lasts: a database of its own in a temporary folder, with the desk's roles and schema."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from claimcheck import migrations
from claimcheck.embedded import ports, processes
from claimcheck.embedded.postgres import Postgres, settle

ROLES = ("postgres", "owner", "web", "worker")
NAME = "throwaway"


@dataclass(frozen=True)
class Conninfos:
    """How the roles reach the database."""

    owner: str
    web: str
    worker: str


@contextmanager
def server() -> Iterator[Postgres]:
    """PostgreSQL as the desk starts it, with the desk's settings and roles; ended, and its data gone, with the block."""
    with tempfile.TemporaryDirectory(prefix="claimcheck-") as folder:
        home = Path(folder)
        home.chmod(0o711)
        place = settle(home)
        postgres = Postgres(place, ports.pick([0])[0], {role: secrets.token_urlsafe(12) for role in ROLES}, home / "log" / "postgres.log")
        process = None
        try:
            postgres.prepare()
            process = processes.start(postgres.program())
            processes.wait_until(postgres.is_ready, 60)
            postgres.make_roles()
            yield postgres
        finally:
            if process:
                processes.stop(postgres.program(), process)
            shutil.rmtree(place.data, ignore_errors=True)  # it may lie elsewhere, where PostgreSQL's account cannot enter the folder


@contextmanager
def database() -> Iterator[Conninfos]:
    """A migrated database. Its commits do not wait for the disk: it is gone with the block."""
    with server() as postgres:
        with psycopg.connect(postgres.conninfo("postgres", "postgres"), autocommit=True) as root:
            root.execute(f"CREATE DATABASE {NAME} OWNER claimcheck_owner")
            root.execute(f"ALTER DATABASE {NAME} SET synchronous_commit = off")
            root.execute(f"ALTER DATABASE {NAME} SET plan_cache_mode = force_generic_plan")  # else a claim of one item is planned each time
        migrations.migrate(postgres.conninfo("owner", NAME))
        yield Conninfos(*(postgres.conninfo(role, NAME) for role in ("owner", "web", "worker")))
