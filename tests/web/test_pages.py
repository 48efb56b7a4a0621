"""The shell around every page: navigation, go-to, theme, static files, health, log lines."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app import create_app
from claimcheck import logs
from claimcheck.config import ROOT
from claimcheck.web import libraries, look, pages, places
from tests import people
from tests.people import Cast

pytestmark = pytest.mark.usefixtures("cast")
NASTY = 'a\r\nb {"event": "forged"} \x1b[31m "quotes" \\ \u2028\u2029 \x00 end'


@pytest.fixture
def lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Every line that is logged meanwhile, read as JSON."""
    stream, root = io.StringIO(), logging.getLogger()
    handlers = root.handlers
    logs.configure(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().split("\n") if line]
    root.handlers = handlers


def test_it_shows_each_role_its_own_pages(app: Flask, cast: Cast) -> None:
    for name in people.ROLES:
        client = people.browser(app, getattr(cast, name))
        nav = re.search(r"<nav.*?</nav>", client.get("/account").text, re.DOTALL)
        assert nav is not None
        for path in re.findall(r'href="([^"]+)"', nav[0]):
            assert client.get(path).status_code == 200, (name, path)


def test_it_gives_every_page_of_the_navigation_a_key_of_its_own() -> None:
    keys = [place.key for place in places.PLACES if place.key]  # "": it is not in the bar
    assert len(keys) == len(set(keys)) and all(len(key) == 1 for key in keys)


GOES = {
    "17": "/items/17",
    " item #17 ": "/items/17",
    "esc": "/escalations",
    "People": "/people",
    "/people?role=lead": "/people?role=lead",
    "http://127.0.0.1:8000/work": "/work",
    "http://localhost/work": "/work",
}


@pytest.mark.parametrize(("typed", "target"), GOES.items())
def test_it_goes_to_what_is_typed_or_pasted(app: Flask, cast: Cast, typed: str, target: str) -> None:
    assert people.browser(app, cast.chi).get("/go", query_string={"to": typed}).location == target


@pytest.mark.parametrize(
    "typed",
    ["https://evil.example/people", "//evil.example", "nothing", "9" * 30, "http://127.0.0.1:8000@evil.example/", "/\\evil.example"],
)
def test_it_goes_nowhere_else(app: Flask, cast: Cast, typed: str) -> None:
    answer = people.browser(app, cast.chi).get("/go", query_string={"to": typed})
    assert (answer.status_code, answer.location) == (404, None)


def test_it_keeps_the_theme_in_a_cookie_and_shows_it_at_once(app: Flask, cast: Cast) -> None:
    client = people.browser(app, cast.ada)
    assert 'data-theme="' not in client.get("/account").text
    answer = client.post("/theme", data={"theme": "dark", "next": "/account"})
    assert answer.location == "/account" and "HttpOnly" in answer.headers["Set-Cookie"]
    assert '<html lang="en" data-theme="dark">' in client.get("/account").text
    assert client.post("/theme", data={"theme": '"><script>'}).status_code == 422
    client.set_cookie("theme", '"><script>')
    assert 'data-theme="' not in client.get("/account").text
    assert client.post("/theme", data={"theme": "auto", "next": "//evil.example"}).location == "/"


def test_it_serves_static_files_for_ever_under_a_name_that_changes_with_them(app: Flask) -> None:
    client = people.browser(app)
    page = client.get("/login").text
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(addresses) >= 4
    for address in addresses:
        answer = client.get(address.replace("&amp;", "&"), buffered=True)
        assert answer.status_code == 200 and "immutable" in answer.headers["Cache-Control"], address
        assert "immutable" not in client.get(address.split("?")[0] + "?v=other", buffered=True).headers["Cache-Control"]


def test_it_serves_the_listed_libraries_and_nothing_else_of_node_modules(app: Flask) -> None:
    client = people.browser(app)
    for path in libraries.FILES:
        assert client.get(f"/static/libraries/{path}", buffered=True).status_code == 200, path
    for path in ("htmx.org/package.json", "../package.json", "htmx.org/dist/../package.json", "%2e%2e/app.py", ".package-lock.json"):
        assert client.get(f"/static/libraries/{path}").status_code == 404, path


def test_it_has_no_inline_script_style_or_handler_in_any_template() -> None:
    for template in (look.STATIC.parent / "templates").rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|hx-on|javascript:|js:", text), template
        assert not re.search(r"<script(?![^>]*\ssrc=)", text), template
        assert not re.search(r'hx-trigger="[^"]*\[', text), f"{template}: a trigger filter needs eval"
        assert "|safe" not in text.replace(" ", ""), template


def test_it_says_that_it_is_alive_and_whether_it_is_ready(app: Flask) -> None:
    client = people.browser(app)
    assert client.get("/healthz").json == {"status": "ok"}
    pages.lately.clear()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "ready")
    assert answer.json["checks"] == dict.fromkeys(("database", "migrations", "store", "doorbell"), "ok")


@pytest.mark.parametrize(
    ("gone", "setting", "status"),
    [("store", {"s3_endpoint": "http://127.0.0.1:1"}, 503), ("doorbell", {"redis_url": "redis://127.0.0.1:1"}, 200)],
)
def test_it_says_what_is_missing_and_counts_the_doorbell_out(app: Flask, gone: str, setting: dict[str, str], status: int) -> None:
    without = create_app(app.extensions["claimcheck"].settings.model_copy(update=setting))
    answer = people.browser(without).get("/readyz")
    assert (answer.status_code, [name for name, state in answer.json["checks"].items() if state == "failing"]) == (status, [gone])
    assert "127.0.0.1" not in answer.text
    without.extensions["claimcheck"].db.close()


def test_it_is_shut_and_says_so_while_the_database_is_away(app: Flask) -> None:
    away = create_app(app.extensions["claimcheck"].settings.model_copy(update={"database_url_web": "postgresql://x:y@127.0.0.1:1/x"}))
    client = people.browser(away)
    with away.app_context():
        client.set_cookie("claimcheck-8000", "x" * 43)
    for path in ("/people", "/account", "/go"):
        assert client.get(path).status_code == 503, path
    assert client.post("/login", data={"email": "ada@example.org", "password": people.PASSWORD}).status_code == 503
    assert client.get("/nothing").status_code == 404
    assert client.get("/readyz").json["checks"]["database"] == "failing"
    assert client.get("/healthz").status_code == 200
    away.extensions["claimcheck"].db.close()


# ---- log lines ----


def test_it_writes_one_line_a_request_whatever_the_request_holds(app: Flask, cast: Cast, lines: Any) -> None:
    client = people.browser(app, cast.dov)
    client.environ_base["HTTP_USER_AGENT"] = NASTY.replace("\r\n", " ")
    client.get("/people", query_string={"q": NASTY})
    client.get("/go/" + NASTY.replace("\x00", ""))
    client.post("/login", data={"email": NASTY, "password": NASTY})
    client.get("/static/desk.css", buffered=True)
    client.get("/healthz")
    written = lines()
    requests = [line for line in written if line["event"] == "request"]
    assert [(r["method"], r["status"]) for r in requests] == [("GET", 200), ("GET", 404), ("POST", 422)]
    assert all({"at", "trace_id", "path", "route", "ms", "person", "address", "agent"} <= set(r) for r in requests)
    assert requests[0]["person"] == cast.dov.id and not any(line["event"] == "forged" for line in written)


def test_it_writes_no_secret_down(app: Flask, cast: Cast, lines: Any) -> None:
    dov, stranger = people.browser(app, cast.dov), people.browser(app)
    [path] = re.findall(r"(/password/[\w-]{43})<", dov.post(f"/people/{cast.ben.id}/password-link").text)
    [token] = re.findall(r">(cc_[\w-]{43})<", dov.post(f"/people/{cast.ben.id}/tokens").text)
    stranger.get(path), stranger.post(path, data={"password": "canary words of mine"})
    stranger.get("/people", headers={"Authorization": f"Bearer {token}"})
    stranger.get(f"/people/{token}"), stranger.get("/nothing", query_string={"token": token})
    stranger.post("/login", data={"email": "ben@example.org", "password": "canary words of mine"})
    logs.get("test").error("a secret", password="canary", note=f"in text {token}", nested={"Cookie": "canary", "url": "postgresql://a:canary@host/x"})
    whole = json.dumps(lines())
    assert token not in whole and path not in whole and "canary" not in whole
    assert whole.count(logs.STRUCK) >= 5


def test_it_leaves_hashes_and_trace_ids_readable(lines: Any) -> None:
    logs.get("test").info("seen", evidence="9f" * 32, trace_id="ab" * 16, lease="0b0e5d4e-6c56-4b3b-9c41-0b2d0ad1d5a3")
    assert lines()[0]["evidence"] == "9f" * 32


def test_it_carries_a_trace_id_through_and_makes_one_where_there_is_none(app: Flask, lines: Any) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    given = people.browser(app).get("/login", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    made = [
        people.browser(app).get("/login", headers={"traceparent": bad}).headers["X-Trace-Id"]
        for bad in ("", "00-xyz", f"00-{'0' * 32}-00f067aa0ba902b7-01")
    ]
    assert given.headers["X-Trace-Id"] == trace
    assert all(re.fullmatch("[0-9a-f]{32}", m) for m in made) and len({*made, "0" * 32}) == 4
    assert [line["trace_id"] for line in lines()] == [trace, *made]


def test_it_writes_a_crash_down_with_its_place_and_shows_its_number_only(app: Flask, cast: Cast, lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash() -> Any:
        raise RuntimeError("inside")

    crash.policy = app.view_functions["people.index"].policy  # type: ignore[attr-defined]
    monkeypatch.setitem(app.view_functions, "people.index", crash)
    answer = people.browser(app, cast.dov).get("/people")
    crashed, request = lines()
    assert answer.status_code == request["status"] == 500 and crashed["event"] == "request.crashed"
    assert "RuntimeError: inside" in crashed["exception"] and "inside" not in answer.text
    assert crashed["trace_id"] == answer.headers["X-Trace-Id"] and crashed["trace_id"] in answer.text


def test_it_ships_a_favicon_of_its_own() -> None:
    assert "<svg" in Path(look.STATIC / "mark.svg").read_text(encoding="utf-8")


def test_each_address_that_a_template_names_is_there(app: Flask) -> None:
    named = {
        found
        for path in (ROOT / "templates").rglob("*.html")
        for found in re.findall(r'(?:href|action|src|hx-get|hx-post)="(/[^"{?#]*)', path.read_text())
    }
    there = app.url_map.bind("")
    assert "/projects" in named
    assert not {address for address in named if not address.endswith("/") and not (there.test(address, "GET") or there.test(address, "POST"))}
