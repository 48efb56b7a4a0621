"""Datasets and retractions by API and on pages: who may, what is said, and what leaves."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import hashlib
import re

import pytest

from claimcheck.access import people as accounts
from claimcheck.datasets import making
from tests.flows.conftest import REASONS, LiveDesk
from tests.labelled import label
from tests.people import browser
from tests.web.api_client import Api
from tests.web.reviewer import desk, live  # noqa: F401 (fixtures)


@pytest.fixture
def project(desk: LiveDesk) -> int:
    """Three items that Ada and Ben labelled."""
    made, ada, ben = desk.project(), desk.cast.ada.id, desk.cast.ben.id
    label(desk.superuser, made, [[(ada, "approve")], [(ada, "reject")], [(ben, "approve")]], reason=REASONS[0])
    return made


def make(desk: LiveDesk) -> None:
    making.run(making.Desk(desk.worker, desk.store, str(desk.app.extensions["claimcheck"].settings.secret_key)))


def deliver(desk: LiveDesk, project: int) -> int:
    asked = Api(desk.app, desk.cast.eve).post(f"/v1/projects/{project}/datasets")
    make(desk)
    return asked.json["id"]


def test_a_customer_asks_waits_reads_and_acknowledges(desk: LiveDesk, project: int):
    eve, asked = Api(desk.app, desk.cast.eve), None
    asked = eve.post(f"/v1/projects/{project}/datasets", {"idempotency_key": "monday"})
    assert asked.status_code == 202 and eve.post(f"/v1/projects/{project}/datasets").status_code == 200
    at = f"/v1/datasets/{asked.json['id']}"
    waits = eve.get(at).json
    assert (waits["state"], waits["files"], waits["manifest_url"]) == ("waiting", [], None)
    assert eve.get(f"{at}/manifest").json["code"] == eve.post(f"{at}/acknowledge").json["code"] == "NOT_DELIVERED"
    make(desk)
    made = eve.get(at).json
    assert (made["state"], made["rows"], made["counts"]) == ("done", 3, {"settled": 3})
    assert "asked for by <bdi>Eve</bdi>" in browser(desk.app, desk.cast.eve).get(at.removeprefix("/v1")).text
    for file in made["files"]:
        assert hashlib.sha256(eve.get(file["url"].removeprefix("http://localhost")).data).hexdigest() == file["sha256"]
    assert hashlib.sha256(eve.get(f"{at}/manifest").data).hexdigest() == made["manifest_sha256"]
    assert [ack["by"] for ack in eve.post(f"{at}/acknowledge").json["acknowledged"]] == ["Eve"]
    assert eve.get(f"/v1/projects/{project}/datasets?limit=1").json["datasets"][0]["id"] == made["id"]


def test_nobody_else_s_version_can_be_seen_and_no_address_of_the_store_gets_out(desk: LiveDesk, project: int):
    dataset = deliver(desk, project)
    other = accounts.by_name(desk.web, name="Mallory") or accounts.add(desk.web, name="Mallory", email="m@example.org", role="customer", customer="Southwind")
    paths = [f"/datasets/{dataset}", f"/datasets/{dataset}/files/0", f"/datasets/{dataset}/manifest", f"/projects/{project}/datasets"]
    assert {Api(desk.app, other).get(f"/v1{path}").status_code for path in paths} == {404}
    assert Api(desk.app, other).post(f"/v1/datasets/{dataset}/acknowledge").status_code == 404
    assert {Api(desk.app, desk.cast.ada).get(f"/v1{path}").status_code for path in paths} == {403}
    pages = [f"/projects/{project}/datasets", f"/datasets/{dataset}", f"/datasets/{dataset}/files/data.csv", f"/datasets/{dataset}/progress"]
    assert {browser(desk.app, other).get(path).status_code for path in pages} == {404}
    assert {browser(desk.app, desk.cast.ada).get(path).status_code for path in [*pages, f"/projects/{project}/retractions"]} == {403}
    told = "".join(browser(desk.app, desk.cast.eve).get(path).text for path in pages) + Api(desk.app, desk.cast.eve).get(f"/v1/datasets/{dataset}").text
    assert "X-Amz" not in told and str(desk.app.extensions["claimcheck"].settings.s3_endpoint) not in told and f"datasets/{project}/1/" not in told


def test_a_lead_sees_before_what_would_become_of_labels_and_takes_them_back(desk: LiveDesk, project: int):
    deliver(desk, project)
    chi, ada = Api(desk.app, desk.cast.chi), desk.cast.ada.id
    seen = chi.get(f"/v1/projects/{project}/retractions/preview?person_id={ada}").json
    assert {name: seen[name] for name in ("touched", "delivered", "confirmed", "flips", "unsure", "open")} == {
        "touched": 2, "delivered": 2, "confirmed": 0, "flips": 0, "unsure": 2, "open": 0,
    }  # fmt: skip
    wrong = chi.get(f"/v1/projects/{project}/retractions/preview?person_id={ada}&scope=since&since=monday")
    assert chi.get(f"/v1/projects/{project}/retractions/preview?person_id={ada}&scope=since&since=9999-12-31T23:59:59-23:59").status_code == 400
    assert wrong.status_code == 400 and "2027-01-31T18:00:00Z" in wrong.json["detail"]
    assert Api(desk.app, desk.cast.eve).get(f"/v1/projects/{project}/retractions").status_code == 403
    made = chi.post(f"/v1/projects/{project}/retractions", {"person_id": ada, "reason": "their golds turned bad", "idempotency_key": "r1"})
    make(desk)
    found = chi.get(f"/v1/retractions/{made.json['id']}").json
    assert (found["pending"], found["reopened"], found["settled"], found["version"]) == (2, 2, 0, 2)
    assert chi.get(f"/v1/projects/{project}/retractions").json["retractions"][0]["person"] == "Ada"
    told = Api(desk.app, desk.cast.eve).get(f"/v1/datasets/{made.json['dataset_id']}").json
    assert told["counts"] == {"pending": 2, "settled": 1} and told["kind"] == "retraction" and told["reason"] == "their golds turned bad"
    assert "their golds turned bad" in browser(desk.app, desk.cast.eve).get(f"/datasets/{made.json['dataset_id']}").text


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_pages_work_without_script_and_bring_back_what_was_typed(desk: LiveDesk, project: int):
    eve, chi = browser(desk.app, desk.cast.eve), browser(desk.app, desk.cast.chi)
    assert "Deliver version 1" in eve.get(f"/projects/{project}/datasets").text
    at = eve.post(f"/projects/{project}/datasets").location
    assert "Being made" in eve.get(at).text and eve.post(f"{at}/acknowledgement").status_code == 409
    make(desk)
    form = {"person": str(desk.cast.ada.id), "scope": "all", "since": "", "reason": " ", "relabel": "no"}
    refused = chi.post(f"/projects/{project}/retractions", data=form)
    assert refused.status_code == 422 and "the customer reads it" in refused.text and "Labels touched 2" in plain(refused.text)
    assert chi.get(f"/projects/{project}/retractions?person={desk.cast.ada.id}&scope=since&since=x").status_code == 422
    for beyond in ("9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00%2B23:59"):  # no calendar has these in UTC
        assert chi.get(f"/projects/{project}/retractions?person={desk.cast.ada.id}&scope=since&since={beyond}").status_code == 422
    assert chi.get(f"/projects/{project}/retractions?person={desk.cast.ada.id}&scope=change").status_code == 422
    done = chi.post(f"/projects/{project}/retractions", data={**form, "reason": "<b>bad</b> golds", "key": "a" * 32})
    assert done.location == chi.post(f"/projects/{project}/retractions", data={**form, "reason": "<b>bad</b> golds", "key": "a" * 32}).location
    make(desk)
    page = chi.get(done.location).text
    assert "&lt;b&gt;bad" in page and "Withdrawn 2" in plain(page)
    assert "2 withdrawn" in plain(eve.get(f"/projects/{project}/datasets").text) and "Take labels back" not in eve.get(f"/projects/{project}/datasets").text
    eve.post(f"{done.location}/acknowledgement")
    assert "yes Eve" in plain(chi.get(f"/projects/{project}/datasets").text)
