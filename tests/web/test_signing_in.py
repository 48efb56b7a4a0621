"""Signing in and out: what a session is, when it ends, and where it may send somebody."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from claimcheck.access import passwords, sessions
from claimcheck.access.people import disable, enable
from claimcheck.db import Database
from claimcheck.web import access
from tests import people
from tests.people import Cast

pytestmark = pytest.mark.usefixtures("cast")
ELSEWHERE = [
    "//evil.example", "/\\evil.example", "/\t/evil.example", "/\r\nSet-Cookie: a=b", "https:evil.example",
    "https://evil.example/", "javascript:alert(1)", "///evil.example", "/%2fevil.example", "/%5cevil.example", "/%09/evil.example",
    "\\/evil.example", "evil.example", "http:///evil.example", "/people\x00", "/@evil.example", "/people//../../evil.example\u2028", "",
]  # fmt: skip


@pytest.fixture(scope="module")
def cast(db: Database) -> Cast:
    return people.cast(db, passwords_too=True)


def sign_in(client: FlaskClient, name: str = "ada", **fields: str) -> TestResponse:
    return client.post("/login", data={"email": f"{name}@example.org", "password": people.PASSWORD, **fields})


def secret(app: Flask, client: FlaskClient) -> str | None:
    with app.app_context():
        cookie = client.get_cookie(access.cookie_name())
    return cookie.value if cookie else None


def use(app: Flask, value: str) -> FlaskClient:
    client = people.browser(app)
    with app.app_context():
        client.set_cookie(access.cookie_name(), value)
    return client


def test_it_signs_in_with_the_right_password_only(app: Flask) -> None:
    client = people.browser(app)
    wrong = sign_in(client, password="correct horse")
    assert (wrong.status_code, secret(app, client)) == (422, None)
    assert "not right" in wrong.text
    right = sign_in(client, email="  Ada@Example.ORG ")
    assert (right.status_code, right.location) == (303, "/")
    assert "Ada" in client.get("/account").text


def test_it_says_the_same_to_a_wrong_password_and_to_nobodys_address(app: Flask) -> None:
    answers = [
        sign_in(people.browser(app), "ben", password="no"),
        sign_in(people.browser(app), "nobody"),
        sign_in(people.browser(app), email="no address"),
    ]
    told = {
        answer.text.replace(n, "")
        for answer in answers
        for n in ["ben@example.org", "nobody@example.org", "no address"]
        if n in answer.text
    }
    assert {answer.status_code for answer in answers} == {422}
    assert len(told) == 1


def test_it_hashes_for_nobody_as_it_does_for_somebody(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    verify = passwords._matches
    monkeypatch.setattr(passwords, "_matches", lambda stored, password: (seen.append(stored), verify(stored, password))[1])
    sign_in(people.browser(app), "ben", password="no"), sign_in(people.browser(app), "nobody", password="no")
    parameters = [stored.rsplit("$", 2)[0] for stored in seen]
    assert len(parameters) == 2 and len(set(parameters)) == 1


def test_it_keeps_the_hash_of_a_random_secret_and_flags_its_cookie(app: Flask, database: Any) -> None:
    answer = sign_in(people.browser(app))
    [cookie] = [c for c in answer.headers.getlist("Set-Cookie") if "claimcheck" in c]
    value = cookie.split("=", 1)[1].split(";")[0]
    assert all(flag in cookie for flag in ("HttpOnly", "SameSite=Lax", "Path=/")) and "Domain" not in cookie and "Max-Age" not in cookie
    assert len(value) >= 43
    with psycopg.connect(database.owner) as connection:
        [(stored,)] = connection.execute("SELECT hash FROM sessions ORDER BY created_at DESC LIMIT 1").fetchall()
    assert bytes(stored) == hashlib.sha256(value.encode()).digest()


def test_it_gives_a_new_secret_at_each_sign_in_and_ends_the_one_brought_along(app: Flask) -> None:
    client = use(app, "planted-by-somebody-else-" + "x" * 20)
    sign_in(client)
    first = secret(app, client)
    assert first and not first.startswith("planted")
    assert use(app, "planted-by-somebody-else-" + "x" * 20).get("/account").status_code == 302
    sign_in(client)
    assert secret(app, client) not in (first, None)
    assert use(app, first).get("/account").status_code == 302


def test_it_refuses_a_copied_cookie_after_the_sign_out(app: Flask) -> None:
    client = people.browser(app)
    sign_in(client)
    copied = secret(app, client) or ""
    assert use(app, copied).get("/account").status_code == 200
    assert client.post("/logout").location == "/login"
    assert secret(app, client) is None
    assert use(app, copied).get("/account").status_code == 302


def test_it_refuses_a_disabled_person_at_the_next_request(app: Flask, db: Database, cast: Cast) -> None:
    client = people.browser(app)
    sign_in(client, "ben")
    disable(db, person_id=cast.ben.id, by=cast.dov.id)
    assert client.get("/account").location == "/login?next=/account".replace("/account", "%2Faccount")
    assert sign_in(people.browser(app), "ben").status_code == 422
    enable(db, person_id=cast.ben.id, by=cast.dov.id)
    assert client.get("/account").status_code == 302
    assert sign_in(people.browser(app), "ben").status_code == 303


AGED = {
    "idle for two hours": "UPDATE sessions SET last_seen_at = clock_timestamp() - interval '2 hours 1 second' WHERE hash = %s",
    "twelve hours old": "UPDATE sessions SET expires_at = clock_timestamp() WHERE hash = %s",
}


@pytest.mark.parametrize("age", AGED)
def test_it_ends_a_session_that_is_too_old(app: Flask, db: Database, cast: Cast, database: Any, age: str) -> None:
    kept = sessions.begin(db, person_id=cast.ada.id)
    assert use(app, kept).get("/account").status_code == 200
    with psycopg.connect(database.owner) as connection:
        connection.execute(AGED[age], (sessions.digest(kept),))
    assert use(app, kept).get("/account").status_code == 302
    assert (sessions.IDLE_SECONDS, sessions.LONGEST_SECONDS) == (7200, 43200)


def test_it_does_not_take_a_poll_for_a_sign_of_life(db: Database, cast: Cast, database: Any) -> None:
    kept = sessions.begin(db, person_id=cast.ada.id)
    long_ago = "UPDATE sessions SET last_seen_at = clock_timestamp() - interval '1 hour' WHERE hash = %s"
    ago = "SELECT clock_timestamp() - last_seen_at > interval '59 minutes' FROM sessions WHERE hash = %s"
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute(long_ago, (sessions.digest(kept),))
        sessions.person_of(db, kept, background=True)
        assert connection.execute(ago, (sessions.digest(kept),)).fetchone() == (True,)
        sessions.person_of(db, kept)
        assert connection.execute(ago, (sessions.digest(kept),)).fetchone() == (False,)


@pytest.mark.parametrize("target", ELSEWHERE)
def test_it_sends_nobody_elsewhere(app: Flask, cast: Cast, target: str) -> None:
    answer = sign_in(people.browser(app), next=target)
    assert answer.status_code == 303
    assert answer.location in ("/", "/people"), answer.location
    client = people.browser(app, cast.ada)
    again = client.get("/login", query_string={"next": target})
    assert urlsplit(again.location).netloc == "" and again.location.startswith("/") and not again.location.startswith(("//", "/\\"))
    assert "Set-Cookie: a=b" not in str(answer.headers)


def test_it_goes_on_to_an_own_page_after_the_sign_in(app: Flask) -> None:
    asked = people.browser(app).get("/people?role=lead")
    assert asked.location == "/login?next=%2Fpeople%3Frole%3Dlead"
    assert 'value="/people?role=lead"' in people.browser(app).get(asked.location).text
    assert sign_in(people.browser(app), "dov", next="/people?role=lead").location == "/people?role=lead"


def test_it_sends_htmx_to_the_sign_in_by_its_own_header(app: Flask) -> None:
    answer = people.browser(app).get("/people", headers={"HX-Request": "true", "HX-Current-URL": "http://localhost/people?q=a"})
    assert (answer.status_code, answer.headers["HX-Redirect"], answer.location) == (401, "/login?next=%2Fpeople", None)


def test_it_offers_a_form_again_that_came_after_the_session_ended(app: Flask) -> None:
    client = people.browser(app)
    typed = {"name": "Fay <b>", "email": "fay@example.org", "role": "reviewer", "password": "never kept"}
    asked = client.post("/people", data=typed)
    assert asked.status_code == 401
    assert 'name="kept.name" value="Fay &lt;b&gt;"' in asked.text and "never kept" not in asked.text
    offered = sign_in(client, "dov", **{"kept.": "/people", "kept.name": "Fay <b>", "kept.role": "reviewer"})
    assert offered.status_code == 200
    assert 'action="/people"' in offered.text and "Fay &lt;b&gt;" in offered.text and "<b>" not in offered.text.replace("<b>20", "")
    assert client.get("/account").status_code == 200


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/nothing", "/readyz", "javascript:alert(1)"])
def test_it_offers_a_form_for_an_own_address_only(app: Flask, target: str) -> None:
    answer = sign_in(people.browser(app), "dov", **{"kept.": target, "kept.name": "Fay"})
    assert (answer.status_code, answer.location) == (303, "/")


def test_it_takes_no_other_way_in(app: Flask, db: Database, cast: Cast) -> None:
    from claimcheck.access import tokens

    token = tokens.make(db, person_id=cast.dov.id)
    ways = [
        {"headers": {"Authorization": f"Bearer {token}"}},
        {"headers": {"Authorization": "Basic ZG92QGV4YW1wbGUub3JnOmNvcnJlY3QgaG9yc2UgYmF0dGVyeQ=="}},
        {"headers": {"X-Forwarded-User": "dov@example.org", "Remote-User": "dov@example.org"}},
        {"query_string": {"token": token, "session": token}},
    ]
    assert [people.browser(app).get("/account", **way).status_code for way in ways] == [302] * 4
    forger = people.browser(app)
    with app.test_request_context():
        signed = app.session_interface.get_signing_serializer(app).dumps({"_user_id": str(cast.dov.id), "_fresh": True})
    forger.set_cookie(app.config["SESSION_COOKIE_NAME"], signed)
    forger.set_cookie("remember_token", f"{cast.dov.id}|{'0' * 128}")
    assert forger.get("/account").status_code == 302


def test_it_changes_a_password_and_ends_every_other_session(app: Flask) -> None:
    here, there = people.browser(app), people.browser(app)
    sign_in(here, "eve"), sign_in(there, "eve")
    before = secret(app, here)
    new = "quite another set of words"
    assert here.post("/account/password", data={"current": "wrong", "password": new}).status_code == 422
    assert here.post("/account/password", data={"current": people.PASSWORD, "password": "short"}).status_code == 422
    assert there.get("/account").status_code == 200
    assert here.post("/account/password", data={"current": people.PASSWORD, "password": new}).status_code == 303
    assert here.get("/account").status_code == 200 and secret(app, here) != before
    assert there.get("/account").status_code == 302 and use(app, before or "").get("/account").status_code == 302
    assert sign_in(people.browser(app), "eve").status_code == 422
    assert sign_in(people.browser(app), "eve", password=new).status_code == 303


def test_it_ends_the_other_sessions_on_request(app: Flask, cast: Cast) -> None:
    here, there = people.browser(app, cast.chi), people.browser(app, cast.chi)
    assert here.post("/account/other-sessions/end").status_code == 303
    assert (here.get("/account").status_code, there.get("/account").status_code) == (200, 302)


def test_it_writes_down_each_sign_in_and_each_refusal(app: Flask, cast: Cast, database: Any) -> None:
    count = "SELECT kind, count(*) FROM events WHERE person_id = %s AND kind LIKE 'session.%%' GROUP BY kind"
    with psycopg.connect(database.owner, autocommit=True) as connection:
        before = dict(connection.execute(count, (cast.dov.id,)).fetchall())
        client = people.browser(app)
        sign_in(client, "dov", password="no"), sign_in(client, "dov"), client.post("/logout")
        after = dict(connection.execute(count, (cast.dov.id,)).fetchall())
    assert {kind: after[kind] - before.get(kind, 0) for kind in after} == {"session.refused": 1, "session.began": 1, "session.ended": 1}
