"""Real documents and bank statements: imported, shown, decided and exported, byte for byte. Skips where the folder is absent."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app import create_app
from claimcheck.access import people
from claimcheck.db import Database
from claimcheck.review import assignments, decisions, tasks
from tests import people as cast
from tests.cli.test_cli import ROOT, answer, claimcheck

REAL = Path(os.environ.get("DESK_REAL_INPUT", ROOT.parent / "shared" / "data"))
FOLDERS = ["documents", "statements"]
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason=f"real input is not here: {REAL}")


@pytest.fixture(scope="module")
def settings(make_database, store_server, valkey, tmp_path_factory):
    database = make_database()
    return cast.settings(database, store_server, valkey).model_copy(update={"database_url": database.owner, "home": tmp_path_factory.mktemp("home")})


@pytest.fixture(scope="module")
def desk(settings):
    return {name: value for name, value in os.environ.items() if not name.startswith("CLAIMCHECK")} | settings.environ()


@pytest.fixture(scope="module")
def app(settings):
    app = create_app(settings)
    yield app
    app.extensions["claimcheck"].db.close()


def files(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((REAL / folder).iterdir()) if path.is_file()}


@pytest.mark.parametrize("folder", FOLDERS)
def test_it_takes_shows_decides_and_gives_back_every_byte(folder, desk, app, settings, tmp_path):
    rules = tmp_path / "project.yaml"
    rules.write_text(f"name: Real {folder}\nskill: {folder}\nreason_codes: [seen]\n")
    answer(desk, "project", "apply", rules)
    sent = answer(desk, "import", REAL / folder, "--project", f"Real {folder}")
    assert (sent["accepted"], sent["claimable"], sent["refused"]) == (len(files(folder)), len(files(folder)), 0)
    db: Database = app.extensions["claimcheck"].db
    ada = people.by_name(db, name="Ada") or people.add(db, name="Ada", email="ada@example.org", role="reviewer")
    people.give_skill(db, person_id=ada.id, skill=folder)
    seen = {}
    for _ in files(folder):
        name, data = look(app, db, ada)
        seen[name] = data
    assert seen == files(folder), "what was shown is what came"
    out = tmp_path / "out"
    answer(desk, "export", "--project", f"Real {folder}", "--out", out)
    listed = [part for line in (out / "items.jsonl").read_text().splitlines() for part in json.loads(line)["parts"] if part["name"] != "payload.json"]
    assert {part["name"]: (out / part["path"]).read_bytes() for part in listed} == files(folder)
    check_forms(desk, folder, out, tmp_path)


def check_forms(desk, folder, out, tmp_path):
    """A receipt of it is genuine by what was exported; other tools' formats hold every item with its outcome."""
    receipt = min((out / "receipts").iterdir())
    item = json.loads(receipt.read_text())["item_id"]
    [key] = (out / "keys").iterdir()
    assert "genuine" in claimcheck(desk, "verify", receipt, "--key", key, "--payload", out / "items" / str(item) / "v1").stdout
    answer(desk, "export", "--project", f"Real {folder}", "--format", "label-studio", "--out", tmp_path / "ls")
    tasks = json.loads((tmp_path / "ls" / "tasks.json").read_text())
    assert {task["meta"]["files"][0] for task in tasks} == set(files(folder))
    assert {task["annotations"][0]["result"][0]["value"]["choices"][0] for task in tasks} == {"approve"}


def look(app, db, ada) -> tuple[str, bytes]:
    """Claims the next one, opens its page and its file in the browser's way, and approves it."""
    claim = tasks.claim(db, me=ada.id)
    assert claim is not None
    client = cast.browser(app, ada)
    page = client.get(f"/assignments/{claim.assignment_id}")
    assert page.status_code == 200
    part = client.get(f"/assignments/{claim.assignment_id}/parts/1")
    assert part.status_code == 200
    held = assignments.load(db, assignment_id=claim.assignment_id, me=ada.id)
    fence = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "me": ada.id}
    decisions.submit(db, **fence, evidence_hash=held.evidence_hash, verdict="approve", reason_code="seen")
    return held.idempotency_key, part.get_data()
