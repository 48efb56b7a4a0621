"""Two leads before the control room and the policy gaps: what one does reaches the other and takes nothing from under their hands."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from claimcheck.control import counting, guidance
from tests.flows.conftest import REASONS, LiveDesk
from tests.flows.test_review_lease import Browsers


def look(page: Page, region: str) -> None:
    """As the page does every twenty seconds: asks for what nobody is busy with, and waits for the answer."""
    with page.expect_response(lambda answer: f"/{region}" in answer.url):
        page.locator(f"#{region}").dispatch_event("look")


def count(desk: LiveDesk) -> None:
    counting.run(desk.worker, seconds=0, hourly=0)


def waiting(page: Page) -> str:
    return page.locator("#now .queues tbody tr").first.locator("[data-head=Waiting] .count-of").inner_text()


def test_it_reads_itself_anew_and_leaves_alone_what_somebody_is_busy_with(desk: LiveDesk, browser_of: Browsers):
    project = desk.project(name="Watched")
    desk.send(project, *({"case": f"case {n}"} for n in range(3)))
    count(desk)
    chi, dov = browser_of(desk.cast.chi), browser_of(desk.cast.dov)
    for page in (chi, dov):
        page.goto(f"/control?project={project}")
        assert waiting(page) == "3"
    link = dov.locator("#now .queues a").first
    link.focus()
    desk.decide(desk.cast.ada, reason=REASONS[0])
    count(desk)
    look(chi, "now")
    expect(chi.locator("#now .queues [data-head=Waiting] .count-of").first).to_have_text("2")
    look(dov, "now")
    expect(link).to_be_focused()
    assert waiting(dov) == "3", "what has the focus is not swapped away"
    dov.locator("h1").first.click()
    look(dov, "now")
    expect(dov.locator("#now .queues [data-head=Waiting] .count-of").first).to_have_text("2")
    numbers = chi.locator("#work details.numbers").first
    numbers.locator("summary").click()
    look(chi, "work")
    expect(numbers).to_have_attribute("open", "")


def test_two_leads_mend_guidance_from_the_policy_gaps_and_a_reviewer_sees_which_held(desk: LiveDesk, browser_of: Browsers):
    desk.execute("UPDATE people SET role = 'lead' WHERE name = 'Ben'")
    project = desk.project(name="Two minds", guidance="Look once.")
    items = desk.send(project, *({"case": f"case {n}"} for n in range(2)))
    desk.decide(desk.cast.ada, item_id=items[0], verdict="escalate", note="who knows")
    count(desk)
    chi, ben, ada = browser_of(desk.cast.chi), browser_of(desk.cast.ben), browser_of(desk.cast.ada)
    ada.goto("/review")
    ada.get_by_role("button", name="Next item").click()
    ada.wait_for_url("**/assignments/*")
    ada.locator("#note").fill("Half a thought")
    for page in (chi, ben):
        page.goto("/policy-gaps")
        page.get_by_role("row", name="Two minds").get_by_role("link", name="Guidance").click()
    chi.get_by_label("Guidance, in Markdown").fill("Look **twice**.")
    ben.get_by_label("Guidance, in Markdown").fill("Look once.\nAsk Ada.")
    for page, why in ((chi, "once is too few"), (ben, "Ada knows")):
        page.get_by_label("Why, for the record").fill(why)
        page.get_by_role("button", name="Put in force").click()
    chi.wait_for_url("**/policy-gaps")
    expect(ben.get_by_role("alert")).to_contain_text("Chi changed the guidance meanwhile")
    expect(ben.get_by_label("Guidance, in Markdown")).to_have_value("Look once.\nAsk Ada.")
    ben.get_by_label("Guidance, in Markdown").fill("Look **twice**.\nAsk Ada.")
    ben.get_by_role("button", name="Put mine in force").click()
    ben.wait_for_url("**/policy-gaps")
    assert [v.version for v in guidance.of_project(desk.web, project_id=project)] == [3, 2, 1]
    expect(ada.locator("#note")).to_have_value("Half a thought")
    expect(ada.locator("#draft-state")).to_contain_text("kept")
    ada.reload()
    expect(ada.locator("#note")).to_have_value("Half a thought")
    ada.locator(".guidance summary").click()
    expect(ada.locator(".guidance")).to_contain_text("version 1, changed since")
    expect(ada.locator(".guidance .newer")).to_contain_text("Look twice.")
