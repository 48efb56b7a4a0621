"""The review screen by keyboard alone, and what typing must not do."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.flows.conftest import REASONS, LiveDesk
from tests.flows.test_review_lease import Browsers, decided, open_next, ready

MANY = [f"reason {n}" for n in range(1, 11)] + ["sanctions hit"]


def decision(desk: LiveDesk, item_id: int) -> tuple[Any, ...]:
    return desk.execute("SELECT verdict, answer, reason_code, note FROM decisions WHERE item_id = %s", item_id)[0]


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.id || document.activeElement.name || document.activeElement.tagName")


def test_it_decides_from_the_door_to_the_next_item_by_keyboard_alone(desk: LiveDesk, browser_of: Browsers):
    [first, second] = desk.send(desk.project(title="case"), {"case": "one"}, {"case": "two"})
    page = browser_of(desk.cast.ada)
    page.goto("/review")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="one")).to_be_visible()
    ready(page)
    for key in ("r", "2", "n"):
        page.keyboard.press(key)
    page.keyboard.type("An A, an R and a 3 are letters here.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="two")).to_be_visible()
    ready(page)
    assert decision(desk, first) == ("reject", None, REASONS[1], "An A, an R and a 3 are letters here.")
    for key in ("a", "1", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="Nothing to do at the moment")).to_be_visible()
    assert decision(desk, second)[:3] == ("approve", None, REASONS[0])


def test_it_takes_an_a_typed_into_the_note_for_an_a(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("r")
    page.get_by_label("Note for the record").click()
    page.keyboard.type("Aa1?x/n")
    expect(page.get_by_label("Note for the record")).to_have_value("Aa1?x/n")
    expect(page.get_by_label("Reject")).to_be_checked()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.locator("[name=reason_code]:checked").count() == 0
    page.keyboard.press("Enter")
    expect(page.get_by_label("Note for the record")).to_have_value("Aa1?x/n\n")
    assert decided(desk, item) == 0


def test_it_leaves_the_field_by_escape_and_shows_its_keys(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("n")
    assert focused(page) == "note"
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.get_by_label("Approve")).to_be_checked()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("r")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_label("Approve")).to_be_checked()


def test_it_submits_nothing_before_it_is_complete(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    go = page.get_by_role("button", name="Submit and next")
    expect(go).to_be_disabled()
    expect(page.locator("#wants")).to_have_text("Choose one")
    page.keyboard.press("Enter")
    page.keyboard.press("a")
    expect(page.locator("#wants")).to_have_text("Choose a reason")
    page.keyboard.press("Enter")
    expect(go).to_be_disabled()
    page.keyboard.press("1")
    expect(go).to_be_enabled()
    assert decided(desk, item) == 0


def test_it_finds_a_reason_past_the_ninth_by_typing(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(reason_codes=MANY), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("e")
    page.keyboard.press("/")
    page.keyboard.type("sanc")
    expect(page.locator(".reason:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_label("sanctions hit")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided.")).to_be_visible()
    assert decision(desk, item)[:3] == ("escalate", None, "sanctions hit")


def test_it_offers_only_the_reasons_of_the_verdict_and_numbers_those(desk: LiveDesk, browser_of: Browsers):
    codes = [
        {"code": "fine", "label": "All fine", "verdicts": ["approve"]},
        {"code": "forged", "label": "Forged", "verdicts": ["reject"]},
        {"code": "old", "label": "Too old", "verdicts": ["reject"]},
    ]
    [item] = desk.send(desk.project(reason_codes=codes), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("r")
    expect(page.locator(".reason:visible")).to_have_text([re.compile(r"Forged\s*1"), re.compile(r"Too old\s*2")])
    page.keyboard.press("2")
    page.keyboard.press("a")
    expect(page.locator("#wants")).to_have_text("Choose a reason")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided.")).to_be_visible()
    assert decision(desk, item)[:3] == ("approve", None, "fine")


def test_it_grades_prefers_and_chooses_by_letters(desk: LiveDesk, browser_of: Browsers):
    questions = [
        {"ask": "grade", "min": 1, "max": 5},
        {"ask": "preference"},
        {"ask": "choices", "options": ["income proven", "stable address", "prior default"], "max": 2},
    ]
    items = [desk.send(desk.project(question=question, title="case"), {"case": question["ask"]})[0] for question in questions]
    page = open_next(browser_of, desk.cast.ada)
    for title, keys in (("grade", "d"), ("preference", "l"), ("choices", "ps")):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        ready(page)
        for key in (*keys, "1"):
            page.keyboard.press(key)
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing to do at the moment")).to_be_visible()
    assert [decision(desk, item)[1] for item in items] == [3, "left", ["stable address", "prior default"]]


def test_it_lets_an_answer_and_an_escalation_shut_each_other_out(desk: LiveDesk, browser_of: Browsers):
    question = {"ask": "choices", "options": ["income proven", "stable address"]}
    [item] = desk.send(desk.project(question=question), {"case": "both"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("i")
    page.keyboard.press("e")
    expect(page.get_by_label("income proven")).not_to_be_checked()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided.")).to_be_visible()
    assert decision(desk, item)[0] == "escalate"


def test_it_moves_between_the_parts_of_an_item(desk: LiveDesk, browser_of: Browsers):
    from tests.flows.conftest import file

    desk.send(desk.project(), {"case": "two parts", "files": [file("letter.txt", "text/plain", "Dear desk")]})
    page = open_next(browser_of, desk.cast.ada)
    expect(page.get_by_text("Dear desk")).to_be_hidden()
    page.keyboard.press("]")
    expect(page.get_by_text("Dear desk")).to_be_visible()
    expect(page.get_by_role("tab", name="letter.txt")).to_have_attribute("aria-selected", "true")


def test_it_skips_by_a_digit_and_chooses_no_reason_by_it(desk: LiveDesk, browser_of: Browsers):
    [first, _] = desk.send(desk.project(title="case"), {"case": "hard one"}, {"case": "other"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("x")
    sheet = page.locator("#skip .sheet")
    expect(sheet.get_by_role("button")).to_have_text([re.compile(rf"\s{n}$") for n in range(1, 5)])
    for key in ("a", "9"):   # the open sheet has the keys to itself
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    assert page.locator("#decide :checked").count() == 0
    page.keyboard.press("2")
    expect(page.get_by_label(REASONS[1])).to_be_checked()
    page.keyboard.press("x")
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="other")).to_be_visible()
    assert desk.execute("SELECT detail ->> 'reason' FROM events WHERE kind = 'assignment.skipped' AND item_id = %s", first) == [("not my field",)]


def test_it_closes_the_sheet_by_a_click_beside_it(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("x")
    expect(page.locator("#skip .sheet")).to_be_visible()
    page.locator("#item-title").click()
    expect(page.locator("#skip .sheet")).to_be_hidden()
    page.keyboard.press("a")
    expect(page.get_by_label("Approve")).to_be_checked()


def test_it_releases_by_its_key_and_lists_it(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "given back"})
    page = open_next(browser_of, desk.cast.ada)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Release: give it back")
    expect(keys).not_to_contain_text("Send back")
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    expect(page.get_by_text("Given back")).to_be_visible()
    assert decided(desk, item) == 0


def test_it_sends_back_by_its_key_and_decides_nothing_by_it(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(title="case"), {"case": "Odd one"})
    desk.decide(desk.cast.ada, verdict="escalate", reason=REASONS[1])
    page = browser_of(desk.cast.chi)
    page.goto("/escalations")
    page.get_by_role("button", name="Take Odd one").click()
    ready(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Send back to review")
    page.keyboard.press("Escape")
    for key in ("a", "1", "Backspace"):
        page.keyboard.press(key)
    expect(page.get_by_label("What should the reviewers do differently?")).to_be_focused()
    page.keyboard.type("An r, an x and a 2 are letters here.")
    page.keyboard.press("Control+Enter")   # the form around the sheet is complete, and not what is meant
    expect(page.get_by_text("Sent back to review")).to_be_visible()
    assert desk.execute("SELECT verdict FROM decisions WHERE item_id = %s", item) == [("escalate",)]


def test_it_says_once_how_many_to_choose(desk: LiveDesk, browser_of: Browsers):
    question = {"ask": "choices", "options": ["income proven", "stable address", "prior default"], "min": 1, "max": 2}
    desk.send(desk.project(question=question), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada, viewport={"width": 390, "height": 844})
    expect(page.get_by_text("Choose 1 to 2")).to_have_count(1)
    expect(page.locator("#wants")).to_have_text("Nothing chosen yet")
    for key in "isp":
        page.keyboard.press(key)
    expect(page.locator("#wants")).to_have_text("1 too many")


def test_it_judges_pairs_by_keyboard_alone(desk: LiveDesk, browser_of: Browsers):
    rules = {"question": {"ask": "preference"}, "pairs": [{"left": "left", "right": "right"}], "title": "asked"}
    items = desk.send(desk.project(**rules), *({"asked": asked, "left": "Yes.", "right": "No."} for asked in ("first", "second", "third")))
    page = open_next(browser_of, desk.cast.ada)
    for title, key in (("first", "l"), ("second", "r"), ("third", "t")):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        ready(page)
        for pressed in ("]", "[", key, "1", "Enter"):
            page.keyboard.press(pressed)
    expect(page.get_by_role("heading", name="Nothing to do at the moment")).to_be_visible()
    assert [decision(desk, item)[1] for item in items] == ["left", "right", "tie"]


def test_it_shows_guidance_as_it_is_meant_and_runs_nothing_in_it(desk: LiveDesk, browser_of: Browsers):
    guidance = "The **face** first.\n\n- then the number\n\n<img src=x onerror=document.title='had'> [manual](https://example.org/m) [go](javascript:alert(1))"
    desk.send(desk.project(guidance=guidance), {"case": "one"})
    page = open_next(browser_of, desk.cast.ada)
    title = page.title()
    page.get_by_text("How to judge").click()
    shown = page.locator(".guidance .prose")
    expect(shown.locator("strong")).to_have_text("face")
    expect(shown.get_by_role("listitem")).to_have_text("then the number")
    expect(shown.locator("img")).to_have_count(0)
    links = shown.locator("a[href]")
    expect(links).to_have_count(1)
    expect(links).to_have_attribute("rel", "noopener noreferrer")
    assert page.title() == title


def test_it_offers_the_way_back_where_the_payload_is_missing(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "lost"})
    for (key,) in desk.execute("SELECT object_key FROM evidence_parts WHERE item_id = %s", item):
        desk.store.delete(key)
    page = open_next(browser_of, desk.cast.ada)
    expect(page.locator("#payload")).to_contain_text("The payload is not available")
    page.locator("#payload").get_by_role("button", name="Give it back").click()
    expect(page.get_by_text("Given back")).to_be_visible()
    assert decided(desk, item) == 0
