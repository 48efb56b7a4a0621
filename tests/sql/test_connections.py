"""The pool's connections: what each remembers, and that one which the server has ended is not handed out."""

from __future__ import annotations

from typing import Any

import psycopg

from claimcheck.db import STATEMENTS, Database


def test_a_statement_is_prepared_once_whatever_its_numbers_sizes(database: Any) -> None:
    db = Database(database.web, max_size=1)
    for one in (1, 70_000, 2**30):
        db.run("looks/holding", me=one)
    with db.connection() as connection:
        prepared = connection.raw.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["%FROM assignments%"]).fetchone()
    db.close()
    assert prepared == (1,)


def test_no_statement_is_forgotten_for_another(database: Any) -> None:
    db = Database(database.web, max_size=1)
    with db.connection() as connection:
        assert (connection.raw.prepared_max or 0) >= len(STATEMENTS)
    db.close()


def test_a_connection_that_the_server_ended_is_replaced(database: Any) -> None:
    db = Database(database.web, max_size=1)
    with db.connection() as connection:
        pid = connection.raw.info.backend_pid
    with psycopg.connect(database.superuser, autocommit=True) as root:
        assert root.execute("SELECT pg_terminate_backend(%s, 5000)", [pid]).fetchone() == (True,)
    with db.connection() as connection:
        assert connection.raw.info.backend_pid != pid
    db.run("looks/holding", me=1)
    db.close()
