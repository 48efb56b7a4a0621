"""Batch decisions by the API and on their pages: groups, the sample as any review, the bound that the server holds, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from claimcheck.access import people
from claimcheck.bulk import working
from claimcheck.db import Database
from tests.people import Cast, browser
from tests.web.api_client import Api, proof

EASY = {"share": 0.3, "confidence": 0.9}


def filled(app: Flask, cast: Cast, publish: Callable[[], int], name: str, n: int = 20, **rules: Any) -> int:
    """A project of Eve's with so many items of two counterparties, each in a partition of its own."""
    items = [{"idempotency_key": f"k{k}", "payload": {"n": k}} for k in range(n)]
    given = {"name": name, "skill": "kyc", "reason_codes": ["fine", "wrong"], "batch_decision_bound": EASY, "items": items, **rules}
    made = Api(app, cast.eve).post("/v1/projects", given).json["id"]
    publish()
    return made


def look(lead: Api, batch: int, *verdicts: str) -> list[int]:
    """Looks at the whole sample: the first ones get these verdicts, the others are approved."""
    said, seen = [*verdicts], []
    while (answer := lead.post(f"/v1/batch-decisions/{batch}/sample")).status_code == 200:
        task = answer.json
        assert lead.get(task["payload_url"]).status_code == 200
        given = {**proof(task), "verdict": said.pop(0) if said else "approve", "reason_code": "fine"}
        assert lead.post(f"/v1/assignments/{task['assignment_id']}/submit", given).status_code == 200
        seen.append(task["item_id"])
    assert answer.status_code == 204
    return seen


def test_it_goes_all_the_way_by_the_api(app: Flask, cast: Cast, publish: Callable[[], int], worker: Database):
    project, lead = filled(app, cast, publish, "by the API"), Api(app, cast.chi)
    [group] = lead.get(f"/v1/projects/{project}/alike").json["groups"]
    assert (group["same"]["queue"], group["items"]) == ("review", 20)
    asked = {"project_id": project, "same": group["same"], "verdict": "approve", "reason_code": "fine"}
    batch = lead.post("/v1/batch-decisions", asked).json["id"]
    here = f"/v1/batch-decisions/{batch}"
    assert lead.post(f"{here}/sample").json["code"] == "BATCH_MOVED", "there is no sample yet"
    working.run(worker)
    one = lead.get(here).json
    assert (one["state"], one["members"], one["bound"]["met"]) == ("sampling", 20, False)
    assert lead.post(f"{here}/decide", {"version": one["version"]}).json["code"] == "BOUND_NOT_MET"
    seen = look(lead, batch)
    assert seen == [drawn["item_id"] for drawn in one["sample"]]
    on_record = lead.get(f"/v1/access-events?customer_id={cast.eve.customer_id}&limit=200").json["access_events"]
    assert {*seen} <= {event["item_id"] for event in on_record}, "each view is on record"
    page = browser(app, cast.chi).get(f"/batch-decisions/{batch}?came_to=all").text
    assert page.count(">looked at</span>") == len(seen) and "The sample was looked at" in page
    one = lead.get(here).json
    assert one["bound"]["met"] and one["bound"]["rest"] == 20 - len(seen)
    assert lead.post(f"{here}/decide", {"version": one["version"] + 1}).json["code"] == "BATCH_MOVED"
    assert lead.post(f"{here}/decide", {"version": one["version"]}).status_code == 202
    working.run(worker)
    decided = lead.get(f"{here}/members?came_to=decided").json["members"]
    assert len(decided) == 20 - len(seen)
    assert lead.post(f"{here}/members/{decided[0]['n']}/undo").status_code == 201
    assert lead.post(f"{here}/members/{decided[0]['n']}/undo").json["code"] == "ALREADY_OVERTURNED"
    assert lead.post(f"{here}/undo").status_code == 202
    working.run(worker)
    one = lead.get(here).json
    assert (one["state"], one["undone"]) == ("undone", len(decided))
    assert lead.post(f"{here}/undo").json["code"] == "UNDO_OVER"
    [line] = lead.get(f"/v1/batch-decisions?project_id={project}").json["batch_decisions"]
    assert (line["id"], line["state"]) == (batch, "undone")


def test_it_tells_nobody_what_is_proposed_who_may_be_its_second_pair_of_eyes(app: Flask, cast: Cast, publish: Callable[[], int], worker: Database, db: Database):
    project, lead = filled(app, cast, publish, "four eyes", n=20, four_eyes=[{"verdict": "approve"}]), Api(app, cast.chi)
    asked = {"project_id": project, "same": {"queue": "review"}, "verdict": "approve", "reason_code": "fine", "note": "A telling note"}
    batch = lead.post("/v1/batch-decisions", asked).json["id"]
    working.run(worker)
    look(lead, batch)
    lead.post(f"/v1/batch-decisions/{batch}/decide", {"version": lead.get(f"/v1/batch-decisions/{batch}").json["version"]})
    working.run(worker)
    second = people.add(db, name="Another lead", email="another@example.org", role="lead")
    other, page = Api(app, second), browser(app, second)
    assert lead.get(f"/v1/batch-decisions/{batch}").json["verdict"] == "approve" and "A telling note" in browser(app, cast.chi).get(f"/batch-decisions/{batch}").text
    one = other.get(f"/v1/batch-decisions/{batch}").json
    assert (one["verdict"], one["reason_code"], one["note"], one["sample"], one["bound"]) == (None, None, None, [], None) and one["stale"] > 0
    [line] = other.get(f"/v1/batch-decisions?project_id={project}").json["batch_decisions"]
    assert line["verdict"] is None and other.get(f"/v1/batch-decisions/{batch}/members").status_code == 403
    text = page.get(f"/batch-decisions/{batch}").text
    assert "Told to its lead alone" in text and not [word for word in ("A telling note", "Approve", "Differ", "In the sample") if word in text]
    begun = lead.post("/v1/batch-decisions", asked | {"project_id": filled(app, cast, publish, "four eyes again", n=12, four_eyes=[{"verdict": "approve"}])}).json["id"]
    working.run(worker)
    text = page.get(f"/batch-decisions/{begun}").text
    assert "looks at the sample and decides" in text and "A telling note" not in text


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ({"same": {}}, 422, "at least one of"),
        ({"same": {"queue": "x" * 400}}, 422, "same.queue"),
        ({"same": {"colour": "red"}}, 422, "same.colour"),
        ({"verdict": "escalate"}, 422, "verdict"),
        ({"verdict": None}, 422, "verdict"),
        ({"reason_code": "because"}, 422, "reason_code"),
        ({"most": 0}, 422, "most"),
        ({"most": 10**30}, 422, "most"),
        ({"tolerate": 6}, 422, "tolerate"),
        ({"sample_size": -1}, 422, "sample_size"),
        ({"note": "\x00"}, 400, "NUL"),
        ({"project_id": 2**31 - 1}, 404, ""),
    ],
)
def test_it_refuses_what_makes_no_batch(more: dict[str, Any], status: int, words: str, app: Flask, cast: Cast, publish: Callable[[], int]):
    project = filled(app, cast, publish, "refusals", n=1)
    asked = {"project_id": project, "same": {"queue": "review"}, "verdict": "approve", "reason_code": "fine", **more}
    answer = Api(app, cast.chi).post("/v1/batch-decisions", asked)
    assert answer.status_code == status and words in answer.text


def test_it_takes_no_items_that_want_several_looks(app: Flask, cast: Cast, publish: Callable[[], int]):
    project = filled(app, cast, publish, "several looks", n=1, wanted=2)
    asked = {"project_id": project, "same": {"queue": "review"}, "verdict": "approve", "reason_code": "fine"}
    answer = Api(app, cast.chi).post("/v1/batch-decisions", asked)
    assert answer.status_code == 422 and "several independent looks" in answer.json["detail"]
