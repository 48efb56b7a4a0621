"""Forecasts on pages and for programs: a customer's own, the planner, the report card; each readable without pictures or script."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from flask import Flask

from claimcheck import projects, rules
from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.forecasts import record
from claimcheck.intake import batches
from claimcheck.review import decisions, tasks
from tests.people import Cast, browser
from tests.web.api_client import Api


def looked(db: Database, person: people.Person, n: int) -> None:
    for _ in range(n):
        claim = tasks.claim(db, me=person.id)
        assert claim is not None
        held = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash}
        decisions.submit(db, **held, me=person.id, verdict="approve", reason_code="fits")


@pytest.fixture(scope="module")
def sent(db: Database, cast: Cast, publish: Callable[[], int]) -> batches.Sent:
    """Sixty rows and a bad one in one batch of Eve's; Ada has looked at ten, two hours are left."""
    deadline = datetime.now(UTC) + timedelta(hours=2)  # from here, not from when the tests were collected
    given = {"name": "Northwind's own", "skill": "kyc", "reason_codes": ["fits"], "deadline": deadline.isoformat(), "price_minor": 20}
    project = projects.create(db, by=cast.eve, rules=rules.parse(given)).id
    rows = [{"idempotency_key": f"row-{n}", "payload": {"n": n}} for n in range(60)]
    done = batches.take(db, project=project, by=cast.eve.id, rows=[*rows, {"idempotency_key": "bad", "payload": 7}])
    publish()
    looked(db, cast.ada, 10)
    return done


@pytest.fixture(scope="module")
def project(db: Database, sent: batches.Sent, cast: Cast) -> int:
    return batches.load(db, batch_id=sent.batch_id, person=cast.eve).project_id


def test_a_program_reads_what_the_page_says(app: Flask, cast: Cast, sent: batches.Sent, project: int) -> None:
    eve = Api(app, cast.eve)
    told, of_batch = eve.get(f"/v1/projects/{project}/forecast").json, eve.get(f"/v1/batches/{sent.batch_id}/forecast").json
    assert (told["items"], told["settled"], told["open"], told["progress"]) == (60, 10, 50, pytest.approx(1 / 6))
    assert told["eta_low"] < told["eta"] < told["eta_high"] and told["eta_95"] < told["eta"]
    assert told["skills"] == [{"skill": "kyc", "leads": False, "looks_left": 50, "looks_before": 0, "experts": 1, "looks_an_hour": 40}]
    assert 0.2 < told["miss_probability"] < 0.8 and told["state"] == "at_risk"  # 1.25 raw hours, two are left
    assert (told["learned"], told["resting_since"]) == (False, None)
    assert told["help"]["skill"] == "kyc" and told["help"]["experts"] >= 1 and 0 < told["help"]["items"] < 50
    assert (of_batch["batch_id"], of_batch["miss_probability"]) == (sent.batch_id, pytest.approx(told["miss_probability"], rel=0.01))
    page = browser(app, cast.eve).get(f"/projects/{project}").text
    assert "At risk" in page and "likely to miss the deadline" in page and "more expert" in page
    shown = re.findall(r'<time datetime="([^"]+)" class="date"', page.split('id="forecast"')[1].split("</section>")[0])
    assert datetime.fromisoformat(told["eta"]) - datetime.fromisoformat(shown[4]) < timedelta(minutes=5)
    assert Api(app, cast.ada).get(f"/v1/projects/{project}/forecast").status_code == 403


def test_a_customer_sees_its_own_forecasts_only(app: Flask, db: Database, cast: Cast, sent: batches.Sent, project: int) -> None:
    other = people.add(db, name="Southwind's own", role="customer", customer="Southwind", email="south@example.org")
    paths = [f"/{of}{part}" for of in (f"projects/{project}", f"batches/{sent.batch_id}") for part in ("", "/forecast", "/settled")]
    for path in paths:
        assert browser(app, cast.eve).get(path).status_code == 200, path
        assert browser(app, other).get(path).status_code == 404, path
    for path in (f"/v1/projects/{project}/forecast", f"/v1/batches/{sent.batch_id}/forecast"):
        assert Api(app, other).get(path).status_code == 404
    assert "Northwind" not in browser(app, other).get("/projects").text
    assert browser(app, cast.eve).get(f"/projects/{project}/plan").status_code == 403


def test_a_batch_says_how_far_it_is_what_was_refused_and_what_settled(app: Flask, cast: Cast, sent: batches.Sent, project: int) -> None:
    eve = browser(app, cast.eve)
    page = eve.get(f"/batches/{sent.batch_id}").text
    assert "10</b> of 60 settled" in page and "INVALID" in page and ">bad<" in page
    assert page.count('class="soft"><bdi>fits</bdi>') == 10
    assert f'href="/batches/{sent.batch_id}"' in eve.get(f"/projects/{project}").text
    again = eve.get(f"/batches/{sent.batch_id}/forecast").text
    assert again.lstrip().startswith("<section") and "<html" not in again
    assert "fits" not in browser(app, cast.dov).get(f"/batches/{sent.batch_id}").text  # operators see no decisions


def test_a_plan_moves_the_dates_and_keeps_nothing(app: Flask, db: Database, cast: Cast, project: int) -> None:
    chi, path = browser(app, cast.chi), f"/projects/{project}/plan"

    def chances(**asked: str) -> tuple[str, str]:
        [row] = re.findall(r"Chance of missing.*?</tr>", chi.get(path, query_string=asked).text, re.DOTALL)
        now, then = re.findall(r"</i>([^<]+)</span>", row)
        return now, then

    same = chances()
    assert same[0] == same[1]
    assert int(chances(experts0="3")[1].split()[0]) < int(same[0].split()[0])
    assert int(chances(items="30")[1].split()[0]) < int(same[0].split()[0])
    assert chances(experts0="0")[1] == "not known"
    assert "20.00 EUR" in chi.get(path, query_string={"price": "40"}).text  # fifty looks at twice the price
    before = projects.version(db, project)
    wrong = chi.get(path, query_string={"items": "-4", "experts0": "many"})
    assert wrong.status_code == 422 and "Should be a whole number" in wrong.text
    assert projects.version(db, project) == before


def test_a_report_card_compares_what_was_said_with_what_happened(
    app: Flask, db: Database, worker: Database, database: Any, cast: Cast, sent: batches.Sent, project: int
) -> None:
    assert Api(app, cast.eve).get("/v1/forecasts/report").json == {"most": None, "last": None}
    assert "come to its end yet" in browser(app, cast.eve).get("/forecasts").text
    record.run(worker)
    assert "At risk" in browser(app, cast.eve).get("/projects").text
    with psycopg.connect(database.superuser, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE forecast_log SET at = at - interval '3 hours', hour = hour - interval '3 hours'")
    looked(db, cast.ben, 50)
    record.run(worker)
    report = Api(app, cast.eve).get("/v1/forecasts/report").json
    assert (report["last"]["forecasts"], report["last"]["coverage"]) == (1, 1)
    assert report["last"]["bias"] == pytest.approx(1.25 * 2.1 / 3, rel=0.05)
    page = browser(app, cast.chi).get("/forecasts").text
    assert "80 % band held" in page and f"batch {sent.batch_id}" in page and "<circle" in page
    assert "Everything is settled" in browser(app, cast.eve).get(f"/batches/{sent.batch_id}").text
