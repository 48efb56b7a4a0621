"""Guessing passwords: limits by account and by address, kept where a flush of Valkey cannot reach them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
import redis
from flask import Flask

from app import create_app
from claimcheck.access import passwords
from claimcheck.db import Database
from tests import people
from tests.people import Cast

pytestmark = pytest.mark.usefixtures("cast")
_addresses = itertools.count(1)


@pytest.fixture(scope="module")
def cast(db: Database) -> Cast:
    return people.cast(db, passwords_too=True)


@pytest.fixture(autouse=True)
def forget(database: Any) -> Iterator[None]:
    yield
    with psycopg.connect(database.owner) as connection:
        connection.execute("DELETE FROM login_attempts")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No hashing: the passwords that got as far as the hash."""
    reached: list[str] = []
    monkeypatch.setattr(passwords, "_matches", lambda stored, password: (reached.append(password), password == people.PASSWORD)[1])
    return reached


def attempt(app: Flask, email: str, address: str, password: str = "guess", **headers: str) -> int:
    data = {"email": email, "password": password}
    return people.browser(app).post("/login", data=data, headers=headers, environ_overrides={"REMOTE_ADDR": address}).status_code


def test_it_stops_guesses_at_one_account_from_ever_new_addresses(app: Flask, quick: list[str]) -> None:
    answers = [attempt(app, "ada@example.org", f"198.51.100.{n}") for n in range(1, 31)]
    assert answers == [422] * passwords.FAILURES_BY_EMAIL + [429] * (30 - passwords.FAILURES_BY_EMAIL)
    assert attempt(app, "ada@example.org", "192.0.2.9", people.PASSWORD) == 429
    assert len(quick) == passwords.FAILURES_BY_EMAIL
    assert attempt(app, "ben@example.org", "192.0.2.9", people.PASSWORD) == 303


def test_it_stops_guesses_at_ever_new_accounts_from_one_address(app: Flask) -> None:
    answers = [attempt(app, f"nobody{n}@example.org", "203.0.113.5") for n in range(80)]
    assert answers == [422] * passwords.FAILURES_BY_ADDRESS + [429] * (80 - passwords.FAILURES_BY_ADDRESS)
    assert attempt(app, "ben@example.org", "203.0.113.6", people.PASSWORD) == 303


def test_it_counts_a_whole_ipv6_network_as_one_address(app: Flask) -> None:
    answers = [attempt(app, f"nobody{n}@example.org", f"2001:db8:1:1::{n:x}") for n in range(1, 71)]
    assert answers.count(422) == passwords.FAILURES_BY_ADDRESS
    assert attempt(app, "nobody@example.org", "2001:db8:1:2::1") == 422
    assert passwords.network("::ffff:192.0.2.1") == "192.0.2.1"


def test_it_believes_forwarded_addresses_from_trusted_proxies_only(app: Flask) -> None:
    forged = [attempt(app, f"nobody{n}@example.org", "203.0.113.7", **{"X-Forwarded-For": f"10.9.8.{n}"}) for n in range(60)]
    assert forged.count(422) == passwords.FAILURES_BY_ADDRESS


def test_it_tells_clients_of_a_trusted_proxy_apart(database: Any, store_server: Any, valkey: str) -> None:
    app = create_app(people.settings(database, store_server, valkey, trusted_proxies="10.0.0.0/8"))
    through = [
        attempt(app, f"nobody{n}@example.org", "10.0.0.1", **{"X-Forwarded-For": f"6.6.6.6, 203.0.113.{n}, 10.0.0.2"}) for n in range(60)
    ]
    assert through.count(422) == 60
    forged = [attempt(app, f"nobody{n}@example.org", "10.0.0.1", **{"X-Forwarded-For": f"9.9.9.{n}, 203.0.113.99"}) for n in range(60)]
    assert forged.count(422) == passwords.FAILURES_BY_ADDRESS
    app.extensions["claimcheck"].db.close()


def test_it_lets_no_more_than_the_limit_through_at_once(app: Flask, quick: list[str]) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = [*pool.map(lambda n: attempt(app, "chi@example.org", f"198.51.100.{n}"), range(1, 49))]
    assert len(quick) <= passwords.FAILURES_BY_EMAIL
    assert set(answers) <= {422, 429, 503}


def test_it_starts_counting_anew_after_the_right_password(app: Flask) -> None:
    for _ in range(3):
        failures = [attempt(app, "ada@example.org", f"198.51.100.{next(_addresses)}") for _ in range(passwords.FAILURES_BY_EMAIL - 1)]
        assert set(failures) == {422}
        assert attempt(app, "ada@example.org", "192.0.2.1", people.PASSWORD) == 303


def test_it_forgives_after_a_quarter_of_an_hour(app: Flask, database: Any) -> None:
    for n in range(passwords.FAILURES_BY_EMAIL):
        attempt(app, "ada@example.org", f"198.51.100.{n + 1}")
    assert attempt(app, "ada@example.org", "192.0.2.1", people.PASSWORD) == 429
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE login_attempts SET at = at - interval '15 minutes'")
    assert attempt(app, "ada@example.org", "192.0.2.1", people.PASSWORD) == 303


def test_it_keeps_counting_while_valkey_is_flushed(app: Flask, valkey_admin: str) -> None:
    client = redis.Redis.from_url(valkey_admin)
    answers = []
    for n in range(passwords.FAILURES_BY_EMAIL + 5):
        client.flushdb()
        answers.append(attempt(app, "ada@example.org", f"198.51.100.{n + 1}"))
    client.close()
    assert answers.count(422) == passwords.FAILURES_BY_EMAIL


def test_it_says_how_long_to_wait(app: Flask) -> None:
    for n in range(passwords.FAILURES_BY_EMAIL):
        attempt(app, "ada@example.org", f"198.51.100.{n + 1}")
    answer = people.browser(app).post("/login", data={"email": "ada@example.org", "password": "guess"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "900")
    assert "quarter of an hour" in answer.text
