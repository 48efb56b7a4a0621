"""Work through the API: claims, leases, answers of every kind, receipts, and what is hidden while others still look."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from flask import Flask

from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.proof import receipts
from tests.people import Cast
from tests.web.api_client import Api, proof

SKILLS = (f"skill {n}" for n in count())
SKILL_OF: dict[int, str] = {}  # by project


@pytest.fixture
def open_project(app: Flask, cast: Cast, db: Database, publish: Callable[[], int]) -> Callable[..., int]:
    """Opens a project of a skill of its own, which Ada and Ben have; its id."""

    def opened(items: int = 1, **given: Any) -> int:
        skill = next(SKILLS)
        for person in (cast.ada, cast.ben):
            people.give_skill(db, person_id=person.id, skill=skill)
        rows = [{"idempotency_key": f"k-{n}", "payload": {"name": f"Person {n}"}} for n in range(items)]
        sent = {"name": skill, "skill": skill, "reason_codes": ["fits", "blurred"], "items": rows, **given}
        made = Api(app, cast.eve).post("/v1/projects", sent)
        assert made.status_code == 202, made.json
        publish()
        SKILL_OF[made.json["id"]] = skill
        return made.json["id"]

    return opened


@pytest.fixture(autouse=True)
def hands_empty(app: Flask, cast: Cast) -> Iterator[None]:
    """Whatever a test leaves in somebody's hands goes back."""
    yield
    given_back(*(Api(app, person) for person in (cast.ada, cast.ben, cast.chi)))


def of(project_id: int) -> str:
    return f"/v1/projects/{project_id}"


def claimed(api: Api, project_id: int) -> dict[str, Any]:
    task = api.post("/v1/tasks/next", {"skill": SKILL_OF[project_id]}).json
    assert task["project_id"] == project_id
    return task


def at(task: dict[str, Any], verb: str) -> str:
    return f"/v1/assignments/{task['assignment_id']}/{verb}"


def decided(api: Api, task: dict[str, Any], **given: Any) -> Any:
    return api.post(at(task, "submit"), {**proof(task), "reason_code": "fits", **({"verdict": "approve"} | given)})


def given_back(*apis: Api) -> None:
    for api in apis:
        if api.get("/v1/reviewers/me").json["assignment_id"] is not None:
            task = api.post("/v1/tasks/next").json
            api.post(at(task, "release"), {"lease_token": task["lease_token"]})


# Holding


def test_it_hands_the_same_task_to_its_holder_again(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, project = Api(app, cast.ada), open_project(2)
    first, again = claimed(ada, project), claimed(ada, project)
    assert {**first, "lease_expires": ""} == {**again, "lease_expires": ""}
    assert ada.get("/v1/reviewers/me").json["assignment_id"] == first["assignment_id"]


def test_it_claims_without_a_body_and_within_what_is_asked(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, eve, project = Api(app, cast.ada), Api(app, cast.eve), open_project(3)
    item = eve.get(f"{of(project)}/items?idempotency_key=k-2").json["id"]
    assert ada.post("/v1/tasks/next", {"item_id": item}).json["item_id"] == item
    given_back(ada)
    unknown = ada.post("/v1/tasks/next", {"skill": "flying"})
    assert (unknown.status_code, unknown.json["errors"][0]["field"]) == (422, "skill")
    nothing = ada.post("/v1/tasks/next", {"queue": "nowhere"})
    assert nothing.status_code == 204
    assert 1 <= int(nothing.headers["Retry-After"]) <= 60


def test_it_tells_a_lease_that_has_run_out(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, ben, project = Api(app, cast.ada), Api(app, cast.ben), open_project(lease_seconds=1, max_hold_seconds=1)
    task = claimed(ada, project)
    time.sleep(1.05)
    beat = ada.post(at(task, "heartbeat"), {"lease_token": task["lease_token"]})
    assert (beat.status_code, beat.json["code"]) == (409, "STALE_LEASE")
    other = claimed(ben, project)
    assert (other["item_id"], other["lease_no"]) == (task["item_id"], 2)
    assert other["lease_token"] != task["lease_token"]
    late = decided(ada, task)
    assert (late.status_code, late.json["code"]) == (409, "STALE_LEASE")
    assert decided(ben, other).status_code == 200


@pytest.mark.parametrize("token", ["nonsense", "11111111-2222-4333-8444-555555555555", "00000000-0000-0000-0000-000000000000"])
def test_it_takes_no_token_but_the_leases_own(app: Flask, cast: Cast, open_project: Callable[..., int], token: str) -> None:
    ada, project = Api(app, cast.ada), open_project()
    task = claimed(ada, project)
    sent = {"lease_token": token}
    more = {"submit": {**proof(task), "verdict": "approve", "reason_code": "fits"}, "skip": {"reason": "unclear"}}
    for verb in ("heartbeat", "release", "skip", "submit"):
        answer = ada.post(at(task, verb), {**more.get(verb, {}), **sent})
        assert (answer.status_code, answer.json["code"]) == (409, "STALE_LEASE"), verb
    assert decided(ada, task).status_code == 200


def test_it_gives_back_and_skips(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, project = Api(app, cast.ada), open_project(2, skip_reasons=["torn"])
    first = claimed(ada, project)
    assert ada.post(at(first, "release"), {"lease_token": first["lease_token"], "reason": "lunch"}).status_code == 204
    again = claimed(ada, project)
    wrong = ada.post(at(again, "skip"), {"lease_token": again["lease_token"], "reason": "unclear"})
    assert (wrong.status_code, wrong.json["errors"]) == (422, [{"field": "reason", "message": "must be torn"}])
    assert ada.post(at(again, "skip"), {"lease_token": again["lease_token"], "reason": "torn"}).status_code == 204
    other = claimed(ada, project)
    assert other["item_id"] != again["item_id"], "what was skipped comes after the other work"
    assert decided(ada, other).status_code == 200
    assert claimed(ada, project)["item_id"] == again["item_id"]


# Deciding


@pytest.mark.parametrize(
    ("question", "answers", "outcome"),
    [
        ({"ask": "grade", "min": 1, "max": 5}, [4, 4], 4),
        ({"ask": "preference"}, ["tie", "tie"], "tie"),
        ({"ask": "choices", "options": ["a", "b", "c"]}, [["c", "a"], ["a", "c"]], ["a", "c"]),
    ],
)
def test_it_settles_by_answers_that_agree(
    app: Flask, cast: Cast, open_project: Callable[..., int], question: dict[str, Any], answers: list[Any], outcome: Any
) -> None:
    project = open_project(wanted=2, question=question)
    for person, answer in zip((cast.ada, cast.ben), answers, strict=True):
        api = Api(app, person)
        assert decided(api, claimed(api, project), verdict=None, answer=answer).status_code == 200
    [result] = Api(app, cast.eve).get(f"{of(project)}/results").json["results"]
    assert (result["outcome"], result["answer"], result["decided_by"]) == ("answer", outcome, "system")


def test_it_refuses_a_decision_of_another_shape_and_keeps_the_lease(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, project = Api(app, cast.ada), open_project(question={"ask": "grade"})
    task = claimed(ada, project)
    for given, field in (
        ({"verdict": "approve"}, "verdict"),
        ({"verdict": None, "answer": 6}, "answer"),
        ({"verdict": None, "answer": 4.0}, "answer"),
        ({"verdict": None, "answer": 4, "reason_code": "because"}, "reason_code"),
        ({"verdict": None, "answer": 4, "evidence_hash": "ff"}, "evidence_hash"),
        ({"verdict": None, "answer": 4, "note": "x" * 10_001}, "note"),
        ({"verdict": None, "answer": 4, "note": 7}, "note"),
    ):
        answer = decided(ada, task, **given)
        assert (answer.status_code, [e["field"] for e in answer.json["errors"]]) == (422, [field]), given
    assert decided(ada, task, verdict=None, answer=4).json["answer"] == 4


def test_it_takes_one_of_many_clicks(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    project = open_project()
    task = claimed(Api(app, cast.ada), project)
    apis = [Api(app, cast.ada) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda api: decided(api, task), apis)]
    assert {(a.status_code, a.data) for a in answers} == {(200, answers[0].data)}
    assert len(Api(app, cast.eve).get(f"{of(project)}/results").json["results"]) == 1


def test_it_overturns_once_for_many_leads(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, project = Api(app, cast.ada), open_project()
    decision = decided(ada, claimed(ada, project)).json["decision_id"]
    apis = [Api(app, cast.chi) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        sent = {"verdict": "reject", "reason_code": "blurred"}
        answers = [*pool.map(lambda api: api.post(f"/v1/decisions/{decision}/overturn", sent), apis)]
    assert sorted(a.status_code for a in answers) == [201] + [409] * 5
    assert {a.json["code"] for a in answers if a.status_code == 409} == {"ALREADY_OVERTURNED"}


@pytest.mark.parametrize(
    "given",
    [{}, {"verdict": "approve", "reopen": True}, {"verdict": "approve"}, {"verdict": "escalate"}, {"answer": 3}, {"reopen": "yes"}],
    ids=str,
)
def test_it_overturns_by_something_that_holds_instead(
    app: Flask, cast: Cast, open_project: Callable[..., int], given: dict[str, Any]
) -> None:
    ada, project = Api(app, cast.ada), open_project()
    decision = decided(ada, claimed(ada, project)).json["decision_id"]
    answer = Api(app, cast.chi).post(f"/v1/decisions/{decision}/overturn", {"reason_code": "fits", **given})
    assert answer.status_code == 422


def test_it_opens_an_item_again_for_other_eyes(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, ben, chi, project = Api(app, cast.ada), Api(app, cast.ben), Api(app, cast.chi), open_project()
    decision = decided(ada, claimed(ada, project)).json["decision_id"]
    made = chi.post(f"/v1/decisions/{decision}/overturn", {"reopen": True, "reason_code": "blurred"})
    assert (made.status_code, made.json["outcome"]) == (201, "reopen")
    assert Api(app, cast.eve).get(of(project)).json["counts"] == _counts(pending=1)
    assert ada.post("/v1/tasks/next", {"item_id": made.json["item_id"]}).status_code == 204
    assert decided(ben, claimed(ben, project), verdict="reject").status_code == 200
    assert Api(app, cast.eve).get(of(project)).json["counts"] == _counts(settled=1)
    outcomes = [r["outcome"] for r in Api(app, cast.eve).get(f"{of(project)}/results").json["results"]]
    assert outcomes == ["approve", "reopen", "reject"]


def _counts(**others: int) -> dict[str, int]:
    return dict.fromkeys(("pending", "leased", "blocked", "escalated", "settled", "not_durable", "refused"), 0) | others


def test_it_takes_what_was_escalated_to_a_lead_and_back(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, ben, chi, project = Api(app, cast.ada), Api(app, cast.ben), Api(app, cast.chi), open_project()
    decided(ada, claimed(ada, project), verdict="escalate")
    assert Api(app, cast.eve).get(of(project)).json["counts"] == _counts(escalated=1)
    led = chi.post("/v1/tasks/next", {"queue": "escalation", "skill": SKILL_OF[project]}).json
    assert (led["kind"], led["queue"], led["verdicts"], led["project_id"]) == ("escalation", "escalation", ["approve", "reject"], project)
    assert decided(chi, led, verdict="escalate").status_code == 422
    back = chi.post(at(led, "send-back"), {"lease_token": led["lease_token"], "note": "look at the date"})
    assert back.status_code == 200
    stale = chi.post(at(led, "send-back"), {"lease_token": led["lease_token"], "note": "twice"})
    assert (stale.status_code, stale.json["code"]) == (409, "STALE_LEASE")
    task = claimed(ben, project)
    assert task["task_id"] == back.json["task_id"]
    assert decided(ben, task).status_code == 200


def test_it_counts_held_and_blocked_items_apart(
    app: Flask, cast: Cast, publish: Callable[[], int], open_project: Callable[..., int]
) -> None:
    ada, eve, project = Api(app, cast.ada), Api(app, cast.eve), open_project(2)
    rows = [{"idempotency_key": f"b-{n}", "payload": {"n": n}, "partition_key": "b"} for n in range(3)]
    eve.post(f"{of(project)}/items", {"items": [*rows, {"idempotency_key": "bad"}]})
    assert eve.get(of(project)).json["counts"] == _counts(pending=2, not_durable=3, refused=1)
    publish()
    assert eve.get(of(project)).json["counts"] == _counts(pending=3, blocked=2, refused=1)
    task = claimed(ada, project)
    assert eve.get(of(project)).json["counts"] == _counts(pending=2, leased=1, blocked=2, refused=1)
    decided(ada, task)
    assert eve.get(of(project)).json["counts"]["settled"] == 1


# Receipts, and what is hidden


def test_it_signs_receipts_that_anybody_can_check(app: Flask, cast: Cast, open_project: Callable[..., int], tmp_path: Any) -> None:
    ada, project = Api(app, cast.ada), open_project()
    task = claimed(ada, project)
    for part in task["parts"]:
        (tmp_path / part["name"]).write_bytes(ada.get(part["url"]).data)
    receipt = decided(ada, task)
    keys = {k["id"]: k["public_key"] for k in Api(app).get("/v1/signing-keys").json["keys"]}
    verdict = receipts.verify(receipt.data, keys[receipt.json["key_id"]], tmp_path)
    assert verdict.ok, verdict.problems
    assert receipt.json["evidence_hash"] == task["evidence_hash"]
    assert receipt.json["reviewer"] == ada.get("/v1/reviewers/me").json["pseudonym"]


def test_it_hides_a_look_while_others_still_look(app: Flask, cast: Cast, open_project: Callable[..., int]) -> None:
    ada, ben, project = Api(app, cast.ada), Api(app, cast.ben), open_project(wanted=2)
    look = decided(ada, claimed(ada, project), note="a hint").json["decision_id"]
    for person in (cast.eve, cast.chi):
        api = Api(app, person)
        for path in (f"/v1/decisions/{look}", f"/v1/decisions/{look}/receipt"):
            assert api.get(path).status_code == 404
        item = api.get(f"{of(project)}/items?idempotency_key=k-0").json
        assert [(e["verdict"], e["note"]) for e in item["history"] if e["kind"] == "look"] == [(None, "")]
    decided(ben, claimed(ben, project))
    assert Api(app, cast.eve).get(f"/v1/decisions/{look}").json["note"] == "a hint"


def test_it_shows_a_payload_to_its_holder_alone(app: Flask, cast: Cast, open_project: Callable[..., int], db: Database) -> None:
    ada, ben, project = Api(app, cast.ada), Api(app, cast.ben), open_project()
    task = claimed(ada, project)
    shown = ada.get(task["payload_url"])
    assert (shown.json, shown.headers["X-Content-Type-Options"]) == ({"name": "Person 0"}, "nosniff")
    assert "sandbox" in shown.headers["Content-Security-Policy"]
    assert shown.headers["Content-Disposition"].startswith("attachment")
    assert ben.get(task["payload_url"]).status_code == 404
    ada.post(at(task, "release"), {"lease_token": task["lease_token"]})
    assert ada.get(task["payload_url"]).status_code == 404, "only while it is held"
    item = Api(app, cast.eve).get(f"/v1/items/{task['item_id']}").json
    assert Api(app, cast.eve).get(item["versions"][0]["parts"][0]["url"]).json == {"name": "Person 0"}
    assert Api(app, cast.chi).get(f"/v1/items/{task['item_id']}/payload").json == {"name": "Person 0"}
    for person in (cast.ada, cast.dov):
        assert Api(app, person).get(f"/v1/items/{task['item_id']}/payload").status_code == 403
