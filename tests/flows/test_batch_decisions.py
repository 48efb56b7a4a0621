"""A lead decides alike items together in a browser, while a reviewer asks for work and a second lead is at it too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from claimcheck.bulk import working
from claimcheck.review import tasks
from tests.flows.conftest import REASONS, LiveDesk

EASY = {"share": 0.3, "confidence": 0.9}


def test_it_is_earned_by_a_sample_and_can_be_undone(desk: LiveDesk, browser_of: Callable[..., Page]):
    project = desk.project(name="Breaks", batch_decision_bound=EASY)
    desk.send(project, *[{"order": n, "difference": "12.50 EUR"} for n in range(20)])
    alike = "UPDATE items SET alike = ARRAY['review', 'ACME Ltd', 'UNMATCHED', 'EUR', '10 to 100'] WHERE project_id = %s RETURNING id"
    desk.execute(alike, project)
    desk.execute("UPDATE people SET role = 'lead' WHERE id = %s", desk.cast.ben.id)
    chi, ben = browser_of(desk.cast.chi), browser_of(desk.cast.ben)

    chi.goto("/batch-decisions")
    chi.get_by_label("Project").select_option("Breaks")
    chi.get_by_role("button", name="Find alike items").click()
    expect(chi.get_by_role("row", name="ACME Ltd")).to_contain_text("20")
    chi.get_by_role("link", name="Decide together").click()
    chi.get_by_role("radio", name="Approve").check()
    chi.get_by_label("Note for each decision's record").fill("Bank fees, as agreed in March.")
    chi.get_by_role("checkbox", name="Queue: review").uncheck()
    chi.get_by_label("Reason").select_option(REASONS[0])
    chi.get_by_role("button", name="Make the list and draw the sample").click()
    expect(chi.get_by_text("The list is being made")).to_be_visible()
    working.run(desk.worker)
    expect(chi.get_by_role("heading", name="Look at the sample")).to_be_visible()  # the page asks by itself
    assert tasks.claim(desk.web, me=desk.cast.ada.id) is None, "what is on the list is nobody else's"

    here = chi.url
    ben.goto(here)
    expect(ben.get_by_text("Chi looks at the sample and decides.")).to_be_visible()
    expect(ben.get_by_role("button", name="Open the first")).to_have_count(0)
    chi.get_by_role("button", name="Open the first").click()
    looked, sample = 0, desk.execute("SELECT sample_size FROM batch_decisions WHERE project_id = %s", project)[0][0]
    while "/assignments/" in chi.url:
        expect(chi.get_by_text(f"{looked} of {sample} looked at")).to_be_visible()
        chi.get_by_label("Note").first.fill(f"Looked at, number {looked}.")
        chi.get_by_role("radio", name="Approve").check()
        chi.get_by_role("radio", name=REASONS[0]).check()
        before = chi.url
        chi.get_by_role("button", name="Submit").click()
        chi.wait_for_url(lambda url, before=before: url != before)
        looked += 1
    expect(chi.get_by_text("can be decided")).to_be_visible()
    rest = 20 - looked
    chi.get_by_role("button", name=f"Decide the other {rest}").click()
    working.run(desk.worker)
    expect(chi.get_by_text(f"{rest} decided unseen, {looked} looked at")).to_be_visible()

    ben.get_by_role("button", name="Drop it").click()  # from a page that is old by now
    expect(ben.get_by_role("alert")).to_contain_text("has moved on since you looked at it")
    ben.get_by_role("button", name="Undo number").first.click()
    expect(ben.get_by_text("Taken back; the item is open again.")).to_be_visible()
    chi.get_by_role("button", name="Undo what was decided unseen").click()
    working.run(desk.worker)
    expect(chi.get_by_role("heading", name="Taken back")).to_be_visible()
    expect(chi.get_by_text(f"{rest} of {rest} were taken back")).to_be_visible()
    assert desk.execute("SELECT count(*) FROM applied a JOIN batch_ends e USING (decision_id) WHERE e.came_to = 'decided'") == [(0,)]


def test_it_brings_back_what_was_typed_with_an_error_and_without_a_script(desk: LiveDesk, browser_of: Callable[..., Any]):
    project = desk.project(name="Plain")
    desk.send(project, {"order": 1})
    chi = browser_of(desk.cast.chi, java_script_enabled=False)
    chi.goto(f"/batch-decisions?project={project}")
    chi.get_by_role("link", name="Decide together").click()
    chi.get_by_label("Note for each decision's record").fill("Kept.")
    chi.get_by_label("Reason").select_option(REASONS[1])
    chi.get_by_role("button", name="Make the list").click()
    expect(chi.get_by_role("alert")).to_contain_text("Choose a verdict")
    expect(chi.get_by_label("Note for each decision's record")).to_have_value("Kept.")
    chi.get_by_role("radio", name="Reject").check()
    chi.get_by_role("button", name="Make the list").click()
    working.run(desk.worker)
    chi.reload()
    expect(chi.get_by_role("button", name="Open the first")).to_be_visible()
    chi.get_by_role("button", name="Drop it, give the items back").click()
    working.run(desk.worker)
    chi.reload()
    expect(chi.get_by_text("Its items are back in their queues")).to_be_visible()
