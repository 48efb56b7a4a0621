"""Runs the statements of `queue/`. The only place that knows psycopg's errors."""

from __future__ import annotations

import random
import re
import select
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, LiteralString, TypeVar, cast

import psycopg
from psycopg.adapt import AdaptersMap
from psycopg.rows import class_row, tuple_row
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from claimcheck import errors

QUEUE = Path(__file__).parent.parent / "queue"
ATTEMPTS = 30  # of a statement or a transaction that the server asks to be run again
CONNECT: dict[str, Any] = {
    "connect_timeout": 3,
    "tcp_user_timeout": 5000,
    "target_session_attrs": "read-write",
    "options": "-c statement_timeout=60s -c transaction_timeout=70s -c idle_in_transaction_session_timeout=15s -c lock_timeout=10s",
}

BY_CONSTRAINT: dict[str, type[errors.Error]] = {
    "partitions_head_promoted": errors.Again,
    "partitions_turn_given": errors.Again,
    "tasks_parent_id_key": errors.Again,
    "assignments_one_live": errors.Again,
    "projects_name_once": errors.ProjectExists,
    "project_versions_once": errors.Again,
    "people_email_once": errors.NameTaken,
    "people_name_key": errors.NameTaken,
    "people_customer_of": errors.Again,
    "decisions_superseded_once": errors.AlreadyOverturned,
    "items_key_once": errors.Again,
    "items_gold_key_once": errors.Again,
    "messages_key_once": errors.Again,
    "dead_letter_replays_once": errors.Again,
    "datasets_version_once": errors.Again,
    "datasets_key_once": errors.Again,
    "batch_decisions_moves": errors.BatchMoved,
    "batch_decisions_bound_met": errors.BoundNotMet,
    "bulk_overturns_moves": errors.OverturnsMoved,
    "bulk_overturns_eyes": errors.SameEyes,
    "bulk_overturn_ends_once": errors.Again,
    "batch_draws_pkey": errors.Again,
    "batch_ends_once": errors.Again,
    "decisions_four_eyes": errors.Again,
    "approvals_one_open": errors.ApprovalPending,
}

Row = TypeVar("Row")
Result = TypeVar("Result")


def _load() -> dict[str, LiteralString]:
    files = (p for p in QUEUE.glob("*/*.sql") if p.parent.name != "migrations")
    return {f"{p.parent.name}/{p.stem}": cast(LiteralString, p.read_text(encoding="utf-8")) for p in files}


STATEMENTS = _load()
PARAMETER = re.compile(r"%\((\w+)\)[sbt]|%%")


@lru_cache(maxsize=1000)
def _native(text: str) -> tuple[bytes, tuple[str, ...]]:
    """A statement in the server's own words, `$1` for `%(name)s`, and the names in their order. psycopg reads a long text anew at each call."""
    names: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return names.setdefault(found[1], f"${len(names) + 1}") if found[1] else "%"

    return PARAMETER.sub(numbered, text).encode(), tuple(names)


def _adapters() -> AdaptersMap:
    """Every int as a bigint: by its size, one statement would be prepared and planned for each mix of sizes."""
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(int, Int8Dumper)  # those in lists, which would be smallints, however big
    adapters.register_dumper(int, Int8BinaryDumper)
    return adapters


ADAPTERS = _adapters()


def _configure(connection: psycopg.Connection[Any]) -> None:
    connection.prepared_max = 2 * len(STATEMENTS)  # none is thrown out for another


def _check(connection: psycopg.Connection[Any]) -> None:
    """Raises where the server has hung up. A socket that says nothing is taken as sound: asking costs each statement a round trip."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        ConnectionPool.check_connection(connection)


def _mapped(error: psycopg.Error) -> errors.Error:
    """The error that a caller understands: by constraint where one was broken, else by what kind of fault it is."""
    known = BY_CONSTRAINT.get(error.diag.constraint_name or "")
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
        text, names = _native(STATEMENTS[statement])
        cursor = psycopg.RawCursor(self.raw, row_factory=class_row(row) if row else tuple_row)
        try:
            return cursor.execute(text, [params[name] for name in names])
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


class Database:
    """A pool of autocommit connections. A single statement runs on its own; several run `together()`."""

    def __init__(self, conninfo: str, *, max_size: int = 8, name: str = "claimcheck"):
        self.pool = ConnectionPool(
            conninfo,
            kwargs={**CONNECT, "autocommit": True, "prepare_threshold": 0, "application_name": name, "context": ADAPTERS},
            min_size=1,
            max_size=max_size,
            timeout=2.0,
            max_waiting=4 * max_size,
            check=_check,
            configure=_configure,
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

    def together(self, work: Callable[[Connection], Result]) -> Result:
        """What `work` does in one transaction, begun anew while the server asks for it: `work` may run several times."""
        return self._again(self.transaction, work)

    def _again(self, opened: Callable[[], AbstractContextManager[Connection]], work: Callable[[Connection], Result]) -> Result:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with opened() as connection:
                    return work(connection)
            except errors.Again:
                if attempt == ATTEMPTS:
                    raise
            time.sleep(attempt * random.uniform(0, 0.002))  # noqa: S311 (no secret)
        raise AssertionError("the last attempt returns or raises")

    def all(self, statement: str, row: type[Row], **params: Any) -> list[Row]:
        """As `Connection.all`, run again while the server asks for it."""
        return self._again(self.connection, lambda connection: connection.all(statement, row, **params))

    def one(self, statement: str, row: type[Row], **params: Any) -> Row | None:
        """As `Connection.one`, run again while the server asks for it."""
        return self._again(self.connection, lambda connection: connection.one(statement, row, **params))

    def run(self, statement: str, **params: Any) -> int:
        """As `Connection.run`, run again while the server asks for it."""
        return self._again(self.connection, lambda connection: connection.run(statement, **params))
