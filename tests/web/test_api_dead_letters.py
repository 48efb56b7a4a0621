"""`/v1/dead-letters`: who sees what of them, and sends them again."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from flask import Flask

from claimcheck.access import people
from claimcheck.db import Database
from tests.people import Cast
from tests.web.api_client import Api

SECRET = "nobody's business"
BAD = {"idempotency_key": "k", "payload": {"name": SECRET}, "priority": 99}


@pytest.fixture
def project(app: Flask, cast: Cast) -> int:
    project.n = getattr(project, "n", 0) + 1
    rules = {"name": f"Letters {project.n}", "skill": "kyc", "reason_codes": ["fits"]}
    return Api(app, cast.eve).post("/v1/projects", rules).json["id"]


@pytest.fixture
def southwind(db: Database) -> Any:
    return people.by_name(db, name="Southwind's") or people.add(db, name="Southwind's", role="customer", customer="Southwind", program=True)


def letters(app: Flask, person: Any, project: int, **asked: Any) -> list[dict[str, Any]]:
    query = "&".join(f"{name}={value}" for name, value in {"project_id": project, **asked}.items())
    return Api(app, person).get(f"/v1/dead-letters?{query}").json["dead_letters"]


def refused(app: Flask, cast: Cast, project: int, *rows: dict[str, Any]) -> list[int]:
    Api(app, cast.eve).post(f"/v1/projects/{project}/items", {"items": [*rows]})
    return [letter["id"] for letter in letters(app, cast.eve, project)][-len(rows) :]


def test_it_tells_each_role_what_it_may_know(app: Flask, cast: Cast, project: int, southwind: Any) -> None:
    [letter] = refused(app, cast, project, BAD)
    for person in (cast.eve, cast.chi, cast.dov):
        one = Api(app, person).get(f"/v1/dead-letters/{letter}")
        assert (one.json["code"], one.json["cause"], one.json["state"], one.json["source"]) == ("INVALID_ROW", "priority", "open", "items")
        assert SECRET not in one.text and one.json["bytes"] > 50
        [cause] = Api(app, person).get(f"/v1/dead-letters/causes?project_id={project}").json["causes"]
        assert (cause["letters"], cause["cause"]) == (1, "priority")
    assert [Api(app, p).get(f"/v1/dead-letters/{letter}").status_code for p in (cast.ada, southwind)] == [403, 404]
    assert Api(app, southwind).get(f"/v1/dead-letters/causes?project_id={project}").status_code == 404


def test_it_gives_the_bytes_to_their_customer_and_to_leads(app: Flask, cast: Cast, project: int, southwind: Any) -> None:
    [letter] = refused(app, cast, project, BAD)
    for person in (cast.eve, cast.chi):
        answer = Api(app, person).get(f"/v1/dead-letters/{letter}/body")
        assert SECRET.encode() in answer.data and answer.mimetype == "application/octet-stream"
        assert "attachment" in answer.headers["Content-Disposition"] and "no-store" in answer.headers["Cache-Control"]
    assert [Api(app, p).get(f"/v1/dead-letters/{letter}/body").status_code for p in (cast.dov, cast.ada, southwind)] == [403, 403, 404]


def test_it_sends_a_mended_letter_again(app: Flask, cast: Cast, project: int) -> None:
    [letter] = refused(app, cast, project, BAD)
    eve = Api(app, cast.eve)
    text = eve.get(f"/v1/dead-letters/{letter}/body").text.replace("99", "9")
    tried = eve.post(f"/v1/dead-letters/{letter}/replay", {"body": text, "dry_run": True}).json
    assert (tried["result"], tried["item_id"], tried["dry_run"]) == ("admitted", None, True)
    assert letters(app, cast.eve, project)[0]["state"] == "open"
    done = eve.post(f"/v1/dead-letters/{letter}/replay", {"body_base64": base64.b64encode(text.encode()).decode()}).json
    assert done["result"] == "admitted" and eve.get(f"/v1/items/{done['item_id']}").json["priority"] == 9
    assert eve.post(f"/v1/dead-letters/{letter}/replay", {"body": text}).json == done, "again is the same"
    whole = eve.get(f"/v1/dead-letters/{letter}").json
    assert (whole["state"], [(r["edited"], r["by"], r["item_id"]) for r in whole["replays"]]) == ("admitted", [(True, "Eve", done["item_id"])])
    assert "99" in eve.get(f"/v1/dead-letters/{letter}/body").text, "the letter keeps its bytes"


def test_it_hides_the_names_of_staff_from_customers(app: Flask, cast: Cast, project: int) -> None:
    [letter] = refused(app, cast, project, BAD)
    assert Api(app, cast.dov).post(f"/v1/dead-letters/{letter}/replay", {}).json["result"] == "refused"
    told = {name: Api(app, getattr(cast, name)).get(f"/v1/dead-letters/{letter}").json["replays"][0]["by"] for name in ("dov", "chi", "eve")}
    assert told["dov"] == told["chi"] == "Dov" and told["eve"] == cast.dov.pseudonym


@pytest.mark.parametrize("wrong", [{"body": "a", "body_base64": "YQ=="}, {"body_base64": "*"}, {"body_base64": "YQ"}, {"body": 1}, {"text": "a"}])
def test_it_names_what_is_wrong_with_a_replay(app: Flask, cast: Cast, project: int, wrong: dict[str, Any]) -> None:
    [letter] = refused(app, cast, project, BAD)
    answer = Api(app, cast.eve).post(f"/v1/dead-letters/{letter}/replay", wrong)
    assert (answer.status_code, answer.json["code"]) == (422, "INVALID") and answer.json["errors"][0]["field"] in ("body", "body_base64", "text")
    assert letters(app, cast.eve, project)[0]["state"] == "open"


def test_it_lets_no_operator_mend(app: Flask, cast: Cast, project: int) -> None:
    [letter] = refused(app, cast, project, BAD)
    for dry_run in (True, False):
        answer = Api(app, cast.dov).post(f"/v1/dead-letters/{letter}/replay", {"body": "{}", "dry_run": dry_run})
        assert answer.status_code == 403
    assert Api(app, cast.dov).post(f"/v1/dead-letters/{letter}/replay", {}).json["result"] == "refused"


def test_it_sends_many_again(app: Flask, cast: Cast, project: int, southwind: Any) -> None:
    ids = refused(app, cast, project, *({**BAD, "idempotency_key": f"k-{n}"} for n in range(3)))
    asked = {"code": "INVALID_ROW", "cause": "priority", "project_id": project}
    tried = Api(app, cast.dov).post("/v1/dead-letters/replay", {**asked, "dry_run": True}).json
    assert (tried["refused"], tried["left"], [r["dead_letter_id"] for r in tried["results"]]) == (3, 3, ids)
    assert Api(app, southwind).post("/v1/dead-letters/replay", asked).json["results"] == []
    done = Api(app, cast.dov).post("/v1/dead-letters/replay", {**asked, "dead_letter_ids": ids[:2]}).json
    assert (done["refused"], done["left"], done["stopped"]) == (2, 0, "")
    still = letters(app, cast.dov, project, state="open")
    assert len(still) == 3 and ids[2] in [d["id"] for d in still]
    assert Api(app, cast.dov).post("/v1/dead-letters/replay", {}).json["errors"][0]["field"] == "dead_letter_ids"


def test_it_pages_through_what_was_asked_for(app: Flask, cast: Cast, project: int) -> None:
    ids = refused(app, cast, project, *({**BAD, "idempotency_key": f"k-{n}"} for n in range(3)), {"idempotency_key": "no payload"})
    dov = Api(app, cast.dov)
    first = dov.get(f"/v1/dead-letters?project_id={project}&state=open&cause=priority&limit=2").json
    assert [d["id"] for d in first["dead_letters"]] == ids[:2]
    rest = dov.get(first["next"]).json
    assert ([d["id"] for d in rest["dead_letters"]], rest["next"]) == ([ids[2]], None)
