"""The shell in a real browser: keys, dialogs, theme, times, small windows, no script, no barrier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from claimcheck.access import passwords
from tests import people
from tests.flows.conftest import LiveDesk

Open = Callable[..., Page]
WIDTHS = {"wide": 1360, "narrow": 360}


def pages_of(desk: LiveDesk) -> dict[str, tuple[Any, str]]:
    """Every page of the shell, and who opens it."""
    return {
        "sign in": (None, "/login"),
        "account": (desk.cast.ada, "/account"),
        "go": (desk.cast.ada, "/go?to=nothing"),
        "people": (desk.cast.dov, "/people"),
        "person": (desk.cast.dov, f"/people/{desk.cast.ada.id}"),
        "person as a lead sees it": (desk.cast.chi, f"/people/{desk.cast.ada.id}"),
        "nothing": (desk.cast.dov, "/nothing"),
        "choose a password": (None, f"/password/{passwords.link(desk.web, person_id=desk.cast.ben.id)}"),
    }


def test_it_goes_from_page_to_page_by_two_keys(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.chi)
    page.goto("/account")
    page.keyboard.press("g")
    page.keyboard.press("o")
    expect(page).to_have_url(f"{desk.url}/people")
    page.keyboard.press("/")
    expect(page.get_by_label("Name or e-mail")).to_be_focused()


def test_it_takes_letters_for_letters_while_somebody_types(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.dov)
    page.goto("/people")
    field = page.get_by_label("Name or e-mail")
    field.focus()
    page.keyboard.type("gw?/a")
    expect(field).to_have_value("gw?/a")
    expect(page).to_have_url(f"{desk.url}/people")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.get_by_label("E-mail", exact=True)).to_be_visible()


def test_it_submits_a_field_s_form_by_ctrl_enter(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.dov)
    page.goto("/people")
    page.get_by_label("Name or e-mail").fill("ben")
    page.keyboard.press("Control+Enter")
    expect(page.locator("tbody tr")).to_have_count(1)


def test_it_lists_the_keys_of_the_page(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.dov)
    page.goto("/people")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Add somebody")
    expect(dialog).to_contain_text("Go to a page or an item")
    page.keyboard.press("a")  # keys rest while a dialog is open
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_label("E-mail", exact=True)).to_be_hidden()


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_it_goes_where_it_is_told_by_ctrl_k(desk: LiveDesk, browser_of: Open, width: int) -> None:
    page = browser_of(desk.cast.chi, viewport={"width": width, "height": 740})
    page.goto("/account")
    page.keyboard.press("Control+k")
    expect(page.locator("#go-to input")).to_be_focused()
    page.keyboard.type("people")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{desk.url}/people")


def test_it_shows_the_theme_at_once_and_remembers_it(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.ada, color_scheme="light")
    page.goto("/account")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator(".menu summary").first.click()
    with page.expect_response("**/theme") as answer:
        page.get_by_role("button", name="Dark").click()
    assert answer.value.status == 204
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_it_follows_the_system_s_theme_until_told_otherwise(desk: LiveDesk, browser_of: Open) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        page = browser_of(desk.cast.ada, color_scheme=scheme)
        page.goto("/account")
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


def test_it_says_how_long_ago_and_when(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.ada)
    page.goto("/account")
    time = page.locator("time[data-ago]").first
    expect(time).to_have_text("just now")
    assert time.get_attribute("title")


def test_it_lets_a_notice_be_dismissed(desk: LiveDesk, browser_of: Open) -> None:
    desk.cookie(desk.cast.ada)
    page = browser_of(desk.cast.ada)
    page.goto("/account")
    page.get_by_role("button", name="Sign out everywhere else").click()
    notice = page.locator("#flash .notice")
    expect(notice).to_contain_text("Signed out in")
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)


def test_it_sends_an_expired_tab_to_the_sign_in_and_back(desk: LiveDesk, browser_of: Open) -> None:
    passwords.choose(desk.web, person=desk.cast.chi, password=people.PASSWORD)
    page = browser_of(desk.cast.chi)
    page.goto("/people")
    page.context.clear_cookies()
    page.reload()
    page.get_by_label("E-mail").fill("chi@example.org")
    page.get_by_label("Password").fill(people.PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{desk.url}/people")


def test_it_works_whole_without_script(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.dov, java_script_enabled=False)
    page.goto("/people")
    page.get_by_text("Add somebody").click()
    page.get_by_label("Name", exact=True).fill("Fay")
    page.get_by_label("E-mail", exact=True).fill("fay@example.org")
    page.get_by_label("Skills, with commas").fill("kyc")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Make a password link").click()
    link = page.locator(".once").inner_text().replace("http://127.0.0.1:8000", desk.url)
    hers = browser_of(None, java_script_enabled=False)
    hers.goto(link)
    hers.get_by_label("New password").fill("four words of mine")
    hers.get_by_role("button", name="Set it").click()
    hers.get_by_label("E-mail").fill("fay@example.org")
    hers.get_by_label("Password").fill("four words of mine")
    hers.get_by_role("button", name="Sign in").click()
    expect(hers.locator(".bar")).to_contain_text("Fay")
    page.locator("summary", has_text="Disable").click()
    page.get_by_role("button", name="Disable Fay").click()
    expect(page.locator("#flash")).to_contain_text("The account is disabled")
    hers.reload()
    expect(hers.get_by_role("heading")).to_have_text("Sign in")


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_no_barrier_and_never_scrolls_sideways(desk: LiveDesk, browser_of: Open, scheme: str, width: int) -> None:
    for name, (person, path) in pages_of(desk).items():
        page = browser_of(person, color_scheme=scheme, viewport={"width": width, "height": 800})
        page.goto(path)
        for summary in page.locator("main details:not([open]) > summary").all():
            summary.click()
        found = Axe().run(page).response["violations"]
        assert not found, (name, [(f["id"], [n["html"][:120] for n in f["nodes"]][:3]) for f in found])
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_a_lead_sees_every_place_with_its_count(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.chi, viewport={"width": 1440, "height": 900})
    page.goto("/projects")
    counts = "for (const n of [1, 5, 7]) document.querySelectorAll('.bar nav a')[n].insertAdjacentHTML('beforeend', ' <b class=count>12</b>')"
    page.evaluate(counts)
    assert page.evaluate("(nav => nav.scrollWidth <= nav.clientWidth)(document.querySelector('.bar nav'))")


def test_it_mirrors_for_right_to_left(desk: LiveDesk, browser_of: Open) -> None:
    page = browser_of(desk.cast.dov, viewport={"width": 900, "height": 800})
    page.goto("/people")
    page.evaluate("document.documentElement.dir = 'rtl'")
    brand, tools = page.locator(".brand").bounding_box(), page.locator(".tools").bounding_box()
    assert brand is not None and tools is not None and brand["x"] > tools["x"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
