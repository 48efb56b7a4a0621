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
