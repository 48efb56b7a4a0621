"""Two operators at once before operations and effects, and two leads before a saved view: what one does reaches the other, and no word that is being typed is lost to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from claimcheck.access.people import Person
from claimcheck.operations import drains
from claimcheck.outbound import outbox
from tests.flows.conftest import LiveDesk
from tests.flows.test_control import look
from tests.flows.test_review_lease import Browsers
from tests.flows.test_triage import FOLLOW


@pytest.fixture
def pages(desk: LiveDesk, browser_of: Browsers) -> Iterator[tuple[Page, Page]]:
    """Dov's and Ben's, who operates the desk too."""
    yield from _both(desk, browser_of, desk.cast.dov, "operator")


@pytest.fixture
def leads(desk: LiveDesk, browser_of: Browsers) -> Iterator[tuple[Page, Page]]:
    """Chi's and Ben's, who leads too."""
    yield from _both(desk, browser_of, desk.cast.chi, "lead")


def _both(desk: LiveDesk, browser_of: Browsers, other: Person, role: str) -> Iterator[tuple[Page, Page]]:
    desk.execute("UPDATE people SET role = %s WHERE id = %s", role, desk.cast.ben.id)
    yield browser_of(other), browser_of(desk.cast.ben)
    desk.execute("UPDATE people SET role = 'reviewer' WHERE id = %s", desk.cast.ben.id)


def done(desk: LiveDesk, kind: str) -> int:
    return desk.execute("SELECT count(*) FROM events WHERE kind = %s", kind)[0][0]


def test_two_pause_the_same_queue_and_drain_and_the_second_is_told_that_it_is_so(desk: LiveDesk, pages: tuple[Page, Page]) -> None:
    dov, ben = pages
    desk.send(desk.project(name="Halted by two"), {"case": 1})
    for page in (dov, ben):
        page.goto("/operations")
        page.get_by_text("that are not").click()
    row = dov.get_by_role("row", name="Halted by two review")
    row.get_by_text("Pause", exact=True).click()
    why = row.get_by_label("Why")
    why.fill("Waits for the audi")
    theirs = ben.get_by_role("row", name="Halted by two review")
    theirs.get_by_text("Pause", exact=True).click()
    theirs.get_by_label("Why").fill("Until Friday")
    theirs.get_by_role("button", name="Pause it, on record").click()
    expect(ben.get_by_text("The queue review is paused")).to_be_visible()

    look(dov, "operations")
    expect(row).to_contain_text("paused")
    expect(dov.get_by_role("region", name="What was done")).to_contain_text("Until Friday")
    expect(why).to_be_focused()
    why.press_sequentially("tor")
    row.get_by_role("button", name="Pause it, on record").click()
    expect(dov.get_by_role("alert")).to_contain_text("It is so already: the queue review is paused. Nothing was changed. You had typed: Waits for the auditor")
    assert done(desk, "operations.queue_paused") == 1

    programs = dov.get_by_role("region", name="Programs")
    programs.get_by_label("Why").fill("A new release")
    dov.get_by_role("heading", name="Operations").click()  # typed, and the focus is elsewhere
    ben.get_by_role("region", name="Programs").get_by_label("Why").fill("New disks")
    ben.get_by_role("button", name="Drain all programs").click()
    expect(ben.get_by_text("Nothing new is taken.", exact=False).first).to_be_visible()
    look(dov, "operations")
    expect(programs).to_contain_text("by Ben: New disks")
    expect(programs.get_by_label("Why")).to_have_value("A new release")
    programs.get_by_role("button", name="Drain all programs").click()
    expect(dov.get_by_role("alert")).to_contain_text("It is so already: somebody else had the programs take nothing new. Nothing was changed. You had typed: A new release")
    assert done(desk, "operations.drained") == 1
    drains.resume(desk.web, me=desk.cast.dov.id)


def test_two_replay_and_retry_what_failed_and_nothing_is_done_twice_unawares(desk: LiveDesk, pages: tuple[Page, Page]) -> None:
    dov, ben = pages
    desk.send(desk.project(name="Told by two", webhook={"url": "https://receiver.example/hook"}), {"case": 1}, {"case": 2})
    for _ in range(2):
        desk.decide(desk.cast.ada)
    calls = desk.execute("SELECT o.id, o.decision_id FROM outbox o JOIN effects e ON e.id = o.effect_id WHERE e.kind = 'webhook' ORDER BY o.id")
    for number, _ in calls:
        taken = outbox.lease(desk.worker, outbox_id=number)
        assert taken is not None
        outbox.failed(desk.worker, taken, error="The receiver answered 400.", pause=0.0, permanent=True)
    (first, decision), (second, other) = calls
    for page in (dov, ben):
        page.goto("/effects")
    row = dov.get_by_role("row", name=f"of decision {decision},")
    row.get_by_text("Skip", exact=True).click()
    why = row.get_by_label("Why it need not happen")
    why.fill("Told by teleph")
    theirs = ben.get_by_role("row", name=f"of decision {decision},")
    theirs.get_by_text("Skip", exact=True).click()
    theirs.get_by_label("Why it need not happen").fill("They gave up")
    theirs.get_by_role("button", name="Skip it, on record").click()
    ben.get_by_role("button", name=f"Retry the effect of decision {other}").click()
    expect(ben.get_by_text("It is tried again")).to_be_visible()
    look(dov, "effects")
    expect(dov.locator(f"#effect-{first}")).to_have_text("It is done, or given up, or others have its turn meanwhile.")
    expect(dov.locator(f"#effect-{second}")).to_contain_text("waits")
    expect(why).to_be_focused()
    why.press_sequentially("one")
    row.get_by_role("button", name="Skip it, on record").click()
    expect(dov.get_by_role("alert")).to_contain_text("can't be skipped now. You had typed: Told by telephone")
    answer = dov.request.post(f"/effects/{second}/attempts", headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.status == 409 and "tried again already" in answer.text()
    assert (done(desk, "effect.skipped"), done(desk, "effect.retried")) == (1, 1)

    desk.execute("UPDATE outbox SET due = due + interval '1 hour' WHERE id = %s", second)
    for page, said in ((dov, "It is up agai"), (ben, "They say it works")):
        page.goto("/operations")
        page.get_by_role("region", name="Decided, not applied").get_by_label("Why").fill(said)
    ben.get_by_role("button", name="Replay what is unapplied").click()
    expect(ben.get_by_text("tried at once.")).to_be_visible()
    look(dov, "operations")
    expect(dov.get_by_role("region", name="What was done")).to_contain_text("They say it works")
    why = dov.get_by_role("region", name="Decided, not applied").get_by_label("Why")
    expect(why).to_be_focused()
    why.press_sequentially("n")
    dov.get_by_role("button", name="Replay what is unapplied").click()
    expect(dov.get_by_role("alert")).to_contain_text("It is so already: Ben had everything tried at once since you looked.")
    look(dov, "operations")
    expect(why).to_have_value("It is up again")
    assert done(desk, "operations.replayed") == 1


def test_a_view_is_removed_under_a_lead_who_saves_it_anew(desk: LiveDesk, leads: tuple[Page, Page]) -> None:
    chi, ben = leads
    project = desk.project(name="Seen by two")
    desk.send(project, {"case": 1})
    ben.goto(f"/items?project={project}&state=pending")
    ben.get_by_text("Save this view").click()
    ben.get_by_label("Name", exact=True).fill("Night shift")
    ben.get_by_label("For all leads").check()
    ben.get_by_role("button", name="Save", exact=True).click()
    ben.get_by_role("heading", name="Night shift").wait_for()
    chi.goto(ben.url)
    chi.get_by_text("Save this view").click()
    name = chi.get_by_label("Name", exact=True)
    name.fill("My nights")
    ben.get_by_text("Save anew").click()
    ben.get_by_role("button", name="Remove it").click()
    expect(ben.get_by_text("The view is gone.")).to_be_visible()
    chi.evaluate(FOLLOW)
    expect(name).to_be_focused()
    expect(name).to_have_value("My nights")
    chi.get_by_role("button", name="Save", exact=True).click()
    expect(chi.get_by_role("heading", name="My nights")).to_be_visible()
    expect(chi.get_by_role("row")).to_have_count(2)
