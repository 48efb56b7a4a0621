"""The same desk in a browser without script: forms and redirects."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from claimcheck.review import tasks
from tests.flows.conftest import REASONS, LiveDesk
from tests.flows.test_review_lease import Browsers, decided, fill, open_next


def plain(browsers: Browsers, desk: LiveDesk) -> Page:
    return open_next(browsers, desk.cast.ada, java_script_enabled=False)


def test_it_decides_without_script(desk: LiveDesk, browser_of: Browsers):
    [first, _] = desk.send(desk.project(title="case"), {"case": "one"}, {"case": "two"})
    page = plain(browser_of, desk)
    fill(page)
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("heading", name="two")).to_be_visible()
    expect(page.get_by_role("link", name="Receipt")).to_be_visible()
    assert decided(desk, first) == 1
    page.go_back()
    expect(page.get_by_role("heading", name="You have decided this")).to_be_visible()
    assert decided(desk, first) == 1


def test_it_keeps_a_draft_and_the_lease_without_script(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"})
    page = plain(browser_of, desk)
    page.get_by_label("Note for the record").fill("By hand")
    page.get_by_role("button", name="Keep the draft").click()
    expect(page.get_by_label("Note for the record")).to_have_value("By hand")
    before = desk.execute("SELECT lease_expires FROM assignments WHERE ended_at IS NULL")
    page.get_by_role("button", name="I am still here").click()
    expect(page.get_by_label("Note for the record")).to_have_value("By hand")
    assert desk.execute("SELECT lease_expires FROM assignments WHERE ended_at IS NULL") > before


def test_it_skips_and_releases_without_script(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(title="case"), {"case": "one"}, {"case": "two"})
    page = plain(browser_of, desk)
    page.locator("#skip > summary").click()
    page.get_by_role("button", name="Too hard").click()
    expect(page.get_by_role("heading", name="two")).to_be_visible()
    page.get_by_role("button", name="Release").click()
    expect(page.get_by_text("Given back")).to_be_visible()


def test_it_says_what_became_of_a_stale_page_without_script(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "one"})
    page = plain(browser_of, desk)
    fill(page, "Kept")
    desk.lapse(desk.cast.ada)
    tasks.claim(desk.web, me=desk.cast.ben.id)
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("heading", name="Somebody else has it now")).to_be_visible()
    expect(page.get_by_label("Your note")).to_have_value("Kept")
    assert decided(desk, item) == 0


def test_it_shows_all_parts_below_each_other_without_script(desk: LiveDesk, browser_of: Browsers):
    from tests.flows.conftest import file

    desk.send(desk.project(), {"case": "two parts", "files": [file("letter.txt", "text/plain", "Dear desk")]})
    page = plain(browser_of, desk)
    expect(page.get_by_text("Dear desk")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1360])
def test_it_is_accessible(desk: LiveDesk, browser_of: Browsers, scheme: str, width: int):
    desk.send(desk.project(title="case"), {"case": "one"}, {"case": "two"})
    desk.decide(desk.cast.ada, verdict="escalate", reason=REASONS[1], note="Odd")
    page = browser_of(desk.cast.ada, color_scheme=scheme, viewport={"width": width, "height": 800})
    lead = browser_of(desk.cast.chi, color_scheme=scheme, viewport={"width": width, "height": 800})
    page.goto("/review")
    found = violations(page)
    page.get_by_role("button", name="Next item").click()
    page.wait_for_url("**/assignments/*")
    page.keyboard.press("a")
    found += violations(page)
    for address in ("/work",):
        page.goto(address)
        found += violations(page)
    item = desk.execute("SELECT max(item_id) FROM decisions")[0][0]
    for address in ("/escalations", "/items", f"/items/{item}"):
        lead.goto(address)
        found += violations(lead)
    lead.goto("/escalations")
    lead.get_by_role("button", name="Take").first.click()
    lead.wait_for_url("**/assignments/*")
    found += violations(lead)
    assert not found, "\n".join(found)


def violations(page: Page) -> list[str]:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{page.url} is wider than its window"
    result = Axe().run(page).response
    return [f"{page.url}: {v['id']} {v['help']} {[n['target'] for n in v['nodes']][:4]}" for v in result["violations"]]
