"""The review screen's lease: two who race, tabs left open, a cut network, back, idle people."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from claimcheck.access.people import Person
from claimcheck.review import assignments, tasks
from tests.flows.conftest import REASONS, LiveDesk

Browsers = Callable[..., Page]


def open_next(browsers: Browsers, person: Person, **options: object) -> Page:
    """A browser of theirs, at the next item."""
    page = browsers(person, **options)
    page.goto("/review")
    page.get_by_role("button", name="Next item").click()
    page.wait_for_url("**/assignments/*")
    return ready(page) if options.get("java_script_enabled", True) else page


def ready(page: Page) -> Page:
    """Once its script runs: before, a key is nobody's."""
    expect(page.locator("#wants")).not_to_be_empty()
    return page


def fill(page: Page, note: str = "Seen and compared.") -> None:
    page.get_by_label("Reject").check()
    page.get_by_label(REASONS[1]).check()
    page.get_by_label("Note for the record").fill(note)


def beat(page: Page) -> None:
    """A sign of life now, rather than within 20 seconds."""
    with page.expect_response("**/lease"):
        page.evaluate("document.getElementById('beat').dispatchEvent(new Event('beat'))")


def decided(desk: LiveDesk, item_id: int) -> int:
    return desk.execute("SELECT count(*) FROM decisions WHERE item_id = %s", item_id)[0][0]


def test_it_hands_one_item_to_one_of_two_who_race(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"})
    pages = [browser_of(person) for person in (desk.cast.ada, desk.cast.ben)]
    for page in pages:
        page.goto("/review")
    for page in pages:
        page.evaluate("setTimeout(() => document.querySelector('form[action$=next] button').click(), 300)")
    for page in pages:
        page.wait_for_url(lambda url: "/assignments/" in url or "empty" in url)
    held = [page for page in pages if "/assignments/" in page.url]
    empty = [page for page in pages if page not in held]
    assert len(held) == len(empty) == 1
    expect(empty[0].get_by_text("1 item is held by others")).to_be_visible()
    expect(empty[0].get_by_text("free in about 30 min").first).to_be_visible()


def test_it_claims_nothing_by_reload_or_back(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "one"}, {"case": "two"})
    page = open_next(browser_of, desk.cast.ada)
    before = desk.execute("SELECT count(*) FROM assignments")
    page.reload()
    page.go_back()
    page.go_forward()
    assert desk.execute("SELECT count(*) FROM assignments") == before
    assert page.get_by_text("Yours for").is_visible()


def test_it_takes_a_submit_after_expiry_while_nobody_took_the_item(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "late"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page)
    desk.lapse(desk.cast.ada)
    beat(page)
    expect(page.locator("#clock")).to_contain_text("Time ran out, still free")
    assert page.get_by_label("Note for the record").input_value() == "Seen and compared."
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_text("Decided.")).to_be_visible()
    assert decided(desk, item) == 1


def test_it_refuses_a_submit_when_somebody_else_took_the_item_and_keeps_the_text(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "taken"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page, "The faces differ.")
    desk.lapse(desk.cast.ada)
    claim = tasks.claim(desk.web, me=desk.cast.ben.id)
    assert claim is not None and claim.item_id == item
    with page.expect_response(lambda response: response.url.endswith("/decision") and response.status == 409):
        page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("heading", name="Somebody else has it now")).to_be_visible()
    expect(page.get_by_label("Your note")).to_have_value("The faces differ.")
    expect(page.get_by_text("Reject · name differs")).to_be_visible()
    expect(page.get_by_role("button", name="Next item")).to_be_visible()
    assert decided(desk, item) == 0


def test_it_says_in_the_clock_that_somebody_has_it_and_leaves_the_form_alone(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "taken"})
    page = open_next(browser_of, desk.cast.ada)
    note = page.get_by_label("Note for the record")
    note.press_sequentially("half a sen")
    desk.lapse(desk.cast.ada)
    tasks.claim(desk.web, me=desk.cast.ben.id)
    beat(page)
    expect(page.locator("#clock")).to_contain_text("Somebody else has it now")
    note.press_sequentially("tence")
    assert note.input_value() == "half a sentence"
    expect(note).to_be_focused()
    page.get_by_role("link", name="What now?").click()
    expect(page.get_by_label("Your note")).to_have_value("half a sentence")


def test_it_gives_the_item_and_the_draft_back_after_somebody_else_let_it_go(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "back again"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page, "Half done.")
    expect(page.locator("#draft-state")).to_contain_text("Draft kept")
    desk.lapse(desk.cast.ada)
    claim = tasks.claim(desk.web, me=desk.cast.ben.id)
    assert claim is not None
    assignments.release(desk.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, me=desk.cast.ben.id)
    page.reload()
    page.get_by_role("button", name="Take it again").click()
    expect(page.get_by_text("Yours for")).to_be_visible()
    expect(page.get_by_label("Note for the record")).to_have_value("Half done.")
    expect(page.get_by_label("Reject")).to_be_checked()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_text("Decided.")).to_be_visible()
    assert decided(desk, item) == 1


def test_it_repeats_a_submit_whose_answer_was_cut_off_and_gets_the_same_receipt(desk: LiveDesk, browser_of: Browsers):
    [item, _] = desk.send(desk.project(), {"case": "one"}, {"case": "two"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page)
    posts: list[str] = []

    def cut_the_first(route: Route) -> None:
        posts.append(route.request.post_data or "")
        if len(posts) == 1:
            route.fetch()  # the desk has it; its answer never arrives
            return route.abort("connectionreset")
        return route.continue_()

    page.route("**/decision", cut_the_first)
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_text("Decided.")).to_be_visible(timeout=30000)
    assert len(posts) == 2 and posts[0] == posts[1]
    assert decided(desk, item) == 1
    assert page.get_by_text("Yours for").is_visible()
    assert page.locator("#note").input_value() == ""


def test_it_waits_for_the_network_and_loses_nothing(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "offline"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#wants")).to_contain_text("No connection. Nothing is lost")
    expect(page.locator("#note")).to_have_value("Seen and compared.")
    assert decided(desk, item) == 0
    page.context.set_offline(False)
    expect(page.get_by_text("Decided.")).to_be_visible(timeout=30000)
    assert decided(desk, item) == 1


def test_it_says_that_it_is_offline_and_keeps_trying(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "offline"})
    page = open_next(browser_of, desk.cast.ada)
    page.context.set_offline(True)
    page.evaluate("document.getElementById('beat').dispatchEvent(new Event('beat'))")
    expect(page.locator("#clock.offline")).to_be_visible()
    page.get_by_label("Note for the record").fill("Typed in a tunnel")
    expect(page.locator("#draft-state")).to_contain_text("kept in this tab")
    page.context.set_offline(False)
    expect(page.locator("#draft-state")).to_contain_text("Draft kept", timeout=30000)
    expect(page.locator("#clock.offline")).to_have_count(0)
    assert desk.execute("SELECT body ->> 'note' FROM drafts") == [("Typed in a tunnel",)]


def test_it_makes_one_decision_of_a_double_click(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "twice"})
    page = open_next(browser_of, desk.cast.ada)
    fill(page)
    page.get_by_role("button", name="Submit and next").dblclick()
    expect(page.get_by_text("Decided.")).to_be_visible()
    assert decided(desk, item) == 1


def test_it_replays_nothing_by_the_back_button(desk: LiveDesk, browser_of: Browsers):
    [item, _] = desk.send(desk.project(), {"case": "one"}, {"case": "two"})
    page = open_next(browser_of, desk.cast.ada)
    first = page.url
    fill(page)
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url(lambda url: "/assignments/" in url and url != first)
    page.go_back()
    assert page.url == first
    expect(page.get_by_role("heading", name="You have decided this")).to_be_visible()
    expect(page.get_by_role("link", name="Go on with")).to_be_visible()
    assert decided(desk, item) == 1


def test_it_asks_an_idle_reviewer_and_stops_extending_until_they_answer(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(idle_seconds=1), {"case": "long read"})
    page = open_next(browser_of, desk.cast.ada)
    page.get_by_label("Note for the record").fill("Before the pause")
    dialog = page.get_by_role("dialog", name="Still there?")
    expect(dialog).to_be_visible(timeout=25000)

    def expires() -> object:
        return desk.execute("SELECT lease_expires FROM assignments WHERE ended_at IS NULL")

    before = expires()
    beat(page)
    assert expires() == before
    expect(page.locator("#clock")).to_contain_text("Not extended")
    with page.expect_response("**/lease"):
        dialog.get_by_role("button", name="Yes, go on").click()
    assert expires() > before
    expect(page.get_by_label("Note for the record")).to_have_value("Before the pause")


def test_it_counts_down_by_the_servers_clock(desk: LiveDesk, browser_of: Browsers):
    desk.send(desk.project(), {"case": "skewed"})
    page = browser_of(desk.cast.ada)
    page.add_init_script("{ const now = Date.now; Date.now = () => now() + 3 * 3600e3; }")
    page.goto("/review")
    page.get_by_role("button", name="Next item").click()
    expect(page.locator("#clock [data-time]")).to_have_text(re.compile("^29:5"))
    expect(page.locator("#clock")).to_have_attribute("data-state", "held")


def test_it_skips_with_a_reason_and_comes_to_something_else(desk: LiveDesk, browser_of: Browsers):
    [first, _] = desk.send(desk.project(title="case"), {"case": "hard one"}, {"case": "other"})
    page = open_next(browser_of, desk.cast.ada)
    page.locator("#skip > summary").click()
    page.get_by_role("button", name="Too hard").click()
    expect(page.get_by_role("heading", name="other")).to_be_visible()
    page.locator("#skip > summary").click()
    page.get_by_role("button", name="Unclear").click()
    expect(page.get_by_text("Nothing else is left but what you skipped")).to_be_visible()
    page.get_by_role("button", name="Next item").click()
    expect(page.get_by_role("heading", name="hard one")).to_be_visible()
    assert desk.execute("SELECT detail ->> 'reason' FROM events WHERE kind = 'assignment.skipped' AND item_id = %s", first) == [
        ("too hard",)
    ]


def test_it_releases_the_item_for_others(desk: LiveDesk, browser_of: Browsers):
    [item] = desk.send(desk.project(), {"case": "given back"})
    page = open_next(browser_of, desk.cast.ada)
    page.get_by_role("button", name="Release").click()
    expect(page.get_by_text("Given back")).to_be_visible()
    claim = tasks.claim(desk.web, me=desk.cast.ben.id)
    assert claim is not None and claim.item_id == item
