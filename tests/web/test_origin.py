"""From where, and under which name, a request is taken; and how a refusal is told."""

from __future__ import annotations

import json

import pytest
from flask import Flask

from tests import people
from tests.people import Cast
from tests.web.atlas import Address, client_for, complaints

pytestmark = pytest.mark.usefixtures("cast")
FOREIGN = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "another name of ours": {"Sec-Fetch-Site": "same-site"},
    "an old browser, elsewhere": {"Origin": "https://evil.example"},
    "an opaque origin": {"Origin": "null"},
    "another port": {"Origin": "http://localhost:1"},
    "nothing that tells": {},
    "a forged origin beside the truth": {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    "only a referer": {"Referer": "http://localhost/people"},
}
OURS = {
    "a page of ours": {"Sec-Fetch-Site": "same-origin"},
    "typed by hand": {"Sec-Fetch-Site": "none"},
    "an old browser": {"Origin": "http://localhost"},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_it_takes_no_form_from_elsewhere(app: Flask, addresses: list[Address], cast: Cast, name: str) -> None:
    for address in (a for a in addresses if a.method != "GET" and not a.api):
        client = client_for(app, address, cast)
        del client.environ_base["HTTP_SEC_FETCH_SITE"]
        for htmx in ({}, {"HX-Request": "true"}):
            answer = client.open(address.path, method=address.method, headers={**FOREIGN[name], **htmx})
            assert answer.status_code == 403 and "another site" in answer.text, address


@pytest.mark.parametrize("name", OURS)
def test_it_takes_forms_from_itself(app: Flask, cast: Cast, name: str) -> None:
    client = people.browser(app, cast.dov)
    del client.environ_base["HTTP_SEC_FETCH_SITE"]
    assert client.post("/theme", data={"theme": "dark"}, headers=OURS[name]).status_code == 303


def test_it_changes_nothing_by_a_get(app: Flask, addresses: list[Address], cast: Cast) -> None:
    posts = {a.path for a in addresses if a.method == "POST" and not a.api} - {a.path for a in addresses if a.method == "GET"}
    assert len(posts) > 5
    for path in posts:
        for method in ("GET", "HEAD"):
            assert people.browser(app, cast.dov).open(path, method=method).status_code == 405, path


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost:80@evil.example",
        "evil.example#localhost",
        "",
        "[::1",
        "lo\tcalhost",
    ],
)
def test_it_answers_to_its_own_names_only(app: Flask, host: str) -> None:
    for path in ("/login", "/v1/openapi.json", "/nothing"):
        answer = people.browser(app).get(path, headers={"Host": host, "X-Forwarded-Host": "localhost"})
        assert answer.status_code == 400, path
        assert complaints(answer, Address("GET", path, "", frozenset(), False)) == []
        assert host == "" or host not in answer.text
    assert people.browser(app).get("/healthz", headers={"Host": host}).status_code == 200


def test_it_makes_links_from_its_own_name_and_never_the_caller_s(app: Flask, cast: Cast) -> None:
    answer = people.browser(app, cast.dov).post(f"/people/{cast.ada.id}/password-link", headers={"X-Forwarded-Host": "evil.example"})
    assert "evil.example" not in answer.text and "http://localhost/" not in answer.text
    assert app.extensions["claimcheck"].settings.base_url + "/password/" in answer.text


def test_it_answers_problems_to_programs(app: Flask) -> None:
    answer = people.browser(app).get("/v1/nothing")
    assert answer.content_type == "application/problem+json"
    assert set(json.loads(answer.data)) >= {"type", "title", "status", "code", "detail", "errors", "trace_id"}
    assert answer.json["trace_id"] == answer.headers["X-Trace-Id"]


def test_it_puts_an_error_into_the_flash_for_htmx(app: Flask, cast: Cast) -> None:
    answer = people.browser(app, cast.ada).get("/people", headers={"HX-Request": "true", "HX-Request-Type": "partial"})
    assert (answer.status_code, answer.headers["HX-Retarget"], answer.headers["HX-Reswap"]) == (403, "#flash", "innerHTML")
    assert "<html" not in answer.text and "Your role may not do this" in answer.text
