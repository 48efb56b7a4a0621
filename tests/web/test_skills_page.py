"""The skills' pages and their API: need and supply, terms, people, appeals, golds; leads act, operators look, nobody else sees."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

from claimcheck import items, projects, rules
from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.experts import golds, standings, upkeep
from claimcheck.intake import batches
from claimcheck.review import decisions, tasks
from tests.people import Cast, browser
from tests.web.api_client import Api

SKILL = "seals"
RULES = {"name": "Seals", "skill": SKILL, "reason_codes": ["there", "missing"], "wanted": 2}


@dataclass
class Desk:
    app: Flask
    db: Database
    cast: Cast
    publish: Callable[[], int]
    project: int
    skill: int

    def client(self, name: str) -> FlaskClient:
        return browser(self.app, getattr(self.cast, name))

    def item(self, key: str) -> int:
        batches.take(self.db, project=self.project, by=self.cast.eve.id, rows=[{"idempotency_key": key, "payload": {"case": key}}])
        self.publish()
        return items.find(self.db, project_id=self.project, idempotency_key=key)

    def look(self, name: str, item: int, verdict: str, note: str = "") -> None:
        me = getattr(self.cast, name).id
        claim = tasks.claim(self.db, me=me, item_id=item)
        assert claim is not None
        proof = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash, "me": me}
        decisions.submit(self.db, **proof, verdict=verdict, reason_code="there", note=note)

    def adjudicated(self, key: str) -> int:
        item = self.item(key)
        for name, verdict in (("ada", "approve"), ("ben", "reject"), ("chi", "reject")):
            self.look(name, item, verdict, "The seal is torn.")
        return item

    def standing(self, name: str) -> standings.Mine:
        return standings.one(self.db, person_id=getattr(self.cast, name).id, skill_id=self.skill)

    def change(self, name: str, **typed: str) -> Any:
        form = {"status": "active", "tier": "0", "why": "as agreed", **typed}
        return self.client("chi").post(f"/skills/{self.skill}/experts/{getattr(self.cast, name).id}", data=form)


@pytest.fixture(scope="module")
def desk(app: Flask, db: Database, cast: Cast, publish: Callable[[], int]) -> Desk:
    project = projects.create(db, by=cast.eve, rules=rules.parse(RULES)).id
    for person in (cast.ada, cast.ben, cast.chi):
        people.give_skill(db, person_id=person.id, skill=SKILL)
    return Desk(app, db, cast, publish, project, next(s.id for s in standings.scarcity(db) if s.name == SKILL))


@pytest.fixture(autouse=True)
def afresh(desk: Desk, database: Any) -> None:
    """Everybody is at work, and nobody meets gold."""
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("UPDATE skills SET exam = false, gold_rate = 0.05, novice_rate = 0")
        sql.execute("UPDATE person_skills SET status = 'active', tier = 0, pinned = false, gold_every = 0")


def test_it_says_what_waits_who_is_there_and_how_much_gold_is_left(desk: Desk) -> None:
    item = desk.item("waits")
    listed = desk.client("chi").get("/skills").text
    for words in (SKILL, "<b>2</b> looks wait", "<b>3</b> active", "Nobody worked on it in 6 h.", "No gold: nobody is measured here."):
        assert words in listed
    for name in ("ada", "ben"):
        desk.look(name, item, "approve")
    assert "Nothing waits." in desk.client("dov").get(f"/skills/{desk.skill}").text


def test_it_warns_while_the_golds_will_not_last(desk: Desk, database: Any) -> None:
    golds.add(desk.db, item_id=desk.item("only gold"), accepted=["approve"], me=desk.cast.chi.id)
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("UPDATE skills SET gold_rate = 1 WHERE id = %s", [desk.skill])
    ids = [desk.item(f"many-{n}") for n in range(4)]
    found = standings.skill(desk.db, skill_id=desk.skill)
    assert (found.looks_wanted, found.exposures_needed, found.golds_needed) == (
        10,
        10,
        4,
    )  # ten looks by three people, each of whom meets a gold once
    assert found.gold_short
    assert "10 looks by 3 people at 100\u202f% gold take 4 golds and 10 exposures: make more." in desk.client("dov").get("/skills").text
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("UPDATE skills SET gold_rate = 0.05, novice_rate = 0 WHERE id = %s", [desk.skill])
        sql.execute("UPDATE person_skills SET gold_every = 0 WHERE skill_id = %s", [desk.skill])
        sql.execute("UPDATE tasks SET cancelled_at = clock_timestamp() WHERE item_id = ANY (%s)", [ids])
    assert "make more" not in desk.client("dov").get("/skills").text


def test_it_changes_the_terms_and_keeps_what_was_typed_wrongly(desk: Desk) -> None:
    path, chi = f"/skills/{desk.skill}/terms", desk.client("chi")
    assert chi.post(path, data={"exam": "on", "gold_rate": "7.5", "novice_rate": "25"}).status_code == 303
    found = standings.skill(desk.db, skill_id=desk.skill)
    assert (found.exam, found.gold_rate, found.novice_rate) == (True, 0.075, 0.25)
    assert "An exam takes up to 25 golds" in chi.get("/skills").text
    for odd in ("٥", "１０", "1_0", "1e1", "nan", "+5", "-0", ""):
        assert chi.post(path, data={"gold_rate": odd, "novice_rate": "25"}).status_code == 422, odd
    assert standings.skill(desk.db, skill_id=desk.skill).gold_rate == 0.075
    refused = chi.post(path, data={"gold_rate": "110", "novice_rate": "25"})
    assert refused.status_code == 422
    assert 'value="110"' in refused.text
    assert "Give per cent, from 0 to 100." in refused.text
    chi.post(path, data={"gold_rate": "5", "novice_rate": "0"})


def test_it_pauses_resumes_and_sets_tiers_with_a_reason(desk: Desk) -> None:
    assert desk.change("ada", status="paused", why="Asked for a rest.").status_code == 303
    assert (desk.standing("ada").status, desk.standing("ada").said) == ("paused", "Asked for a rest.")
    refused = desk.change("ada", tier="2", why="  ")
    assert refused.status_code == 422
    assert "Say it in 1 to 2,000 characters." in refused.text
    assert desk.change("ada", tier="2", pinned="on", why="Rested.").status_code == 303
    assert (desk.standing("ada").status, desk.standing("ada").tier, desk.standing("ada").pinned) == ("active", 2, True)
    page = desk.client("chi").get(f"/skills/{desk.skill}").text
    assert "by hand" in page
    assert "Rested." in page
    assert desk.change("chi").status_code == 403
    assert desk.change("eve").status_code == 404


def test_it_answers_an_appeal_on_the_skill_s_page(desk: Desk) -> None:
    desk.change("ben", status="paused", why="Too hasty.")
    appeal = standings.appeal(desk.db, me=desk.cast.ben.id, skill_id=desk.skill, note="I take my time now.")
    chi = desk.client("chi")
    assert "1 appeal" in chi.get("/skills").text
    counted = re.compile(r'href="/skills"[^>]*>Skills <b class="count">1</b>')
    assert counted.search(chi.get("/people").text)
    assert not counted.search(desk.client("dov").get("/people").text)  # operators answer none
    page = chi.get(f"/skills/{desk.skill}").text
    assert "Too hasty." in page
    assert "I take my time now." in page
    path = f"/skills/{desk.skill}/appeals/{appeal}"
    assert chi.post(path, data={"answer": " "}).status_code == 422
    assert chi.post(path, data={"answer": "Welcome back.", "resume": "1"}).status_code == 303
    assert (desk.standing("ben").status, desk.standing("ben").said) == ("active", "Welcome back.")
    assert chi.post(path, data={"answer": "Again."}).status_code == 404


def test_it_makes_gold_of_what_was_adjudicated_and_retires_it(desk: Desk, worker: Database, database: Any) -> None:
    item, chi = desk.adjudicated("torn"), desk.client("chi")
    page = chi.get(f"/skills/{desk.skill}").text
    assert "Make gold of torn" in page
    assert "The seal is torn." in page
    assert chi.post(f"/skills/{desk.skill}/golds", data={"item_id": str(item)}).status_code == 303
    [gold] = [g for g in golds.page(desk.db, skill_id=desk.skill) if g.item_id == item]
    with psycopg.connect(database.superuser) as sql:
        assert sql.execute("SELECT accepted FROM gold_labels WHERE gold_id = %s", [gold.id]).fetchone() == (["reject"],)
    upkeep.run(worker)
    page = chi.get(f"/skills/{desk.skill}").text
    assert "Make gold of torn" not in page
    assert "from an adjudication" in page
    assert chi.post(f"/skills/{desk.skill}/golds", data={"item_id": str(item)}).status_code == 404
    assert chi.post(f"/skills/{desk.skill}/golds/{gold.id}/retirement").status_code == 303
    assert "by hand" in chi.get(f"/skills/{desk.skill}").text
    assert chi.post(f"/skills/{desk.skill}/golds/{gold.id}/retirement").status_code == 404


def test_operators_look_at_people_and_numbers_alone(desk: Desk) -> None:
    desk.adjudicated("secret case")
    page = desk.client("dov").get(f"/skills/{desk.skill}").text
    assert desk.cast.ada.name in page
    for words in ("secret case", "The seal is torn.", "Make gold", '<form method="post" action="/skills', "Change the standing"):
        assert words not in page


def test_its_api_does_the_same_for_leads(desk: Desk, app: Flask, cast: Cast) -> None:
    chi = Api(app, cast.chi)
    [found] = [s for s in chi.get("/v1/skills").json["skills"] if s["name"] == SKILL]
    assert found["people_active"] == 3
    changed = chi.put(f"/v1/skills/{desk.skill}", {"exam": False, "gold_rate": 0.5, "novice_rate": 1}).json
    assert (changed["gold_rate"], changed["novice_rate"]) == (0.5, 1.0)
    assert chi.put(f"/v1/skills/{desk.skill}", {"exam": False, "gold_rate": 2, "novice_rate": 0}).status_code == 422
    path = f"/v1/skills/{desk.skill}/experts"
    chi.put(f"{path}/{cast.ben.id}", {"status": "active", "tier": 1, "why": "Good."})
    [ben] = [e for e in chi.get(path).json["experts"] if e["person_id"] == cast.ben.id]
    assert (ben["tier"], ben["pinned"], ben["said"]) == (1, True, "Good.")
    assert chi.put(f"{path}/{cast.chi.id}", {"status": "active", "tier": 3, "why": "Me."}).status_code == 403
    assert chi.put(f"{path}/{cast.ben.id}", {"status": "gone", "tier": 1, "why": "x"}).status_code == 422
    made = chi.post(f"/v1/items/{desk.adjudicated('by api')}/gold", {"accepted": ["reject"], "note": "torn"})
    assert made.status_code == 201
    assert chi.post(f"/v1/golds/{made.json['id']}/retire").status_code == 204
    assert chi.post(f"/v1/golds/{made.json['id']}/retire").status_code == 404
    for person in (cast.ada, cast.dov, cast.eve):
        assert Api(app, person).get("/v1/skills").status_code == 403
