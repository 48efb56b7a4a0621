"""A whole database in one file, by the wheel's pg_dump and pg_restore; one snapshot, counts, and numbers that are not given twice."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import IsolationLevel, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from claimcheck import errors
from claimcheck.db import Connection
from claimcheck.embedded.postgres import Place, shipped

GAP_INT, GAP = 10_000, 1_000_000  # numbers that may have been given after the backup
TABLES = "SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1"
NUMBERED = """
SELECT c.relname, a.attname, a.atttypid = 'int8'::regtype
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
 WHERE a.attidentity <> '' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1"""
EMPTIED = ("DROP SCHEMA public CASCADE", "CREATE SCHEMA public AUTHORIZATION pg_database_owner", "GRANT USAGE ON SCHEMA public TO PUBLIC")
UNFINISHED = "claimcheck: a restore was loaded, and not finished"
STATE = "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public'), obj_description('public'::regnamespace, 'pg_namespace')"
COUNT, SET = "SELECT count(*) FROM {}", "SELECT setval(pg_get_serial_sequence(%s, %s), (SELECT COALESCE(max({}), 0) FROM {}) + %s)"


@contextmanager
def snapshot(owner: str) -> Iterator[tuple[str, Connection]]:
    """The name of a snapshot, and a connection that sees the database as it was then, for as long as the block lasts."""
    with psycopg.connect(owner) as raw:
        raw.isolation_level, raw.read_only = IsolationLevel.REPEATABLE_READ, True
        [(name,)] = raw.execute("SELECT pg_export_snapshot()").fetchall()
        yield name, Connection(raw)


def dump(owner: str, name: str, file: Path) -> None:
    """Writes what the snapshot of that name sees. Raises Error that says what pg_dump said."""
    _run(owner, "pg_dump", "--format=custom", "--no-owner", f"--snapshot={name}", f"--file={file}")


def load(owner: str, file: Path) -> None:
    """Puts a dump in the place of everything that the database holds, all or nothing of it after that, and marks it as not finished. Raises Error."""
    with psycopg.connect(owner) as raw:
        for statement in EMPTIED:
            raw.execute(statement)
    public = "--schema=public"  # rights elsewhere are the superuser's to give: deploy/roles.sql
    _run(owner, "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", public, str(file))
    mark(owner, UNFINISHED)


def mark(owner: str, how: str | None) -> None:
    """Says of the database, beside its tables, how far a restore into it is; None: nothing of the kind."""
    with psycopg.connect(owner) as raw:
        raw.execute(sql.SQL("COMMENT ON SCHEMA public IS {}").format(how))


def state(owner: str) -> str:
    """`empty` where there is no table at all, `unfinished` where a restore was cut off after its loading, else `a desk`."""
    with psycopg.connect(owner) as raw:
        [(tables, marked)] = raw.execute(STATE).fetchall()
    return "empty" if not tables else "unfinished" if marked == UNFINISHED else "a desk"


def counts(connection: Connection | psycopg.Connection[Any]) -> dict[str, int]:
    """The rows of every table."""
    raw = connection.raw if isinstance(connection, Connection) else connection
    names = [name for (name,) in raw.execute(TABLES).fetchall()]
    return {name: raw.execute(sql.SQL(COUNT).format(sql.Identifier(name))).fetchall()[0][0] for name in names}


def counted(owner: str) -> dict[str, int]:
    """The rows of every table, now."""
    with psycopg.connect(owner) as raw:
        return counts(raw)


def skip_numbers(owner: str) -> None:
    """No number that the desk may have given after its backup is given again: receivers know them by it."""
    with psycopg.connect(owner) as raw:
        for table, column, big in raw.execute(NUMBERED).fetchall():
            statement = sql.SQL(SET).format(sql.Identifier(column), sql.Identifier(table))
            raw.execute(statement, (f"public.{table}", column, GAP if big else GAP_INT))


def _run(owner: str, program: str, *words: str) -> None:
    site = shipped()
    given = {name: str(value) for name, value in conninfo_to_dict(owner).items() if value is not None}
    environ = {**os.environ, "PGPASSWORD": given.pop("password", "")}
    argv = [Place(site, site, None).binary(program), "--no-password", "--dbname", make_conninfo(**given), *words]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise errors.Error(f"{program} failed: {done.stderr.strip()[-1000:]}")
