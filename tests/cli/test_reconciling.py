"""A bank statement and a ledger from the command line to the desk, and the pipeline's log read back without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimcheck.db import Database
from claimcheck.intake import records
from tests.cli.test_cli import ROOT, answer, claimcheck, desk  # noqa: F401 (the fixture)

SAMPLE = ROOT / "samples" / "breaks"
STATEMENT, LEDGER = SAMPLE / "statement.sta", SAMPLE / "ledger.csv"
NAME = "Reconciliation breaks"


@pytest.fixture(scope="module")
def project(desk) -> str:  # noqa: F811
    answer(desk, "user", "add", "eve@example.org", "--role", "customer", "--customer", "Northwind")
    answer(desk, "project", "apply", SAMPLE / "project.yaml")
    return NAME


def bring_in(desk, *files, code=0, **more):  # noqa: F811
    done = claimcheck(desk, "import", "--format", "mt940", *files, "--project", NAME, "--json", code=code)
    return json.loads(done.stdout) if code != 2 else {}, done.stderr


def test_it_brings_breaks_to_the_desk_and_reads_its_own_log_back(desk, project, tmp_path):  # noqa: F811
    facts, _ = bring_in(desk, STATEMENT, LEDGER)
    assert facts == {"statements": 1, "entries": 8, "matched": 2, "breaks": 7, "admitted": 7, "repeated": 0, "refused": 0, "outside": 0, "not_judged": 0}
    assert bring_in(desk, STATEMENT, LEDGER)[0]["repeated"] == 7
    counts = next(p for p in answer(desk, "project", "list")["projects"] if p["name"] == NAME)
    assert (counts["pending"], counts["settled"], counts["blocked"]) == (6, 1, 0), "what varies waits for people, the rest is resolved"

    web, log = Database(desk["DATABASE_URL_WEB"]), records.log(tmp_path)
    try:
        while records.relay(web, log):
            pass
    finally:
        web.close()
    [path] = records.files(tmp_path)
    said = answer(desk, "replay-audit", path, "--compare")
    assert said["faults"] == [] and said["states"] == {"resolved": 1, "routed": 6} and said["compared"]["messages"] == 7
    assert said["queues"] == {"automatic": 1, "large": 2, "one-sided": 2, "review": 2} and said["routes"] == {"AUTO_RESOLVE": 1, "ROUTE_REVIEW": 6}
    _check_one(desk, path)
    _check_tampering(desk, path, tmp_path / "tampered.jsonl")


def _check_one(desk, path: Path) -> None:  # noqa: F811
    """One exception's movement needs no database."""
    bare = {name: value for name, value in desk.items() if not name.startswith(("DATABASE", "S3", "REDIS"))}
    line = next(one for one in map(json.loads, path.read_bytes().splitlines()) if one["decision"] == "resolved")
    for asked in (("--trace", line["trace_id"]), ("--key", line["idempotency_key"]), ("--message", line["message_id"])):
        steps = answer(bare, "replay-audit", path, *asked)["steps"]
        assert [step["decision"] for step in steps if step["decision"] != "repeated"] == ["admitted", "routed", "resolved"]
    assert "no such message" in claimcheck(bare, "replay-audit", path, "--key", "nobody's", code=2).stderr


def _check_tampering(desk, path: Path, other: Path) -> None:  # noqa: F811
    lines = path.read_bytes().splitlines(keepends=True)
    other.write_bytes(b"".join(lines[1:]))
    assert "admitted" in claimcheck(desk, "replay-audit", other, code=1).stderr, "even without the database"
    other.write_bytes(b"".join([*lines[:-1], lines[-1].replace(b'"worker": "cli"', b'"worker": "eve"')]))
    assert "worker is 'eve' in the log" in claimcheck(desk, "replay-audit", other, "--compare", code=1).stderr
    other.write_bytes(b"".join([*lines, lines[0]]))
    assert answer(desk, "replay-audit", other, "--compare")["doubles"] == 1


def test_it_says_what_it_could_not_take(desk, project, tmp_path):  # noqa: F811
    broken = tmp_path / "broken.sta"
    broken.write_bytes(STATEMENT.read_bytes().replace(b":61:2611271127DR220", b":61:2602301127DR220"))
    facts, said = bring_in(desk, broken, LEDGER, code=1)
    assert facts["refused"] == 1 and ":61: in line 19" in said and "dead letter" in said
    ledger = tmp_path / "ledger.csv"
    ledger.write_text("ref,date,amount\nA,2026-11-28,1\n")
    assert "has no column 'reference'" in bring_in(desk, STATEMENT, ledger, code=2)[1]
    assert "name the ledger's CSV" in bring_in(desk, STATEMENT, code=2)[1]
    assert "--format mt940" in claimcheck(desk, "import", STATEMENT, LEDGER, "--project", NAME, code=2).stderr
