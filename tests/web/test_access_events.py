"""Who saw what: a customer's own log, a lead's view of one person, filters, pages, CSV, and what is unusual."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import csv
import html
import io
import re
from datetime import UTC, datetime, timedelta

import pytest

from claimcheck.access import access_events, people, viewing
from claimcheck.access.access_events import Filter
from tests.flows.conftest import LiveDesk
from tests.people import browser, program
from tests.web.api_client import Api
from tests.web.reviewer import live  # noqa: F401 (a fixture)

SEE = "INSERT INTO access_events (at, person_id, item_id, evidence_version, part, purpose) VALUES (%s, %s, %s, 1, 'payload.json', 'review')"


@pytest.fixture(scope="module")
def seen(live: LiveDesk) -> list[int]:
    """Items of Northwind's that Ada and Chi looked at, and one of another customer's that Chi saw."""
    made = live.send(live.project(), {"case": "one"}, {"case": "two"})
    other = people.add(live.web, name="Another", email="another@example.org", role="customer", customer="Southwind")
    [theirs] = live.send(live.project(), {"case": "theirs"})
    live.execute("UPDATE projects SET customer_id = %s WHERE id = (SELECT project_id FROM items WHERE id = %s)", other.customer_id, theirs)
    for who, item in [("ada", made[0]), ("ada", made[1]), ("chi", made[0]), ("chi", theirs)]:
        live.execute(SEE, datetime.now(UTC) - timedelta(hours=2), getattr(live.cast, who).id, item)
    return [*made, theirs]


def rows(text: str) -> list[list[str]]:
    return [re.findall(r"<a [^>]*items/(\d+)", row) for row in re.findall(r"<tr>(.*?)</tr>", text, re.DOTALL)[1:]]


def test_it_shows_a_customer_its_own_and_no_names(live: LiveDesk, seen: list[int]) -> None:
    eve = browser(live.app, live.cast.eve)
    page = eve.get("/access-events").text
    assert rows(page) == [[str(seen[0])], [str(seen[1])], [str(seen[0])]]
    assert live.cast.ada.pseudonym in page and "Ada" not in page and "Chi" not in page
    assert rows(eve.get(f"/access-events?item={seen[2]}").text) == [], "another customer's item"
    assert eve.get("/access-events?customer=99999").text == page, "whatever they ask for"
    assert len(rows(eve.get(f"/access-events?item={seen[0]}&person={live.cast.chi.pseudonym}").text)) == 1


def test_it_is_filtered_by_day_and_says_what_is_wrong(live: LiveDesk, seen: list[int]) -> None:
    eve = browser(live.app, live.cast.eve)
    today = (datetime.now(UTC) - timedelta(hours=2)).date()
    assert len(rows(eve.get(f"/access-events?since={today}&until={today}").text)) == 3
    assert rows(eve.get(f"/access-events?until={today - timedelta(days=1)}").text) == []
    for query, field in [("since=soon", "since"), ("item=x", "item"), ("person=nobody", "person"), ("before=x", "before")]:
        answer = eve.get(f"/access-events?{query}")
        assert answer.status_code == 422 and field in answer.text
    assert eve.get("/access-events?sort=name").status_code == 400


def test_it_gives_programs_the_same_in_pages_and_as_csv(live: LiveDesk, seen: list[int]) -> None:
    api, found, path = Api(live.app, live.cast.eve), [], "/v1/access-events?limit=2&since=2020-01-01T00:00:00%2B02:00"
    while path:
        page = api.get(path).json
        found += page["access_events"]
        path = page["next"]
        assert not path or "since=2019-12-31T22%3A00%3A00.000000Z" in path
    assert len(found) > 2, "there is a second page"
    assert [(e["item_id"], e["person"]) for e in found] == [
        (seen[0], live.cast.chi.pseudonym), (seen[1], live.cast.ada.pseudonym), (seen[0], live.cast.ada.pseudonym),
    ]  # fmt: skip
    as_csv = [*csv.DictReader(io.StringIO(api.get("/v1/access-events?format=csv").text))]
    assert [int(row["id"]) for row in as_csv] == [e["id"] for e in found]
    [southwind] = live.execute("SELECT id FROM customers WHERE name = 'Southwind'")
    assert api.get(f"/v1/access-events?customer_id={southwind[0]}").status_code == 404
    chi = Api(live.app, live.cast.chi)
    assert [e["item_id"] for e in chi.get(f"/v1/access-events?customer_id={southwind[0]}").json["access_events"]] == [seen[2]]
    assert chi.get("/v1/access-events").status_code == 422
    assert program(live.app, live.cast.ada).get("/v1/access-events").status_code == 403


def test_it_streams_all_of_it_as_csv(live: LiveDesk, seen: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_events, "PAGE", 2)
    whole = [*csv.DictReader(io.StringIO("".join(access_events.written(live.web, Filter(live.cast.eve.customer_id)))))]
    assert [int(row["item_id"]) for row in whole] == [seen[0], seen[1], seen[0]]
    sent = browser(live.app, live.cast.dov).get(f"/people/{live.cast.chi.id}/access-events.csv")
    assert [int(row["item_id"]) for row in csv.DictReader(io.StringIO(sent.text))] == [seen[2], seen[0]]


def test_it_shows_what_one_person_saw_with_what_is_unusual(live: LiveDesk, seen: list[int]) -> None:
    """Ada looked at one item a day at ten for a week, and yesterday at thirty, at three in the night."""
    items = live.send(live.project(), *({"case": str(n)} for n in range(30)))
    night = datetime.now(UTC).replace(hour=3, minute=0) - timedelta(days=2)
    for n in range(7):
        for _ in range(10):
            live.execute(SEE, night.replace(hour=10) - timedelta(days=n + 1), live.cast.ada.id, items[0])
    for item in items:
        live.execute(SEE, night, live.cast.ada.id, item)
    answer = browser(live.app, live.cast.chi).get(f"/people/{live.cast.ada.id}/access-events?since={night.date()}&until={night.date()}")
    page = html.unescape(answer.text)
    assert f"{night.date()}: 30 items</span>" in page and viewing.RULE in page
    assert page.count("never decided") >= 30 and page.count("odd hour</span>") == 30
    assert browser(live.app, live.cast.ada).get(f"/people/{live.cast.ada.id}/access-events").status_code == 403
    assert browser(live.app, live.cast.eve).get(f"/people/{live.cast.ada.id}/access-events").status_code == 403


def test_it_tells_a_customer_of_no_copy_of_a_gold_but_how_often_they_were_opened(live: LiveDesk, seen: list[int]) -> None:
    [copy] = live.send(live.project(), {"case": "a copy"})
    live.execute("UPDATE items SET gold = true WHERE id = %s", copy)
    for hours in (50, 0):  # what was opened today would tell who had one just now
        live.execute(SEE, datetime.now(UTC) - timedelta(hours=hours), live.cast.ben.id, copy)
    eve, chi = browser(live.app, live.cast.eve), browser(live.app, live.cast.chi)
    page = eve.get("/access-events").text
    assert [str(copy)] not in rows(page) and [str(seen[0])] in rows(page) and "They were opened 1 time in this time" in html.unescape(page)
    assert live.cast.ben.pseudonym not in page
    assert rows(eve.get(f"/access-events?item={copy}").text) == rows(eve.get(f"/access-events?person={live.cast.ben.pseudonym}").text) == []
    assert str(copy) not in [row[5] for row in csv.reader(io.StringIO(eve.get("/access-events.csv").text))]
    assert not [e for e in Api(live.app, live.cast.eve).get("/v1/access-events").json["access_events"] if e["item_id"] == copy]
    everything = chi.get(f"/access-events?customer={live.cast.eve.customer_id}&item={copy}").text
    assert len(rows(everything)) == 2, "leads see who saw it"
