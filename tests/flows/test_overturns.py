"""Two leads at once in two browsers: one asks to overturn what a reviewer decided, the other approves it, and neither loses a word to the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.bulk import overturning
from tests.flows.conftest import REASONS, LiveDesk


@pytest.fixture(scope="module")
def fay(live: LiveDesk) -> Person:
    """Another lead."""
    return people.add(live.web, name="Ben, who leads", email="leads@example.org", role="lead")


def test_one_lead_asks_and_another_approves_and_neither_loses_what_they_typed(desk: LiveDesk, fay: Person, browser_of: Callable[..., Page]):
    project = desk.project(name="Invoices")
    items = desk.send(project, *[{"invoice": n} for n in range(6)])
    decided = [desk.decide(desk.cast.ada, item_id=item) for item in items]
    chi, ben = browser_of(desk.cast.chi), browser_of(fay)

    chi.goto("/overturns")
    chi.get_by_label("Project").select_option("Invoices")
    chi.get_by_role("button", name="Choose").click()
    chi.get_by_label("Reviewer").select_option("Ada")
    chi.get_by_label("Since").fill("1d")
    chi.get_by_role("button", name="Find").click()
    expect(chi.get_by_role("row")).to_have_count(1 + len(items))
    chi.get_by_role("link", name="Overturn all that fit").click()
    chi.get_by_label("Note for each decision's record").fill("The form changed in March.")
    chi.get_by_role("radio", name="Reject").check()
    chi.get_by_label("Reason").select_option(REASONS[1])
    chi.get_by_role("button", name="Make the list").click()
    overturning.run(desk.worker)
    expect(chi.get_by_text("6 outcomes would be overturned")).to_be_visible()  # the page asks by itself
    chi.get_by_label("Word to whoever approves it").fill("Look at two of them.")
    chi.get_by_role("button", name="Ask another lead").click()
    expect(chi.get_by_role("heading", name="Waits for another lead", exact=True)).to_be_visible()
    expect(chi.get_by_role("button", name="Approve")).to_have_count(0)

    ben.goto("/approvals")
    ben.get_by_role("link", name="Look at it").click()
    expect(ben.get_by_text("Look at two of them.")).to_be_visible()
    ben.get_by_role("textbox", name="Why").fill("Not so fast: what about")
    chi.get_by_role("textbox", name="Why").fill("One is right after all.")
    chi.get_by_role("button", name="Withdraw it").click()
    expect(ben.get_by_text("See it as it is now")).to_be_visible()  # said beside the form, not instead of it
    expect(ben.get_by_role("textbox", name="Why")).to_have_value("Not so fast: what about")
    ben.get_by_role("button", name="Approve").click()
    expect(ben.get_by_role("alert")).to_contain_text("has moved on since you looked at it")
    expect(ben.get_by_text("Not so fast: what about")).to_be_visible()

    chi.goto(f"/overturns/new?project={project}&reviewer={desk.cast.ada.id}")
    chi.get_by_role("radio", name="Open them again").check()
    chi.get_by_label("Reason").select_option(REASONS[1])
    chi.get_by_role("button", name="Make the list").click()
    overturning.run(desk.worker)
    chi.get_by_role("button", name="Ask another lead").click()
    ben.goto(chi.url)
    ben.get_by_role("button", name="Approve: overturn 6").click()
    chi.reload()
    chi.get_by_role("button", name="Pause").click()
    overturning.run(desk.worker)
    expect(chi.get_by_text("0 overturned, 0 left out, 6 to go.")).to_be_visible()
    chi.get_by_role("button", name="Go on").click()
    overturning.run(desk.worker)
    expect(ben.get_by_text("6 overturned, 0 left out")).to_be_visible()
    chi.reload()
    expect(chi.get_by_role("row", name="overturned")).to_have_count(6)
    assert desk.execute("SELECT count(*) FROM decisions WHERE supersedes = ANY (%s) AND outcome = 'reopen' AND approved_by = %s", decided, fay.id) == [(6,)]


def test_it_works_without_a_script_and_refuses_ones_own_approval(desk: LiveDesk, fay: Person, browser_of: Callable[..., Page]):
    project = desk.project(name="Plain overturns")
    [item] = desk.send(project, {"invoice": 1})
    desk.decide(desk.cast.ada, item_id=item)
    chi, ben = (browser_of(who, java_script_enabled=False) for who in (desk.cast.chi, fay))
    chi.goto(f"/overturns/new?project={project}&reviewer={desk.cast.ada.id}")
    chi.get_by_label("Note for each decision's record").fill("Kept.")
    chi.get_by_label("Reason").select_option(REASONS[1])
    chi.get_by_role("button", name="Make the list").click()
    expect(chi.get_by_role("alert")).to_contain_text("Choose a verdict")
    expect(chi.get_by_label("Note for each decision's record")).to_have_value("Kept.")
    chi.get_by_role("radio", name="Reject").check()
    chi.get_by_role("button", name="Make the list").click()
    overturning.run(desk.worker)
    chi.reload()
    chi.get_by_role("button", name="Ask another lead").click()
    version = chi.locator("input[name=version]").input_value()
    own = chi.request.post(f"{chi.url}/steps", form={"step": "approve", "version": version}, headers={"Sec-Fetch-Site": "same-origin"})
    assert own.status == 409 and "another lead approves" in own.text()
    ben.goto(chi.url)
    ben.get_by_role("button", name="Reject").click()
    expect(ben.get_by_role("alert")).to_contain_text("Say why")
    ben.get_by_role("textbox", name="Why").fill("They are right.")
    ben.get_by_role("button", name="Reject").click()
    expect(ben.get_by_role("heading", name="Rejected", exact=True)).to_be_visible()
