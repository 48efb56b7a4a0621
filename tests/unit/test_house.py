"""The map of the house holds: floors, sizes, and SQL that stands in one place."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("claimcheck/**/*.py"), *ROOT.glob("workers/*.py"), ROOT / "app.py", ROOT / "wsgi.py"])
NAMES = [str(p.relative_to(ROOT)) for p in SOURCES]


def imports(path: Path):
    """Dotted names that a file imports, at any depth of it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from inner
            if not all((ROOT / name.replace(".", "/")).with_suffix(".py").exists() for name in inner):
                yield node.module


def place(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("name", NAMES)
def test_it_imports_only_what_stands_below(name):
    path = ROOT / name
    for module in imports(path):
        top = module.split(".")[0]
        if not name.startswith("claimcheck/web/") and name not in ("app.py", "wsgi.py"):
            assert top not in ("flask", "flask_login", "htmx_flask", "werkzeug"), (
                f"{name} imports {module}: only claimcheck/web/ knows Flask"
            )
        if name.startswith("claimcheck/") and "/web/" not in name and not name.startswith("claimcheck/cli"):
            assert not module.startswith("claimcheck.web") and top not in ("workers", "app", "wsgi"), (
                f"{name} imports {module}, which stands above it"
            )
        if name.startswith("workers/"):
            assert not module.startswith("claimcheck.web") and top not in ("app", "wsgi"), f"{name} imports {module}"
        if name in ("claimcheck/config.py", "claimcheck/errors.py"):
            assert top != "claimcheck", f"{name} is the ground floor"
        if name in ("claimcheck/db.py", "claimcheck/store.py"):
            assert not module.startswith("claimcheck.") or module.split(".")[1] in ("config", "errors"), f"{name} imports {module}"


def test_it_is_as_its_map_says():
    """Every folder with code in it is named, and what is named is there."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = re.findall(r"^\| (`[^|]+`) \|(.*)\|$", text, re.MULTILINE)
    named = {name.rstrip("/") for places, _ in rows for name in re.findall(r"`([^`]+)`", places)}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    folders = {Path(f).parts[0] for f in tracked if "/" in f} | {f"claimcheck/{Path(f).parts[1]}" for f in tracked if re.match(r"claimcheck/\w+/", f)}
    assert named - {f for f in tracked if "/" not in f} - {"claimcheck/web/api"} == folders - {".ci", "bin"}
    for places, said in rows:
        inner = re.findall(r"`(\w+)/`", said) if places.endswith("/`") else []
        assert all((ROOT / places.strip("`") / name).is_dir() or (ROOT / name).is_dir() for name in inner), f"{places} has no {inner}"
    [tests] = [re.findall(r"(\w+)/", found[1].split("`")[1]) for found in rows if "tests/" in found[0]]
    assert set(tests) == {Path(f).parts[1] for f in tracked if re.match(r"tests/\w+/", f)}


def graph() -> dict[str, set[str]]:
    modules = {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in SOURCES}
    return {name: {m for m in imports(path) if m in modules and m != name} for name, path in modules.items()}


def test_it_has_no_circle():
    edges, done = graph(), set()

    def visit(name: str, trail: tuple[str, ...]):
        assert name not in trail, " → ".join([*trail[trail.index(name) :], name])
        if name not in done:
            for other in edges[name]:
                visit(other, (*trail, name))
            done.add(name)

    for name in edges:
        visit(name, ())


@pytest.mark.parametrize("name", NAMES)
def test_it_stays_small(name):
    text = (ROOT / name).read_text()
    assert text.count("\n") <= 300, f"{name} has {text.count(chr(10))} lines; split it by noun"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= 40, f"{name}: {node.name} has {lines} lines"


SQL = re.compile(
    r"^\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|CREATE|ALTER|GRANT)\s.*\b(FROM|INTO|SET|AS|TABLE|ROLE|TO|DATABASE)\b", re.DOTALL
)
SERVERS = ("claimcheck/embedded/", "claimcheck/migrations.py", "claimcheck/schema.py")  # make what queue/ stands on, or write it down


@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith(SERVERS)])
def test_it_keeps_sql_in_queue(name):
    for node in ast.walk(ast.parse((ROOT / name).read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not SQL.match(node.value), f"{name}:{node.lineno} holds SQL: {node.value[:60]!r}"


def test_it_leaves_the_standard_librarys_queue_alone():
    assert not list((ROOT / "queue").rglob("*.py"))
    where = subprocess.run(
        [sys.executable, "-c", "import queue; print(queue.__file__)"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert not where.startswith(str(ROOT))
    assert not [p for p in ROOT.glob("tests/**/queue") if p.is_dir()]


def test_it_names_no_package_registry():
    hosts = "|".join(("py" + r"pi\.", "python" + "hosted", "npm" + "js", r"deb\.deb" + "ian"))
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = [f for f in files if (ROOT / f).is_file() and re.search(rf"https?://[a-z.]*({hosts})", (ROOT / f).read_text(errors="ignore"))]
    assert not found
