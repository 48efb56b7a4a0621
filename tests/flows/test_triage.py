"""Leads triage in a browser: a quick view by keys, ticks and words that nobody wipes, a colleague's cancel meanwhile, a view that is shared."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from claimcheck.triage import acting, actions
from claimcheck.triage.actions import Wish
from tests.flows.conftest import LiveDesk

FOLLOW = "document.dispatchEvent(new Event('triage:follow'))"


def test_two_leads_triage_at_once_and_neither_wipes_what_the_other_ticked_or_typed(desk: LiveDesk, browser_of: Callable[..., Page]):
    project = desk.project(name="Breaks at night")
    items = desk.send(project, *[{"order": n, "difference": "12.50 EUR"} for n in range(5)])
    desk.execute("UPDATE people SET role = 'lead' WHERE id = %s", desk.cast.ben.id)
    chi, ben = browser_of(desk.cast.chi), browser_of(desk.cast.ben)
    try:
        chi.goto(f"/items?project={project}&state=pending")
        row = lambda page, n: page.locator(f"tr[data-item='{items[n]}']")  # noqa: E731
        chi.get_by_role("row").nth(1).wait_for()
        chi.keyboard.press("j")
        expect(chi.get_by_role("complementary", name="Quick view")).to_contain_text(f"k{project}-1")
        chi.keyboard.press("ArrowDown")
        expect(chi.locator("[data-quick]")).to_have_attribute("data-quick", str(items[1]))
        chi.keyboard.press("x")
        expect(chi.get_by_role("button", name="With the ticked (1)")).to_be_visible()
        every = chi.get_by_label("Tick all of this page")
        every.check()
        expect(chi.get_by_role("button", name=f"With the ticked ({len(items)})")).to_be_visible()
        every.uncheck()
        expect(chi.get_by_role("button", name="With the ticked", exact=True)).to_be_visible()
        row(chi, 1).get_by_role("checkbox").check()
        assert f"look={items[1]}" in chi.url, "a colleague who opens it sees the same"
        ben.goto(chi.url)
        expect(ben.locator("[data-quick]")).to_have_attribute("data-quick", str(items[1]))

        row(chi, 0).get_by_role("checkbox").check()
        chi.get_by_label("What").select_option("Cancel")
        why = chi.get_by_label("Why")
        why.fill("Sent twi")
        row(ben, 1).get_by_role("checkbox").check()
        ben.get_by_label("What").select_option("Cancel")
        ben.get_by_role("button", name="With the ticked").click()
        expect(ben.get_by_role("alert")).to_contain_text("say why")
        expect(row(ben, 1).get_by_role("checkbox")).to_be_checked()
        ben.get_by_label("Why").fill("Not ours")
        ben.get_by_role("button", name="With the ticked").click()
        expect(ben.get_by_text("1 of 1 done")).to_be_visible()

        chi.evaluate(FOLLOW)
        expect(row(chi, 1)).to_have_class("current gone")
        expect(why).to_be_focused()
        expect(why).to_have_value("Sent twi")
        expect(row(chi, 0).get_by_role("checkbox")).to_be_checked()
        expect(row(chi, 1).get_by_role("checkbox")).to_be_checked()
        why.press_sequentially("ce")
        chi.get_by_role("button", name="With the ticked (2)").click()
        expect(chi.get_by_text("1 of 2 done")).to_be_visible()
        expect(chi.get_by_text("it was cancelled before")).to_be_visible()
        chi.get_by_role("link", name="Back to the list").click()
        expect(row(chi, 2)).to_be_visible()
        assert f"project={project}" in chi.url
    finally:
        desk.execute("UPDATE people SET role = 'reviewer' WHERE id = %s", desk.cast.ben.id)


def test_all_that_fit_are_listed_first_and_a_saved_view_has_an_address_without_a_script(desk: LiveDesk, browser_of: Callable[..., Page]):
    project = desk.project(name="Plain triage")
    [item] = desk.send(project, {"order": 1})
    chi = browser_of(desk.cast.chi, java_script_enabled=False)
    chi.goto(f"/items?project={project}&state=pending")
    chi.get_by_text("Save this view").click()
    chi.get_by_label("Name", exact=True).fill("Night shift")
    chi.get_by_role("button", name="Save", exact=True).click()
    expect(chi.get_by_role("heading", name="Night shift")).to_be_visible()
    here = chi.url
    chi.get_by_role("link", name="Look").click()
    expect(chi.get_by_role("complementary", name="Quick view")).to_contain_text("Waiting")
    assert desk.execute("SELECT count(*) FROM access_events WHERE item_id = %s", item) == [(0,)], "facts alone are no look at the payload"
    chi.goto(here)
    chi.get_by_label("What").select_option("Set the priority")
    chi.get_by_role("spinbutton", name="Priority").fill("5")
    chi.get_by_role("button", name="With all that fit").click()
    expect(chi.get_by_text("The list is being made")).to_be_visible()
    acting.run(desk.worker)
    chi.reload()
    chi.get_by_role("button", name="Set the priority: 1 item").click()
    expect(chi.get_by_text("1 of 1 done")).to_be_visible()
    assert desk.execute("SELECT priority FROM items WHERE id = %s", item) == [(5,)]
    other = browser_of(desk.cast.eve)
    assert (answer := other.goto(here)) is not None and answer.status == 403
    made = actions.ask(desk.web, Wish("assign", to=desk.cast.ada.id), me=desk.cast.chi.id, item_ids=[item])
    acting.run(desk.worker)
    chi.goto(f"/items?project={project}&look={item}")
    expect(chi.get_by_role("complementary", name="Quick view")).to_contain_text("Ada")
    assert actions.load(desk.web, action_id=made, me=desk.cast.chi.id).done == 1
