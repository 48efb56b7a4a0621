"""The headers of every answer: each address under each fault, and what is no address at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask, request
from flask.testing import FlaskClient

from app import create_app
from claimcheck import errors
from tests import people
from tests.people import Cast
from tests.web.atlas import Address, client_for, complaints

pytestmark = pytest.mark.usefixtures("cast")


@pytest.fixture
def with_view(app: Flask) -> Iterator[Callable[[Callable[[], Any]], Flask]]:
    """Makes an app like this one whose every view is the given one, under the policies of the first."""
    made = []

    def make(view: Callable[[], Any]) -> Flask:
        made.append(create_app(app.extensions["claimcheck"].settings))
        for endpoint, original in made[0].view_functions.items():
            made[0].view_functions[endpoint] = _replaced(view, original)
        return made[0]

    yield make
    made[0].extensions["claimcheck"].db.close()


def _replaced(view: Callable[[], Any], original: Any) -> Callable[..., Any]:
    def replaced(**_: Any) -> Any:
        return view()

    replaced.policy = original.policy  # type: ignore[attr-defined]
    return replaced


def _crash() -> Any:
    raise RuntimeError("the inside of the machine")


def _too_large() -> Any:
    return request.get_data()


def _unavailable() -> Any:
    raise errors.Unavailable()


FAULTS: dict[str, tuple[Callable[[], Any], int]] = {
    "crash": (_crash, 500),
    "too large": (_too_large, 413),
    "unavailable": (_unavailable, 503),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_it_sends_every_header_with_every_fault_of_every_address(with_view: Any, addresses: list[Address], cast: Cast, fault: str) -> None:
    view, status = FAULTS[fault]
    app = with_view(view)
    clients: dict[frozenset[str], FlaskClient] = {}
    for address in addresses:
        client = clients.setdefault(address.roles if not address.api else frozenset(), client_for(app, address, cast))
        body = {"data": b"x" * (app.config["MAX_CONTENT_LENGTH"] + 1)} if fault == "too large" else {}
        answer = client.open(address.path, method=address.method, **body)
        assert answer.status_code == status, address
        assert complaints(answer, address) == [], address
        assert "inside of the machine" not in answer.text
        assert ("application/problem+json" in answer.content_type) == address.api, address


def test_it_sends_every_header_with_every_ordinary_answer(app: Flask, addresses: list[Address], cast: Cast) -> None:
    for address in addresses:
        answer = client_for(app, address, cast).open(address.path, method=address.method)
        assert complaints(answer, address) == [], (address, answer.status)


def test_it_sends_every_header_with_a_method_that_is_not_allowed(app: Flask, addresses: list[Address], cast: Cast) -> None:
    methods: dict[str, set[str]] = {}
    for address in addresses:
        methods.setdefault(address.path, set()).add(address.method)
    for address in addresses:
        for method in {"PUT", "DELETE", "PATCH", "POST", "GET", "PROPFIND"} - methods[address.path]:
            answer = client_for(app, address, cast).open(address.path, method=method)
            assert answer.status_code == 405 and answer.headers["Allow"], (method, address)
            assert complaints(answer, address) == [], (method, address)


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/v1/nothing",
        "/people/999999999999999999999",
        "/people/x",
        "/\x00",
        "/%ff",
    ],
)
def test_it_sends_every_header_with_nothing(app: Flask, cast: Cast, path: str) -> None:
    for client in (people.browser(app), people.browser(app, cast.dov)):
        answer = client.get(path)
        assert answer.status_code in (302, 404), path
        assert complaints(answer, Address("GET", path, "", frozenset(), path.startswith("/v1/"))) == []


def test_it_sends_every_header_when_the_application_itself_breaks(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.wsgi_app.app, "app", lambda environ, start: _crash())
    answer = people.browser(app).get("/people")
    assert answer.status_code == 500 and "machine" not in answer.text
    assert complaints(answer, Address("GET", "/people", "", frozenset({"lead"}), False)) == []


def test_it_asks_for_https_once_the_desk_is_reached_by_it(app: Flask, cast: Cast) -> None:
    settings = app.extensions["claimcheck"].settings
    secure = create_app(settings.model_copy(update={"base_url": "https://desk.example.org"}))
    client = people.browser(secure, cast.dov)
    assert "Strict-Transport-Security" not in people.browser(app).get("/login").headers
    answer = client.get("/account", base_url="https://desk.example.org")
    assert answer.headers["Strict-Transport-Security"] == "max-age=63072000"
    signed_out = client.post("/logout", base_url="https://desk.example.org")
    cookies = signed_out.headers.getlist("Set-Cookie")
    assert len(cookies) == 2
    assert all(c.startswith("__Host-") and all(flag in c for flag in ("Secure", "HttpOnly", "Path=/", "SameSite=Lax")) for c in cookies)
    secure.extensions["claimcheck"].db.close()
