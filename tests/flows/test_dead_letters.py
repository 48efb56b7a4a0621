"""Dead letters in a real browser: from the cause to the letter, mended, tried, replayed; and no script is needed for it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from claimcheck.intake import admission, parameters
from tests.flows.conftest import LiveDesk
from tests.messages import body


@pytest.fixture
def project(desk: LiveDesk) -> int:
    return desk.project(thresholds={"routes": [{"queue": "high value", "at_least": "1000"}]})


def refuse(desk: LiveDesk, *bodies: bytes) -> list[int]:
    eve = desk.cast.eve
    sender = admission.Sender(eve.id, eve.customer_id, "http", {"User-Agent": "engine/1"})
    answers = admission.admit(desk.web, bodies, sender=sender, worker="test", settings=parameters.current(desk.web))
    return [answer.dead_letter_id for answer in answers if answer.dead_letter_id]


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def chi(browser_of: Callable[..., Page], desk: LiveDesk, request: pytest.FixtureRequest) -> Page:
    return browser_of(desk.cast.chi, java_script_enabled=request.param)


def test_it_leads_from_a_cause_to_a_message_that_is_in(chi: Page, desk: LiveDesk, project: int) -> None:
    [letter] = refuse(desk, body(project, "k", match_decision="MATCHED"))
    chi.goto(f"{desk.url}/dead-letters?project={project}")
    chi.get_by_role("link", name="Matched with variance").click()
    chi.get_by_role("link", name=str(letter), exact=True).click()
    chi.get_by_role("button", name="Show and mend").click()
    field = chi.get_by_label("Mend here")
    field.fill(field.input_value().replace("MATCHED", "PARTIAL").replace("12.50", "2500.00"))
    chi.get_by_role("button", name="Dry run as mended").click()
    expect(chi.get_by_role("status").filter(has_text="Dry run")).to_contain_text("high value")
    expect(chi.get_by_label("Mend here")).to_have_value(json.dumps(json.loads(body(project, "k", variance_amount="2500.00"))))
    assert not desk.execute("SELECT 1 FROM messages WHERE project_id = %s", project)
    chi.get_by_role("button", name="Replay as mended").click()
    expect(chi.locator("#flash")).to_contain_text("It is taken in.")
    assert len(desk.execute("SELECT 1 FROM inbox i JOIN messages m ON m.id = i.message_id WHERE m.project_id = %s", project)) == 1
    chi.goto(f"{desk.url}/dead-letters?project={project}")
    expect(chi.get_by_text("No letter is open")).to_be_visible()


def test_it_replays_what_was_chosen(chi: Page, desk: LiveDesk, project: int) -> None:
    letters = refuse(desk, *[body(project, f"k-{n}", variance_amount=1.5) for n in range(3)])
    chi.goto(f"{desk.url}/dead-letters?project={project}")
    for letter in letters[:2]:
        chi.get_by_role("checkbox", name=f"Letter {letter}").check()
    chi.get_by_role("button", name="Dry run of the chosen").click()
    expect(chi.get_by_role("status").filter(has_text="Dry run")).to_contain_text("Would be refused again")
    assert [chi.get_by_role("checkbox", name=f"Letter {letter}").is_checked() for letter in letters] == [True, True, False]
    chi.get_by_role("button", name="Replay the chosen").click()
    expect(chi.locator("#flash")).to_contain_text("2 replayed: 2 refused again.")


def test_it_gives_back_exactly_what_it_showed(browser_of: Callable[..., Page], desk: LiveDesk, project: int) -> None:
    """A form that is sent as it stands mends nothing, whatever stands at its beginning and end."""
    sent = b"\n\n  " + body(project, "k", match_decision="MATCHED", payload={"note": "a\tb &amp; </textarea> \u00e9"}) + b"\n\n"
    [letter] = refuse(desk, sent)
    chi = browser_of(desk.cast.chi)
    chi.goto(f"{desk.url}/dead-letters/{letter}")
    chi.get_by_role("button", name="Show and mend").click()
    chi.get_by_role("button", name="Dry run as mended").click()
    expect(chi.get_by_text("Nothing in it was mended.")).to_be_visible()
    chi.get_by_role("button", name="Replay as mended").click()
    expect(chi.locator("#flash")).to_contain_text("refused again")
    assert desk.execute("SELECT body FROM dead_letter_replays WHERE dead_letter_id = %s", letter) == [(None,)]


@pytest.mark.parametrize("who", ["dov", "chi", "eve"])
def test_it_can_be_used_by_whoever_does_not_see_it(browser_of: Callable[..., Page], desk: LiveDesk, project: int, who: str) -> None:
    [letter] = refuse(desk, body(project, "k", match_decision="MATCHED"))
    page = browser_of(getattr(desk.cast, who))
    for path in ["/dead-letters", f"/dead-letters/{letter}", *(["/pipeline"] if who != "eve" else [])]:
        page.goto(f"{desk.url}{path}")
        found = [v["id"] for v in Axe().run(page).response["violations"]]
        assert found == [], (path, found)
