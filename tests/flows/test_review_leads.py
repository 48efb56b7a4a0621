"""Leads: the queue of escalations, taking one, sending back, overturning, and questions about earlier decisions."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from claimcheck.review import assignments, decisions, tasks
from tests.flows.conftest import REASONS, LiveDesk
from tests.flows.test_review_lease import Browsers, decided, fill, ready


@pytest.fixture
def leads(desk: LiveDesk) -> LiveDesk:
    """A desk on which Ben leads too."""
    desk.execute("UPDATE people SET role = 'lead' WHERE name = 'Ben'")
    desk.execute("DELETE FROM reconsiderations")
    return desk


def escalated(desk: LiveDesk, title: str = "Odd one") -> int:
    [item] = desk.send(desk.project(title="case"), {"case": title})
    desk.decide(desk.cast.ada, verdict="escalate", reason=REASONS[1], note="Two surnames.")
    return item


def take(page: Page, title: str = "Odd one") -> None:
    page.goto("/escalations")
    page.get_by_role("button", name=f"Take {title}").click()


def test_it_gives_one_escalation_to_one_of_two_leads(leads: LiveDesk, browser_of: Browsers):
    escalated(leads)
    first, second = browser_of(leads.cast.chi), browser_of(leads.cast.ben)
    second.goto("/escalations")
    take(first)
    first.wait_for_url("**/assignments/*")
    with second.expect_response(lambda response: response.status == 409):
        second.get_by_role("button", name="Take Odd one").click()
    expect(second.get_by_role("alert")).to_contain_text("Another lead was faster")
    expect(second.get_by_role("row", name="Odd one")).to_contain_text("Chi")
    expect(second.get_by_role("button", name="Take Odd one")).to_have_count(0)


def test_it_lets_only_the_lead_who_holds_it_decide(leads: LiveDesk, browser_of: Browsers):
    item = escalated(leads)
    page = browser_of(leads.cast.chi)
    take(page)
    fill(page, "The surname is hers by marriage.")
    leads.lapse(leads.cast.chi)
    claim = tasks.claim(leads.web, me=leads.cast.ben.id, item_id=item)
    assert claim is not None
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("heading", name="Somebody else has it now")).to_be_visible()
    expect(page.get_by_label("Your note")).to_have_value("The surname is hers by marriage.")
    assert decided(leads, item) == 1


def test_it_shows_every_look_beside_an_escalation_and_no_names(leads: LiveDesk, browser_of: Browsers):
    [item] = leads.send(leads.project(title="case"), {"case": "Odd one"})
    claim = tasks.claim(leads.web, me=leads.cast.ada.id, item_id=item)
    assert claim is not None
    assignments.skip(leads.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, me=leads.cast.ada.id, reason="too hard")
    leads.decide(leads.cast.ada, verdict="escalate", reason=REASONS[1], note="Two surnames.")
    page = browser_of(leads.cast.chi)
    take(page)
    looks = page.get_by_role("region", name="What was done before")
    for words in ("Skipped", "too hard", "Escalate", REASONS[1], "Two surnames.", leads.cast.ada.pseudonym, "To the leads"):
        expect(looks.get_by_text(words, exact=False).first).to_be_visible()
    assert "Ada" not in looks.inner_text()
    expect(page.get_by_label("Escalate to a lead")).to_have_count(0)


def test_it_decides_an_escalation_and_goes_on_with_the_next(leads: LiveDesk, browser_of: Browsers):
    item, _ = escalated(leads), escalated(leads, "Another")
    page = browser_of(leads.cast.chi)
    take(page)
    ready(page)
    for key in ("a", "1", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="Another")).to_be_visible()
    assert leads.execute("SELECT outcome FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item) == [("approve",)]


def test_it_sends_an_escalation_back_with_a_note_and_the_count_starts_again(leads: LiveDesk, browser_of: Browsers):
    item = escalated(leads)
    page = browser_of(leads.cast.chi)
    take(page)
    page.locator("#send-back > summary").click()
    page.get_by_label("What should the reviewers do differently?").fill("Compare with the marriage certificate.")
    page.get_by_role("button", name="Send back to review").click()
    expect(page.get_by_text("Sent back to review")).to_be_visible()
    assert leads.execute("SELECT kind, lease_count, state FROM tasks WHERE item_id = %s ORDER BY id DESC LIMIT 1", item) == [
        ("review", 0, "pending")
    ]
    page.goto(f"/items/{item}")
    expect(page.get_by_text("Compare with the marriage certificate.")).to_be_visible()
    reviewer = browser_of(leads.cast.ada)
    reviewer.goto("/review")
    reviewer.get_by_role("button", name="Next item").click()
    expect(reviewer.get_by_role("note")).to_contain_text("Compare with the marriage certificate.")


def test_it_lets_the_first_of_two_leads_overturn_an_outcome(leads: LiveDesk, browser_of: Browsers):
    [item] = leads.send(leads.project(title="case"), {"case": "Wrong one"})
    leads.decide(leads.cast.ada, verdict="reject", reason=REASONS[2])
    pages = [browser_of(leads.cast.chi), browser_of(leads.cast.ben)]
    for page in pages:
        page.goto(f"/items/{item}")
        page.get_by_text("Overturn", exact=True).click()
        page.get_by_label("Approve").check()
        page.get_by_label("Reason").select_option(REASONS[0])
    pages[0].get_by_label("Note for the record").fill("It is valid.")
    pages[0].get_by_role("button", name="Overturn the outcome").click()
    expect(pages[0].get_by_text("Overturned by decision")).to_be_visible()
    pages[1].get_by_label("Note for the record").fill("I think so too.")
    with pages[1].expect_response(lambda response: response.status == 409):
        pages[1].get_by_role("button", name="Overturn the outcome").click()
    expect(pages[1].get_by_role("alert")).to_contain_text("This decision was overturned before")
    expect(pages[1].get_by_label("Note for the record")).to_have_value("I think so too.")
    assert leads.execute("SELECT count(*) FROM decisions WHERE item_id = %s AND verdict = 'overturn'", item) == [(1,)]


def test_it_opens_a_settled_item_again(leads: LiveDesk, browser_of: Browsers):
    [item] = leads.send(leads.project(title="case"), {"case": "Wrong one"})
    leads.decide(leads.cast.ada, verdict="reject", reason=REASONS[2])
    page = browser_of(leads.cast.chi)
    page.goto(f"/items/{item}")
    page.get_by_text("Overturn", exact=True).click()
    page.get_by_label("Open it again, for other reviewers").check()
    page.get_by_label("Reason").select_option(REASONS[0])
    page.get_by_role("button", name="Overturn the outcome").click()
    expect(page.get_by_text("Opened again").first).to_be_visible()
    assert leads.execute("SELECT kind, state FROM tasks WHERE item_id = %s ORDER BY id DESC LIMIT 1", item) == [("relabel", "pending")]


def test_it_carries_a_question_from_a_reviewer_to_a_lead_and_the_answer_back(leads: LiveDesk, browser_of: Browsers):
    [item] = leads.send(leads.project(title="case"), {"case": "Wrong one"})
    decision = leads.decide(leads.cast.ada, verdict="reject", reason=REASONS[2])
    page = browser_of(leads.cast.ada)
    page.goto("/work")
    row = page.locator(f"#decision-{decision}")
    row.get_by_role("button", name="Ask a lead to reconsider Wrong one").click()
    row.get_by_label("What should the lead look at again?").fill("I read the year wrong.")
    row.get_by_role("button", name="Send the question").click()
    expect(page.get_by_text("A lead will answer here.")).to_be_visible()

    lead = browser_of(leads.cast.chi)
    lead.goto("/escalations")
    expect(lead.get_by_text("I read the year wrong.")).to_be_visible()
    lead.get_by_role("link", name="Look at it, overturn").click()
    lead.get_by_label("Approve").check()
    lead.get_by_label("Reason").select_option(REASONS[0])
    lead.get_by_label("Answer to the reviewer").fill("Right, until 2027.")
    lead.get_by_role("button", name="Overturn the outcome").click()
    expect(lead.get_by_text("Overturned by decision")).to_be_visible()

    page.reload()
    expect(page.get_by_text("Right, until 2027.")).to_be_visible()
    expect(page.locator(f"#decision-{decision}")).to_contain_text("Overturned")
    assert decisions.load(leads.web, decision_id=decision).superseded_by is not None
    assert decided(leads, item) == 2


def test_it_shows_a_payload_to_a_lead_only_on_demand_and_on_record(leads: LiveDesk, browser_of: Browsers):
    [item] = leads.send(leads.project(title="case"), {"case": "Behind a button"})

    def looks() -> int:
        return leads.execute("SELECT count(*) FROM access_events WHERE item_id = %s AND person_id = %s", item, leads.cast.chi.id)[0][0]

    page = browser_of(leads.cast.chi)
    page.goto("/items")
    page.get_by_role("link", name="Behind a button").click()
    assert looks() == 0
    page.get_by_role("button", name="Show the payload").click()
    expect(page.locator("#payload")).to_contain_text("Behind a button")
    assert looks() == 1
