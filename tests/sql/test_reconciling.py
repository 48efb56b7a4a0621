"""A statement and a ledger through the pipeline to the desk: each break an item once, each flaw a dead letter with its bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimcheck import errors
from claimcheck.intake import parameters, reconciling, settling
from claimcheck.intake.reconciling import Reconciled, Sheets
from tests import pipeline
from tests.intake import World
from tests.unit.test_statements import GOOD, REAL, real

LEDGER = "reference,date,amount,ledger_entity,counterparty,invoice\nINV-1042,2026-11-28,1204.00,Receivables,Ada GmbH,77\nINV-1050,2026-11-28,80.00,Receivables,Ben Ltd,\n"
THRESHOLDS = {"routes": [{"queue": "large", "at_least": "100"}]}


@pytest.fixture
def project(world: World) -> int:
    pipeline.clear(world)
    return world.project(thresholds=THRESHOLDS, pairs=[{"left": "ledger", "right": "bank"}], title="summary")


def reconcile(world: World, project: int, statement: str | bytes = GOOD, ledger: str = LEDGER, **more) -> Reconciled:
    data = statement if isinstance(statement, bytes) else statement.encode()
    sheets = Sheets(("statement.sta", data), ("ledger.csv", ledger.encode()))
    asked = {"project_id": project, "by": world.cast.eve.id, "settings": parameters.current(world.web), "worker": "test"}
    return reconciling.reconcile(world.web, sheets, **(asked | more))


def settle(world: World, done: Reconciled) -> settling.Progress:
    sent = [answer.message_id for answer in done.answers if answer.message_id is not None]
    return settling.settle(world.web, world.worker, world.store, message_ids=sent, name="test")


def results(done: Reconciled) -> list[str]:
    return [answer.result for answer in done.answers]


def test_it_brings_each_break_to_the_queue_that_its_variance_names(world: World, project: int) -> None:
    done = reconcile(world, project)
    assert (done.result.matched, results(done)) == (0, ["admitted"] * 3)
    there = settle(world, done)
    assert (there.waiting, there.items, there.durable) == (0, 3, 3)
    rows = world.all(
        "SELECT i.queue, m.variance_amount::text, m.match_decision, m.ledger_entity, m.source FROM items i JOIN messages m ON m.id = i.message_id "
        "WHERE i.project_id = %s ORDER BY m.variance_amount", project)  # fmt: skip
    assert rows == [
        ("large", "-250.50", "UNMATCHED", "DE02120300000000202051", "file"),
        ("review", "-80.00", "UNMATCHED", "Receivables", "file"),
        ("review", "46.00", "PARTIAL", "Receivables", "file"),
    ]


def test_it_takes_the_same_files_once(world: World, project: int) -> None:
    reconcile(world, project)
    again = reconcile(world, project, GOOD.replace("\n", "\r\n"), LEDGER.replace(",", ";"))
    assert results(again) == ["repeated"] * 3


def test_it_takes_two_breaks_that_look_the_same_for_two(world: World, project: int) -> None:
    entry = GOOD.partition(":61:2611281128D")[2].partition(":62F:")[0]
    twice = GOOD.replace(":62F:C261128EUR1999,50", f":61:2611281128D{entry}:62F:C261128EUR1749,00")
    done = reconcile(world, project, twice)
    assert results(done) == ["admitted"] * 4 and not done.read.flaws
    assert results(reconcile(world, project, twice)) == ["repeated"] * 4


def test_it_makes_a_new_message_of_a_break_that_changed(world: World, project: int) -> None:
    reconcile(world, project)
    assert sorted(results(reconcile(world, project, ledger=LEDGER.replace("1204.00", "1205.00")))) == ["admitted", "repeated", "repeated"]


def test_it_resolves_what_differs_in_its_date_alone(world: World, project: int) -> None:
    done = reconcile(world, project, ledger="reference,date,amount\nINV-1042,2026-11-27,1250.00\n")
    settle(world, done)
    assert world.all("SELECT queue FROM items WHERE project_id = %s ORDER BY id", project)[0].queue == "automatic"
    assert world.one("SELECT count(*) FROM decisions WHERE project_id = %s AND reason_code = 'auto_zero_variance'", project) == 1
    assert reconcile(world, project, ledger="reference,date,amount\nINV-1042,2026-11-27,1250.00\n", days=1).result.matched == 1


def test_it_keeps_what_it_could_not_read_with_its_bytes_and_why(world: World, project: int) -> None:
    done = reconcile(world, project, GOOD.replace(":61:261128", ":61:260230", 1))
    [letter] = world.refused(project)
    assert (letter.id, letter.code, letter.gate, letter.cause, letter.source) == (done.letters[0], "POISON_MESSAGE", "structural", "impossible_date", "file")
    assert bytes(letter.body).startswith(b":61:2602301128C1250,00NTRFINV-1042//B77\n:86:166") and letter.received_by == world.cast.eve.id
    assert letter.headers == {"file": "statement.sta", "ledger": "ledger.csv", "format": "mt940", "statement": "NORTHWIND1, 00042/001"}
    assert "30" in letter.detail or "day is out of range" in letter.detail
    [record] = world.all("SELECT * FROM pipeline_records WHERE dead_letter_id = %s", letter.id)
    assert (record.decision, record.code, record.trace_id, record.detail["cause"]) == ("refused", "POISON_MESSAGE", letter.trace_id, "impossible_date")
    assert results(done) == ["admitted"] and done.result.not_judged == 2, "what may be the other side of the unreadable entry waits"


def test_it_lets_the_monetary_gate_refuse_what_has_too_many_places(world: World, project: int) -> None:
    done = reconcile(world, project, ledger="reference,date,amount\nINV-1042,2026-11-28,1249.9999\n")
    [refused] = [answer for answer in done.answers if answer.result == "refused"]
    assert (refused.gate, refused.cause) == ("monetary", "too_many_places")


def test_it_takes_nothing_where_the_ledger_is_wrong(world: World, project: int) -> None:
    with pytest.raises(errors.Invalid, match="line 2: date"):
        reconcile(world, project, GOOD.replace(":61:261128", ":61:260230", 1), "reference,date,amount\nA,yesterday,1\n")
    assert not world.refused(project) and not world.all("SELECT FROM messages WHERE project_id = %s", project)


def test_it_holds_files_to_their_limit(world: World, project: int, monkeypatch) -> None:
    monkeypatch.setattr(reconciling, "BYTES", 100)
    with pytest.raises(errors.Invalid, match="the limit is 100"):
        reconcile(world, project)


def test_it_says_what_a_person_has_to_see(world: World, project: int) -> None:
    done = reconcile(world, project)
    said = [json.loads(body)["payload"] for body in reconciling.messages(project, done.result.breaks)]
    [both] = [p for p in said if "ledger" in p and "bank" in p]
    assert both["ledger"] == {"reference": "INV-1042", "date": "2026-11-28", "amount": "1204.00", "currency": "EUR", "counterparty": "Ada GmbH"}
    assert both["bank"] == {"reference": "INV-1042", "date": "2026-11-28", "amount": "1250.00", "currency": "EUR", "counterparty": "Ada"}
    assert both["summary"] == "INV-1042: bank 1250.00, ledger 1204.00 EUR" and both["details"]["ledger: invoice"] == "77"
    [ledger] = [p for p in said if "bank" not in p]
    [bank] = [p for p in said if "ledger" not in p]
    assert ledger["summary"] == "INV-1050: ledger alone, 80.00 EUR" and bank["summary"] == "Rent for November: bank alone, -250.50 EUR"


@real
@pytest.mark.parametrize("path", sorted(REAL.iterdir()) if REAL.is_dir() else [], ids=lambda path: path.stem)
def test_it_takes_what_real_banks_send(world: World, project: int, path: Path) -> None:
    done = reconcile(world, project, path.read_bytes(), "reference,date,amount\nnobody's,2000-01-01,1.00\n")
    entries = sum(len(s.entries) for s in done.read.statements)
    assert len(done.answers) == len(done.result.breaks) == entries and done.result.outside == 1
    refused = [answer for answer in done.answers if answer.result == "refused"]
    assert {answer.cause for answer in refused} <= {"unknown_currency"}, "the Deutschmark is no more"
    assert len(world.refused(project)) == len(done.letters) + len(refused)
    there = settle(world, done)
    assert there.durable == there.items == entries - len(refused) and there.waiting == 0
