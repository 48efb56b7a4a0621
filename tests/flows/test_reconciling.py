"""From a bank statement on the command line to a person's verdict on the screen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import expect

from claimcheck import projects, rules
from claimcheck.access import people as accounts
from tests import people
from tests.flows.conftest import LiveDesk
from tests.flows.test_review_lease import Browsers

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "breaks"


@pytest.fixture
def imported(desk: LiveDesk, database: Any, store_server: Any, valkey: str, tmp_path: Path) -> LiveDesk:
    """A desk with the sample's breaks on it, sent by the command line, and Ada who may judge them."""
    given = rules.parse({**_sample(), "name": f"Breaks {desk.made}"})
    desk.made += 1
    made = projects.create(desk.web, by=desk.cast.eve, rules=given)
    for skill in set(given.queues().values()) - {skill.name for skill in accounts.skills(desk.web, person_id=desk.cast.ada.id)}:
        accounts.give_skill(desk.web, person_id=desk.cast.ada.id, skill=skill)
    settings = people.settings(database, store_server, valkey).model_copy(update={"database_url": database.owner, "home": tmp_path})
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMCHECK")} | settings.environ()
    files = ["import", "--format", "mt940", SAMPLE / "statement.sta", SAMPLE / "ledger.csv", "--project", str(made.id)]
    subprocess.run([sys.executable, "-m", "claimcheck.cli", *map(str, files)], cwd=ROOT, env=environ, check=True, timeout=300)
    return desk


def _sample() -> dict[str, Any]:
    return yaml.safe_load((SAMPLE / "project.yaml").read_text())


def test_it_shows_a_break_as_two_columns_with_its_variance_marked_and_takes_the_verdict(imported: LiveDesk, browser_of: Browsers):
    page = browser_of(imported.cast.ada)
    page.goto("/review")
    page.get_by_role("button", name="Next item").click()
    expect(page.get_by_role("heading", name="INV-1050: bank 18500.00, ledger 15800.00 EUR")).to_be_visible()
    table = page.locator("table.p-aligned")
    expect(table.get_by_role("columnheader")).to_have_text(["Field", "Ledger", "Bank"])
    amount = table.get_by_role("row", name=re.compile("^Amount"))
    expect(amount).to_have_class("p-differs")
    expect(amount.get_by_role("cell")).to_have_text(["15800.00", re.compile(r"18500\.00.*\+2700\.00")])
    expect(table.locator("tr.p-differs")).to_have_count(1)
    submit = page.get_by_role("button", name="Submit and next")
    expect(submit).to_be_disabled()  # the script listens
    page.keyboard.press("a")
    page.keyboard.press("1")
    submit.click()
    expect(page.get_by_role("heading", name="Unknown Holding Ltd: bank alone, -4800.00 EUR")).to_be_visible()
    expect(page.locator("table.p-aligned .p-gone")).to_have_text("nothing on this side")
    expect(page.locator("table.p-aligned caption")).to_have_text("Bank alone")
    assert imported.execute("SELECT outcome, reason_code FROM decisions WHERE person_id = %s", imported.cast.ada.id) == [("approve", "typing_error")]


def test_it_fits_a_narrow_screen(imported: LiveDesk, browser_of: Browsers):
    page = browser_of(imported.cast.ada, viewport={"width": 390, "height": 840}, color_scheme="dark")
    page.goto("/review")
    page.get_by_role("button", name="Next item").click()
    expect(page.locator("table.p-aligned")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cells = "[...document.querySelectorAll('.p-aligned :is(th, td)')]"
    assert page.evaluate(f"{cells}.every(cell => cell.scrollWidth <= cell.clientWidth + 1)"), "no word runs out of its cell"
