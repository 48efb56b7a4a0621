"""Who may open what: every address of the app has a policy, and keeps to it."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from claimcheck.access import tokens
from claimcheck.access.people import ROLES
from tests import people
from tests.people import Cast
from tests.web import atlas
from tests.web.atlas import Address

pytestmark = pytest.mark.usefixtures("cast")


@pytest.fixture(scope="module")
def clients(app: Flask, cast: Cast) -> dict[str, FlaskClient]:
    """A signed-in browser for each role."""
    return {person.role: people.browser(app, person) for person in vars(cast).values()}


def test_it_declares_a_policy_for_every_address(addresses: list[Address]) -> None:
    assert len(addresses) > 20
    assert [a for a in addresses if a.roles is None] == []
    assert {role for a in addresses for role in a.roles} <= set(ROLES)


def test_it_opens_few_addresses_to_everybody(addresses: list[Address]) -> None:
    """A new public address is to be thought about, and then written here."""
    public = {a.endpoint for a in addresses if not a.roles}
    assert public <= {
        "static", "libraries.file", "pages.healthz", "pages.readyz", "login.page", "login.sign_in", "login.sign_out", "login.link",
        "login.set_by_link", "payload.pdf_frame", "payload.asset", "payload.resource", "docs.show", "metrics.show",
        "api.openapi_document", "api.signing_keys_public",
    }  # fmt: skip


def test_it_shuts_an_address_that_forgot_its_policy(app: Flask, cast: Cast) -> None:
    fresh = create_app(app.extensions["claimcheck"].settings)
    fresh.add_url_rule("/forgotten", "forgotten", lambda: "secret")
    for person in (None, cast.dov):
        answer = people.browser(fresh, person).get("/forgotten")
        assert answer.status_code == 403 and "secret" not in answer.text
    fresh.extensions["claimcheck"].db.close()


def test_it_asks_strangers_to_sign_in_everywhere(app: Flask, addresses: list[Address]) -> None:
    for address in (a for a in addresses if a.roles):
        answer = people.browser(app).open(address.path, method=address.method)
        if address.api:
            assert (answer.status_code, answer.json["code"]) == (401, "UNAUTHENTICATED"), address
        elif address.method == "GET":
            assert (answer.status_code, answer.location.split("?")[0]) == (302, "/login"), address
        else:
            assert answer.status_code == 401 and 'name="password"' in answer.text, address


def test_it_refuses_every_other_role_everywhere(addresses: list[Address], clients: dict[str, FlaskClient]) -> None:
    for address in (a for a in addresses if a.roles and not a.api):
        for role in set(ROLES) - address.roles:
            assert clients[role].open(address.path, method=address.method).status_code == 403, (role, address)


def test_it_takes_no_cookie_for_a_token(addresses: list[Address], clients: dict[str, FlaskClient]) -> None:
    for address in (a for a in addresses if a.roles and a.api):
        for role in address.roles:
            sent = clients[role].open(address.path, method=address.method, data={"lease_token": "x"})
            assert sent.status_code == 401, (role, address)


def test_it_takes_no_token_for_a_cookie(app: Flask, addresses: list[Address], cast: Cast) -> None:
    token = tokens.make(app.extensions["claimcheck"].db, person_id=cast.dov.id)
    client = people.browser(app)
    for address in (a for a in addresses if a.roles and not a.api):
        headers = {"Authorization": f"Bearer {token}"}
        assert client.open(address.path, method=address.method, headers=headers).status_code in (302, 401), address


@pytest.mark.parametrize("number", [2**15, 2**31, 2**63, 10**40])
def test_it_finds_nothing_under_a_number_that_no_id_can_be(app: Flask, addresses: list[Address], cast: Cast, number: int) -> None:
    for address in (a for a in addresses if "/1" in a.path and not a.api):
        path = address.path.replace("/1", f"/{number}")
        status = atlas.client_for(app, address, cast).open(path, method=address.method).status_code
        assert 400 <= status < 500, (path, status)
