"""Each guard taken out in turn: the attack that it stops then works, so its tests would notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

import app as factory
from app import create_app
from claimcheck import logs
from claimcheck.access import passwords, people, sessions, tokens
from claimcheck.web import access, addresses, places, proxies, same_origin
from tests import people as cast_
from tests.intake import without
from tests.people import Cast, browser

Attack = Callable[[Flask, Cast], bool]
Weaken = Callable[[pytest.MonkeyPatch], AbstractContextManager[Any] | None]
LONG_AGO = "UPDATE sessions SET last_seen_at = clock_timestamp() - interval '3 hours' WHERE hash = %s"


def nothing(*_: Any, **__: Any) -> None:
    """In a guard's place."""


def own_page(app: Flask, secret: str) -> bool:
    """Whether a cookie's secret opens a page."""
    client = browser(app)
    with app.app_context():
        client.set_cookie(access.cookie_name(), secret)
    return client.get("/account").status_code == 200


def owner(app: Flask, statement: str, *params: Any) -> None:
    """As the database's owner, which the app is not."""
    with psycopg.connect(app.config["OWNER"]) as connection:
        connection.execute(statement, params)  # type: ignore[arg-type]


def forged_form(app: Flask, cast: Cast) -> bool:
    client = browser(app, cast.dov)
    sent = client.post("/theme", data={"theme": "dark"}, headers={"Sec-Fetch-Site": "cross-site"})
    return sent.status_code == 303


def stranger_in(app: Flask, _: Cast) -> bool:
    return browser(app).post("/theme", data={"theme": "dark"}).status_code == 303


def wrong_role(app: Flask, cast: Cast) -> bool:
    return browser(app, cast.ada).get("/people").status_code == 200


def bare_error(app: Flask, _: Cast) -> bool:
    return "Content-Security-Policy" not in browser(app).get("/nothing").headers


def escaped_fault(app: Flask, _: Cast) -> bool:
    def break_out(*_: Any) -> Any:
        raise RuntimeError("inside")

    layer: Any = app.wsgi_app
    layer.app = break_out
    try:
        return "Content-Security-Policy" not in browser(app).get("/").headers
    except RuntimeError:
        return True


def other_name(app: Flask, _: Cast) -> bool:
    return browser(app).get("/login", headers={"Host": "evil.example"}).status_code == 200


def led_away(app: Flask, cast: Cast) -> bool:
    client = browser(app, cast.dov)
    return client.get("/login", query_string={"next": "/\t/evil.example"}).location == "//evil.example"


def copied_cookie(app: Flask, cast: Cast) -> bool:
    db = app.extensions["claimcheck"].db
    secret = sessions.begin(db, person_id=cast.ada.id)
    client = browser(app)
    with app.app_context():
        client.set_cookie(access.cookie_name(), secret)
    client.post("/logout")
    return own_page(app, secret)


def idle_cookie(app: Flask, cast: Cast) -> bool:
    secret = sessions.begin(app.extensions["claimcheck"].db, person_id=cast.ada.id)
    owner(app, LONG_AGO, sessions.digest(secret))
    return own_page(app, secret)


def old_cookie(app: Flask, cast: Cast) -> bool:
    secret = sessions.begin(app.extensions["claimcheck"].db, person_id=cast.ada.id)
    owner(app, "UPDATE sessions SET expires_at = clock_timestamp() WHERE hash = %s", sessions.digest(secret))
    return own_page(app, secret)


def disabled_cookie(app: Flask, cast: Cast) -> bool:
    secret = sessions.begin(app.extensions["claimcheck"].db, person_id=cast.ada.id)
    owner(app, "UPDATE people SET disabled_at = clock_timestamp() WHERE id = %s", cast.ada.id)
    try:
        return own_page(app, secret)
    finally:
        owner(app, "UPDATE people SET disabled_at = NULL WHERE id = %s", cast.ada.id)


def disabled_token(app: Flask, cast: Cast) -> bool:
    db = app.extensions["claimcheck"].db
    token = tokens.make(db, person_id=cast.ada.id)
    owner(app, "UPDATE people SET disabled_at = clock_timestamp() WHERE id = %s", cast.ada.id)
    try:
        return tokens.person_of(db, token) is not None
    finally:
        owner(app, "UPDATE people SET disabled_at = NULL WHERE id = %s", cast.ada.id)


def old_secret_after_sign_in(app: Flask, cast: Cast) -> bool:
    """A cookie that somebody else knows is still good after its holder has signed in again."""
    db = app.extensions["claimcheck"].db
    passwords.choose(db, person=cast.ben, password=cast_.PASSWORD)
    known = sessions.begin(db, person_id=cast.ben.id)
    client = browser(app)
    with app.app_context():
        client.set_cookie(access.cookie_name(), known)
    client.post("/login", data={"email": cast.ben.email, "password": cast_.PASSWORD})
    return own_page(app, known)


def _guesses(app: Flask, attempts: list[tuple[str, str, dict[str, str]]]) -> int:
    """How many get as far as the password."""
    owner(app, "DELETE FROM login_attempts")
    client: FlaskClient = browser(app)
    answers = [
        client.post(
            "/login", data={"email": email, "password": "guess"}, headers=more, environ_overrides={"REMOTE_ADDR": address}
        ).status_code
        for email, address, more in attempts
    ]
    return answers.count(422)


def many_guesses_at_one(app: Flask, _: Cast) -> bool:
    return _guesses(app, [("ada@example.org", f"198.51.100.{n}", {}) for n in range(20)]) == 20


def many_guesses_from_one(app: Flask, _: Cast) -> bool:
    return _guesses(app, [(f"n{n}@example.org", "198.51.100.1", {}) for n in range(60)]) == 60


def many_guesses_from_one_network(app: Flask, _: Cast) -> bool:
    return _guesses(app, [(f"n{n}@example.org", f"2001:db8::{n:x}", {}) for n in range(1, 61)]) == 60


def forged_forwarding(app: Flask, _: Cast) -> bool:
    return _guesses(app, [(f"n{n}@example.org", "198.51.100.1", {"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(60)]) == 60


def link_twice(app: Flask, cast: Cast) -> bool:
    db = app.extensions["claimcheck"].db
    link = passwords.link(db, person_id=cast.eve.id)
    passwords.set_by_link(db, secret=link, password="four words of mine")
    try:
        passwords.set_by_link(db, secret=link, password="four words of yours")
    except people.errors.LinkUsed:
        return False
    return True


def secret_in_the_log(app: Flask, cast: Cast) -> bool:
    import io

    stream = io.StringIO()
    logs.configure(stream)
    token = tokens.make(app.extensions["claimcheck"].db, person_id=cast.ada.id)
    browser(app).get(f"/nothing/{token}")
    return token in stream.getvalue()


def too_big_a_form(app: Flask, cast: Cast) -> bool:
    return browser(app, cast.dov).post("/theme", data={"theme": "dark", "more": "x" * 2 * factory.FORM_BYTES}).status_code == 303


def impossible_number(app: Flask, cast: Cast) -> bool:
    return browser(app, cast.dov).get(f"/people/{2**40}").status_code == 500


def other_library_file(app: Flask, _: Cast) -> bool:
    return browser(app).get("/static/libraries/htmx.org/package.json", buffered=True).status_code == 200


class _Open:
    """Where a WSGI layer was."""

    def __new__(cls, app: Any, *_: Any) -> Any:
        return app


@contextmanager
def _both(statements: tuple[str, str], guard: str) -> Iterator[None]:
    with without(statements[0], guard), without(statements[1], guard):
        yield


def _everything(monkeypatch: pytest.MonkeyPatch) -> None:
    from claimcheck.web import libraries

    monkeypatch.setattr(libraries, "FILES", frozenset({"htmx.org/package.json"}))


def _number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "NARROW", {})


GUARDS: dict[str, tuple[Weaken, Attack]] = {
    "the origin's check": (lambda m: m.setattr(same_origin, "check", nothing), forged_form),
    "the sign-in": (lambda m: m.setattr(access, "check", nothing), stranger_in),
    "the role's check": (lambda m: m.setattr(access.Policy, "roles", property(lambda self: people.ROLES), raising=False), wrong_role),
    "the headers": (lambda m: m.setattr(factory, "Headers", _Open), bare_error),
    "the net below the application": (lambda m: m.setattr(factory, "Headers", _Open), escaped_fault),
    "the host's check": (lambda m: m.setattr(factory, "Hosts", _Open), other_name),
    "own paths": (lambda m: m.setattr(places, "own", lambda target, method="GET": target), led_away),
    "the session's end": (lambda _: without("sessions/end", "SET ended_at = clock_timestamp()", "SET ended_at = NULL"), copied_cookie),
    "the end at sign-out": (lambda _: without("sessions/person_of", "AND s.ended_at IS NULL"), copied_cookie),
    "the new secret at sign-in": (lambda m: m.setattr(sessions, "end", nothing), old_secret_after_sign_in),
    "the idle limit": (
        lambda m: m.setattr(sessions.person_of, "__kwdefaults__", {"background": False, "idle_seconds": 10**6}),
        idle_cookie,
    ),
    "the absolute limit": (lambda _: without("sessions/person_of", "s.expires_at > clock_timestamp()", "true"), old_cookie),
    "the disabled's refusal": (lambda _: without("sessions/person_of", "AND p.disabled_at IS NULL"), disabled_cookie),
    "the disabled's token": (lambda _: without("tokens/person_of", "AND p.disabled_at IS NULL"), disabled_token),
    "the limit by account": (lambda m: m.setattr(passwords, "FAILURES_BY_EMAIL", 10**6), many_guesses_at_one),
    "the limit by address": (lambda m: m.setattr(passwords, "FAILURES_BY_ADDRESS", 10**6), many_guesses_from_one),
    "the network as address": (lambda m: m.setattr(passwords, "network", lambda address: address), many_guesses_from_one_network),
    "the trust in proxies": (lambda m: m.setattr(proxies.Proxies, "_vouched", lambda *_: True), forged_forwarding),
    "the single use": (lambda _: _both(("passwords/use_link", "passwords/person_of_link"), "AND l.used_at IS NULL"), link_twice),
    "the redaction": (lambda m: m.setattr(logs, "_struck", lambda value: value), secret_in_the_log),
    "the size of forms": (lambda m: m.setattr(factory, "_config", _unlimited(factory._config)), too_big_a_form),
    "the numbers of addresses": (_number, impossible_number),
    "the list of libraries": (_everything, other_library_file),
}


def _unlimited(config: Callable[..., dict[str, object]]) -> Callable[..., dict[str, object]]:
    return lambda settings: {**config(settings), "MAX_CONTENT_LENGTH": None, "MAX_FORM_MEMORY_SIZE": None}


@pytest.fixture(scope="module")
def whole(app: Flask, database: Any) -> Flask:
    app.config["OWNER"] = database.owner
    return app


@pytest.fixture
def weak(request: pytest.FixtureRequest, app: Flask, database: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """The same app with the guard taken out."""
    with GUARDS[request.param][0](monkeypatch) or nullcontext():
        made = create_app(app.extensions["claimcheck"].settings)
        made.config["OWNER"] = database.owner
        yield made
    made.extensions["claimcheck"].db.close()


@pytest.mark.parametrize("guard", GUARDS)
def test_it_stops_the_attack(whole: Flask, cast: Cast, guard: str) -> None:
    if guard == "the net below the application":
        whole = create_app(whole.extensions["claimcheck"].settings)
    assert not GUARDS[guard][1](whole, cast)


@pytest.mark.parametrize(("weak", "guard"), [(guard, guard) for guard in GUARDS], indirect=["weak"])
def test_it_stops_the_attack_by_that_guard(weak: Flask, cast: Cast, guard: str) -> None:
    assert GUARDS[guard][1](weak, cast)
