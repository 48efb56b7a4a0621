"""What the checkout must stay like: no Python in queue/, pins that are whole, no registry named."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINS = sorted(ROOT.glob("requirements*.txt"))


def test_it_keeps_queue_free_of_python():
    assert [path for path in (ROOT / "queue").rglob("*") if path.suffix in (".py", ".pyi", ".so") or path.name == "__init__.py"] == []


@pytest.mark.parametrize("how", [["-c"], ["-P", "-c"]])
def test_it_imports_the_standard_library_s_queue_from_the_checkout(how):
    ask = [sys.executable, *how, "import queue, redis, psycopg_pool; print(queue.__file__)"]
    answer = subprocess.run(ask, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True).stdout
    assert Path(answer.strip()) == Path(sysconfig.get_path("stdlib")) / "queue.py" == Path(queue.__file__)


@pytest.mark.parametrize("path", PINS, ids=lambda path: path.name)
def test_it_pins_every_requirement_exactly_and_by_hash(path):
    entries = re.split(r"\n(?=\S)", path.read_text().replace("\\\n", " ").strip())
    assert entries
    for entry in entries:
        assert re.match(r"^[a-z0-9][a-z0-9.-]*==[^\s;]+(\s*;[^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+$", entry.strip()), entry[:80]


@pytest.mark.parametrize("path", PINS, ids=lambda path: path.name)
def test_it_names_no_index_in_the_pins(path):
    assert not re.search(r"https?:|index|find-links|trusted-host|\.org|\.com", path.read_text())


def test_it_names_no_registry_in_the_lock_of_the_browser_s_libraries():
    lock = json.loads((ROOT / "package-lock.json").read_text())
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
    assert all("integrity" in package for name, package in lock["packages"].items() if name)


def test_it_names_exact_versions_of_the_browser_s_libraries():
    wanted = json.loads((ROOT / "package.json").read_text())["dependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
