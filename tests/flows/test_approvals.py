"""Four eyes in the browser: a second look that nothing tells from a review, a lead beside it, and their word on what two saw differently."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from claimcheck.access import people
from claimcheck.access.people import Person
from tests.flows.conftest import REASONS, LiveDesk
from tests.flows.test_review_lease import Browsers, open_next

SKILL = "four eyes"


@pytest.fixture
def trusted(desk: LiveDesk) -> Person:
    """Fay, of tier 2 in the skill, who leads nothing."""
    known = people.by_name(desk.web, name="Fay")
    person = known or people.add(desk.web, name="Fay", email="fay@example.org", role="reviewer", skills=[SKILL])
    people.give_skill(desk.web, person_id=person.id, skill=SKILL, tier=2)
    return person


def test_a_second_look_is_blind_and_a_lead_decides_what_two_saw_differently(desk: LiveDesk, trusted: Person, browser_of: Browsers) -> None:
    [item] = desk.send(desk.project(skill=SKILL, title="case", four_eyes=[{}]), {"case": "The torn seal", "country": "PT"})
    desk.decide(desk.cast.ada, verdict="approve", note="I see the seal.", item_id=item)
    lead = browser_of(desk.cast.chi)
    lead.goto("/approvals")
    expect(lead.get_by_role("row", name="The torn seal")).to_contain_text("You, or others")
    page = open_next(browser_of, trusted)
    expect(page.get_by_role("heading", name="The torn seal")).to_be_visible()
    expect(page.get_by_role("radio", name="Escalate")).to_have_count(1)
    assert not [told for told in ("I see the seal.", "Ada", desk.cast.ada.pseudonym, "pproval", "second pair") if told in page.locator("main").inner_text()]
    lead.get_by_role("button", name="Take The torn seal").click()
    expect(lead.get_by_role("alert")).to_contain_text("Somebody else was faster")
    expect(lead.get_by_role("row", name="The torn seal")).to_contain_text("Somebody has it")
    lead.goto(f"/items/{item}")
    expect(lead.get_by_role("region", name="Second pair of eyes")).to_contain_text("Waits for somebody else to look")
    assert "I see the seal." not in lead.content()
    page.get_by_role("radio", name="Reject").check(force=True)
    page.get_by_label(REASONS[3]).check(force=True)
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url("**/review")
    lead.goto("/approvals")
    expect(lead.get_by_role("row", name="The torn seal")).to_contain_text("Two people see it differently")
    lead.get_by_role("button", name="Take The torn seal").click()
    cards = lead.get_by_role("region", name="2 looks")
    expect(cards.get_by_role("listitem")).to_have_count(2)
    assert not [who for who in (desk.cast.ada, trusted) if who.name in cards.inner_text() or who.pseudonym in cards.inner_text()]
    cards.get_by_role("listitem").filter(has_text="I see the seal.").get_by_role("button", name="Adopt").click()
    lead.get_by_label("Why? For the record").fill("It is there, on page two.")
    lead.get_by_role("button", name="Submit").first.click()
    lead.wait_for_url(lambda url: "/assignments/" not in url)
    lead.goto(f"/items/{item}")
    expect(lead.get_by_role("region", name="Second pair of eyes")).to_contain_text(f"approved by {desk.cast.chi.pseudonym}")
    assert desk.execute("SELECT outcome, approved_by FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item) == [("approve", desk.cast.chi.id)]
