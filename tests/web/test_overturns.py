"""Bulk overturns by the API and on their pages: the search, the preview, another lead's approval, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.bulk import overturning
from claimcheck.db import Database
from tests.people import Cast, browser
from tests.web.api_client import Api, proof

RULES = {"skill": "kyc", "reason_codes": ["fine", "wrong"], "webhook": {"url": "https://northwind.example/hook", "on": ["overturn"]}}


@pytest.fixture(scope="module")
def ben(db: Database) -> Person:
    """Another lead."""
    return people.add(db, name="Ben, who leads", email="leads@example.org", role="lead")


@pytest.fixture(scope="module")
def project(app: Flask, cast: Cast, publish: Callable[[], int]) -> int:
    """Four items that Ada approved."""
    items = [{"idempotency_key": f"k{k}", "payload": {"n": k}} for k in range(4)]
    made = Api(app, cast.eve).post("/v1/projects", {**RULES, "name": "Breaks", "items": items}).json["id"]
    publish()
    ada = Api(app, cast.ada)
    while (answer := ada.post("/v1/tasks/next")).status_code == 200:
        task = answer.json
        ada.post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof(task), "verdict": "approve", "reason_code": "fine"})
    return made


def asked(project: int, cast: Cast, **more: Any) -> dict[str, Any]:
    return {"project_id": project, "reviewer_id": cast.ada.id, "verdict": "reject", "reason_code": "wrong"} | more


def test_it_refuses_what_makes_no_list(app: Flask, cast: Cast, project: int):
    lead = Api(app, cast.chi)
    for more, status, words in (
        ({"reviewer_id": None}, 422, "say which outcomes"), ({"reviewer_id": 2**31 - 1}, 422, "nobody here"), ({"verdict": None}, 422, "exactly one"),
        ({"reopen": True}, 422, "exactly one"), ({"reason_code": "because"}, 422, "reason_code"), ({"most": 5001}, 422, "most"), ({"note": "\x00"}, 400, "NUL"),
        ({"since": "yesterday"}, 422, "since"), ({"queue": "a\x00"}, 400, "NUL"), ({"project_id": 2**31 - 1}, 404, ""), ({"verdict": "escalate"}, 422, "verdict"),
        ({"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, 422, "later than since"),
    ):  # fmt: skip
        answer = lead.post("/v1/overturns", asked(project, cast, **more))
        assert answer.status_code == status and words in answer.text, more
    for query, words in (("since=then", "since"), ("since=1d&until=2d", "later than since"), ("after=x", "after"), ("reviewer=ada", "reviewer"), ("stood=maybe", "stood")):
        for answer in (lead.get(f"/v1/projects/{project}/outcomes?{query}"), browser(app, cast.chi).get(f"/overturns?project={project}&{query}")):
            assert answer.status_code == 422 and words in answer.text, query


def test_it_goes_all_the_way_by_the_api(app: Flask, cast: Cast, ben: Person, project: int, worker: Database):
    chi, other = Api(app, cast.chi), Api(app, ben)
    found = chi.get(f"/v1/projects/{project}/outcomes?reviewer={cast.ada.id}&since=1d").json
    assert [(d["outcome"], d["decided_by"], d["why"]) for d in found["outcomes"]] == [("approve", "Ada", None)] * 4 and found["next_after"] is None
    here = chi.post("/v1/overturns", asked(project, cast, most=3, since="2026-01-31T18:00:00+01:00")).json["status_url"].split("/v1", 1)[1]
    overturning.run(worker)
    one = chi.get(f"/v1{here}").json
    assert one["since"] == "2026-01-31T17:00:00.000000Z"
    assert (one["state"], one["listed"], one["waiting"], one["whole"], one["may"]) == ("listed", 3, 3, False, False)
    assert [(e["kind"], e["url"]) for e in one["effects"]] == [("standing", None), ("webhook", "https://northwind.example/hook")]
    step: Callable[..., Any] = lambda who, name, **more: who.post(f"/v1{here}/steps", {"step": name, "version": chi.get(f"/v1{here}").json["version"], **more})  # noqa: E731
    assert step(other, "ask").status_code == 403 and step(chi, "ask").json["state"] == "pending"
    assert step(chi, "approve").json["code"] == "SAME_EYES" and step(other, "approve", version=1).json["code"] == "OVERTURNS_MOVED"
    assert step(other, "reject").status_code == 422
    assert step(other, "approve", why="looked at two").json["state"] == "running"
    overturning.run(worker)
    one = chi.get(f"/v1{here}").json
    assert (one["state"], one["overturned"], one["approver"], [s["who"] for s in one["steps"]][3]) == ("done", 3, ben.name, ben.name)
    done = chi.get(f"/v1{here}/members?came_to=overturned&limit=2").json
    assert len(done["members"]) == 2 and done["next"] and not chi.get(f"/v1{here}/members?came_to=waits").json["members"]
    made = chi.get(f"/v1/decisions/{done['members'][0]['overturned_by']}").json
    assert (made["verdict"], made["supersedes"]) == ("overturn", done["members"][0]["decision_id"])
    assert step(chi, "stop", why="late").json["code"] == "OVERTURNS_MOVED"
    assert chi.get("/v1/overturns").json["overturns"][0]["overturned"] == 3


def test_it_keeps_what_was_typed_where_a_colleague_was_faster(app: Flask, cast: Cast, ben: Person, project: int, worker: Database):
    chi, other = browser(app, cast.chi), browser(app, ben)
    form = {"project": project, "reviewer": cast.ada.id, "choice": "reopen:", "most": 9, "note": "kept as it was"}
    both = chi.post("/overturns", data=form | {"choice": ["reopen:", "verdict:reject"], "reason_code": "wrong"})
    assert both.status_code == 422 and "not both" in both.text, "whoever ticks two things meant one of them"
    refused = chi.post("/overturns", data=form)
    assert refused.status_code == 422 and "kept as it was" in refused.text and 'value="reopen:" checked' in refused.text
    here = chi.post("/overturns", data=form | {"reason_code": "wrong"}).headers["Location"]
    overturning.run(worker)
    version = Api(app, cast.chi).get(f"/v1{here}").json["version"]
    assert "would be overturned" in chi.get(here).text and "1 item would go back" in chi.get(here).text
    assert chi.post(f"{here}/steps", data={"step": "ask", "version": version}).status_code == 303
    assert "asks to overturn" in other.get("/overturns").text and "asks to overturn" in other.get("/approvals").text
    assert chi.post(f"{here}/steps", data={"step": "withdraw", "version": version + 1, "why": "a mistake"}).status_code == 303
    late = other.post(f"{here}/steps", data={"step": "reject", "version": version + 1, "why": "not <these>"})
    assert late.status_code == 409 and "has moved on" in late.text
    moved = other.get(f"{here}/status?version={version + 1}")
    assert "See it as it is now" in moved.text and "a mistake" in moved.text
    odd = other.post(f"{here}/steps", data={"step": "blow up", "version": "9" * 30, "why": "\x00"})
    assert odd.status_code == 422
