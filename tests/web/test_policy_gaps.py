"""Policy gaps: what went wrong together stands out, with examples; guidance is mended in place, by two leads at once too."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import re

import pytest

from claimcheck import errors, people, projects, tasks
from claimcheck.control import counting, gaps, guidance
from claimcheck.intake import admission, handling, inbox, parameters
from claimcheck.people import Person
from tests.flows.conftest import REASONS, LiveDesk
from tests.messages import body
from tests.people import browser
from tests.web.reviewer import Reviewer, desk, live  # noqa: F401 (fixtures)
from tests.web.test_pay_page import plain


@pytest.fixture(scope="module")
def found(live: LiveDesk) -> int:
    """A project whose items of one counterparty are escalated mostly, and the rest hardly ever, counted."""
    project = live.project(name="Gaps")
    settings = parameters.DEFAULTS
    eve = admission.Sender(live.cast.eve.id, live.cast.eve.customer_id, "http")
    given = [body(project, f"m{n}", partition_key=f"P{n}", ledger_entity="Contoso" if n % 4 == 0 else f"Firm {n % 3}") for n in range(48)]
    admission.admit(live.web, given, sender=eve, worker="test", settings=settings)
    handling.handle(live.web, inbox.pull(live.web, settings, 200), worker="test", settings=settings)
    live.publish()
    for row in live.execute("SELECT i.id, m.ledger_entity FROM items i JOIN messages m ON m.id = i.message_id ORDER BY i.id"):
        odd = row[1] == "Contoso" or row[0] % 24 == 1
        live.decide(live.cast.ada, item_id=row[0], verdict="escalate" if odd else "approve", note="not in the guidance")
    counting.run(live.worker, seconds=0, hourly=0)
    return project


def lead(live: LiveDesk, name: str) -> Person:
    return people.by_name(live.web, name=name) or people.add(live.web, name=name, email=f"{name.lower()}@example.org", role="lead")


def test_it_shows_what_went_wrong_together_and_nothing_else(live: LiveDesk, found: int):
    [gap] = gaps.page(live.web, project_id=found)
    wrong = live.execute(
        "SELECT count(*) FILTER (WHERE m.ledger_entity = 'Contoso'), count(*) FILTER (WHERE m.ledger_entity <> 'Contoso') FROM decisions d "
        "JOIN items i ON i.id = d.item_id JOIN messages m ON m.id = i.message_id WHERE d.verdict = 'escalate' AND d.project_id = %s",
        found,
    )[0]
    assert (gap.feature, gap.value, gap.items, gap.gaps, gap.escalated) == ("counterparty", "Contoso", 12, 12, 12)
    assert (gap.gaps, gap.other_gaps) == wrong and gap.other_items == 36 and gap.lift > gap.low > 1
    told = {row[0] for row in live.execute("SELECT i.id FROM items i JOIN messages m ON m.id = i.message_id WHERE m.ledger_entity = 'Contoso'")}
    assert len(gap.examples) == 5 and set(gap.examples) <= told
    page = browser(live.app, live.cast.chi).get(f"/policy-gaps?project={found}").text
    assert "of the counterparty Contoso" in plain(page) and all(f"/items/{item}" in page for item in gap.examples)
    assert f"/projects/{found}/guidance" in page
    assert [browser(live.app, p).get("/policy-gaps").status_code for p in (live.cast.ada, live.cast.eve, live.cast.dov)] == [403] * 3


def test_two_leads_at_once_lose_no_text(desk: LiveDesk):
    project = desk.project(guidance="Look once.")
    second, chi = browser(desk.app, lead(desk, "Lead2")), browser(desk.app, desk.cast.chi)
    address = f"/projects/{project}/guidance"
    seen = [re.findall(r'name="after" value="(\d+)"', client.get(address).text)[0] for client in (second, chi)]
    assert seen == ["1", "1"]
    assert chi.post(address, data={"text": "Look twice.", "why": "once is too few", "after": "1"}).status_code == 303
    refused = second.post(address, data={"text": "Look once.\nAsk <b>Ben</b>.", "why": "Ben knows", "after": "1"})
    assert refused.status_code == 409 and "Chi changed the guidance meanwhile" in plain(refused.text)
    assert "Ask &lt;b&gt;Ben&lt;/b&gt;." in refused.text and 'value="Ben knows"' in refused.text
    assert guidance.of_project(desk.web, project_id=project)[0].text == "Look twice."
    [after] = re.findall(r'name="after" value="(\d+)"', refused.text)
    assert second.post(address, data={"text": "Look twice.\nAsk Ben.", "why": "both", "after": after}).status_code == 303
    assert [v.text for v in guidance.of_project(desk.web, project_id=project)] == ["Look twice.\nAsk Ben.", "Look twice.", "Look once."]
    assert "Ask Ben." in chi.get(f"{address}?version=3&with=1").text
    assert chi.post(address, data={"text": "x", "why": " ", "after": "٥"}).status_code == 422
    assert chi.post(address, data={"text": "y" * 10_001, "why": "long", "after": "3"}).status_code == 422
    assert browser(desk.app, desk.cast.dov).post(address, data={}).status_code == 403
    with pytest.raises(errors.GuidanceChanged):
        guidance.write(desk.web, project_id=project, text="late", why="late", after=2, me=desk.cast.chi.id)


def test_other_rules_are_no_new_version_of_the_guidance(desk: LiveDesk):
    project = desk.project(guidance="Look once.")
    one = projects.load(desk.web, project, desk.cast.chi)
    browser(desk.app, desk.cast.chi).post(f"/projects/{project}/lease", data={"seconds": "900", "why": "shorter"})
    assert projects.load(desk.web, project, desk.cast.chi).version == one.version + 1
    assert guidance.write(desk.web, project_id=project, text="Look twice.", why="more", after=1, me=desk.cast.chi.id) == 3
    assert [v.version for v in guidance.of_project(desk.web, project_id=project)] == [3, 1]
    assert guidance.write(desk.web, project_id=project, text=" Look twice.\r\n", why="the same", after=1, me=desk.cast.chi.id) == 3


def test_the_drawer_shows_what_held_when_the_item_was_taken(desk: LiveDesk):
    project = desk.project(guidance="Look once.")
    desk.send(project, {"case": "one"})
    ada = Reviewer(desk, desk.cast.ada)
    assert "How to judge version 1" in plain(ada.next().text)
    guidance.write(desk.web, project_id=project, text="Look twice.", why="more", after=1, me=desk.cast.chi.id)
    shown = plain(ada.open(ada.page).text)
    assert "version 1, changed since" in shown and "Look once." in shown and "In force since you took this item: Look twice." in shown
    assert tasks.claim(desk.web, me=desk.cast.ada.id) is not None and REASONS
