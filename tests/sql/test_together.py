"""Transactions of several statements: whole or not at all, and begun anew where the server breaks one off."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from claimcheck import db, errors
from claimcheck.access import customers
from claimcheck.db import Connection, Database
from claimcheck.proof import results
from tests.intake import at_once


@pytest.fixture
def web(database: Any) -> Iterator[Database]:
    web = Database(database.web)
    yield web
    web.close()


def names(web: Database) -> list[str]:
    return [customer.name for customer in customers.all(web)]


def test_it_begins_anew_what_a_deadlock_broke_off(web: Database) -> None:
    """Two who make the same two customers, in opposite orders, and meet in the middle."""
    met, tries = threading.Barrier(2), [0, 0]

    def both(who: int) -> str:
        def make(connection: Connection) -> str:
            tries[who] += 1
            first, second = ("Adatum", "Contoso")[:: 1 if who else -1]
            connection.run("customers/ensure", name=first)
            if tries[who] == 1:
                met.wait(timeout=10)
            connection.run("customers/ensure", name=second)
            return "done"

        return web.together(make)

    assert at_once(2, both) == ["done", "done"]
    assert sorted(tries) == [1, 2]
    assert {"Adatum", "Contoso"} <= {*names(web)}


def test_it_keeps_nothing_of_a_try_that_failed(web: Database) -> None:
    tries = 0

    def make(connection: Connection) -> None:
        nonlocal tries
        tries += 1
        connection.run("customers/ensure", name=f"Try {tries}")
        if tries < 3:
            raise errors.Again()

    web.together(make)
    assert [name for name in names(web) if name.startswith("Try")] == ["Try 3"]


def test_it_gives_up_in_the_end_and_says_so(web: Database) -> None:
    tries = []

    def never(connection: Connection) -> None:
        tries.append(connection)
        raise errors.Again()

    with pytest.raises(errors.Again):
        web.together(never)
    assert len(tries) == db.ATTEMPTS


def test_it_does_not_repeat_what_was_refused(web: Database) -> None:
    tries = []

    def refused(connection: Connection) -> None:
        tries.append(connection)
        connection.run("customers/ensure", name="Refused")
        raise errors.Invalid()

    with pytest.raises(errors.Invalid):
        web.together(refused)
    assert len(tries) == 1 and "Refused" not in names(web)


def test_it_ends_what_takes_longer_than_readers_of_results_reckon_with(web: Database) -> None:
    with web.connection() as connection:
        row = connection.raw.execute("SELECT current_setting('transaction_timeout')::interval").fetchone()
    assert row and timedelta() < row[0] < results.OVER_BY_NOW
