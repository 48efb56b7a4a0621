"""The page of people: what operators do there without script, what leads may see, and what is shown once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from claimcheck.access import people as accounts
from claimcheck.access import tokens
from claimcheck.db import Database
from tests import people
from tests.people import Cast

FAY = {"name": "Fay", "email": "fay@example.org", "role": "reviewer", "skills": "kyc, lending ,", "customer": ""}
HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}"


@pytest.fixture(scope="module")
def dov(app: Flask, cast: Cast) -> FlaskClient:
    return people.browser(app, cast.dov)


@pytest.fixture(scope="module")
def fay(dov: FlaskClient, db: Database) -> accounts.Person:
    answer = dov.post("/people", data=FAY)
    assert answer.status_code == 303
    person = accounts.by_name(db, name="Fay")
    assert person is not None and answer.location == f"/people/{person.id}"
    return person


def test_it_adds_somebody_with_skills(db: Database, fay: accounts.Person) -> None:
    assert (fay.role, fay.email) == ("reviewer", "fay@example.org")
    assert [s.name for s in accounts.skills(db, person_id=fay.id)] == ["kyc", "lending"]


@pytest.mark.usefixtures("fay")
def test_it_gives_the_form_back_with_what_was_typed(dov: FlaskClient, db: Database) -> None:
    taken = dov.post("/people", data=FAY)
    assert taken.status_code == 409 and "is taken" in taken.text and 'value="fay@example.org"' in taken.text
    wrong = dov.post("/people", data={**FAY, "name": "Gus", "email": "gus"})
    assert wrong.status_code == 422 and "ada@example.org" in wrong.text and 'value="Gus"' in wrong.text
    half = dov.post("/people", data={**FAY, "name": "Gus", "email": "gus@example.org", "skills": "kyc," + "x" * 101})
    assert half.status_code == 422 and accounts.by_name(db, name="Gus") is None


def test_it_adds_a_customer_s_person(dov: FlaskClient, db: Database) -> None:
    assert dov.post("/people", data={**FAY, "name": "Hal", "email": "hal@example.org", "role": "customer"}).status_code == 422
    dov.post("/people", data={**FAY, "name": "Hal", "email": "hal@example.org", "role": "customer", "customer": "Fabrikam", "skills": ""})
    hal = accounts.by_name(db, name="Hal")
    assert hal is not None and hal.customer_id is not None


def test_it_takes_only_what_the_form_asks(dov: FlaskClient, db: Database) -> None:
    more = {"id": "999", "pseudonym": "p-mine", "program": "true", "disabled_at": "2020-01-01", "customer_id": "1", "tier": "3"}
    dov.post("/people", data={**FAY, "name": "Ida", "email": "ida@example.org", **more})
    ida = accounts.by_name(db, name="Ida")
    assert ida is not None
    assert (ida.id < 999, ida.pseudonym != "p-mine", ida.program, ida.disabled_at, ida.customer_id) == (True, True, False, None, None)


def test_it_sets_and_takes_skills(dov: FlaskClient, db: Database, fay: accounts.Person) -> None:
    def have() -> dict[str, int]:
        return {s.name: s.tier for s in accounts.skills(db, person_id=fay.id)}

    address = f"/people/{fay.id}/skills"
    assert dov.post(address, data={"skill": "lending", "tier": "3"}).status_code == 303
    assert have() == {"kyc": 0, "lending": 3}
    for wrong in ("4", "-1", "one", "", "²", "9" * 40):
        assert dov.post(address, data={"skill": "lending", "tier": wrong}).status_code == 422
    assert dov.post(address, data={"skill": "", "tier": "1"}).status_code == 422
    assert dov.post(address, data={"skill": "lending", "tier": "none"}).status_code == 303
    assert dov.post(address, data={"skill": "lending", "tier": "none"}).status_code == 404
    assert have() == {"kyc": 0}


def test_it_shows_a_link_once_and_lets_it_set_a_password_once(app: Flask, dov: FlaskClient, fay: accounts.Person) -> None:
    shown = dov.post(f"/people/{fay.id}/password-link").text
    [path] = re.findall(r"http://127\.0\.0\.1:8000(/password/[\w-]{43})<", shown)
    assert path not in dov.get(f"/people/{fay.id}").text
    stranger = people.browser(app)
    assert stranger.get(path).status_code == stranger.get(path).status_code == 200
    assert stranger.post(path, data={"password": "password1234"}).status_code == 422
    assert stranger.post(path, data={"password": "four words of mine", "role": "operator"}).location == "/login"
    assert stranger.post(path, data={"password": "four words of yours"}).status_code == stranger.get(path).status_code == 410
    assert stranger.post("/login", data={"email": "fay@example.org", "password": "four words of mine"}).status_code == 303
    assert stranger.get("/people").status_code == 403


def test_it_shows_a_token_once_and_revokes_it(dov: FlaskClient, db: Database, fay: accounts.Person) -> None:
    [token] = re.findall(r">(cc_[\w-]{43})<", dov.post(f"/people/{fay.id}/tokens").text)
    assert tokens.person_of(db, token) == fay
    page = dov.get(f"/people/{fay.id}").text
    assert token not in page
    [revoke] = re.findall(r'action="(/people/\d+/tokens/\d+/revocation)"', page)
    assert dov.post(revoke).status_code == 303
    assert tokens.person_of(db, token) is None


def test_it_disables_and_opens_an_account(app: Flask, dov: FlaskClient, fay: accounts.Person) -> None:
    hers = people.browser(app, fay)
    assert hers.get("/account").status_code == 200
    assert "shuts at once" in dov.get(f"/people/{fay.id}").text
    dov.post(f"/people/{fay.id}/disablement")
    after = dov.get(f"/people/{fay.id}").text
    assert "sessions and 0 tokens ended" in after and "Open the account again" in after and "Make a token" not in after
    assert hers.get("/account").status_code == 302
    dov.post(f"/people/{fay.id}/disablement/end")
    assert "Make a token" in dov.get(f"/people/{fay.id}").text and hers.get("/account").status_code == 302


def test_it_does_not_let_an_operator_shut_their_own_door(dov: FlaskClient, cast: Cast) -> None:
    answer = dov.post(f"/people/{cast.dov.id}/disablement")
    assert answer.status_code == 422 and "own account" in answer.text
    assert "Disable" not in dov.get(f"/people/{cast.dov.id}").text


def test_it_signs_somebody_out_everywhere(app: Flask, dov: FlaskClient, cast: Cast) -> None:
    bens = people.browser(app, cast.ben)
    assert bens.get("/account").status_code == 200
    assert dov.post(f"/people/{cast.ben.id}/sessions/end").status_code == 303
    assert bens.get("/account").status_code == 302


def test_it_lets_a_lead_look_and_do_nothing(app: Flask, cast: Cast, addresses: Any) -> None:
    chi = people.browser(app, cast.chi)
    for page in ("/people", f"/people/{cast.ada.id}"):
        text = chi.get(page).text
        actions = set(re.findall(r'<form method="post" action="([^"]+)"', text))
        assert "Ada" in text and actions == {"/theme", "/logout"}, page
    posts = [a.path for a in addresses if a.method == "POST" and a.path.startswith("/people")]
    assert len(posts) == 8 and {chi.post(path).status_code for path in posts} == {403}


def test_it_finds_people_by_name_address_and_role(dov: FlaskClient) -> None:
    def names(query: str) -> set[str]:
        return set(re.findall(r'<a href="/people/\d+"><bdi>([^<]+)', dov.get(f"/people?{query}").text))

    assert names("role=lead") == {"Chi"}
    assert names("q=ADA@") == {"Ada"}
    assert names("q=%25") == names("q=_") == names("q=%00ada%00zz") == set()
    assert names("after=Dov&role=operator") == set()
    assert {"Ada", "Ben", "Chi", "Dov", "Eve"} <= names("role=nonsense") and "system" not in names("")


def test_it_turns_pages_by_name(dov: FlaskClient, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    from claimcheck.web import people as page

    monkeypatch.setattr(page, "PAGE", 2)
    seen, address = [], "/people"
    while address:
        text = dov.get(address).text
        seen += re.findall(r'<a href="/people/\d+"><bdi>([^<]+)', text)
        onward = re.search(r'href="([^"]+)" rel="next"', text)
        address = onward[1].replace("&amp;", "&") if onward else ""
    assert seen == [p.name for p in accounts.page(db)] and len(seen) == len(set(seen)) > 5


def test_it_shows_names_as_text_whatever_they_hold(app: Flask, dov: FlaskClient, db: Database) -> None:
    person = accounts.add(db, name=HOSTILE, email="hostile@example.org", role="customer", customer=HOSTILE)
    accounts.give_skill(db, person_id=person.id, skill=HOSTILE)
    pages = [
        dov.get("/people"),
        dov.get(f"/people/{person.id}"),
        dov.post(f"/people/{person.id}/password-link"),
        dov.get("/people?q=" + HOSTILE),
    ]
    pages += [
        people.browser(app, person).get("/account"),
        dov.get("/go", query_string={"to": HOSTILE}),
        dov.post("/people", data={"name": HOSTILE}),
    ]
    for answer in pages:
        assert "<img src=x" not in answer.text and "{49}" not in answer.text, answer.request.path


def test_it_works_for_htmx_by_its_own_redirect(dov: FlaskClient, fay: accounts.Person) -> None:
    answer = dov.post(f"/people/{fay.id}/skills", data={"skill": "kyc", "tier": "1"}, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (204, f"/people/{fay.id}")
