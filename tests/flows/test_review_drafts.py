"""What was typed comes back: after a reload, a crash, a signed-out tab, a change of the evidence."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from claimcheck import evidence
from claimcheck.access import passwords, sessions
from tests import people
from tests.flows.conftest import LiveDesk
from tests.flows.test_review_lease import Browsers, decided, fill, open_next

NOTE = "Note for the record"


def kept(page: Page) -> None:
    expect(page.locator("#draft-state")).to_contain_text("Draft kept")


def stored(desk: LiveDesk) -> list[tuple[object, ...]]:
    """The drafts of the newest task: the page of an earlier test may keep its own once more while it closes."""
    return desk.execute("SELECT body ->> 'note' FROM drafts WHERE task_id = (SELECT max(id) FROM tasks)")


def test_it_keeps_an_incomplete_form_a_second_after_the_last_keystroke(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.get_by_label(NOTE).press_sequentially("Half a thou")
    kept(page)
    assert stored(desk) == [("Half a thou",)]
    expect(page.locator("#draft-state")).to_have_text("Draft kept 3 s ago")


def test_it_brings_the_draft_back_after_a_reload_and_after_a_crash(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page, "Before the crash")
    kept(page)
    page.reload()
    expect(page.get_by_label(NOTE)).to_have_value("Before the crash")
    address = page.url
    page.context.close()
    page = browser_of(desk.cast.ada)
    page.goto("/review")
    page.get_by_role("link", name="Go on with it").click()
    page.wait_for_url(address)
    expect(page.get_by_label(NOTE)).to_have_value("Before the crash")
    expect(page.get_by_label("Reject")).to_be_checked()
    expect(page.get_by_role("button", name="Submit and next")).to_be_enabled()


def test_it_keeps_what_was_typed_in_the_last_second_when_the_page_is_left(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.get_by_label(NOTE).fill("In the last second")
    page.goto("/work")
    page.go_back()
    expect(page.get_by_label(NOTE)).to_have_value("In the last second")


def test_it_forgets_the_draft_with_the_submit(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page, "Decided now")
    kept(page)
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_text("Decided.")).to_be_visible()
    assert decided(desk, item) == 1
    assert stored(desk) == []


def test_it_keeps_the_text_of_a_tab_that_was_signed_out(desk: LiveDesk, browser_of: Browsers):
    passwords.choose(desk.web, person=desk.cast.ada, password=people.PASSWORD)
    desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.get_by_label(NOTE).fill("Typed before")
    kept(page)
    sessions.end_all(desk.web, person_id=desk.cast.ada.id, by=desk.cast.ada.id)
    page.get_by_label(NOTE).fill("Typed after the sign-in had expired")
    expect(page.locator("#draft-state")).to_contain_text("You are signed out")
    page.get_by_role("link", name="Sign in again").click()
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password", exact=True).fill(people.PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/assignments/*")
    expect(page.get_by_label(NOTE)).to_have_value("Typed after the sign-in had expired")
    kept(page)


@pytest.mark.parametrize("script", [True, False])
def test_it_shows_evidence_that_changed_under_the_form_and_keeps_the_words(desk: LiveDesk, browser_of: Browsers, script: bool):
    [item] = desk.send(desk.project(), {"case": "first version"})
    page = open_next(browser_of, desk.cast.ada, java_script_enabled=script)
    fill(page, "Looked at the first version")
    desk.new_version(item, {"case": "second version"})
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_text("The item changed while you were looking at it.")).to_be_visible()
    expect(page.locator("#payload")).to_contain_text("second version")
    expect(page.get_by_label(NOTE)).to_have_value("Looked at the first version")
    expect(page.get_by_label("Reject")).not_to_be_checked()
    assert decided(desk, item) == 0
    page.get_by_label("Reject").check()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_text("Decided.")).to_be_visible()
    [(version, digest)] = desk.execute("SELECT evidence_version, evidence_hash FROM decisions WHERE item_id = %s", item)
    assert version == 2
    assert digest != evidence.digest(item, 1, 1, ["case"], evidence.parts(desk.web, item_id=item, version=1))
