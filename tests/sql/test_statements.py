"""Every statement prepares on the migrated database, gives the columns its dataclass receives, and takes the parameters its caller sends."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from pathlib import Path

import psycopg
import pytest

from claimcheck.db import QUEUE, STATEMENTS

ROOT = QUEUE.parent
VERBS = {"one", "all", "run"}


def positional(statement: str) -> tuple[str, list[str]]:
    """The statement with $1, $2 … and the names they stand for."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return re.sub(r"%\((\w+)\)[sbt]", number, STATEMENTS[statement]).replace("%%", "%"), names


def calls():
    """(file, line, verb, statement, row type's name or None, keyword names, has **) for each use of a statement in the code."""
    for path in [*ROOT.glob("claimcheck/**/*.py"), *ROOT.glob("workers/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VERBS and node.args):
                continue
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value in STATEMENTS:
                row = ast.unparse(node.args[1]) if len(node.args) > 1 and node.func.attr != "run" else None
                keywords = {k.arg for k in node.keywords}
                yield path, node.lineno, first.value, row, keywords - {None}, None in keywords


CALLS = list(calls())


def resolved(path: Path, name: str):
    """The row type as the module sees it."""
    found = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for step in name.split("."):
        found = getattr(found, step)
    return found


@pytest.fixture(scope="module")
def connection(database):
    with psycopg.connect(database.superuser, autocommit=True) as connection:
        yield connection


def columns(connection: psycopg.Connection, statement: str) -> list[str]:
    text, _ = positional(statement)
    result = connection.pgconn.prepare(b"", text.encode())
    assert not result.error_message, f"{statement}: {result.error_message.decode()}"
    described = connection.pgconn.describe_prepared(b"")
    return [described.fname(n).decode() for n in range(described.nfields)]


@pytest.mark.parametrize("statement", sorted(STATEMENTS))
def test_it_prepares(statement, connection):
    columns(connection, statement)


@pytest.mark.parametrize("statement", sorted(STATEMENTS))
def test_it_says_in_its_first_line_what_it_is(statement):
    assert re.match(r"-- [a-zI].*\w", STATEMENTS[statement]), f"{statement}.sql should begin with a comment that names its arrow"


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0].name}:{call[1]} {call[2]}")
def test_it_gives_what_its_caller_receives(call, connection):
    path, _, statement, row, keywords, spread = call
    _, names = positional(statement)
    assert spread or keywords == set(names), f"{statement} takes {sorted(names)}, its caller sends {sorted(keywords)}"
    if row is not None and dataclasses.is_dataclass(kind := resolved(path, row)):
        assert {f.name for f in dataclasses.fields(kind) if f.init} == set(columns(connection, statement))


def test_it_uses_every_statement():
    used = {call[2] for call in CALLS}
    mentioned = "\n".join(p.read_text() for p in [*ROOT.glob("claimcheck/**/*.py"), *ROOT.glob("workers/*.py")])
    unused = [s for s in STATEMENTS if s not in used and f'"{s}"' not in mentioned and s != "tasks/disagreements"]
    assert not unused, f"no code runs {unused}"
