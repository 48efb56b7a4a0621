"""The docs name what there is: every test they cite exists, and every command of the README is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from claimcheck.cli import commands

ROOT = Path(__file__).parents[2]
CITED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs" / "requirements.md").read_text())))


@pytest.mark.parametrize(("file", "name"), CITED)
def test_it_cites_tests_that_exist(file, name):
    assert f"def {name}(" in (ROOT / file).read_text()


def test_it_has_a_row_for_everything_that_is_built():
    rows = set(re.findall(r"^\| ([REDBQ]\d+) \|", (ROOT / "docs" / "requirements.md").read_text(), re.MULTILINE))
    built = {f"R{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13)} | {f"E{n}" for n in range(1, 7)} | {f"D{n}" for n in range(1, 9)} | {"B1", "B7", "B10", "E19"}
    built |= {f"Q{n}" for n in (*range(1, 15), 18)}
    assert built <= rows


def test_it_names_commands_that_exist():
    known = set(commands.parser()._subparsers._group_actions[0].choices)
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for command in re.findall(r"bin/claimcheck (\w[\w-]*)", page.read_text()):
            assert command in known, f"{page.name} names bin/claimcheck {command}"
