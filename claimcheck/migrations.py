"""Brings a database to the newest schema: forward only, one file one transaction, one runner at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, LiteralString, cast

import psycopg

from claimcheck.db import CONNECT, QUEUE

FILES = QUEUE / "migrations"
LOCK = 4202611  # any number that nothing else on the database uses


def _statement(name: str) -> LiteralString:
    return cast(LiteralString, (FILES / f"{name}.sql").read_text(encoding="utf-8"))


LEDGER, APPLIED, RECORD = _statement("ledger"), _statement("applied"), _statement("record")


class MigrationChanged(Exception):
    """A migration that was applied has been edited since."""


def _files() -> list[tuple[str, str, str]]:
    """(name, text, checksum) of each migration, in order."""
    texts = [(p.stem, p.read_text(encoding="utf-8")) for p in sorted(FILES.glob("[0-9]*_*.sql"))]
    return [(name, text, hashlib.sha256(text.encode()).hexdigest()) for name, text in texts]


def names() -> list[str]:
    """Every migration of this checkout, in order."""
    return [name for name, _, _ in _files()]


def _applied(connection: psycopg.Connection[Any]) -> dict[str, str]:
    connection.execute(LEDGER)
    return dict(connection.execute(APPLIED).fetchall())


def migrate(conninfo: str, say: Callable[[str], None] = lambda line: None) -> list[str]:
    """Applies what is missing, as the owner; the names of the migrations applied.

    Raises MigrationChanged where a file no longer has the checksum it was applied with.
    """
    options = {**CONNECT, "options": "-c lock_timeout=10s"}
    with psycopg.connect(conninfo, autocommit=True, **options) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))  # released with the connection
        done, new = _applied(connection), []
        for name, text, checksum in _files():
            if done.get(name, checksum) != checksum:
                raise MigrationChanged(f"{name}.sql was edited after it was applied; write a new migration instead")
            if name not in done:
                say(f"migration {name}")
                _apply(connection, name, text, checksum)
                new.append(name)
        return new


def _apply(connection: psycopg.Connection[Any], name: str, text: str, checksum: str) -> None:
    with connection.transaction():
        connection.execute(cast(LiteralString, text))
        connection.execute(RECORD, {"name": name, "checksum": checksum})


def pending(conninfo: str) -> list[str]:
    """Names of migrations that the database lacks; for `/readyz` and the boot check."""
    with psycopg.connect(conninfo, autocommit=True, **CONNECT) as connection:
        done = dict(connection.execute(APPLIED).fetchall())
    return [name for name, _, _ in _files() if name not in done]
