"""Pay: everybody's own lines and sums, the statement as CSV, and a lead's corrections."""
# ruff: noqa: F811 (fixtures come in by their names)

from __future__ import annotations

import csv
import io
import re

import pytest

from claimcheck.access.people import Person
from claimcheck.experts import payouts
from tests.flows.conftest import LiveDesk
from tests.people import browser
from tests.web.api_client import Api
from tests.web.reviewer import desk, live  # noqa: F401 (fixtures)


def paid(desk: LiveDesk, person: Person, n: int = 1, **rules: object) -> list[int]:
    """So many looks of theirs at 12.50; the lines, newest first."""
    desk.send(desk.project(**{"price_minor": 1250, **rules}), *({"case": f"case {i}"} for i in range(n)))
    for _ in range(n):
        desk.decide(person)
    return [line.id for line in payouts.page(desk.web, person_id=person.id, limit=n)]


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize(
    ("minor", "currency", "words"),
    [(1250, "EUR", "12.50 EUR"), (-5, "EUR", "−0.05 EUR"), (1250, "JPY", "1\u202f250 JPY"), (1250, "BHD", "1.250 BHD"), (0, "USD", "0.00 USD"), (7, "XAU", "7 XAU")],
)  # fmt: skip
def test_it_writes_amounts_in_the_currency_s_own_places(minor: int, currency: str, words: str):
    assert payouts.written(minor, currency) == words


@pytest.mark.parametrize(("typed", "minor"), [("12.5", 1250), (" 12.50 ", 1250), ("12", 1200), ("0.01", 1), ("0", None), ("1.005", None), ("-1", None), ("1e3", None), ("٣", None), ("", None)])  # fmt: skip
def test_it_reads_amounts_exactly_or_not_at_all(typed: str, minor: int | None):
    if minor is None:
        with pytest.raises(payouts.errors.Invalid):
            payouts.read(typed, "EUR")
    else:
        assert payouts.read(typed, "EUR") == minor


def test_it_shows_every_line_what_for_and_the_sum_of_the_month(desk: LiveDesk):
    paid(desk, desk.cast.ada, 2)
    paid(desk, desk.cast.ada, 1, currency="JPY", name="In yen")
    page = plain(browser(desk.app, desk.cast.ada).get("/pay").text)
    assert "25.00 EUR 2 lines" in page
    assert "1 250 JPY 1 line" in page
    assert page.count("Submitted in time") == 3
    assert "In yen" in page


def test_it_says_what_is_missing_where_nothing_is_paid(desk: LiveDesk):
    assert "Nothing is paid yet" in browser(desk.app, desk.cast.chi).get("/pay").text


def test_it_goes_on_to_older_lines_and_loses_none(desk: LiveDesk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("claimcheck.web.pay.PAGE", 2)
    lines = paid(desk, desk.cast.ben, 5)
    client, address, seen = browser(desk.app, desk.cast.ben), "/pay", []
    while address:
        page = client.get(address).text
        seen += [int(n) for n in re.findall(r'id="line-(\d+)"', page)]
        older = re.search(r'rel="next" href="([^"]+)"', page)
        address = older and older[1].replace("&amp;", "&")
    assert seen[:5] == lines
    assert len(seen) == len(set(seen))


def test_it_gives_the_statement_of_a_month_as_csv(desk: LiveDesk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(payouts, "PAGE", 2)
    lines = paid(desk, desk.cast.ada, 3, name='=Sum, "quoted"')
    month = desk.execute("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM')")[0][0]
    client = browser(desk.app, desk.cast.ada)
    answer = client.get(f"/pay.csv?month={month}")
    assert answer.mimetype == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [int(r["line"]) for r in rows[:3]] == lines
    assert {(r["amount_minor"], r["currency"], r["project"]) for r in rows[:3]} == {("1250", "EUR", '\'=Sum, "quoted"')}
    assert list(csv.DictReader(io.StringIO(client.get("/pay.csv?month=2001-01").text))) == []
    for wrong in ("2026-13", "9999-99", "x", "2026"):
        assert client.get(f"/pay.csv?month={wrong}").status_code == 422
    assert client.get("/pay.csv?month=9999-12").status_code == 422


@pytest.mark.parametrize("address", ["/pay", "/pay.csv"])
def test_it_shows_nobody_but_a_lead_somebody_else_s(desk: LiveDesk, address: str):
    paid(desk, desk.cast.ben)
    ben = f"{address}?person={desk.cast.ben.id}"
    assert browser(desk.app, desk.cast.ada).get(ben).status_code == 404
    assert browser(desk.app, desk.cast.dov).get(ben).status_code == 403
    lead = browser(desk.app, desk.cast.chi)
    assert lead.get(ben).status_code == 200
    for nobody in ("0", "999999", "x", "9" * 30, "-1"):
        assert lead.get(f"{address}?person={nobody}").status_code == 404


def test_it_lets_a_lead_take_back_from_a_line_once_and_on_record(desk: LiveDesk):
    [line] = paid(desk, desk.cast.ben)
    lead, form = browser(desk.app, desk.cast.chi), {"amount": "2.50", "why": "The price was wrong."}
    answer = lead.post(f"/payouts/{line}/reversal", data=form)
    assert answer.location == f"/pay?person={desk.cast.ben.id}"
    newest = payouts.page(desk.web, person_id=desk.cast.ben.id, limit=2)
    assert [(o.amount_minor, o.reverses, o.reversed_by) for o in newest] == [(-250, line, None), (1250, None, newest[0].id)]
    page = plain(browser(desk.app, desk.cast.ben).get("/pay").text)
    assert "−2.50 EUR Taken back The price was wrong." in page
    assert f"Corrected by line {newest[0].id}" in page
    [(who, detail)] = desk.execute("SELECT person_id, detail FROM events WHERE kind = 'payout.reversed' ORDER BY id DESC LIMIT 1")
    assert (who, detail["payout"], detail["amount_minor"], detail["why"]) == (desk.cast.chi.id, line, 250, "The price was wrong.")
    again = lead.post(f"/payouts/{line}/reversal", data=form)
    assert again.status_code == 409
    assert "it was reversed before" in again.text


@pytest.mark.parametrize(("form", "says"), [({"amount": "0"}, "amount above 0"), ({"amount": "12.505"}, "amount above 0"), ({"why": " "}, "say why"), ({"amount": "99"}, "smaller than that")])  # fmt: skip
def test_it_keeps_what_a_lead_typed_and_says_what_is_wrong(desk: LiveDesk, form: dict[str, str], says: str):
    [line] = paid(desk, desk.cast.ben)
    sent = {"amount": "2.50", "why": "Half of it was <done>.", **form}
    answer = browser(desk.app, desk.cast.chi).post(f"/payouts/{line}/reversal", data=sent)
    assert answer.status_code in (409, 422)
    assert says in plain(answer.text).lower()
    assert f'value="{sent["amount"]}"' in answer.text
    assert sent["why"].replace("<", "&lt;").replace(">", "&gt;") in answer.text
    assert [o.id for o in payouts.page(desk.web, person_id=desk.cast.ben.id, limit=1)] == [line]


def test_it_lets_nobody_else_take_back(desk: LiveDesk):
    [line] = paid(desk, desk.cast.ben)
    for person in (desk.cast.ben, desk.cast.dov, desk.cast.eve):
        assert browser(desk.app, person).post(f"/payouts/{line}/reversal", data={"amount": "1", "why": "w"}).status_code == 403
    assert browser(desk.app, desk.cast.chi).post("/payouts/999999/reversal", data={"amount": "1", "why": "w"}).status_code == 404


def test_it_gives_a_program_its_own_ledger_in_pages_and_no_other(desk: LiveDesk):
    lines, api = paid(desk, desk.cast.ada, 3), Api(desk.app, desk.cast.ada)
    first = api.get("/v1/reviewers/me/payouts?limit=2").json
    assert [line["id"] for line in first["lines"]] == lines[:2]
    rest = api.get(first["next"].split("8000", 1)[1]).json
    assert rest["lines"][0]["id"] == lines[2]
    assert rest["lines"][0]["amount_minor"] == 1250
    assert first["totals"] == rest["totals"]
    assert not set(lines) & {line["id"] for line in Api(desk.app, desk.cast.ben).get("/v1/reviewers/me/payouts").json["lines"]}


def test_it_takes_back_by_program_for_leads_alone(desk: LiveDesk):
    [line] = paid(desk, desk.cast.ada)
    path, body = f"/v1/payouts/{line}/reverse", {"amount_minor": 1250, "why": "never done"}
    assert Api(desk.app, desk.cast.ada).post(path, body).status_code == 403
    lead = Api(desk.app, desk.cast.chi)
    assert lead.post(path, {**body, "amount_minor": 1251}).json["code"] == "NOT_REVERSIBLE"
    made = lead.post(path, body)
    assert made.status_code == 201
    assert lead.post(path, body).json["code"] == "NOT_REVERSIBLE"
    assert lead.post(f"/v1/payouts/{made.json['id']}/reverse", body).json["code"] == "NOT_REVERSIBLE"
    newest = Api(desk.app, desk.cast.ada).get("/v1/reviewers/me/payouts").json["lines"][0]
    assert (newest["reverses"], newest["amount_minor"], newest["why"]) == (line, -1250, "never done")
