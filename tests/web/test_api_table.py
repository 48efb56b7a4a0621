"""Every route of the API, from its own table: who may call it, what it refuses, and what the document says of it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from claimcheck import errors, projects
from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.experts import golds, payouts, standings
from claimcheck.web import api
from claimcheck.web.api import ROUTES, openapi
from claimcheck.web.api.routes import Route
from tests.people import Cast, browser
from tests.web.api_client import Api, proof

RULES = {"name": "Passports", "skill": "kyc", "reason_codes": ["fits"], "price_minor": 50}
ROWS = [{"idempotency_key": f"p-{n}", "payload": {"name": f"Person {n}"}} for n in range(4)]
BODIES: dict[str, Any] = {  # one that is well formed for each route that takes one; a new route fails the tests until it is here
    "projects.create": {**RULES, "items": []},
    "projects.change": {"rules": RULES},
    "projects.pause": {},
    "projects.resume": {},
    "projects.cancel": {},
    "intake.send": {
        "project_id": 1,
        "idempotency_key": "k",
        "partition_key": "p",
        "ledger_entity": "e",
        "currency": "EUR",
        "variance_amount": "1.00",
        "match_decision": "PARTIAL",
        "payload": {},
    },
    "items.send": {"items": []},
    "payload.put": {"payload": {"name": "Other"}},
    "payload.reveals": {"fields": ["name"], "purpose": "needed to decide"},
    "payload.held_reveals": {"fields": ["name"], "purpose": "needed to decide"},
    "tasks.next": {},
    "assignments.heartbeat": {"lease_token": "x"},
    "assignments.release": {"lease_token": "x"},
    "assignments.skip": {"lease_token": "x", "reason": "unclear"},
    "assignments.submit": {"lease_token": "x", "evidence_hash": "0" * 64, "verdict": "approve", "reason_code": "fits"},
    "assignments.send_back": {"lease_token": "x", "note": "look again"},
    "decisions.overturn": {"reason_code": "fits", "verdict": "reject"},
    "batch_decisions.make": {"project_id": 1, "same": {"queue": "review"}, "verdict": "approve", "reason_code": "fits"},
    "batch_decisions.decide": {"version": 1},
    "batch_decisions.drop": {"version": 1},
    "item_actions.make": {"kind": "prioritise", "priority": 3, "item_ids": [1]},
    "item_actions.go_on": {"members": 1},
    "saved_views.save": {"name": "Night shift", "filters": {"state": "pending"}},
    "overturns.begin": {"project_id": 1, "reviewer_id": 1, "verdict": "reject", "reason_code": "fits"},
    "overturns.step": {"step": "withdraw", "version": 1},
    "skills.put_terms": {"exam": False, "gold_rate": 0.05, "novice_rate": 0.2},
    "skills.put_expert": {"status": "active", "tier": 0, "why": "as before"},
    "golds.make": {"accepted": ["approve"]},
    "datasets.ask": {},
    "datasets.acknowledge": {},
    "retractions.make": {"person_id": 1, "reason": "their golds turned bad"},
    "payouts.reverse": {"amount_minor": 1, "why": "a wrong price"},
    "standings.appeal": {"skill": "kyc", "note": "why?"},
    "dead_letters.replay": {"dry_run": True},
    "dead_letters.replay_many": {"code": "INVALID_ROW", "dry_run": True},
}
QUERIES = {"items.find": "?idempotency_key=p-0", "access_events.page": "?customer_id=1", "retractions.preview": "?person_id=1"}
NOT_JSON = [b"", b"{", b"[" * 10_000, b"\xff", b'{"a":"\x00"}', b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":"\\ud800"}']


def each(routes: list[Route]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("route", routes, ids=lambda r: f"{r.method}-{r.name}")


EVERY, GUARDED = each(ROUTES), each([r for r in ROUTES if r.roles])
WITH_NUMBERS, WITH_BODY = each([r for r in ROUTES if r.parameters]), each([r for r in ROUTES if r.body])
PLACEHOLDER = re.compile(r"\{(\w+)\}")


@pytest.fixture(scope="module")
def world(app: Flask, db: Database, cast: Cast, publish: Callable[[], int]) -> SimpleNamespace:
    """Northwind's project, with an item that Ada holds, one that Ben decided and one that Chi holds; Southwind has none of that."""
    made = Api(app, cast.eve).post("/v1/projects", {**RULES, "items": [*ROWS, {"idempotency_key": "bad"}]}).json
    publish()
    held = Api(app, cast.ada).post("/v1/tasks/next").json
    other = Api(app, cast.ben).post("/v1/tasks/next").json
    decided = (
        Api(app, cast.ben)
        .post(f"/v1/assignments/{other['assignment_id']}/submit", {**proof(other), "verdict": "escalate", "reason_code": "fits"})
        .json
    )
    led = Api(app, cast.chi).post("/v1/tasks/next").json
    outcome = (
        Api(app, cast.chi)
        .post(f"/v1/assignments/{led['assignment_id']}/submit", {**proof(led), "verdict": "approve", "reason_code": "fits"})
        .json
    )
    assert decided["decision_id"] != outcome["decision_id"]
    southwind = people.add(db, name="Southwind's", role="customer", customer="Southwind", program=True)
    numbers = {
        "approval_id": _asked(app, cast, publish),
        "project_id": made["id"],
        "batch_id": made["batch_id"],
        "item_id": held["item_id"],
        "version": 1,
        "n": 0,
        "assignment_id": held["assignment_id"],
        "decision_id": outcome["decision_id"],
        "batch_decision_id": Api(app, cast.chi).post("/v1/batch-decisions", BODIES["batch_decisions.make"] | {"project_id": made["id"]}).json["id"],
        "action_id": Api(app, cast.chi).post("/v1/items/actions", {"kind": "assign", "filters": {"key": "nothing"}}).json["id"],
        "view_id": Api(app, cast.chi).post("/v1/items/views", BODIES["saved_views.save"]).json["id"],
        "overturn_id": Api(app, cast.chi).post("/v1/overturns", BODIES["overturns.begin"] | {"project_id": made["id"], "reviewer_id": cast.ben.id}).json["id"],
        "skill_id": next(s.id for s in standings.scarcity(db) if s.name == "kyc"),
        "person_id": cast.ada.id,
        "gold_id": golds.add(db, item_id=led["item_id"], accepted=["approve"], me=cast.chi.id),
        "payout_id": payouts.page(db, person_id=cast.ben.id)[0].id,
        "dataset_id": Api(app, cast.eve).post(f"/v1/projects/{made['id']}/datasets").json["id"],
        "retraction_id": Api(app, cast.chi).post(f"/v1/projects/{made['id']}/retractions", {"person_id": cast.chi.id, "reason": "tried"}).json["id"],
        "dead_letter_id": Api(app, cast.eve).get(f"/v1/dead-letters?project_id={made['id']}").json["dead_letters"][0]["id"],
    }
    return SimpleNamespace(numbers=numbers, held=held, southwind=southwind, callers={**vars(cast), "southwind": southwind})


def _asked(app: Flask, cast: Cast, publish: Callable[[], int]) -> int:
    """An approval that waits, of another project of Northwind's."""
    other = Api(app, cast.eve).post("/v1/projects", {**RULES, "name": "four eyes", "four_eyes": [{}], "items": [{**ROWS[0], "idempotency_key": "seen twice"}]}).json
    publish()
    item = Api(app, cast.eve).get(f"/v1/projects/{other['id']}/items?idempotency_key=seen%20twice").json
    task = Api(app, cast.ben).post("/v1/tasks/next", {"item_id": item["id"]}).json
    Api(app, cast.ben).post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof(task), "verdict": "approve", "reason_code": "fits"})
    return Api(app, cast.chi).get("/v1/approvals").json["approvals"][0]["id"]


def address(route: Route, numbers: Mapping[str, object]) -> str:
    return "/v1" + PLACEHOLDER.sub(lambda m: str(numbers[m[1]]), route.path) + QUERIES.get(route.name, "")


def sent(route: Route) -> dict[str, Any]:
    if route.name == "uploads.send":
        return {"data": {"file": (io.BytesIO(b"hello"), "a.txt", "text/plain")}}
    return {"json": BODIES[route.name]} if route.body else {}


def counted(app: Flask) -> list[dict[str, int]]:
    db = app.extensions["claimcheck"].db
    return [c.as_dict() for c in projects.counts(db, range(1, 50)).values()]


@EVERY
def test_it_asks_everybody_for_a_token_where_the_table_says_so(app: Flask, world: SimpleNamespace, route: Route) -> None:
    answer = Api(app).call(route.method, address(route, world.numbers), **sent(route))
    assert answer.status_code == (401 if route.roles else 200)
    assert ("WWW-Authenticate" in answer.headers) == bool(route.roles)


@GUARDED
def test_it_forbids_every_role_that_the_table_does_not_name(app: Flask, world: SimpleNamespace, route: Route) -> None:
    before = counted(app)
    for caller in world.callers.values():
        if caller.role not in route.roles:
            answer = Api(app, caller).call(route.method, address(route, world.numbers), **sent(route))
            assert (answer.status_code, answer.json["code"]) == (403, "FORBIDDEN")
    assert counted(app) == before


@pytest.mark.parametrize(
    ("route", "name"),
    [(r, name) for r in ROUTES for name, role in (("ben", "reviewer"), ("southwind", "customer")) if r.parameters and role in r.roles],
    ids=lambda v: v if isinstance(v, str) else f"{v.method}-{v.name}",
)
def test_it_finds_nothing_of_somebody_elses(app: Flask, world: SimpleNamespace, route: Route, name: str) -> None:
    """Not forbidden but not found, in the very words for what isn't there: nobody learns which numbers exist."""
    before = counted(app)
    api = Api(app, world.callers[name])
    theirs = api.call(route.method, address(route, world.numbers), **sent(route))
    nowhere = api.call(route.method, address(route, dict.fromkeys(world.numbers, 2**31 - 1) | {"n": 0}), **sent(route))
    assert (theirs.status_code, theirs.json["code"]) == (404, "NOT_FOUND")
    assert {**theirs.json, "trace_id": ""} == {**nowhere.json, "trace_id": ""}
    assert counted(app) == before


@WITH_NUMBERS
def test_it_finds_no_number_that_no_row_can_have(app: Flask, world: SimpleNamespace, route: Route) -> None:
    caller = next(c for c in world.callers.values() if c.role in route.roles)
    for number in (0, 2**31, 2**63 - 1, 2**63, 10**400, "9" * 5000):
        path = address(route, dict.fromkeys(world.numbers, number))
        assert Api(app, caller).call(route.method, path, **sent(route)).status_code == 404


@EVERY
def test_it_refuses_parameters_that_it_does_not_know(app: Flask, world: SimpleNamespace, route: Route) -> None:
    path = address(route, world.numbers)
    caller = next((c for c in world.callers.values() if c.role in route.roles), None)
    for name in ("customer_id", "after__gt"):
        answer = Api(app, caller).call(route.method, f"{path}{'&' if '?' in path else '?'}{name}=1", **sent(route))
        assert answer.status_code == 400
        assert [e["field"] for e in answer.json["errors"]] == [name]


@WITH_BODY
def test_it_refuses_unknown_fields_in_every_body(app: Flask, world: SimpleNamespace, route: Route) -> None:
    """A body can't set a column that nobody offered (`role`, `customer_id`, `state` …)."""
    caller = next(c for c in world.callers.values() if c.role in route.roles)
    for name in ("customer_id", "id", "state", "role", "created_by", "lease_expires"):
        answer = Api(app, caller).call(route.method, address(route, world.numbers), json={**BODIES[route.name], name: 1})
        assert answer.status_code == 422


@WITH_BODY
def test_it_refuses_what_is_no_json(app: Flask, world: SimpleNamespace, route: Route) -> None:
    caller = Api(app, next(c for c in world.callers.values() if c.role in route.roles))
    for body in NOT_JSON:
        answer = caller.call(route.method, address(route, world.numbers), data=body, content_type="application/json")
        expected = (422, "POISON_MESSAGE") if route.body and route.body.unread else (400, "BAD_REQUEST")  # what intake can't read, it keeps
        assert (answer.status_code, answer.json["code"]) == expected, body[:20]
        assert answer.json["errors"][0]["field"]


@WITH_BODY
def test_it_refuses_other_types_and_shapes_of_body(app: Flask, world: SimpleNamespace, route: Route) -> None:
    caller = next(c for c in world.callers.values() if c.role in route.roles)
    path = address(route, world.numbers)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml"):
        assert Api(app, caller).call(route.method, path, data=b"{}", content_type=kind).status_code == 415
    for body in (None, [], "x", 1):
        answer = Api(app, caller).call(route.method, path, data=json.dumps(body), content_type="application/json")
        assert answer.status_code == 422
    large = b'{"a": "' + b"x" * route.body.limit + b'"}'
    assert Api(app, caller).call(route.method, path, data=large, content_type="application/json").status_code == 413


@EVERY
def test_it_refuses_other_methods(app: Flask, world: SimpleNamespace, route: Route) -> None:
    path = address(route, world.numbers)
    here = {r.method for r in ROUTES if r.path == route.path}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - here:
        answer = Api(app).call(method, path)
        assert (answer.status_code, answer.json["code"]) == (405, "METHOD_NOT_ALLOWED")
        assert here <= set(answer.headers["Allow"].replace(" ", "").split(","))


@GUARDED
def test_it_knows_no_other_way_in(app: Flask, cast: Cast, world: SimpleNamespace, route: Route) -> None:
    """A signed-in browser is nobody here, and so is every other scheme; all four roles are tried, so one of them could call it."""
    path = address(route, world.numbers)
    for header in ("Bearer", "Bearer nobody's", "Basic QWRhOng=", "bearer " + "x" * 43):
        given = {"headers": {"Authorization": header, "X-Forwarded-User": "dov@example.org"}, **sent(route)}
        assert Api(app).call(route.method, path, **given).status_code == 401
    for person in (cast.ada, cast.chi, cast.dov, cast.eve):
        assert browser(app, person).open(path, method=route.method, **sent(route)).status_code == 401


def test_it_answers_unknown_addresses_with_a_problem(app: Flask, cast: Cast) -> None:
    for path in ("/v1/", "/v1/nothing", "/v1/projects/", "/v1/projects/x", "/v1/projects/-1", "/v1/projects/1.0", "/v1/intakes"):
        assert Api(app, cast.eve).get(path).json["code"] == "NOT_FOUND"


# The document


def test_it_documents_every_route_and_routes_every_document(app: Flask) -> None:
    documented = {(method.upper(), path) for path, methods in openapi.made()["paths"].items() for method in methods}
    rules = [r for r in app.url_map.iter_rules() if r.rule.startswith("/v1")]
    routed = {(method, re.sub(r"<[^:]+:(\w+)>", r"{\1}", r.rule)) for r in rules for method in r.methods - {"HEAD", "OPTIONS"}}
    assert documented == routed
    assert all(r.endpoint.startswith("api.") for r in rules)


def test_it_documents_every_error_that_a_route_can_answer_with(app: Flask) -> None:
    document = openapi.made()
    for route in ROUTES:
        said = document["paths"]["/v1" + route.path][route.method.lower()]["responses"]
        for error in route.raises:
            assert f"`{error.code}`" in said[str(error.status)]["description"]
            assert "Retry-After" in said[str(error.status)].get("headers", {"Retry-After": ""}) or error.status not in (429, 503)


def test_it_documents_every_conflict_of_the_domain() -> None:
    """A conflict that no route documents is one that a caller meets unprepared."""
    documented = {error for route in ROUTES for error in route.raises}
    elsewhere = {errors.Conflict, errors.DuplicateKey, errors.NameTaken, errors.LeaseExpired, errors.SettingsChanged, errors.GuidanceChanged}  # as such; in dead letters; on pages; in pools; on a page
    assert set(errors.Conflict.__subclasses__()) - documented <= elsewhere


def test_it_says_something_of_every_route() -> None:
    document = openapi.made()
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    assert all(o["summary"].endswith((".", "?")) and 10 < len(o["summary"]) < 200 for o in operations)
    assert len({o["operationId"] for o in operations}) == len(operations) == len(ROUTES)
    assert all(api.blueprint.name for _ in operations)


def test_it_gives_its_document_to_anybody(app: Flask) -> None:
    document = Api(app).get("/v1/openapi.json").json
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": app.extensions["claimcheck"].settings.base_url}]
    page = app.test_client().get("/docs")
    assert page.status_code == 200
    for path in document["paths"]:
        assert path in page.text
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", page.text), "nothing comes from elsewhere"
