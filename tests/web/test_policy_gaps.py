"""Policy gaps: what went wrong together stands out, with examples; guidance is mended in place, by two leads at once too."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import json
import re

import pytest
from psycopg.types.json import Jsonb

from claimcheck import errors, items, projects, rules, versions
from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.control import counting, gaps, guidance
from claimcheck.intake import admission, handling, inbox, parameters
from claimcheck.review import tasks
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


FACETS = ["/holder/country", "/amount", "/note"]


@pytest.fixture(scope="module")
def faceted(live: LiveDesk) -> int:
    """A project whose items from one country, or of some hundreds, are escalated mostly, and the rest hardly ever, counted."""
    project = live.project(name="Facets", facets=FACETS)
    given = [
        {"holder": {"country": "Utopia" if n % 4 == 0 else f"Land {n % 3}"}, "amount": 300 + n if n % 5 == 0 else 3 + n % 7, "note": f"number {n} " + "x" * 60}
        for n in range(60)
    ]
    items = live.send(project, *given)
    for n, item in enumerate(items):
        live.decide(live.cast.ada, item_id=item, verdict="escalate" if n % 4 == 0 or n % 5 == 0 else "approve", note="not in the guidance")
    live.new_version(items[1], given[1] | {"holder": {"country": "Utopia"}})
    counting.run(live.worker, seconds=0, hourly=0)
    return project


def truth(live: LiveDesk, project: int) -> dict[tuple[str, str], tuple[int, int]]:
    """Items and those that were escalated, by what their newest payloads say: read from the store, each by itself."""
    counted: dict[tuple[str, str], list[int]] = {}
    rows = live.execute(
        "SELECT p.object_key, p.size, EXISTS (SELECT FROM decisions d WHERE d.item_id = i.id AND d.verdict = 'escalate') FROM items i "
        "JOIN evidence_parts p ON p.item_id = i.id AND p.version = i.evidence_version AND p.n = 0 WHERE i.project_id = %s",
        project,
    )
    for key, size, wrong in rows:
        payload = json.loads(live.store.read(key, size))
        for group in (("/holder/country", payload["holder"]["country"]), ("/amount", "1 to 10" if payload["amount"] < 10 else "100 to 1000")):
            one = counted.setdefault(group, [0, 0])
            one[0], one[1] = one[0] + 1, one[1] + wrong
    return {group: (n, wrong) for group, (n, wrong) in counted.items()}


def test_it_compares_the_fields_that_a_project_names_as_their_payloads_say(live: LiveDesk, faceted: int):
    found = {(g.feature, g.value): g for g in gaps.page(live.web, project_id=faceted)}
    real, compared = truth(live, faceted), [g for g in live.worker.all("policy_gaps/count", gaps.Group, **ALL) if g.project_id == faceted]
    assert {(g.feature, g.value): (g.items, g.gaps) for g in compared if g.feature.startswith("/")} == {k: v for k, v in real.items() if v[1] >= gaps.LEAST}
    assert set(found) == {("/holder/country", "Utopia"), ("/amount", "100 to 1000")}
    assert all((g.items, g.gaps, g.escalated) == (*real[of], real[of][1]) for of, g in found.items()) and real["/holder/country", "Utopia"] == (16, 15)
    assert max(g.compared for g in compared) <= 1 + 4 + 2 + 2, "what is long is no value"
    page = browser(live.app, live.cast.chi).get(f"/policy-gaps?project={faceted}").text
    assert "where holder.country is Utopia" in plain(page) and "where amount is 100 to 1000" in plain(page)
    assert all(f"/items/{item}" in page for g in found.values() for item in g.examples) and f"/projects/{faceted}/guidance" in page
    assert [g.value for g in live.worker.all("policy_gaps/count", gaps.Group, **ALL | {"values": 1}) if (g.project_id, g.feature) == (faceted, "/amount")] == ["1 to 10"]


ALL = {"latest": gaps.LATEST, "least": gaps.LEAST, "values": gaps.VALUES}


def test_what_is_masked_is_no_facet_any_more_and_nothing_is_left_of_it(live: LiveDesk, faceted: int):
    chi, old = live.cast.chi, projects.load(live.web, faceted, live.cast.chi).parsed
    with pytest.raises(errors.Invalid, match="which is masked"):
        rules.parse(old.stored() | {"masked": ["holder"]})
    terms, ready = items.prepare(live.web, project=faceted, rows=[{"idempotency_key": "late", "payload": {"holder": {"country": "Late"}, "amount": 5}}], by=0)
    versions.change(live.web, faceted, chi.id, rules.parse(old.stored() | {"masked": ["holder"], "facets": ["/amount"]}), why="private")
    [[batch]] = live.execute("SELECT min(batch_id) FROM items WHERE project_id = %s", faceted)
    live.web.together(lambda connection: items.insert(connection, faceted, batch, ready, terms, live.cast.eve.id))
    kept = {tuple(row[0]) for row in live.execute("SELECT ARRAY(SELECT jsonb_object_keys(f.facets)) FROM item_facets f JOIN items i ON i.id = f.item_id WHERE i.project_id = %s", faceted)}
    assert kept == {("/amount",)} and [g.feature for g in gaps.page(live.web, project_id=faceted)] == ["/amount"]
    assert "Utopia" not in browser(live.app, chi).get(f"/policy-gaps?project={faceted}").text
    row = {"project_id": faceted, "feature": "/holder/country", "value": "Utopia", **dict.fromkeys(COUNTS, 1), "examples": []}
    live.worker.run("policy_gaps/put", found=Jsonb([row]))
    assert [g.feature for g in gaps.page(live.web, project_id=faceted)] == ["/amount"], "counted before, written down after"
    projects.cancel(live.web, project_id=faceted, me=chi.id)
    assert not [g for g in live.worker.all("policy_gaps/count", gaps.Group, **ALL) if g.project_id == faceted]


COUNTS = ("items", "gaps", "abandoned", "escalated", "disagreed", "overturned", "other_items", "other_gaps")


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
