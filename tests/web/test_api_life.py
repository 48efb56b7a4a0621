"""A whole life through the API: from a project to an outcome, and to what superseded it."""

from __future__ import annotations

from typing import Any

from flask import Flask

from tests.people import Cast
from tests.web.api_client import Api, proof

RULES = {"name": "Passports", "skill": "kyc", "reason_codes": ["fits", {"code": "blurred", "label": "Can't be read"}], "price_minor": 25}
ROWS = [{"idempotency_key": f"p-{n}", "payload": {"name": f"Person {n}", "born": "1990-01-01"}} for n in range(3)]


def test_it_takes_an_item_from_a_project_to_an_outcome_and_to_what_superseded_it(app: Flask, cast: Cast, publish: Any) -> None:
    eve, ada, chi = Api(app, cast.eve), Api(app, cast.ada), Api(app, cast.chi)

    made = eve.post("/v1/projects", {**RULES, "items": ROWS[:1]})
    assert made.status_code == 202
    project = f"/v1/projects/{made.json['id']}"
    assert eve.get(made.json["status_url"]).json["accepted"] == 1
    assert ada.post("/v1/tasks/next", {}).status_code == 204, "nothing is claimable before it is durable"
    assert eve.get(project).json["counts"]["not_durable"] == 1
    assert publish() == 1
    assert eve.get(made.json["status_url"]).json["claimable"] == 1
    assert eve.get(project).json["counts"] == _counts(pending=1)

    task = ada.post("/v1/tasks/next", {"skill": "kyc"}).json
    assert (task["reason_codes"], task["verdicts"], task["kind"]) == (["fits", "blurred"], ["approve", "reject", "escalate"], "review")
    assert eve.get(project).json["counts"] == _counts(leased=1)
    assert ada.get(task["payload_url"]).json == ROWS[0]["payload"]
    beat = ada.post(f"/v1/assignments/{task['assignment_id']}/heartbeat", {"lease_token": task["lease_token"]})
    assert beat.json["lease_expires"] >= task["lease_expires"]

    submit = {**proof(task), "verdict": "approve", "reason_code": "fits", "note": "✓"}
    receipt = ada.post(f"/v1/assignments/{task['assignment_id']}/submit", submit)
    assert receipt.status_code == 200
    again = ada.post(f"/v1/assignments/{task['assignment_id']}/submit", submit)
    assert (again.status_code, again.data) == (200, receipt.data), "the same submit gives the same receipt, byte for byte"
    other = ada.post(f"/v1/assignments/{task['assignment_id']}/submit", {**submit, "verdict": "reject"})
    assert (other.status_code, other.json["code"]) == (409, "ALREADY_DECIDED")
    assert eve.get(project).json["counts"] == _counts(settled=1)

    decision = f"/v1/decisions/{receipt.json['decision_id']}"
    assert eve.get(f"{decision}/receipt").data == receipt.data
    assert eve.get(decision).json["outcome"] == "approve"
    results = eve.get(f"{project}/results").json
    assert [(r["idempotency_key"], r["outcome"], r["reason_code"], r["note"]) for r in results["results"]] == [
        ("p-0", "approve", "fits", "✓")
    ]
    assert (results["after"], results["next"]) == (receipt.json["decision_id"], None)

    overturn = {"verdict": "reject", "reason_code": "blurred", "note": "look at the date"}
    superseding = chi.post(f"{decision}/overturn", overturn)
    assert (superseding.status_code, superseding.json["outcome"], superseding.json["supersedes"]) == (
        201,
        "reject",
        receipt.json["decision_id"],
    )
    twice = chi.post(f"{decision}/overturn", overturn)
    assert (twice.status_code, twice.json["code"]) == (409, "ALREADY_OVERTURNED")
    later = eve.get(f"{project}/results?after={results['after']}").json["results"]
    assert [(r["verdict"], r["outcome"], r["supersedes"]) for r in later] == [("overturn", "reject", receipt.json["decision_id"])]
    assert eve.get(project).json["counts"] == _counts(settled=1)
    item = eve.get(f"{project}/items?idempotency_key=p-0").json
    assert (item["state"], item["outcome"]["outcome"], item["outcome"]["decision_id"]) == ("settled", "reject", superseding.json["id"])


def _counts(**others: int) -> dict[str, int]:
    return dict.fromkeys(("pending", "leased", "blocked", "escalated", "settled", "not_durable", "refused"), 0) | others
