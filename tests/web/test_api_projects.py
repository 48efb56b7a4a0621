"""Projects through the API: opened once, changed by versions, paused, cancelled, and listed to their own customer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from flask import Flask

from claimcheck import items, projects
from claimcheck.access import people
from claimcheck.db import Database
from tests.people import Cast
from tests.web.api_client import Api, proof

NAMES = (f"Project {n}" for n in count())


def rules(**given: Any) -> dict[str, Any]:
    return {"name": next(NAMES), "skill": "kyc", "reason_codes": ["fits", "blurred"], **given}


def rows(n: int = 1, **given: Any) -> list[dict[str, Any]]:
    return [{"idempotency_key": f"k-{i}", "payload": {"name": f"Person {i}", "born": "1990"}, **given} for i in range(n)]


def opened(app: Flask, cast: Cast, publish: Callable[[], int], *, of: list[dict[str, Any]] | None = None, **given: Any) -> str:
    """A project with its items stored; its address."""
    made = Api(app, cast.eve).post("/v1/projects", {**rules(**given), "items": of if of is not None else rows()})
    assert made.status_code == 202, made.json
    publish()
    return f"/v1/projects/{made.json['id']}"


@pytest.fixture(autouse=True)
def emptied(app: Flask, cast: Cast, db: Database) -> None:
    """Nobody is handed a task of the test before."""
    for person in (cast.ada, cast.ben, cast.chi):
        held = Api(app, person).get("/v1/reviewers/me").json["assignment_id"]
        if held is not None:
            task = Api(app, person).post("/v1/tasks/next").json
            Api(app, person).post(f"/v1/assignments/{held}/release", {"lease_token": task["lease_token"]})
    for project in projects.page(db, cast.chi, limit=1000):
        if project.cancelled_at is None:
            projects.cancel(db, project.id, cast.chi.id)


# Opening


def test_it_opens_a_project_once(app: Flask, cast: Cast) -> None:
    eve, sent = Api(app, cast.eve), rules()
    first, again = eve.post("/v1/projects", sent), eve.post("/v1/projects", {**sent, "items": []})
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json == again.json
    other = eve.post("/v1/projects", {**sent, "wanted": 2})
    assert (other.status_code, other.json["code"], other.json["project_id"]) == (409, "PROJECT_EXISTS", first.json["id"])
    assert eve.get(f"/v1/projects/{first.json['id']}").json["rules"]["wanted"] == 1


def test_it_lets_two_customers_use_the_same_name(app: Flask, cast: Cast, db: Database) -> None:
    southwind = people.add(db, name="Southwind's own", role="customer", customer="Southwind", program=True)
    sent = rules()
    ours, theirs = Api(app, cast.eve).post("/v1/projects", sent), Api(app, southwind).post("/v1/projects", {**sent, "wanted": 3})
    assert (ours.status_code, theirs.status_code) == (202, 202)
    assert ours.json["id"] not in [p["id"] for p in Api(app, southwind).get("/v1/projects").json["projects"]]


def test_it_opens_one_project_for_many_who_ask_at_once(app: Flask, cast: Cast) -> None:
    eve, sent = [Api(app, cast.eve) for _ in range(8)], {**rules(skill="new to all"), "items": rows(3)}
    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda api: api.post("/v1/projects", sent), eve)]
    assert sorted(a.status_code for a in answers) == [200] * 7 + [202]
    assert len({a.json["id"] for a in answers}) == 1
    assert Api(app, cast.eve).get(answers[0].json["status_url"]).json["accepted"] in (0, 3)


def test_it_opens_one_of_several_rules_under_one_name(app: Flask, cast: Cast) -> None:
    sent = rules(skill="contested")
    with ThreadPoolExecutor(8) as pool:
        apis = [Api(app, cast.eve) for _ in range(8)]
        answers = [*pool.map(lambda pair: pair[1].post("/v1/projects", {**sent, "wanted": pair[0] % 4 + 1}), enumerate(apis))]
    made = [a for a in answers if a.status_code == 202]
    assert len(made) == 1
    assert sorted({a.status_code for a in answers}) == [200, 202, 409]
    assert {a.json["id"] for a in answers if a.status_code == 200} == {made[0].json["id"]}


def test_it_shows_a_webhooks_secret_once(app: Flask, cast: Cast) -> None:
    sent = rules(webhook={"url": "https://example.org/hook"})
    first, again = (Api(app, cast.eve).post("/v1/projects", sent) for _ in range(2))
    assert first.json["webhook_secret"].startswith("whsec_")
    assert "webhook_secret" not in again.json
    assert first.json["webhook_secret"] not in Api(app, cast.eve).get(f"/v1/projects/{first.json['id']}").text


def test_it_gives_the_secret_away_even_where_the_items_must_wait(app: Flask, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {**rules(webhook={"url": "https://example.org/hook"}), "items": rows()}
    monkeypatch.setattr(items, "SPOOL_PARTS", -1)
    full = Api(app, cast.eve).post("/v1/projects", sent)
    assert (full.status_code, full.json["code"]) == (429, "QUEUE_SATURATED")
    assert full.json["webhook_secret"].startswith("whsec_")
    monkeypatch.undo()
    again = Api(app, cast.eve).post("/v1/projects", sent)
    assert (again.status_code, again.json["id"]) == (200, full.json["id"])
    assert Api(app, cast.eve).get(again.json["status_url"]).json["accepted"] == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"reason_codes": []}, "reason_codes"),
        ({"reason_codes": ["agreement"]}, "reason_codes"),
        ({"skill": ""}, "skill"),
        ({"lease_seconds": 0}, "lease_seconds"),
        ({"question": {"ask": "grade", "max": "5"}}, "question.max"),
        ({"items": {}}, "items"),
        ({"webhook": {"url": "http://10.0.0.1/"}}, "webhook.url"),
        ({"webhook": {"url": "http://8.8.8.8/"}}, "webhook.url"),
        ({"webhook": {"url": "https://169.254.169.254/latest"}}, "webhook.url"),
        ({"customer_id": 1}, "customer_id"),
    ],
)
def test_it_opens_nothing_where_a_rule_is_wrong(app: Flask, cast: Cast, db: Database, given: dict[str, Any], field: str) -> None:
    before = len(projects.page(db, cast.eve, limit=1000))
    answer = Api(app, cast.eve).post("/v1/projects", rules(**given))
    assert (answer.status_code, answer.json["code"]) == (422, "INVALID")
    assert [e["field"] for e in answer.json["errors"]] == [field]
    assert len(projects.page(db, cast.eve, limit=1000)) == before


def test_it_lists_projects_page_by_page(app: Flask, cast: Cast) -> None:
    eve = Api(app, cast.eve)
    ids = [eve.post("/v1/projects", rules()).json["id"] for _ in range(3)]
    found, address = [], f"/v1/projects?limit=2&after={ids[0] - 1}"
    while address:
        page = eve.get(address).json
        found += [p["id"] for p in page["projects"]]
        address = page["next"]
    assert found == ids


# Changing


def changed(api: Api, project: str, **given: Any) -> Any:
    now = api.get(project).json["rules"]
    return api.put(f"{project}/rules", {"rules": {**now, **given}, "why": "tried"})


def test_it_makes_a_version_of_each_change(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, eve, chi = opened(app, cast, publish), Api(app, cast.eve), Api(app, cast.chi)
    assert changed(eve, project).json["version"] == 1, "what holds already is no change"
    after = changed(chi, project, price_minor=50).json
    assert (after["version"], after["shown_version"], after["rules"]["price_minor"]) == (2, 1, 50)
    asked = changed(eve, project, question="Is this a real passport?").json
    assert (asked["version"], asked["shown_version"]) == (3, 3)
    versions = eve.get(f"{project}/rules").json["versions"]
    assert [(v["version"], v["by"], v["why"]) for v in versions] == [
        (3, "Eve", "tried"),
        (2, "Chi", "tried"),
        (1, "Eve", "the project was made"),
    ]


def test_it_pages_through_the_versions_newest_first(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, eve = opened(app, cast, publish), Api(app, cast.eve)
    for price in range(1, 6):
        changed(eve, project, price_minor=price)
    found, address = [], f"{project}/rules?limit=4"
    while address:
        page = eve.get(address).json
        found.append([v["version"] for v in page["versions"]])
        address = page["next"]
    assert found == [[6, 5, 4, 3], [2, 1]]
    assert eve.get(f"{project}/rules?after=1").json == {"versions": [], "next": None}
    for query in ("limit=0", "limit=201", "after=-1", "before=2"):
        assert eve.get(f"{project}/rules?{query}").status_code == 400


def test_it_bounds_a_page_of_large_rules(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, eve = opened(app, cast, publish), Api(app, cast.eve)
    reasons = [{"code": f"reason-{n}", "label": "é" * 200} for n in range(190)]
    made = [changed(eve, project, reason_codes=reasons, price_minor=n).status_code for n in range(20, 45)]
    assert set(made) == {200}
    page = eve.get(f"{project}/rules?limit=200")
    assert len(page.data) < 1_400_000 and 1 < len(page.json["versions"]) < 25
    assert page.json["next"].endswith(f"after={page.json['versions'][-1]['version']}&limit=200")


def test_it_keeps_name_and_skill(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project = opened(app, cast, publish)
    for name in ("name", "skill"):
        answer = changed(Api(app, cast.eve), project, **{name: "other"})
        assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, f"rules.{name}")


def test_it_asks_again_where_what_is_asked_has_changed(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, ada = opened(app, cast, publish), Api(app, cast.ada)
    task = ada.post("/v1/tasks/next").json
    changed(Api(app, cast.chi), project, question="Is this a real passport?")
    submit = f"/v1/assignments/{task['assignment_id']}/submit"
    stale = ada.post(submit, {**proof(task), "verdict": "approve", "reason_code": "fits"})
    assert (stale.status_code, stale.json["code"]) == (409, "EVIDENCE_CHANGED")
    fresh = ada.post("/v1/tasks/next").json
    assert (fresh["assignment_id"], fresh["question"]["text"]) == (task["assignment_id"], "Is this a real passport?")
    assert fresh["evidence_hash"] != task["evidence_hash"]
    assert ada.post(submit, {**proof(fresh), "verdict": "approve", "reason_code": "fits"}).status_code == 200


def test_it_leaves_holders_alone_where_it_has_not(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, ada = opened(app, cast, publish), Api(app, cast.ada)
    task = ada.post("/v1/tasks/next").json
    changed(Api(app, cast.chi), project, price_minor=7, weight=2.5, reason_codes=["fits"])
    submit = f"/v1/assignments/{task['assignment_id']}/submit"
    gone = ada.post(submit, {**proof(task), "verdict": "approve", "reason_code": "blurred"})
    assert (gone.status_code, gone.json["errors"][0]["message"]) == (422, "must be fits for approve"), "a retired reason is taken no more"
    assert ada.post(submit, {**proof(task), "verdict": "approve", "reason_code": "fits"}).status_code == 200


def test_it_keeps_a_retired_reason_where_it_was_given(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, ada, eve = opened(app, cast, publish), Api(app, cast.ada), Api(app, cast.eve)
    task = ada.post("/v1/tasks/next").json
    ada.post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof(task), "verdict": "reject", "reason_code": "blurred"})
    assert changed(eve, project, reason_codes=["fits"]).status_code == 200
    assert eve.get(f"{project}/results").json["results"][0]["reason_code"] == "blurred"
    assert changed(eve, project, reason_codes=["fits", {"code": "blurred", "label": "Blurred again"}]).status_code == 200


def test_it_moves_open_tasks_to_another_tier(app: Flask, cast: Cast, db: Database, publish: Callable[[], int]) -> None:
    project, ada, ben = opened(app, cast, publish, of=rows(3)), Api(app, cast.ada), Api(app, cast.ben)
    people.give_skill(db, person_id=cast.ben.id, skill="kyc", tier=2)
    changed(Api(app, cast.chi), project, quality_floor=2)
    assert ada.post("/v1/tasks/next").status_code == 204
    assert ben.post("/v1/tasks/next").status_code == 200
    people.give_skill(db, person_id=cast.ben.id, skill="kyc", tier=0)


def test_it_serves_a_project_sooner_that_was_given_more_priority(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    first = opened(app, cast, publish, of=rows(40))
    second = opened(app, cast, publish, of=rows(5))
    ada, served = Api(app, cast.ada), []
    changed(Api(app, cast.chi), second, priority=10)
    for _ in range(5):
        task = ada.post("/v1/tasks/next").json
        served.append(f"/v1/projects/{task['project_id']}")
        ada.post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof(task), "verdict": "approve", "reason_code": "fits"})
    assert served.count(second) >= 4, (first, served)


# Pausing and cancelling


def test_it_hands_out_nothing_while_it_is_paused(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, ada, chi = opened(app, cast, publish, of=rows(2)), Api(app, cast.ada), Api(app, cast.chi)
    task = ada.post("/v1/tasks/next").json
    assert chi.post(f"{project}/pause").json["paused_at"]
    submitted = ada.post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof(task), "verdict": "approve", "reason_code": "fits"})
    assert submitted.status_code == 200, "what somebody holds, they may finish"
    assert ada.post("/v1/tasks/next").status_code == 204
    Api(app, cast.eve).post(f"{project}/items", {"items": [{"idempotency_key": "late", "payload": {"name": "Late"}}]})
    publish()
    assert ada.post("/v1/tasks/next").status_code == 204, "an item that comes during the pause waits too"
    assert chi.post(f"{project}/resume").json["paused_at"] is None
    assert ada.post("/v1/tasks/next").status_code == 200


def test_it_stops_claims_at_the_cancel_and_takes_what_is_held(app: Flask, cast: Cast, publish: Callable[[], int]) -> None:
    project, ada, eve = opened(app, cast, publish, of=rows(3)), Api(app, cast.ada), Api(app, cast.eve)
    task = ada.post("/v1/tasks/next").json
    cancelled = eve.post(f"{project}/cancel")
    assert (cancelled.status_code, bool(cancelled.json["cancelled_at"])) == (200, True)
    assert cancelled.json["counts"] | {"leased": 0} == dict.fromkeys(cancelled.json["counts"], 0)
    assert Api(app, cast.ben).post("/v1/tasks/next").status_code == 204
    assert eve.post(f"{project}/cancel").json["cancelled_at"] == cancelled.json["cancelled_at"], "again is no error"
    late = eve.post(f"{project}/items", {"items": rows()})
    assert (late.status_code, late.json["code"]) == (409, "PROJECT_CANCELLED")
    submitted = ada.post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof(task), "verdict": "approve", "reason_code": "fits"})
    assert submitted.status_code == 200, "a lease that was live stays good"
    assert eve.get(project).json["counts"]["settled"] == 1
    refused = changed(eve, project, wanted=2)
    assert (refused.status_code, refused.json["code"]) == (409, "PROJECT_CANCELLED")
