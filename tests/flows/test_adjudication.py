"""Adjudication in the browser: two looks differ, a trusted reviewer adopts one and says why, a lead makes it gold and answers an appeal."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.experts import standings
from tests.flows.conftest import REASONS, LiveDesk
from tests.flows.test_review_lease import Browsers, open_next

SKILL = "seals"


@pytest.fixture
def trusted(desk: LiveDesk) -> Person:
    """Fay, of tier 2 in the skill, who leads nothing."""
    known = people.by_name(desk.web, name="Fay")
    person = known or people.add(desk.web, name="Fay", email="fay@example.org", role="reviewer", skills=[SKILL])
    people.give_skill(desk.web, person_id=person.id, skill=SKILL, tier=2)
    return person


def disputed(desk: LiveDesk, **rules: object) -> int:
    """An item that Ada approves and Ben rejects."""
    [item] = desk.send(desk.project(skill=SKILL, wanted=2, title="case", **rules), {"case": "The torn seal", "country": "PT"})
    desk.decide(desk.cast.ada, verdict="approve", note="I see the seal.", item_id=item)
    desk.decide(desk.cast.ben, verdict="reject", reason=REASONS[3], note="The seal is torn off.", item_id=item)
    return item


def skill_of(desk: LiveDesk) -> int:
    return next(s.id for s in standings.scarcity(desk.web) if s.name == SKILL)


def adopt(page: Page) -> None:
    page.get_by_role("listitem").filter(has_text="The seal is torn off.").get_by_role("button", name="Adopt").click()


def test_a_trusted_reviewer_adopts_a_look_and_says_why(desk: LiveDesk, trusted: Person, browser_of: Browsers) -> None:
    item = disputed(desk)
    page = open_next(browser_of, trusted)
    cards = page.get_by_role("region", name="2 looks")
    expect(cards.get_by_role("listitem")).to_have_count(2)
    assert not [who for who in (desk.cast.ada, desk.cast.ben) if who.name in cards.inner_text() or who.pseudonym in cards.inner_text()]
    adopt(page)
    expect(page.get_by_role("radio", name="Reject")).to_be_checked()
    expect(page.get_by_label(REASONS[3])).to_be_checked()
    expect(page.locator("#wants")).to_have_text("Say why, in the note")
    expect(page.get_by_role("button", name="Submit and next")).to_be_disabled()
    page.get_by_label("Why? For the record").fill("Torn on both pictures.")
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url("**/review")
    [(verdict, who)] = desk.execute("SELECT outcome, person_id FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item)
    assert (verdict, who) == ("reject", trusted.id)


def test_its_form_works_without_script(desk: LiveDesk, trusted: Person, browser_of: Browsers) -> None:
    item = disputed(desk)
    page = open_next(browser_of, trusted, java_script_enabled=False)
    expect(page.get_by_text("The seal is torn off.")).to_be_visible()
    expect(page.get_by_role("button", name="Adopt")).to_have_count(0)
    page.get_by_role("radio", name="Reject").check(force=True)
    page.get_by_label(REASONS[1]).check(force=True)
    page.get_by_label("Why? For the record").fill("Torn on both pictures.")
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url("**/review")
    assert desk.execute("SELECT outcome FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item) == [("reject",)]


def test_a_chip_chooses_a_grade_that_has_no_button(desk: LiveDesk, trusted: Person, browser_of: Browsers) -> None:
    question = {"ask": "grade", "text": "How sharp, of 20?", "min": 1, "max": 20}
    [item] = desk.send(desk.project(skill=SKILL, wanted=2, question=question), {"case": "blurred"})
    for person, grade in ((desk.cast.ada, 4), (desk.cast.ben, 17)):
        page = open_next(browser_of, person)
        page.get_by_label("Grade, 1 to 20").fill(str(grade))
        page.get_by_label(REASONS[0]).check()
        page.get_by_role("button", name="Submit and next").click()
        page.wait_for_url("**/review*")
    page = open_next(browser_of, trusted)
    page.get_by_role("button", name="17 1").click()
    expect(page.get_by_label("Grade, 1 to 20")).to_have_value("17")
    page.get_by_label(REASONS[0]).check()
    page.get_by_label("Why? For the record").fill("Every letter is legible.")
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url("**/review*")
    assert desk.execute("SELECT answer FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item) == [(17,)]


def test_a_lead_makes_it_gold_and_answers_an_appeal(desk: LiveDesk, trusted: Person, browser_of: Browsers) -> None:
    item, skill = disputed(desk), skill_of(desk)
    desk.decide(trusted, verdict="reject", reason=REASONS[3], note="Torn on both pictures.", item_id=item)
    page = browser_of(desk.cast.chi)
    page.goto("/skills")
    page.get_by_role("link", name=SKILL, exact=True).click()
    row = page.get_by_role("row").filter(has=page.locator(f'a[href="/items/{item}"]'))
    row.get_by_role("button", name="Make gold").click()
    expect(page.get_by_text("It is gold from now on")).to_be_visible()
    expect(row.get_by_text("from an adjudication")).to_be_visible()
    page.get_by_label("Change the standing of Ben").click()
    page.locator(f"#people-{desk.cast.ben.id}").get_by_role("combobox", name="Standing").select_option("Paused")
    page.locator(f"#people-{desk.cast.ben.id}").get_by_label("Why; Ben reads it").fill("Three seals overlooked.")
    page.locator(f"#people-{desk.cast.ben.id}").get_by_role("button", name="Change").click()
    expect(page.get_by_text("Three seals overlooked.")).to_be_visible()
    standings.appeal(desk.web, me=desk.cast.ben.id, skill_id=skill, note="The pictures were dark.")
    page.reload()
    page.get_by_label("Your answer to Ben").fill("They were. Go on.")
    page.get_by_role("button", name="Answer and lift the pause").click()
    expect(page.get_by_text("Answered.")).to_be_visible()
    assert standings.one(desk.web, person_id=desk.cast.ben.id, skill_id=skill).status == "active"
