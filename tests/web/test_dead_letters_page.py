"""The page of dead letters: who sees what, what may be done about it, and nothing of what is in them where it must not be."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask import Flask

from claimcheck import projects, rules
from claimcheck.access import people as accounts
from claimcheck.db import Database
from claimcheck.intake import admission, batches, parameters
from claimcheck.intake.dead_letters import Facts, Kept
from tests import people
from tests.messages import body
from tests.people import Cast

SECRET = "nobody's business"
NASTY = "<img src=x onerror=alert(1)> {{7*7}}"


@pytest.fixture
def project(db: Database, cast: Cast) -> int:
    project.n = getattr(project, "n", 0) + 1
    high = {"routes": [{"queue": "high value", "at_least": "1000"}]}
    given = {"name": f"Breaks {project.n}", "skill": "kyc", "reason_codes": ["fits"], "thresholds": high}
    return projects.create(db, by=cast.eve, rules=rules.parse(given)).id


def letter(db: Database, cast: Cast, *bodies: bytes) -> int:
    """The last one of these messages of Eve's, all of which are refused."""
    sender = admission.Sender(cast.eve.id, cast.eve.customer_id, "http", {"User-Agent": f"engine/1 {NASTY}"})
    answers = admission.admit(db, bodies, sender=sender, worker="test", settings=parameters.current(db))
    assert answers[-1].dead_letter_id
    return answers[-1].dead_letter_id


def bad(project: int, key: str = "k", **more: Any) -> bytes:
    return body(project, key, match_decision="MATCHED", payload={"note": SECRET}, **more)


def client(app: Flask, cast: Cast, who: str) -> Any:
    return people.browser(app, getattr(cast, who))


def test_it_is_for_leads_operators_and_the_customer_whose_they_are(app: Flask, cast: Cast, db: Database, project: int) -> None:
    number = letter(db, cast, bad(project))
    other = accounts.add(db, name=f"Southwind's {project}", role="customer", customer="Southwind", program=False, email=f"s{project}@example.org")
    assert [client(app, cast, who).get("/dead-letters").status_code for who in ("ada", "chi", "dov", "eve")] == [403, 200, 200, 200]
    assert [client(app, cast, who).get(f"/dead-letters/{number}").status_code for who in ("ada", "chi", "dov", "eve")] == [403, 200, 200, 200]
    southwind = people.browser(app, other)
    paths = [f"/dead-letters/{number}", f"/dead-letters/{number}/bytes"]
    assert [southwind.get(path).status_code for path in paths] == [404, 404]
    posts = [southwind.post(f"/dead-letters/{number}/{what}", data={"body": "{}"}).status_code for what in ("bytes", "dry-runs", "replays")]
    assert posts == [404] * 3 and f"/dead-letters/{number}" not in southwind.get("/dead-letters").text


def test_it_shows_an_operator_no_byte_of_a_payload(app: Flask, cast: Cast, db: Database, project: int) -> None:
    number = letter(db, cast, bad(project))
    dov = client(app, cast, "dov")
    pages = [dov.get("/dead-letters").text, dov.get(f"/dead-letters/{number}").text, dov.post(f"/dead-letters/{number}/dry-runs").text]
    pages.append(dov.post("/dead-letters/dry-runs", data={"code": "POISON_MESSAGE", "cause": "matched_with_variance"}).text)
    assert all("business" not in page and "<textarea" not in page for page in pages)
    assert "Operators see no payloads" in pages[1]
    assert (dov.get(f"/dead-letters/{number}/bytes").status_code, dov.post(f"/dead-letters/{number}/bytes").status_code) == (403, 403)
    for what in ("dry-runs", "replays"):
        assert dov.post(f"/dead-letters/{number}/{what}", data={"body": "{}"}).status_code == 403
    assert db.one("dead_letters/load", Facts, dead_letter_id=number, person_id=cast.dov.id).state == "open"


def test_it_shows_the_bytes_on_demand_to_be_mended(app: Flask, cast: Cast, db: Database, project: int) -> None:
    number = letter(db, cast, bad(project))
    for who in ("chi", "eve"):
        page = client(app, cast, who).get(f"/dead-letters/{number}").text
        assert "business" not in page and "each look at them is recorded" in page and ">Dry run</button>" in page
        shown = client(app, cast, who).post(f"/dead-letters/{number}/bytes").text
        assert "nobody&#39;s business" in shown and "<textarea" in shown
        assert shown.count("/dry-runs") == 1 and "Dry run as mended" in shown, "one above the text would drop what was mended in it"
        file = client(app, cast, who).get(f"/dead-letters/{number}/bytes")
        assert file.data == bad(project) and "attachment" in file.headers["Content-Disposition"] and file.mimetype == "application/octet-stream"


def test_it_gives_the_bytes_to_no_other_sites_page(app: Flask, cast: Cast, db: Database, project: int) -> None:
    """It would put on record that somebody opened them."""
    number = letter(db, cast, bad(project))
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)):
        assert client(app, cast, "chi").get(f"/dead-letters/{number}/bytes", headers={"Sec-Fetch-Site": site}).status_code == status


def test_it_tries_what_was_mended_and_says_what_would_change(app: Flask, cast: Cast, db: Database, project: int) -> None:
    number = letter(db, cast, bad(project))
    mended = bad(project).decode().replace("MATCHED", "PARTIAL").replace("12.50", "2500.00")
    page = client(app, cast, "chi").post(f"/dead-letters/{number}/dry-runs", data={"body": mended}).text
    assert "nothing was changed" in page and "would be taken in" in page and "<b><bdi>high value</bdi></b>" in page
    assert re.search(r'class="gone">.*MATCHED', page) and re.search(r'class="come">.*2500\.00', page)
    assert "2500.00" in page.split("<textarea")[1], "what was typed is still there"
    assert db.one("dead_letters/load", Facts, dead_letter_id=number, person_id=cast.chi.id).state == "open"
    nothing = client(app, cast, "chi").post(f"/dead-letters/{number}/dry-runs", data={"body": bad(project).decode()}).text
    assert "Nothing in it was mended" in nothing and "would be refused again" in nothing


def test_it_replays_what_was_mended(app: Flask, cast: Cast, db: Database, project: int) -> None:
    number = letter(db, cast, bad(project))
    mended = bad(project).decode().replace("MATCHED", "PARTIAL")
    answer = client(app, cast, "eve").post(f"/dead-letters/{number}/replays", data={"body": mended.replace(", ", ",\r\n")}, follow_redirects=True)
    assert "It is taken in." in answer.text and "as mended" in answer.text and "Replay as it was" not in answer.text
    assert client(app, cast, "eve").get(f"/dead-letters/{number}/bytes").data == bad(project), "the letter keeps its own"


def test_it_leads_on_to_the_letter_that_was_refused_again(app: Flask, cast: Cast, db: Database, project: int) -> None:
    number = letter(db, cast, bad(project))
    dov = client(app, cast, "dov")
    answer = dov.post(f"/dead-letters/{number}/replays")
    again = int(answer.location.rsplit("/", 1)[1])
    assert again > number
    page = dov.get(answer.location).text
    assert "It was refused again" in page and f'refused again from <a href="/dead-letters/{number}">' in page
    assert f"Go on with letter {again}" in dov.get(f"/dead-letters/{number}").text


def test_it_groups_by_cause_and_replays_a_cause(app: Flask, cast: Cast, db: Database, project: int) -> None:
    letter(db, cast, *[bad(project, f"k-{n}") for n in range(3)])
    letter(db, cast, body(project, "float", variance_amount=12.5))
    dov = client(app, cast, "dov")
    page = dov.get(f"/dead-letters?project={project}").text
    assert "Matched with variance" in page and "Float on the wire" in page and "4 open, 2 causes" in page
    asked = {"project": project, "code": "POISON_MESSAGE", "cause": "matched_with_variance"}
    tried = dov.post("/dead-letters/dry-runs", data=asked).text
    assert "Dry run: nothing was changed" in tried and "4 open, 2 causes" in tried
    done = dov.post("/dead-letters/replays", data=asked, follow_redirects=True).text
    assert "3 replayed: 3 refused again." in done
    of_cause = dov.get(f"/dead-letters?project={project}&code=POISON_MESSAGE&cause=float_on_the_wire").text
    assert of_cause.count('name="id"') == 1


def test_it_replays_the_chosen_ones_only(app: Flask, cast: Cast, db: Database, project: int) -> None:
    last = letter(db, cast, *[bad(project, f"k-{n}") for n in range(3)])
    dov = client(app, cast, "dov")
    assert dov.post("/dead-letters/replays", data={"chosen": "yes", "project": project}).status_code == 422
    done = dov.post("/dead-letters/replays", data={"chosen": "yes", "id": [last, last - 1], "project": project}, follow_redirects=True)
    assert "2 replayed" in done.text
    every = dov.get(f"/dead-letters?project={project}&state=all").text
    assert every.count(">refused again</span>") == 2 and every.count('name="id"') == 3, "the first one, and the two new ones"


def test_it_shows_nasty_bytes_safely(app: Flask, cast: Cast, db: Database, project: int) -> None:
    chi = client(app, cast, "chi")
    evil = json.dumps({"note": f"{NASTY}\u202e"}, ensure_ascii=False).encode()
    text = chi.post(f"/dead-letters/{letter(db, cast, evil)}/bytes").text
    assert "<img src=x" not in text and "&lt;img src=x" in text and "{{7*7}}" in text and ">RLO</mark>" in text and "<textarea" not in text
    binary = chi.post(f"/dead-letters/{letter(db, cast, bytes(range(256)) * 8)}/bytes").text
    assert "These bytes are no text." in binary and "0000  00 01 02" in binary and "<textarea" not in binary
    latin = chi.post(f"/dead-letters/{letter(db, cast, 'Müller'.encode('latin-1'))}/bytes").text
    assert "not UTF-8" in latin and "<textarea" not in latin


@pytest.mark.parametrize("query", ["?nonsense=1", "?project=x", "?after=²", "?project=99999999999", "?after=" + "9" * 30])
def test_it_refuses_filters_that_can_not_be(app: Flask, cast: Cast, query: str) -> None:
    assert 400 <= client(app, cast, "dov").get(f"/dead-letters{query}").status_code < 500


def test_it_says_when_nothing_is_open(app: Flask, cast: Cast, project: int) -> None:
    assert "No letter is open" in client(app, cast, "eve").get(f"/dead-letters?project={project}").text


def test_it_answers_htmx_with_a_redirect_of_its_own(app: Flask, cast: Cast, db: Database, project: int) -> None:
    number = letter(db, cast, bad(project))
    answer = client(app, cast, "dov").post(f"/dead-letters/{number}/replays", headers={"HX-Request": "true"})
    assert answer.status_code == 204 and answer.headers["HX-Redirect"].startswith("/dead-letters/")


def test_it_keeps_what_was_typed_where_the_project_was_cancelled(app: Flask, cast: Cast, db: Database, project: int) -> None:
    sent = batches.take(db, project=project, by=cast.eve.id, rows=[b'{"idempotency_key": "i", "payload": 1}'])
    number = db.all("dead_letters/of_batch", Kept, batch_id=sent.batch_id, after=0, limit=1)[0].dead_letter_id
    projects.cancel(db, project, cast.chi.id)
    answer = client(app, cast, "chi").post(f"/dead-letters/{number}/replays", data={"body": '{"mended": 1}'})
    assert answer.status_code == 409 and "was cancelled" in answer.text and "&#34;mended&#34;" in answer.text
