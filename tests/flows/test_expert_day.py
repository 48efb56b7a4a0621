"""An expert's day: the exam, live work with gold between, an alarm, extra golds, a pause, an appeal and its answer, and the pay."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from claimcheck.access import people
from claimcheck.experts import golds, payouts, standings, upkeep
from tests.flows.conftest import LiveDesk
from tests.flows.test_review_lease import Browsers, ready

GOLDS = 24


class School:
    """A skill with an exam and golds whose right verdict is `approve`, live items, and Ben, who is new to it."""

    def __init__(self, desk: LiveDesk):
        self.desk, self.ben, self.lead = desk, desk.cast.ben, desk.cast.chi
        self.project = desk.project(title="case", name="Passports", skill="passports", price_minor=120, prices={"gold": 80})
        [(self.skill,)] = desk.execute("SELECT skill_id FROM projects WHERE id = %s", self.project)
        for item in desk.send(self.project, *({"case": f"Passport {n:02}"} for n in range(GOLDS))):
            desk.decide(desk.cast.ada, item_id=item)
            golds.add(desk.web, item_id=item, accepted=["approve"], me=self.lead.id)
        standings.put_terms(desk.web, skill_id=self.skill, exam=True, gold_rate=0.05, novice_rate=0.5, me=self.lead.id)
        for change in (people.take_skill, people.give_skill):
            change(desk.web, person_id=self.ben.id, skill="passports", by=0)
        upkeep.run(desk.worker)

    @property
    def mine(self) -> standings.Mine:
        [found] = standings.of_person(self.desk.web, person_id=self.ben.id)
        return found

    def look(self, *, right: bool) -> bool:
        """Takes the next item and decides it; whether it was a gold."""
        self.desk.decide(self.ben, verdict="approve" if right else "reject")
        [(kind,)] = self.desk.execute(
            "SELECT t.kind FROM decisions d JOIN tasks t ON t.id = d.task_id WHERE d.person_id = %s ORDER BY d.id DESC LIMIT 1", self.ben.id
        )
        upkeep.run(self.desk.worker)
        return kind == "gold"

    def wrong_until(self, status: str) -> int:
        """Answers golds wrongly, live items rightly, until then; how many looks."""
        looks = 0
        while self.mine.status != status:
            [(next_is_gold,)] = self.desk.execute(
                "SELECT s.status <> 'active' OR gold_turn(s) FROM person_skills s WHERE s.person_id = %s", self.ben.id
            )
            assert self.look(right=not next_is_gold) == next_is_gold
            looks += 1
        return looks


@pytest.fixture
def school(desk: LiveDesk) -> School:
    return School(desk)


def accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    assert not found, [(f["id"], [n["html"][:120] for n in f["nodes"]][:3]) for f in found]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def decisions_of(school: School) -> int:
    return school.desk.execute("SELECT count(*) FROM decisions WHERE person_id = %s", school.ben.id)[0][0]


def test_it_is_an_expert_s_day(school: School, browser_of: Browsers):
    desk, page = school.desk, browser_of(school.ben)
    card = page.get_by_role("region", name="passports")

    # The exam: golds only, and nothing on the screen says so of an item.
    page.goto("/standing")
    expect(card).to_contain_text("Entry exam")
    expect(card).to_contain_text("None answered yet")
    page.goto("/review")
    page.get_by_role("button", name="Next item").click()
    ready(page)
    assert "gold" not in page.locator("main").inner_text().lower()
    first = page.url
    for pressed in ("a", "1", "Enter"):
        page.keyboard.press(pressed)
    page.wait_for_url(lambda url: url != first)
    upkeep.run(desk.worker)
    page.goto("/standing")
    expect(card).to_contain_text("Entry exam: 1 of at most 25, 1 right")
    expect(card.get_by_role("img")).to_have_accessible_name(re.compile("^Between .* most likely "))
    accessible(page)
    while school.mine.status == "exam":
        school.look(right=True)
    page.reload()
    expect(card).to_contain_text("You passed the entry exam")

    # Live work with gold between, until too many golds are wrong.
    desk.send(school.project, *({"case": f"Live {n:02}"} for n in range(40)))
    school.wrong_until("soft_paused")
    page.goto("/standing")
    expect(card).to_contain_text("Too many recent golds were answered wrongly")
    expect(card).to_contain_text("Extra golds: 0 of 5")
    expect(card.get_by_text("Wrong").first).to_be_visible()
    assert "approve" not in card.inner_text().lower()
    accessible(page)

    # The extra golds do not go well: paused, and the door says so.
    school.wrong_until("paused")
    page.goto("/review")
    expect(page.get_by_text("Your work in passports is paused.")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="My standing").click()
    expect(card).to_contain_text("which is not enough")

    # The appeal: first with nothing in it, then with words, and the lead's answer.
    card.get_by_label("Appeal to a lead").fill("   ")
    card.get_by_role("button", name="Send the appeal").click()
    expect(card.get_by_role("alert")).to_have_text("Say it in 1 to 2,000 characters.")
    accessible(page)
    card.get_by_label("Appeal to a lead").fill("The pictures were too dark to read.")
    card.get_by_role("button", name="Send the appeal").click()
    expect(page.locator("#flash")).to_contain_text("Your appeal is with the leads")
    expect(card).to_contain_text("A lead will answer here.")
    [asked] = standings.appeals(desk.web)
    assert asked.note == "The pictures were too dark to read."
    standings.answer(desk.web, appeal_id=asked.id, me=school.lead.id, text="They were. Begin again.", resume=True)
    page.reload()
    expect(card).to_contain_text("Active")
    expect(card).to_contain_text("They were. Begin again.")

    # The pay: every look, gold or not, and a correction with its reason.
    lines = payouts.page(desk.web, person_id=school.ben.id, limit=1000)
    assert len(lines) == decisions_of(school)
    page.goto("/pay")
    expect(page.get_by_role("region", name="Sums by month")).to_contain_text(payouts.written(sum(line.amount_minor for line in lines), "EUR"))
    expect(page.locator("tbody tr[id^=line-]")).to_have_count(len(lines))
    accessible(page)
    lead = browser_of(school.lead)
    lead.goto(f"/people/{school.ben.id}")
    lead.get_by_role("link", name="Pay of Ben").click()
    row = lead.locator(f"#line-{lines[0].id}")
    row.get_by_text("Correct", exact=True).click()
    row.get_by_label("Take back").fill("0.50")
    row.get_by_label("Reason").fill("Half of it was shown twice.")
    accessible(lead)
    row.get_by_role("button", name="Take it back").click()
    expect(lead.locator("#flash")).to_contain_text("0.50 EUR are taken back")
    page.reload()
    correction = page.locator("tr.taken")
    expect(correction).to_contain_text("−0.50 EUR")
    expect(correction).to_contain_text("Half of it was shown twice.")
    with page.expect_download() as got:
        page.get_by_role("link", name="Statement of").first.click()
    assert got.value.path().read_text().count("\n") == len(lines) + 2
