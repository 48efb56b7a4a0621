"""Adjudication on its screen: cards without names for whoever holds it, a note that must be there, nothing of it for anybody else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

from claimcheck import errors, items, projects, rules
from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.db import Database
from claimcheck.intake import batches
from claimcheck.review import decisions, looks, tasks
from claimcheck.review.tasks import Claim
from tests.people import Cast, browser, program
from tests.web.api_client import Api

RULES = {"skill": "disputes", "reason_codes": ["seal is there", "seal is missing"], "wanted": 2}


@dataclass
class Desk:
    app: Flask
    db: Database
    cast: Cast
    publish: Callable[[], int]
    trusted: Person

    def client(self, who: Person) -> FlaskClient:
        return browser(self.app, who)

    def item(self, name: str, **others: Any) -> int:
        made = projects.create(self.db, by=self.cast.eve, rules=rules.parse({"name": name, **RULES, **others}))
        batches.take(self.db, project=made.id, by=self.cast.eve.id, rows=[{"idempotency_key": name, "payload": {"case": name}}])
        self.publish()
        return items.find(self.db, project_id=made.id, idempotency_key=name)

    def look(self, who: Person, item: int, **said: Any) -> int:
        claim = tasks.claim(self.db, me=who.id, item_id=item)
        assert claim is not None
        proof = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash, "me": who.id}
        return decisions.submit(self.db, **{**proof, "reason_code": "seal is there", **(said or {"verdict": "approve"})})

    def disputed(self, name: str) -> int:
        item = self.item(name)
        self.look(self.cast.ada, item, verdict="approve", note="I see the seal.")
        self.look(self.cast.ben, item, verdict="reject", reason_code="seal is missing", note="There is none.")
        return item

    def adjudication(self, who: Person) -> tuple[Claim, str]:
        """The claim, and its page."""
        claim = tasks.claim(self.db, me=who.id)
        assert claim is not None
        assert claim.kind == "adjudication"
        return claim, self.client(who).get(f"/assignments/{claim.assignment_id}").text

    def decide(self, who: Person, claim: Claim, **typed: str | list[str]) -> Any:
        form = {"lease_token": str(claim.lease_token), "evidence_hash": claim.evidence_hash.hex(), "reason_code": "seal is there", **typed}
        return self.client(who).post(f"/assignments/{claim.assignment_id}/decision", data=form)


@pytest.fixture(scope="module")
def desk(app: Flask, db: Database, cast: Cast, publish: Callable[[], int]) -> Desk:
    for person in (cast.ada, cast.ben):
        people.give_skill(db, person_id=person.id, skill="disputes")
    trusted = people.add(db, name="Fay", email="fay@example.org", role="reviewer", skills=["disputes"])
    people.give_skill(db, person_id=trusted.id, skill="disputes", tier=2)
    return Desk(app, db, cast, publish, trusted)


def test_it_shows_each_look_to_a_trusted_reviewer_who_holds_it_and_no_names(desk: Desk) -> None:
    desk.disputed("shown")
    claim, page = desk.adjudication(desk.trusted)
    for words in ("2 looks", "I see the seal.", "There is none.", "seal is missing", "data-adopts", 'class="chip"'):
        assert words in page
    for person in (desk.cast.ada, desk.cast.ben):
        assert person.pseudonym not in page
        assert person.name not in page
    assert "Send back" not in page
    assert desk.decide(desk.trusted, claim, choice="verdict:reject", note="It is torn off.").status_code == 303


def test_it_gives_a_program_the_same_cards_without_names_and_nobody_else(desk: Desk) -> None:
    desk.disputed("by program")
    api, lead = Api(desk.app, desk.trusted), Api(desk.app, desk.cast.chi)
    task = api.post("/v1/tasks/next").json
    assert task["kind"] == "adjudication"
    shown = task["disagreement"]
    assert sorted((look["verdict"], look["reason"], look["note"]) for look in shown["looks"]) == [
        ("approve", "seal is there", "I see the seal."), ("reject", "seal is missing", "There is none.")]  # fmt: skip
    assert sorted(shown["chosen"], key=str) == [{"said": "approve", "looks": 1}, {"said": "reject", "looks": 1}]
    assert api.post("/v1/tasks/next").json["disagreement"] == shown  # in the same order
    assert not [p for p in (desk.cast.ada, desk.cast.ben) if p.pseudonym in str(task) or p.name in str(task)]
    other = lead.post("/v1/tasks/next")
    assert other.status_code == 204
    proof = {"lease_token": task["lease_token"], "evidence_hash": task["evidence_hash"], "verdict": "reject", "reason_code": "seal is there"}
    refused = api.post(f"/v1/assignments/{task['assignment_id']}/submit", proof)
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "note")
    assert api.post(f"/v1/assignments/{task['assignment_id']}/submit", {**proof, "note": "It is torn off."}).status_code == 200
    plain = desk.item("plain", wanted=1)
    assert Api(desk.app, desk.cast.ada).post("/v1/tasks/next").json["disagreement"] is None
    desk.look(desk.cast.ada, plain)


def test_it_keeps_the_order_of_the_cards_for_an_assignment(desk: Desk) -> None:
    desk.disputed("order")
    orders = set()
    for _ in range(12):
        claim, page = desk.adjudication(desk.cast.chi)
        first = page.index("I see the seal.") < page.index("There is none.")
        again = desk.client(desk.cast.chi).get(f"/assignments/{claim.assignment_id}").text
        assert (again.index("I see the seal.") < again.index("There is none.")) == first
        orders.add(first)
        desk.client(desk.cast.chi).post(f"/assignments/{claim.assignment_id}/release", data={"lease_token": str(claim.lease_token)})
        if len(orders) == 2:
            break
    assert orders == {True, False}
    claim, page = desk.adjudication(desk.cast.chi)
    assert "Send back" in page  # a lead may
    desk.decide(desk.cast.chi, claim, choice="verdict:approve", note="It is there.")


def test_it_asks_for_a_note_and_keeps_what_was_typed(desk: Desk) -> None:
    desk.disputed("noted")
    claim, page = desk.adjudication(desk.trusted)
    assert "Why? For the record" in page
    refused = desk.decide(desk.trusted, claim, choice="verdict:approve", note="  ")
    assert refused.status_code == 422
    assert "Say why: an adjudication needs its reason in words." in refused.text
    assert 'value="verdict:approve" checked' in refused.text
    assert "I see the seal." in refused.text
    assert desk.decide(desk.trusted, claim, choice="verdict:approve", note="It is there.").status_code == 303


def test_it_shows_the_looks_to_nobody_else_before_the_item_is_settled(desk: Desk) -> None:
    item = desk.disputed("blind")
    said = ("I see the seal.", "There is none.")
    assert not [words for words in said if words in desk.client(desk.cast.chi).get(f"/items/{item}").text]
    assert not [words for words in said if words in desk.client(desk.cast.chi).get("/escalations").text]
    assert not [words for words in said if words in program(desk.app, desk.cast.chi).get(f"/v1/items/{item}").text]
    claim, _ = desk.adjudication(desk.trusted)
    assert desk.client(desk.cast.chi).get(f"/assignments/{claim.assignment_id}").status_code == 404
    assert looks.disputed(desk.db, assignment_id=claim.assignment_id, me=desk.cast.chi.id) == []
    desk.decide(desk.trusted, claim, choice="verdict:approve", note="It is there.")
    assert looks.disputed(desk.db, assignment_id=claim.assignment_id, me=desk.trusted.id) == []
    assert all(words in desk.client(desk.cast.chi).get(f"/items/{item}").text for words in said)


def test_it_does_not_tell_an_audit_from_a_dispute(desk: Desk, database: Any) -> None:
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("UPDATE skills SET weighs = false")  # else two strangers settle nothing
    item = desk.item("audited", agreement={"mode": "adaptive", "audit": 1})
    for who in (desk.cast.ada, desk.cast.ben):
        desk.look(who, item)
    claim, page = desk.adjudication(desk.trusted)
    pages = [page, *(desk.client(desk.cast.chi).get(path).text for path in (f"/items/{item}", "/escalations"))]
    pages.append(program(desk.app, desk.cast.chi).get(f"/v1/items/{item}").text)
    assert not [text for text in pages if "audit" in text.replace("audited", "") or "agree" in text]
    assert '<span class="tag">Adjudication</span>' in page
    desk.decide(desk.trusted, claim, choice="verdict:approve", note="It is there.")
    assert "the looks agree" in desk.client(desk.cast.chi).get(f"/items/{item}").text


@pytest.mark.parametrize(
    ("question", "said", "shown"),
    [
        ({"ask": "grade", "text": "How good?", "min": 1, "max": 20}, (3, 17), ("data-adopts='[\"answer:3\"]'", "data-adopts='[\"answer:17\"]'")),
        (
            {"ask": "choices", "text": "What is in it?", "options": ["cat", "dog", "hen"], "min": 0},
            (["cat"], ["cat", "dog"]),
            ('2<span class="hidden"> of 2 looks', '1<span class="hidden"> of 2 looks', "cat, dog"),
        ),
        ({"ask": "preference", "text": "Which?", "options": ["left", "right"]}, ("left", "right"), ('1<span class="hidden"> of 2 looks',)),
    ],
)
def test_it_counts_who_chose_what_in_every_kind_of_question(
    desk: Desk, question: dict[str, Any], said: tuple[Any, Any], shown: tuple[str, ...]
) -> None:
    item = desk.item(question["ask"], question=question)
    for who, answer in zip((desk.cast.ada, desk.cast.ben), said, strict=True):
        desk.look(who, item, answer=answer)
    claim, page = desk.adjudication(desk.trusted)
    assert not [words for words in shown if words not in page]
    chosen = said[1] if isinstance(said[1], list) else [said[1]]
    typed = {"choice": [f"answer:{one}" for one in chosen]} if question["ask"] != "grade" else {"grade": str(said[1])}
    assert desk.decide(desk.trusted, claim, note="Seen.", **typed).status_code == 303


def test_it_shows_late_looks_of_a_settled_item_to_leads(desk: Desk, database: Any) -> None:
    item = desk.item("late", wanted=1)
    late = tasks.claim(desk.db, me=desk.cast.ada.id, item_id=item)
    assert late is not None
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("UPDATE assignments SET lease_expires = clock_timestamp() WHERE id = %s", [late.assignment_id])
    desk_claim = tasks.claim(desk.db, me=desk.cast.ben.id, item_id=item)
    assert desk_claim is not None
    proof = {"assignment_id": late.assignment_id, "lease_token": late.lease_token, "evidence_hash": late.evidence_hash, "me": desk.cast.ada.id}
    with pytest.raises(errors.StaleLease):
        decisions.submit(desk.db, **proof, verdict="reject", reason_code="seal is missing", note="Too late, alas.")
    assert "Too late, alas." not in desk.client(desk.cast.chi).get(f"/items/{item}").text
    desk.look(desk.cast.ben, item)
    assert "Too late, alas." in desk.client(desk.cast.chi).get(f"/items/{item}").text
    assert "Too late, alas." not in desk.client(desk.cast.eve).get(f"/items/{item}").text
