"""The bare pair through psycopg: one table, a claim, a fenced completion, no rule. What a queue costs that is nothing but one."""

from __future__ import annotations

import time

import psycopg

from bench.pair import BARE, BARE_CLAIM, BARE_SUBMIT
from bench.peers.places import Places

NAME = "bare pair"


def prepare(places: Places) -> None:
    with psycopg.connect(places.database, autocommit=True) as connection:
        connection.execute(BARE)


def add(places: Places, n: int) -> None:
    """It has enough."""


def work(places: Places, end: float) -> list[float]:
    done = []
    with psycopg.connect(places.database, autocommit=True, prepare_threshold=0) as connection:
        while time.monotonic() < end:
            row = connection.execute(BARE_CLAIM).fetchone()
            assert row is not None
            connection.execute(BARE_SUBMIT, {"id": row[0], "token": row[1]})
            done.append(time.monotonic())
    return done
