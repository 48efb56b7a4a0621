"""`bin/claimcheck intake`: NDJSON from a file or standard input through the pipeline's gates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from claimcheck import projects, rules
from claimcheck.db import Database
from tests.messages import body
from tests.people import cast, settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def desk(make_database: Any, store_server: Any, valkey: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a desk of the module's own."""
    database = make_database()
    home = {"database_url": database.owner, "home": tmp_path_factory.mktemp("home")}
    variables = settings(database, store_server, valkey).model_copy(update=home).environ()
    return {name: value for name, value in os.environ.items() if not name.startswith("CLAIMCHECK")} | variables


@pytest.fixture(scope="module")
def db(desk: dict[str, str]) -> Iterator[Database]:
    db = Database(desk["DATABASE_URL_WEB"])
    yield db
    db.close()


@pytest.fixture(scope="module")
def project(db: Database) -> int:
    eve = cast(db, skills=["kyc"]).eve
    return projects.create(db, by=eve, rules=rules.parse({"name": "Breaks", "skill": "kyc", "reason_codes": ["fits"]})).id


def intake(desk: dict[str, str], source: object, *more: str, stdin: bytes = b"", code: int = 0) -> Any:
    command = [sys.executable, "-m", "claimcheck.cli", "intake", str(source), *more]
    done = subprocess.run(command, cwd=ROOT, env=desk, input=stdin, capture_output=True, timeout=300)
    assert done.returncode == code, done.stderr.decode()
    return done


def test_it_takes_a_file_and_says_what_it_refused(desk: dict[str, str], db: Database, project: int, tmp_path: Path) -> None:
    file = tmp_path / "breaks.ndjson"
    bad = body(project, "bad", variance_amount=1.5)
    file.write_bytes(b"\n".join([body(project, "a"), bad, b"", body(project, "b"), body(project, "a")]) + b"\n")
    done = intake(desk, file, "--json", code=1)
    facts = json.loads(done.stdout)
    assert {name: facts[name] for name in ("lines", "accepted", "repeated", "refused")} == {"lines": 4, "accepted": 2, "repeated": 1, "refused": 1}
    assert b"refused: line 2 (bad): float_on_the_wire: variance_amount must be text" in done.stderr
    with db.pool.connection() as connection:
        kept = connection.execute("SELECT body, source, headers, project_id FROM dead_letters").fetchall()
        sent = connection.execute("SELECT source, received_by FROM messages").fetchall()
    assert [(bytes(row[0]), *row[1:]) for row in kept] == [(bad, "file", {"file": "breaks.ndjson"}, project)]
    assert set(sent) == {("file", 0)}


def test_it_reads_standard_input(desk: dict[str, str], project: int) -> None:
    assert b"1 admitted, 0 repeated, 0 refused" in intake(desk, "-", stdin=body(project, "from stdin")).stdout


def test_it_says_what_is_not_there(desk: dict[str, str]) -> None:
    assert b"no such file" in intake(desk, "nowhere.ndjson", code=2).stderr
