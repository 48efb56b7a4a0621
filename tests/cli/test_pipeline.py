"""`bin/claimcheck pipeline settings`: from a file into force, with the numbers where they don't fit; and the page about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from claimcheck.intake.parameters import DEFAULTS, Parameters
from tests.people import settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def desk(make_database, store_server, valkey, tmp_path_factory):
    database = make_database()
    variables = settings(database, store_server, valkey).model_copy(update={"database_url": database.owner, "home": tmp_path_factory.mktemp("home")}).environ()
    desk = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMCHECK")} | variables
    for name, role in (("Dan", "operator"), ("Ada", "reviewer")):
        call = [sys.executable, "-m", "claimcheck.cli", "user", "add", f"{name.lower()}@example.org", "--name", name, "--role", role]
        subprocess.run(call, cwd=ROOT, env=desk, capture_output=True, check=True, timeout=300)
    return desk


def run(desk, *arguments, code=0, who="Dan"):
    by = ["--as", who] if who else []
    command = [sys.executable, "-m", "claimcheck.cli", "pipeline", "settings", *map(str, arguments), *by]
    done = subprocess.run(command, cwd=ROOT, env=desk, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done


def test_it_puts_a_file_in_force_and_prints_one(desk, tmp_path):
    printed = run(desk).stdout
    assert printed.startswith("# version 0, as delivered")
    file = tmp_path / "pipeline.yaml"
    file.write_text(printed)
    assert json.loads(run(desk, file, "--why", "nothing new", "--json").stdout)["changed"] is False
    file.write_text("prefetch: 400\nqueue_maxsize: 2000\n")
    facts = json.loads(run(desk, file, "--why", "month end", "--json").stdout)
    assert (facts["version"], facts["changed"], facts["why"], facts["by"]) == (1, True, "month end", "Dan")
    assert facts["settings"] == DEFAULTS.settings | {"prefetch": 400, "queue_maxsize": 2000}
    assert "month end" in run(desk).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prefetch: 5000", "is 5000, more than queue_maxsize, which is 1000"),
        ("lease_timeout_ms: 1000", "is 1000, not above expected_p99_ms, which is 2000"),
        ("prefetch: many", "prefetch: must be a whole number"),
        ("prefetsch: 1", "prefetsch: is not known here"),
        ("prefetch: [", "line 1"),
        ("- 1", "must be an object"),
    ],
)
def test_it_refuses_a_file_and_says_why(desk, tmp_path, text, said):
    file = tmp_path / "pipeline.yaml"
    file.write_text(text)
    assert said in run(desk, file, "--why", "try", code=2).stderr


@pytest.mark.parametrize("who", ["Ada", "system", "Eve", None])
def test_it_takes_a_change_from_an_operator_alone(desk, tmp_path, who):
    """Whoever reads the history must find a person in it; without --as, one of the login's name."""
    file = tmp_path / "pipeline.yaml"
    file.write_text("lag_s: 61")
    said = run(desk, file, "--why", "try", code=2, who=who).stderr
    assert "no operator's account is named" in said and ", such as " in said


def test_it_asks_why(desk, tmp_path):
    file = tmp_path / "pipeline.yaml"
    file.write_text("lag_s: 60")
    assert "say why" in run(desk, file, code=2).stderr


@pytest.mark.parametrize("name", Parameters.model_fields)
def test_it_documents_every_parameter_with_its_default(name):
    [line] = [li for li in (ROOT / "docs/settings.md").read_text().splitlines() if li.startswith(f"| `{name}` |")]
    assert line.split("|")[-2].strip() == str(Parameters.model_fields[name].default)
