"""Results page by page: none is left out, in no format is one a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from flask import Flask

from claimcheck import transactions
from claimcheck.db import STATEMENTS
from claimcheck.experts.ruling import BY_THE_STATEMENT
from claimcheck.proof import results
from tests.people import Cast
from tests.web.api_client import Api, proof

FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    "  =1+1",
    '"=1+1"',
    "'=1+1",
    "a;=1+1",
    'x","=1',
]


@pytest.fixture(scope="module")
def project(app: Flask, cast: Cast, publish: Callable[[], int]) -> str:
    """A project of Eve's with many items, of which these tests decide some; its address."""
    rows = [{"idempotency_key": f"r-{n}", "payload": {"n": n}} for n in range(40)]
    sent = {"name": "=Results", "skill": "kyc", "reason_codes": ["fits", "=cmd"], "items": rows}
    made = Api(app, cast.eve).post("/v1/projects", sent)
    publish()
    return f"/v1/projects/{made.json['id']}"


def decided(api: Api, note: str = "") -> int:
    task = api.post("/v1/tasks/next").json
    sent = {**proof(task), "verdict": "approve", "reason_code": "=cmd", "note": note}
    return api.post(f"/v1/assignments/{task['assignment_id']}/submit", sent).json["decision_id"]


def test_it_pages_through_every_result_in_order(app: Flask, cast: Cast, project: str) -> None:
    ada, eve = Api(app, cast.ada), Api(app, cast.eve)
    made = [decided(ada) for _ in range(5)]
    found, address = [], f"{project}/results?limit=2"
    while address:
        page = eve.get(address)
        found += [r["decision_id"] for r in page.json["results"]]
        assert ("next" in page.headers.get("Link", "")) == bool(page.json["next"])
        address = page.json["next"]
    assert found == made
    assert eve.get(f"{project}/results?after={made[-1]}").json == {"results": [], "after": made[-1], "next": None}
    assert [r["decision_id"] for r in eve.get(f"{project}/results?after={made[2]}").json["results"]] == made[3:]


@pytest.mark.parametrize("query", ["after=-1", "after=x", "after=1&after=2", "limit=0", "limit=1001", "format=xml", "after=" + "9" * 30])
def test_it_refuses_odd_pages(app: Flask, cast: Cast, project: str, query: str) -> None:
    answer = Api(app, cast.eve).get(f"{project}/results?{query}")
    assert (answer.status_code, answer.json["errors"][0]["field"]) == (400, query.split("=")[0])


def test_it_writes_the_same_results_as_json_ndjson_and_csv(app: Flask, cast: Cast, project: str) -> None:
    ada, eve = Api(app, cast.ada), Api(app, cast.eve)
    after = decided(ada)
    for note in FORMULAS:
        decided(ada, note)
    address = f"{project}/results?after={after}"
    whole = eve.get(address).json["results"]
    assert [r["note"] for r in whole] == FORMULAS, "JSON carries the raw value"

    lines = eve.get(address, headers={"Accept": "application/x-ndjson"})
    assert lines.mimetype == "application/x-ndjson"
    assert [json.loads(line) for line in lines.data.splitlines()] == whole
    assert eve.get(f"{address}&format=ndjson").data == lines.data

    sheet = eve.get(f"{address}&format=csv")
    assert (sheet.mimetype, sheet.headers["X-After"]) == ("text/csv", str(whole[-1]["decision_id"]))
    table = [*csv.DictReader(io.StringIO(sheet.text, newline=""))]
    assert list(table[0]) == list(whole[0])
    assert [row["note"] for row in table] == [note if note.startswith(("a;", "x")) else f"'{note}" for note in FORMULAS]
    assert {row["reason_code"] for row in table} == {"'=cmd"}
    assert [row["decision_id"] for row in table] == [str(r["decision_id"]) for r in whole]


@pytest.mark.parametrize("value", [-1, "-12", 4, ["a", "=b"], None, "plain", "a\nb"])
def test_it_leaves_numbers_and_plain_words_alone(value: Any) -> None:
    [_, cell] = [*csv.reader(io.StringIO(results.to_csv([{"v": value}], ["v"]), newline=""))]
    assert cell == ["" if value is None else value if isinstance(value, str) else json.dumps(value)]


def test_it_escapes_the_names_of_columns_too() -> None:
    assert results.to_csv([], ["=v", "w"]) == '"\'=v","w"\r\n'


def test_it_leaves_no_gap_where_a_later_decision_is_committed_first(
    app: Flask, cast: Cast, project: str, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A submit took its number and is not committed yet; another one, with a higher number, is. A reader who went past both
    would never see the first."""
    ada, ben, eve = Api(app, cast.ada), Api(app, cast.ben), Api(app, cast.eve)
    after = decided(ada)
    task = ada.post("/v1/tasks/next").json
    with psycopg.connect(database.web) as slow:
        first = slow.execute(raw(STATEMENTS["decisions/submit"]), _submit(task, cast.ada.id)).fetchone()
        second = decided(ben)
        assert first and first[1] < second

        monkeypatch.setattr(results, "PATIENCE", 0.05)
        short = eve.get(f"{project}/results?after={after}").json
        assert short == {"results": [], "after": after, "next": None}, "it waits, and then it ends before what may be missing"

        monkeypatch.setattr(results, "PATIENCE", 30.0)
        with ThreadPoolExecutor(1) as pool:
            page = pool.submit(lambda: Api(app, cast.eve).get(f"{project}/results?after={after}").json)
            slow.commit()
            assert [r["decision_id"] for r in page.result()["results"]] == [first[1], second]


def test_it_would_leave_a_gap_without_waiting(app: Flask, cast: Cast, project: str, database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben, eve = Api(app, cast.ada), Api(app, cast.ben), Api(app, cast.eve)
    after = decided(ada)
    task = ada.post("/v1/tasks/next").json
    with psycopg.connect(database.web) as slow:
        slow.execute(raw(STATEMENTS["decisions/submit"]), _submit(task, cast.ada.id))
        second = decided(ben)
        monkeypatch.setattr(transactions, "await_writers", lambda *_, **__: True)
        assert eve.get(f"{project}/results?after={after}").json["after"] == second, "the guard's absence shows"


def raw(statement: Any) -> Any:
    return statement


def _submit(task: dict[str, Any], me: int) -> dict[str, Any]:
    decision = {"verdict": "approve", "answer": None, "vote": "approve", "reason_code": "fits", "note": "", **BY_THE_STATEMENT}
    fence = {
        "assignment_id": task["assignment_id"],
        "lease_token": task["lease_token"],
        "evidence_hash": bytes.fromhex(task["evidence_hash"]),
    }
    return {**decision, **fence, "me": me}
