"""The projects' pages: who sees which, what a lead may do, and that a refused change keeps what was typed."""

from __future__ import annotations

import pytest

from claimcheck import projects, rules, versions
from claimcheck.review import tasks
from tests import people

RULES = {"name": "KYC", "skill": "kyc", "reason_codes": ["ok", "bad"], "question": "Is it right?"}
FILE = "name: KYC\nskill: kyc\nquestion:\n  text: Is it right?\nreason_codes: [ok, bad, odd]\n"


@pytest.fixture(scope="module")
def project_id(db, app, cast):
    return projects.create(db, by=cast.eve, rules=rules.parse(RULES), settings=app.extensions["claimcheck"].settings).id


def test_it_lists_projects_with_their_counts(app, cast, project_id):
    page = people.browser(app, cast.chi).get("/projects").get_data(as_text=True)
    assert f'href="/projects/{project_id}"' in page and "KYC" in page and "Northwind" in page


@pytest.mark.parametrize("name", ["chi", "dov", "eve"])
def test_it_shows_the_rules_in_force_to_those_who_may(app, cast, project_id, name):
    answer = people.browser(app, getattr(cast, name)).get(f"/projects/{project_id}")
    assert answer.status_code == 200 and "Is it right?" in answer.get_data(as_text=True)


def test_it_refuses_reviewers_and_hides_other_customers_projects(app, cast, db, project_id):
    assert people.browser(app, cast.ada).get("/projects").status_code == 403
    other = people.people.add(db, name="Southwind", email="south@example.org", role="customer", customer="Southwind")
    assert people.browser(app, other).get(f"/projects/{project_id}").status_code == 404
    assert people.browser(app, other).post(f"/projects/{project_id}/cancellation").status_code == 404


def test_it_puts_new_rules_in_force_with_their_why(app, cast, db, project_id):
    answer = people.browser(app, cast.chi).post(f"/projects/{project_id}/versions", data={"rules": FILE, "why": "one more reason"})
    assert answer.status_code == 303
    newest = versions.page(db, project_id)[0]
    assert (newest.why, newest.by) == ("one more reason", "Chi")
    assert [r.code for r in projects.rules(db, project_id, newest.version).reason_codes] == ["ok", "bad", "odd"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rules": FILE, "why": " "}, "say why the rules change"),
        ({"rules": "name: KYC\nskill: kyc\nreason_codes: []\n", "why": "x"}, "reason_codes"),
        ({"rules": "name: [", "why": "x"}, "line"),
        ({"rules": FILE.replace("name: KYC", "name: Other"), "why": "x"}, "must stay"),
    ],
)
def test_it_refuses_bad_rules_and_keeps_what_was_typed(app, cast, db, project_id, given, said):
    before = projects.version(db, project_id)
    answer = people.browser(app, cast.chi).post(f"/projects/{project_id}/versions", data=given)
    page = answer.get_data(as_text=True)
    assert answer.status_code == 422 and said in page
    assert given["rules"].splitlines()[0].replace('"', "&#34;") in page
    assert projects.version(db, project_id) == before


def test_it_pauses_and_goes_on(app, cast, db, project_id):
    chi = people.browser(app, cast.chi)
    chi.post(f"/projects/{project_id}/pause")
    assert "paused" in chi.get(f"/projects/{project_id}").get_data(as_text=True)
    assert projects.load(db, project_id, cast.chi).paused_at is not None
    chi.post(f"/projects/{project_id}/pause/end")
    assert projects.load(db, project_id, cast.chi).paused_at is None


def test_it_pages_through_versions(app, cast, db):
    chi, made = people.browser(app, cast.chi), projects.create(db, by=cast.eve, rules=rules.parse(RULES | {"name": "Versions"}), settings=app.extensions["claimcheck"].settings)
    for price in range(1, 23):
        versions.change(db, made.id, cast.chi.id, rules.parse(RULES | {"name": "Versions", "price_minor": price}), why=f"price number {price}")
    newest = chi.get(f"/projects/{made.id}").get_data(as_text=True)
    assert "price number 22<" in newest and "price number 2<" not in newest and f"/projects/{made.id}?after=4" in newest
    oldest = chi.get(f"/projects/{made.id}?after=4").get_data(as_text=True)
    assert "price number 2<" in oldest and "price number 22<" not in oldest and "Older" not in oldest


def test_it_lets_only_leads_change_and_pause(app, cast, project_id):
    for name in ("dov", "eve"):
        client = people.browser(app, getattr(cast, name))
        assert client.post(f"/projects/{project_id}/pause").status_code == 403
        assert client.post(f"/projects/{project_id}/versions", data={"rules": FILE, "why": "x"}).status_code == 403


def test_it_cancels_for_the_customer_whose_project_it_is(app, cast, db):
    made = projects.create(db, by=cast.eve, rules=rules.parse(RULES | {"name": "Short"}), settings=app.extensions["claimcheck"].settings)
    assert people.browser(app, cast.eve).post(f"/projects/{made.id}/cancellation").status_code == 303
    assert projects.load(db, made.id, cast.eve).cancelled_at is not None
    assert tasks.claim(db, me=cast.ada.id) is None
