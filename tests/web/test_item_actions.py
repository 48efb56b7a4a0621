"""Actions over many items by the API, and the forms behind them: who may ask, what comes back, what is refused and how."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask import Flask

from claimcheck.access import people as accounts
from claimcheck.db import Database
from claimcheck.triage import acting, views
from tests import people
from tests.people import Cast
from tests.web.api_client import Api

WHY = {"why": "sent twice"}


def filled(app: Flask, cast: Cast, publish: Callable[[], int], name: str, n: int = 4) -> tuple[int, list[int]]:
    """A project of Eve's with so many items, and their numbers."""
    rows = [{"idempotency_key": f"{name} {k}", "payload": {"n": k}} for k in range(n)]
    made = Api(app, cast.eve).post("/v1/projects", {"name": name, "skill": "kyc", "reason_codes": ["fine"], "items": rows}).json["id"]
    publish()
    return made, [item["id"] for item in Api(app, cast.chi).get(f"/v1/items?project={made}&order=oldest").json["items"]]


def test_it_acts_by_the_api_on_what_is_named_and_on_what_fits(app: Flask, cast: Cast, publish: Callable[[], int], worker: Database):
    project, items = filled(app, cast, publish, "acted on")
    lead = Api(app, cast.chi)
    made = lead.post("/v1/items/actions", {"kind": "cancel", "item_ids": items[:1], **WHY}).json
    one = lead.get(made["status_url"]).json
    assert (one["state"], one["done"], one["why"]) == ("done", 1, "sent twice"), "a few are done before it answers"
    assert lead.get(f"/v1/items/{items[0]}").json["history"][-1]["reason"] == "item.cancelled"
    asked = {"kind": "prioritise", "priority": 5, "filters": {"project": str(project)}}
    here = lead.post("/v1/items/actions", asked).json["status_url"]
    assert lead.post(f"{here}/go-on", {"members": 4}).json["code"] == "CONFLICT", "its list is not made yet"
    acting.run(worker)
    assert lead.post(f"{here}/go-on", {"members": 4}).status_code == 202
    acting.run(worker)
    assert [m["why"] for m in lead.get(f"{here}/members?refused=true").json["members"]] == ["it was cancelled before"]
    page = lead.get(f"{here}/members?limit=3").json
    assert len(page["members"]) == 3 and len(lead.get(page["next"]).json["members"]) == 1
    assert lead.post(f"{here}/drop").json["code"] == "CONFLICT", "it is done"
    assert lead.get("/v1/items/actions?limit=1").json["actions"][0]["state"] == "done"
    assert lead.get(f"/v1/items/{items[1]}").json["priority"] == 5


def test_it_says_what_is_wrong_with_a_request(app: Flask, cast: Cast):
    lead = Api(app, cast.chi)
    for given, field in (
        ({"kind": "cancel", "item_ids": [1]}, "why"),
        ({"kind": "cancel", **WHY}, "item_ids"),
        ({"kind": "cancel", "filters": {"reason": "fine"}, **WHY}, "reason"),
        ({"kind": "cancel", "filters": {"state": "asleep"}, **WHY}, "state"),
        ({"kind": "assign", "item_ids": [1], "to": cast.eve.id}, "to"),
        ({"kind": "move", "item_ids": [1], "queue": "escalation"}, "queue"),
    ):
        answer = lead.post("/v1/items/actions", given)
        assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, field), answer.json


def test_its_forms_bring_back_what_was_ticked_and_typed_and_never_break(app: Flask, cast: Cast, db: Database, publish: Callable[[], int]):
    project, items = filled(app, cast, publish, "ticked")
    chi = people.browser(app, cast.chi)
    form = {"filter.project": str(project), "kind": "cancel", "why": "", "item": [str(items[0])], "which": "ticked"}
    answer = chi.post("/items/actions", data=form)
    assert answer.status_code == 422 and f'value="{items[0]}" form="act" checked' in answer.text
    wrong = {"item": "x", "priority": "1e9", "hours": "-", "to": "9" * 9, "kind": "erase", "which": "all", "filter.state": "asleep"}
    for name, value in wrong.items():
        given = {**form, "filter.project": "", "to": "", name: value} | ({"kind": "assign"} if name in ("hours", "to", "which") else {})
        assert chi.post("/items/actions", data=given).status_code == 422, name
    made = chi.post("/items/actions", data={**form, "filter.state": "pending", "kind": "prioritise", "priority": "3", "which": "all"})
    for address in (made.location, "/items/actions"):
        told = re.sub(r"(<[^>]*>|\s)+", " ", chi.get(address).text)
        assert "Project ticked" in told and "State Waiting" in told, "in the words of the list's own form"
    nul = {"name": "nul", "filter.project": f"{project}\0", "filter.key": "\0"}
    assert chi.post("/items/views", data=nul).status_code == 303, "kept without it, as everywhere"
    view = views.save(db, me=cast.chi.id, name="mine", shared=False, filters={"project": str(project)})
    assert chi.get(f"/items/views/{view}").status_code == 200 and chi.get(f"/items/rows?project={project}").status_code == 200
    for name in (" ", "mine\u202egnp", "a\0b", "m" * 81):
        assert chi.post("/items/views", data={"name": name, "filter.project": str(project)}).status_code == 422
    assert people.browser(app, cast.ada).get(f"/items/views/{view}").status_code == 403
    assert chi.post(f"/items/views/{view}/remove", data={"filter.project": str(project)}).status_code == 303
    assert chi.get(f"/items/views/{view}").status_code == 404


def test_a_program_saves_finds_and_removes_views_and_only_its_own(app: Flask, cast: Cast, db: Database):
    lead, other = Api(app, cast.chi), Api(app, accounts.add(db, name="Fay", email="fay@example.org", role="lead"))
    made = lead.post("/v1/items/views", {"name": "Mornings", "shared": True, "filters": {"state": "paused"}}).json
    assert lead.post("/v1/items/views", {"name": "Mornings", "filters": {"state": "blocked"}}).json == made | {"shared": False, "filters": {"state": "blocked"}}
    here = f"/v1/items/views/{made['id']}"
    assert other.get(here).status_code == 404, "it is nobody else's any more"
    lead.post("/v1/items/views", {"name": "Mornings", "shared": True, "filters": {"state": "blocked"}})
    [seen] = [view for view in other.get("/v1/items/views").json["views"] if view["id"] == made["id"]]
    assert seen == other.get(here).json == lead.get(here).json and seen["person"] == "Chi"
    assert other.call("DELETE", here).status_code == 404, "only who saved it"
    assert (lead.call("DELETE", here).status_code, lead.call("DELETE", here).status_code, lead.get(here).status_code) == (204, 404, 404)
    for given, field in (
        ({"name": "\u202e", "filters": {"state": "paused"}}, "name"),
        ({"name": "x", "filters": {"after": "3"}}, "filters"),
        ({"name": "x", "filters": {}}, "filters"),
        ({"name": "x", "filters": {"state": "asleep"}}, "state"),
    ):
        answer = lead.post("/v1/items/views", given)
        assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, field), answer.json
