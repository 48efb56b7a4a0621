"""The review screen as HTTP: who may, what is answered to htmx and to forms, what is refused and how."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re
from typing import Any

import pytest

from claimcheck.review import assignments, tasks
from tests.flows.conftest import LiveDesk
from tests.people import browser
from tests.web.reviewer import HTMX, Reviewer, ada, desk, live, one_item  # noqa: F401 (fixtures)


def test_it_answers_a_claim_by_303_and_to_htmx_by_204_with_the_address(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    answer = ada.client.post("/review/next", headers=HTMX)
    assert answer.status_code == 204 and re.fullmatch(r"/assignments/\d+", answer.headers["HX-Redirect"])
    again = ada.client.post("/review/next")
    assert (again.status_code, again.location) == (303, answer.headers["HX-Redirect"])


def test_it_has_no_form_that_navigates_by_htmx(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    pages = ada.client.get("/review").text + ada.next().text + ada.client.get("/work").text
    swapping = re.findall(r"<form[^>]*hx-post[^>]*>", pages)
    assert {re.search(r"/(\w+)\"", form)[1] for form in swapping} == {"lease", "draft"}
    assert all('hx-target="#clock"' in form or 'hx-target="#draft-state"' in form for form in swapping)


def test_it_gives_each_control_a_key_of_its_own_and_none_that_the_desk_uses(desk: LiveDesk, ada: Reviewer):
    labels = ["Good", "Great", "Gone", "Nothing", "Excellent", "X", "1st", "\u00e9t\u00e9"]
    one_item(desk, question={"ask": "choices", "options": labels}, guidance="Look twice.")
    page = ada.next().text
    keys = re.findall(r'class="control \w+" data-key="(.)"', page)
    assert len(keys) == len(set(keys)) == len(labels) + 1
    assert not {"g", "n", "x"} & set(keys)
    assert "Look twice." in page


def test_it_writes_nothing_by_get(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    ada.next()

    def state() -> list[Any]:
        rows = "(SELECT count(*) FROM events), (SELECT count(*) FROM assignments), (SELECT count(*) FROM drafts)"
        return desk.execute(f"SELECT {rows}, (SELECT max(lease_expires) FROM assignments)")

    before = state()
    for address in ("/review", ada.page, "/work", "/review/left"):
        ada.client.get(address)
    assert state() == before


def test_it_hides_the_assignments_of_others(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    ada.next()
    for person in (desk.cast.ben, desk.cast.chi):
        other = browser(desk.app, person)
        assert other.get(ada.page).status_code == 404
        for action in ("lease", "draft", "decision", "release", "skip", "again"):
            assert other.post(f"{ada.page}/{action}", data=ada.fields).status_code == 404, action
    for person in (desk.cast.dov, desk.cast.eve):
        assert browser(desk.app, person).get(ada.page).status_code == 403
    claimed = desk.execute("SELECT ended_at FROM assignments ORDER BY id DESC LIMIT 1")
    assert claimed == [(None,)]


def test_it_answers_a_heartbeat_with_the_clock_alone(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    ada.next()
    answer = ada.client.post(f"{ada.page}/lease", data={**ada.fields, "idle_seconds": "3"}, headers=HTMX)
    assert answer.status_code == 200
    assert answer.text.strip().startswith('<div class="clock" id="clock" data-state="held"')
    assert "<form" not in answer.text and "<input" not in answer.text
    plain = ada.client.post(f"{ada.page}/lease", data=ada.fields)
    assert (plain.status_code, plain.location) == (303, ada.page)


def test_it_extends_no_lease_for_somebody_idle(desk: LiveDesk, ada: Reviewer):
    one_item(desk, idle_seconds=60)
    ada.next()
    before = desk.execute("SELECT max(lease_expires) FROM assignments")
    answer = ada.client.post(f"{ada.page}/lease", data={**ada.fields, "idle_seconds": "61"}, headers=HTMX)
    assert 'data-state="idle"' in answer.text
    assert desk.execute("SELECT max(lease_expires) FROM assignments") == before


def test_it_refuses_a_heartbeat_after_expiry_and_says_who_has_the_item(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    ada.next()
    desk.lapse(desk.cast.ada)
    lapsed = ada.client.post(f"{ada.page}/lease", data=ada.fields, headers=HTMX)
    assert lapsed.status_code == 409 and 'data-state="lapsed"' in lapsed.text
    tasks.claim(desk.web, me=desk.cast.ben.id)
    taken = ada.client.post(f"{ada.page}/lease", data=ada.fields, headers=HTMX)
    assert taken.status_code == 409 and 'data-state="lost"' in taken.text and "Somebody else has it now" in taken.text


def test_it_gives_the_same_receipt_to_the_same_submit(desk: LiveDesk, ada: Reviewer):
    item = one_item(desk)
    ada.next()
    answers = [ada.submit(note="Twice") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    [(decision,)] = desk.execute("SELECT id FROM decisions WHERE item_id = %s", item)
    page = ada.client.get("/review").text
    assert page.count(f"/decisions/{decision}/receipt") == 1
    receipts = [ada.client.get(f"/decisions/{decision}/receipt") for _ in range(2)]
    assert receipts[0].data == receipts[1].data and receipts[0].json["decision_id"] == decision
    assert receipts[0].headers["Content-Disposition"] == f'attachment; filename="receipt-{decision}.json"'


def test_it_keeps_the_first_of_two_different_submits_and_shows_the_second(desk: LiveDesk, ada: Reviewer):
    item = one_item(desk)
    ada.next()
    ada.submit(note="first")
    answer = ada.submit(choice="verdict:reject", note="second thoughts")
    assert answer.status_code == 409
    assert "You have decided this before" in answer.text and "second thoughts" in answer.text
    assert desk.execute("SELECT verdict, note FROM decisions WHERE item_id = %s", item) == [("approve", "first")]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"choice": ""}, "Choose a verdict"),
        ({"choice": "verdict:maybe"}, "Must be one of approve, reject, escalate"),
        ({"choice": "answer:3"}, "Choose a verdict"),
        ({"choice": ["verdict:approve", "verdict:reject"]}, "Choose one verdict, or an answer, not both"),
        ({"reason_code": "because"}, "Must be one of as it should be"),
        ({"reason_code": ""}, "Must be one of as it should be"),
        ({"note": "x" * 10_001}, "10,000 are the limit"),
        ({"note": "a\0b"}, "NUL"),
    ],
)
def test_it_gives_the_form_back_with_what_was_typed(desk: LiveDesk, ada: Reviewer, fields: dict[str, Any], says: str):
    item = one_item(desk)
    ada.next()
    answer = ada.submit(**{"note": "My words & <b>", **fields})
    assert answer.status_code == 422
    assert says in answer.text
    assert "note" in fields or "My words &amp; &lt;b&gt;</textarea>" in answer.text
    assert desk.execute("SELECT count(*) FROM decisions WHERE item_id = %s", item) == [(0,)]


@pytest.mark.parametrize(
    "question", [{"ask": "grade"}, {"ask": "grade", "min": 0, "max": 100}, {"ask": "preference"}, {"ask": "choices", "options": ["a", "b"]}]
)
@pytest.mark.parametrize(
    "given", [{"choice": "answer:9999999"}, {"choice": "answer:"}, {"grade": "nine"}, {"grade": "9" * 5000}, {"choice": ["answer:a", "answer:a"]}]
)
def test_it_refuses_an_answer_that_the_question_does_not_have(desk: LiveDesk, ada: Reviewer, question: dict[str, Any], given: dict[str, Any]):
    one_item(desk, question=question)
    ada.next()
    answer = ada.submit(**{"choice": [], **given})
    assert answer.status_code == 422 and "What you typed is still here" in answer.text


def test_it_refuses_a_forged_token_and_a_forged_hash(desk: LiveDesk, ada: Reviewer):
    item = one_item(desk)
    ada.next()
    for field, value in (("lease_token", "not-a-token"), ("evidence_hash", "zz"), ("evidence_hash", "00" * 32)):
        assert ada.submit(**{field: value}).status_code == 409, field
    assert desk.execute("SELECT count(*) FROM decisions WHERE item_id = %s", item) == [(0,)]


def test_it_keeps_the_words_of_a_stale_submit_as_a_draft(desk: LiveDesk, ada: Reviewer):
    item = one_item(desk)
    ada.next()
    desk.lapse(desk.cast.ada)
    claim = tasks.claim(desk.web, me=desk.cast.ben.id)
    assert claim is not None
    assert ada.submit(note="Not in vain").status_code == 409
    assignments.release(desk.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, me=desk.cast.ben.id)
    answer = ada.client.post(f"{ada.page}/again")
    assert answer.status_code == 303 and "Not in vain</textarea>" in ada.open(answer.location).text
    assert desk.execute("SELECT count(*) FROM decisions WHERE item_id = %s", item) == [(0,)]


@pytest.mark.parametrize(
    ("undo", "says"),
    [
        ("released", "You gave it back."),
        ("skipped", "You skipped it."),
        ("cancelled", "The project was cancelled"),
        ("passed_on", "It is with the leads now"),
    ],
)
def test_it_says_what_became_of_the_item(desk: LiveDesk, ada: Reviewer, undo: str, says: str):
    item = one_item(desk, abandon_limit=1 if undo == "passed_on" else 3)
    ada.next()
    token = ada.fields["lease_token"]
    held = {"assignment_id": int(ada.page.rsplit("/", 1)[1]), "lease_token": token, "me": desk.cast.ada.id}
    if undo in ("released", "passed_on"):
        assignments.release(desk.web, **held)
    elif undo == "skipped":
        assignments.skip(desk.web, **held, reason="too hard")
    else:
        desk.execute("UPDATE projects SET cancelled_at = clock_timestamp() WHERE id = (SELECT project_id FROM items WHERE id = %s)", item)
        desk.execute("UPDATE tasks SET cancelled_at = clock_timestamp() WHERE item_id = %s", item)
        desk.lapse(desk.cast.ada)
    answer = ada.submit(note="Mine")
    assert answer.status_code == 409
    for words in (says, "Mine</textarea>", "Next item"):
        assert words in answer.text, words


def test_it_shows_other_looks_to_nobody_who_is_to_look(desk: LiveDesk, ada: Reviewer):
    project = desk.project(wanted=2)
    [item] = desk.send(project, {"case": "blind"})
    desk.decide(desk.cast.ben, verdict="reject", reason="name differs", note="a telling note", item_id=item)
    shown = ada.next().text
    assert "telling" not in shown and "One of several looks, blind" in shown and "2 of 2" not in shown
    page = browser(desk.app, desk.cast.chi).get(f"/items/{item}").text
    assert "telling" not in page and "hidden until the other looks are in" in page
    [(look,)] = desk.execute("SELECT id FROM decisions WHERE item_id = %s", item)
    asked = {person: browser(desk.app, person).get(f"/decisions/{look}/receipt").status_code for person in (desk.cast.chi, desk.cast.eve, desk.cast.ben)}
    assert [*asked.values()] == [404, 404, 200], "a receipt says what the look said; its own giver may have it"
    browser(desk.app, desk.cast.ben).post(f"/decisions/{look}/reconsideration", data={"note": "I would see it again"})
    chi = browser(desk.app, desk.cast.chi)
    for address in ("/escalations", f"/items/{item}"):
        assert "see it again" not in chi.get(address).text, "it says how Ben decided, and a lead may be the next to look"
    ada.submit(choice="verdict:reject", reason_code="name differs")
    assert "a telling note" in chi.get(f"/items/{item}").text
    assert "see it again" in chi.get("/escalations").text and chi.get(f"/decisions/{look}/receipt").status_code == 200


def test_it_tells_a_lead_that_a_decision_of_an_escalation_waits_and_a_reviewer_nothing_that_would_tell_gold(desk: LiveDesk, ada: Reviewer):
    items = desk.send(desk.project(four_eyes=[{"verdict": "approve"}]), {"case": "first"}, {"case": "second"})
    desk.decide(desk.cast.ben, verdict="escalate", item_id=items[0])
    ada.next()
    assert "Decided. <a" in ada.client.get(ada.submit().location).text
    chi = Reviewer(desk, desk.cast.chi)
    chi.open(chi.client.post(f"/escalations/{items[0]}/take").location)
    assert "Decided; it holds once somebody else has looked at it. <a" in chi.client.get(chi.submit().location).text


def test_it_skips_only_with_one_of_the_projects_reasons(desk: LiveDesk, ada: Reviewer):
    one_item(desk)
    ada.next()
    answer = ada.client.post(f"{ada.page}/skip", data={**ada.fields, "reason": "no mood"})
    assert answer.status_code == 422
    assert desk.execute("SELECT ended_at FROM assignments ORDER BY id DESC LIMIT 1") == [(None,)]
