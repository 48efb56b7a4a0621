"""The pages around the review screen: my work, receipts, escalations, items; who may, and what they read."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest

from claimcheck import evidence
from claimcheck.review import reconsiderations
from tests.flows.conftest import REASONS, LiveDesk, served
from tests.people import browser, program


@pytest.fixture(scope="module")
def live(database: Any, store_server: Any, valkey: str) -> Iterator[LiveDesk]:
    yield from served(database, store_server, valkey)


@pytest.fixture
def desk(live: LiveDesk) -> LiveDesk:
    live.clear()
    live.execute("DELETE FROM reconsiderations")
    return live


def rejected(desk: LiveDesk, note: str = "") -> tuple[int, int]:
    """An item that Ada rejected, and her decision."""
    [item] = desk.send(desk.project(title="case"), {"case": "Wrong one"})
    return item, desk.decide(desk.cast.ada, verdict="reject", reason=REASONS[2], note=note)


def overturning(**fields: Any) -> dict[str, Any]:
    return {"choice": "verdict:approve", "reason_code": REASONS[0], "note": "", **fields}


ROLES = ("ada", "chi", "dov", "eve")
ALLOWED = {
    "/review": {"ada", "chi"},
    "/work": {"ada", "chi"},
    "/escalations": {"chi"},
    "/items": {"chi", "eve"},
    "/items/{item}": {"chi", "eve"},
    "/decisions/{decision}/receipt": {"ada", "chi", "eve"},
}


@pytest.mark.parametrize("address", ALLOWED)
def test_it_opens_each_page_to_its_roles_alone(desk: LiveDesk, address: str):
    item, decision = rejected(desk)
    for name in ROLES:
        answer = browser(desk.app, getattr(desk.cast, name)).get(address.format(item=item, decision=decision))
        assert answer.status_code == (200 if name in ALLOWED[address] else 403), name


def test_it_hides_one_customers_items_and_receipts_from_another(desk: LiveDesk):
    item, decision = rejected(desk)
    desk.execute("INSERT INTO customers (name) VALUES ('Elsewhere') ON CONFLICT DO NOTHING")
    [(project,)] = desk.execute("SELECT project_id FROM items WHERE id = %s", item)
    desk.execute("UPDATE projects SET customer_id = (SELECT id FROM customers WHERE name = 'Elsewhere') WHERE id = %s", project)
    eve = browser(desk.app, desk.cast.eve)
    assert eve.get(f"/items/{item}").status_code == 404
    assert eve.post(f"/items/{item}/payload").status_code == 404
    assert eve.get(f"/decisions/{decision}/receipt").status_code == 404
    assert f"/items/{item}" not in eve.get("/items").text


def test_it_gives_a_reviewer_no_receipt_of_another(desk: LiveDesk):
    _, decision = rejected(desk)
    ben = browser(desk.app, desk.cast.ben)
    assert ben.get(f"/decisions/{decision}/receipt").status_code == 404
    assert ben.post(f"/decisions/{decision}/reconsideration", data={"note": "not mine"}).status_code == 404
    assert ben.post(f"/decisions/{decision}/overturn", data=overturning()).status_code == 403


def test_it_lists_the_days_decisions_with_their_receipts(desk: LiveDesk):
    _, decision = rejected(desk, note="Expired in <March>")
    page = browser(desk.app, desk.cast.ada).get("/work").text
    assert f"/decisions/{decision}/receipt" in page and "Wrong one" in page and REASONS[2] in page
    assert "Expired in &lt;March&gt;" in page


def test_it_takes_one_question_a_decision_and_keeps_the_words_of_a_second(desk: LiveDesk):
    _, decision = rejected(desk)
    ada, address = browser(desk.app, desk.cast.ada), f"/decisions/{decision}/reconsideration"
    empty = ada.post(address, data={"note": "  "})
    assert empty.status_code == 422 and "Say what the lead should look at again" in empty.text
    long = ada.post(address, data={"note": "y" * 2001})
    assert long.status_code == 422 and "y" * 2001 in long.text
    assert ada.post(address, data={"note": "I misread it."}).status_code == 303
    again = ada.post(address, data={"note": "Hello?"})
    assert again.status_code == 409
    assert "I misread it." in ada.get("/work").text


def test_it_takes_one_answer_and_tells_the_second_lead(desk: LiveDesk):
    _, decision = rejected(desk)
    reconsiderations.ask(desk.web, decision_id=decision, me=desk.cast.ada.id, note="I misread it.")
    chi, address = browser(desk.app, desk.cast.chi), f"/decisions/{decision}/reconsideration/answer"
    assert chi.post(address, data={"answer": "No, it is right."}).status_code == 303
    second = chi.post(address, data={"answer": "Yes."})
    assert second.status_code == 409 and "Another lead has answered this before you" in second.text
    assert "No, it is right." in browser(desk.app, desk.cast.ada).get("/work").text


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"choice": ""}, 422, "choose a verdict"),
        ({"choice": "verdict:reject"}, 422, "nothing would change"),
        ({"choice": "verdict:escalate"}, 422, "must be one of approve, reject"),
        ({"reason_code": "because"}, 422, "must be one of as it should be"),
        ({"choice": "reopen:", "reason_code": "because"}, 422, "must be one of as it should be"),
        ({"choice": ["verdict:approve", "reopen:"]}, 422, "open it again, or say what holds instead, not both"),
    ],
)
def test_it_refuses_a_wrong_overturn_and_keeps_the_words(desk: LiveDesk, fields: dict[str, Any], status: int, says: str):
    item, decision = rejected(desk)
    answer = browser(desk.app, desk.cast.chi).post(f"/decisions/{decision}/overturn", data=overturning(note="My reasons", **fields))
    assert answer.status_code == status
    assert says.lower() in answer.text.lower() and "My reasons</textarea>" in answer.text
    assert desk.execute("SELECT count(*) FROM decisions WHERE item_id = %s", item) == [(1,)]


def test_it_shows_both_versions_where_the_evidence_changed_after_the_outcome(desk: LiveDesk):
    item, _ = rejected(desk)
    desk.new_version(item, {"case": "Another one"})
    page = browser(desk.app, desk.cast.eve).get(f"/items/{item}").text
    assert "it was decided on version 1, the newest is 2" in page
    [(digest,)] = desk.execute("SELECT evidence_hash FROM decisions WHERE item_id = %s", item)
    newest = evidence.digest(item, 2, 1, ["case"], evidence.parts(desk.web, item_id=item, version=2))
    assert digest.hex() in page and newest.hex() in page and digest != newest


def test_it_reads_no_payload_for_a_list_or_an_items_page(desk: LiveDesk):
    item, _ = rejected(desk)
    eve = browser(desk.app, desk.cast.eve)
    before = desk.execute("SELECT count(*) FROM access_events")
    eve.get("/items")
    eve.get(f"/items/{item}")
    assert desk.execute("SELECT count(*) FROM access_events") == before
    assert "Wrong one" in eve.post(f"/items/{item}/payload").text
    assert desk.execute("SELECT count(*) FROM access_events") > before


def test_it_shows_a_customer_outcomes_but_not_who_left_what(desk: LiveDesk):
    item, _ = rejected(desk, note="for the record")
    page = browser(desk.app, desk.cast.eve).get(f"/items/{item}").text
    assert "Overturn" not in page and "Ada" not in page and desk.cast.ada.pseudonym in page


def test_it_lists_items_by_project_state_and_key(desk: LiveDesk):
    item, _ = rejected(desk)
    [waiting] = desk.send(desk.project(), {"case": "Waits"})
    [(project, key)] = desk.execute("SELECT project_id, idempotency_key FROM items WHERE id = %s", item)
    chi = browser(desk.app, desk.cast.chi)

    def listed(query: str) -> set[int]:
        text = chi.get(f"/items?{query}").text
        return {i for i in (item, waiting) if f'href="/items/{i}"' in text}

    assert listed("") == {item, waiting}
    assert listed(f"project={project}") == {item}
    assert listed("state=settled") == {item}
    assert listed("state=pending") == {waiting}
    assert listed(f"key={key}") == {item}
    assert listed(f"after={item}") == set()
    reviewer = desk.cast.ada.id
    [(reason, trace)] = desk.execute("SELECT d.reason_code, i.trace_id FROM decisions d JOIN items i ON i.id = d.item_id WHERE i.id = %s", item)
    assert listed(f"reviewer={reviewer}") == listed(f"project={project}&reason={reason}") == listed(f"trace={trace}") == {item}
    assert listed(f"reviewer={reviewer}&state=pending") == listed(f"project={project}&reason=none") == set()
    assert listed(f"project={project}&older=1d") == set() and listed(f"project={project}&newer=1d&order=oldest") == {item}
    assert listed(f"project={project}&queue=review&state=settled") == {item}
    assert chi.get("/items?reason=x").status_code == 422  # reasons are a project's
    for pasted in (trace, key, str(item)):
        assert chi.get(f"/go?to={pasted}").location == f"/items/{item}"


def test_it_finds_items_by_the_same_filters_over_the_api(desk: LiveDesk):
    item, _ = rejected(desk)
    chi, eve = (program(desk.app, getattr(desk.cast, name)) for name in ("chi", "eve"))
    found = chi.get(f"/v1/items?state=settled&reviewer={desk.cast.ada.id}").json
    assert found["items"][0]["id"] == item and found["items"][0]["outcome"] == "reject"
    assert eve.get("/v1/items?reviewer=1").status_code == 400 and eve.get("/v1/items").json["items"][0]["id"] == item
    assert chi.get("/v1/items?least=x").status_code == 422


def test_it_goes_on_where_a_page_of_items_ended(desk: LiveDesk):
    project = desk.project()
    desk.send(project, *[{"case": f"number {n}"} for n in range(53)])
    chi, seen = browser(desk.app, desk.cast.chi), []
    address: str | None = f"/items?project={project}"
    while address:
        text = chi.get(address).text
        seen += [int(number) for number in re.findall(r'<td data-head="Item"><a href="/items/(\d+)"', text)]
        further = re.search(r'href="(/items\?[^"]*)">More items|href="(/items\?[^"]*)">Go on', text)
        address = html.unescape(further[1] or further[2]) if further else None
    assert len(seen) == len(set(seen)) == 53


@pytest.mark.parametrize(
    ("query", "status"), [("sort=password_hash", 400), ("state=secret", 422), ("project=x", 422), ("after=-1", 422), ("key=%00", 200)]
)
def test_it_refuses_filters_that_it_does_not_know(desk: LiveDesk, query: str, status: int):
    assert browser(desk.app, desk.cast.chi).get(f"/items?{query}").status_code == status
