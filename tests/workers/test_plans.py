"""The plans of the statements that run all the time, among 100,000 effects that are done: no scan, no sort, few buffers."""

from __future__ import annotations

from typing import Any

import pytest

from claimcheck.db import STATEMENTS
from claimcheck.outbound import outbox
from tests.workers.stage import SQL, Stage

DONE, WAITING, PROJECTS = 100_000, 5_000, 12
PARAMS: dict[str, dict[str, Any]] = {
    "outbox/ring": {"room": 40, "at_once": outbox.AT_ONCE, "patience": outbox.PATIENCE},
    "outbox/lease": {"seconds": 20.0, "letter_seconds": 90.0, "attempts": 100, "at_once": outbox.AT_ONCE, "patience": outbox.PATIENCE},
    "outbox/after": {"partition_id": None, "effect_no": None},
    "outbox/dead": {"after": 0, "limit": 100},
    "outbox/trying": {"limit": 100},
}
BUFFERS = {"outbox/ring": 1200, "outbox/lease": 60, "outbox/after": 30, "outbox/dead": 20, "outbox/trying": 1500}


@pytest.fixture(scope="module")
def full(database: Any) -> Any:
    stage = Stage(database)
    stage.clear()
    for _ in range(PROJECTS):
        stage.outcome(stage.project(url="http://127.0.0.1:9/", standing=False))
    with stage.sql.transaction():  # without triggers: each would look through the thousands of outcomes of its one item
        stage.sql.execute("SET LOCAL session_replication_role = replica")
        stage.sql.execute(SQL["more"], {"each": DONE // PROJECTS, "in": DONE // WAITING})
    yield stage
    stage.end()


def plan(stage: Stage, name: str, params: dict[str, Any], mode: str) -> tuple[list[dict[str, Any]], int]:
    """The plan's nodes and the buffers it touched, run as the worker would and rolled back."""
    with stage.sql.transaction(force_rollback=True):
        stage.sql.execute(f"SET LOCAL plan_cache_mode = force_{mode}_plan")
        (row,) = stage.sql.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + STATEMENTS[name], params, prepare=True).fetchall()
    top = row[0][0]["Plan"]
    return list(_nodes(top)), top["Shared Hit Blocks"] + top["Shared Read Blocks"]


def _nodes(node: dict[str, Any]) -> Any:
    yield node
    for child in node.get("Plans", []):
        yield from _nodes(child)


@pytest.mark.parametrize("analysed", [False, True])
@pytest.mark.parametrize("mode", ["generic", "custom"])
@pytest.mark.parametrize("name", sorted(PARAMS))
def test_it_reads_no_more_than_it_needs(full: Stage, name: str, mode: str, analysed: bool) -> None:
    if analysed:
        full.run("ANALYZE")
    row = full.all("SELECT id, effect_id FROM outbox WHERE state = 'pending' LIMIT 1")[0]
    more = {"outbox/lease": {"outbox_id": row.id}, "outbox/after": {"effect_id": row.effect_id}}.get(name, {})
    nodes, buffers = plan(full, name, PARAMS[name] | more, mode)
    scans = [n for n in nodes if n["Node Type"] == "Seq Scan" and n["Relation Name"] in ("outbox", "decisions")]
    read = [n["Actual Rows"] * n["Actual Loops"] for n in nodes if "Scan" in n["Node Type"]]
    assert not scans and max(read) <= 2 * WAITING and buffers <= BUFFERS[name], (buffers, [(n["Node Type"], n.get("Index Name")) for n in nodes])
