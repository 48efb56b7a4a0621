"""Runs the statements of `queue/`. The only place that knows psycopg's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString, TypeVar, cast

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from claimcheck import errors

QUEUE = Path(__file__).parent.parent / "queue"
ATTEMPTS = 30  # of a statement that the server asks to be run again
CONNECT: dict[str, Any] = {
    "connect_timeout": 3,
    "tcp_user_timeout": 5000,
    "target_session_attrs": "read-write",
    "options": "-c statement_timeout=60s -c idle_in_transaction_session_timeout=15s -c lock_timeout=10s",
}

Row = TypeVar("Row")


def _load() -> dict[str, LiteralString]:
    files = (p for p in QUEUE.glob("*/*.sql") if p.parent.name != "migrations")
    return {f"{p.parent.name}/{p.stem}": cast(LiteralString, p.read_text(encoding="utf-8")) for p in files}


STATEMENTS = _load()


def _mapped(error: psycopg.Error) -> errors.Error:
    """The error that a caller understands: by constraint where one was broken, else by what kind of fault it is."""
    known = errors.BY_CONSTRAINT.get(error.diag.constraint_name or "")
    if known is not None:
        return known()
    if isinstance(error, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure):
        return errors.Again()
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return errors.Unavailable()
    return errors.StatementFailed(f"{type(error).__name__}: {error.diag.message_primary or error}")


class Connection:
    """Statements on one connection, by the name of their file: `tasks/claim`."""

    def __init__(self, raw: psycopg.Connection[Any]):
        self.raw = raw

    def _execute(self, statement: str, row: type[Row] | None, params: dict[str, Any]) -> psycopg.Cursor[Any]:
        cursor = self.raw.cursor(row_factory=class_row(row)) if row else self.raw.cursor()
        try:
            return cursor.execute(STATEMENTS[statement], params)
        except psycopg.Error as error:
            raise _mapped(error) from error

    def all(self, statement: str, row: type[Row], **params: Any) -> list[Row]:
        """Every row, each as a `row` dataclass."""
        return self._execute(statement, row, params).fetchall()

    def one(self, statement: str, row: type[Row], **params: Any) -> Row | None:
        """The only row, or None. Raises StatementFailed where there are more."""
        rows = self.all(statement, row, **params)
        if len(rows) > 1:
            raise errors.StatementFailed(f"{statement} gave {len(rows)} rows where at most one is right")
        return rows[0] if rows else None

    def run(self, statement: str, **params: Any) -> int:
        """Runs a statement for its effect; the number of rows it touched or gave."""
        return self._execute(statement, None, params).rowcount

    def stream(self, statement: str, row: type[Row], size: int = 500, **params: Any) -> Iterator[Row]:
        """Rows one by one through a server-side cursor, in constant memory. Only inside a transaction."""
        with self.raw.cursor("stream", row_factory=class_row(row)) as cursor:
            cursor.itersize = size
            cursor.execute(STATEMENTS[statement], params)
            yield from cursor


class Database:
    """A pool of autocommit connections. A single statement runs on its own; several share `transaction()`."""

    def __init__(self, conninfo: str, *, max_size: int = 8, name: str = "claimcheck"):
        self.pool = ConnectionPool(
            conninfo,
            kwargs={**CONNECT, "autocommit": True, "prepare_threshold": 0, "application_name": name},
            min_size=1,
            max_size=max_size,
            timeout=2.0,
            max_waiting=4 * max_size,
            check=ConnectionPool.check_connection,
            reconnect_timeout=5.0,
            open=False,
        )
        self.pool.open()

    def close(self) -> None:
        """Closes the pool's connections."""
        self.pool.close()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection of the pool for as long as the block lasts."""
        try:
            with self.pool.connection() as raw:
                yield Connection(raw)
        except (PoolTimeout, TooManyRequests) as error:
            raise errors.Unavailable() from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Statements that are committed together, or not at all. Errors at the commit are mapped like a statement's."""
        with self.connection() as connection:
            try:
                with connection.raw.transaction():
                    yield connection
            except psycopg.Error as error:
                raise _mapped(error) from error

    def _again(self, verb: str, *args: Any, **params: Any) -> Any:
        for attempt in range(ATTEMPTS):
            try:
                with self.connection() as connection:
                    return getattr(connection, verb)(*args, **params)
            except errors.Again:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def all(self, statement: str, row: type[Row], **params: Any) -> list[Row]:
        """As `Connection.all`, run again while the server asks for it."""
        return self._again("all", statement, row, **params)

    def one(self, statement: str, row: type[Row], **params: Any) -> Row | None:
        """As `Connection.one`, run again while the server asks for it."""
        return self._again("one", statement, row, **params)

    def run(self, statement: str, **params: Any) -> int:
        """As `Connection.run`, run again while the server asks for it."""
        return self._again("run", statement, **params)
