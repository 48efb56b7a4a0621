"""The pages about the API and about projects say what the models and the table of routes say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from claimcheck import errors, project_files
from claimcheck.questions import Choices, Grade, Preference, Verdict
from claimcheck.rules import Rules
from claimcheck.web.api import ROUTES

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"\{\w+\}")
API, PROJECTS = ((DOCS / name).read_text(encoding="utf-8") for name in ("api.md", "projects.md"))


@pytest.mark.parametrize("name", Rules.model_fields)
def test_it_documents_every_rule(name: str) -> None:
    assert f"`{name}`" in PROJECTS


@pytest.mark.parametrize("question", [Verdict, Grade, Preference, Choices])
def test_it_documents_every_question(question: type) -> None:
    [line] = [li for li in PROJECTS.splitlines() if li.startswith(f"| `{question.__name__.lower()}` |")]
    own = set(question.model_fields) - {"ask", "text"}
    assert own <= set(re.findall(r"`(\w+)`", line))


def test_it_shows_a_project_file_that_is_right() -> None:
    [example] = re.findall(r"```yaml\n(.*?)```", PROJECTS, re.DOTALL)
    found = project_files.parse(example.encode())
    assert (found.question.ask, found.wanted) == ("grade", 2)


def test_it_states_the_defaults_that_hold() -> None:
    for name in ("wanted", "lease_seconds", "max_hold_seconds", "idle_seconds", "abandon_limit", "weight", "priority", "quality_floor"):
        [line] = [li for li in PROJECTS.splitlines() if li.startswith(f"| `{name}` |")]
        assert float(line.split("|")[-2]) == Rules.model_fields[name].default


def test_it_speaks_of_routes_and_codes_that_exist() -> None:
    routes = {f"{r.method} /v1{NUMBER.sub('{}', r.path)}" for r in ROUTES}
    spoken = {f"{method} {NUMBER.sub('{}', path)}" for method, path in re.findall(r"(GET|POST|PUT) (/v1/[\w/{}-]+)", API)}
    assert len(spoken) > 5
    assert spoken <= routes
    codes = {e.code for e in _all(errors.Error)}
    assert set(re.findall(r"`([A-Z]+_[A-Z_]+)`", API)) - {"DECISION_ID"} <= codes


def _all(error: type[errors.Error]) -> set[type[errors.Error]]:
    return {error, *(deeper for below in error.__subclasses__() for deeper in _all(below))}
