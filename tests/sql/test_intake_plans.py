"""Admission reads little, however long the ledger is: buffers and plan nodes at 60,000 messages in 20,000 partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from claimcheck import projects, rules
from claimcheck.db import Database
from tests import people
from tests.sql.test_plans import explain, nodes

FILL = """
INSERT INTO inbox_partitions (project_id, key, open) SELECT {project}, 'P' || n, 3 FROM generate_series(0, 19999) n;
INSERT INTO messages (project_id, idempotency_key, message_hash, source_hash, trace_id, partition_key, ledger_entity, currency, variance_amount, match_decision,
                      source, received_by)
SELECT {project}, 'k' || n, sha256(n::text::bytea), sha256(n::text::bytea), 't' || n, 'P' || n % 20000, 'e', 'EUR', 1, 'PARTIAL', 'http', 0
  FROM generate_series(0, 59999) n;
INSERT INTO inbox (message_id, partition_id, body)
SELECT m.id, p.id, 'x' FROM messages m JOIN inbox_partitions p ON p.project_id = m.project_id AND p.key = m.partition_key;"""


@pytest.fixture(scope="module", params=["analysed", "never analysed"])
def desk(make_database: Callable[[], Any], request: pytest.FixtureRequest) -> Iterator[tuple[Any, int]]:
    """A connection to a desk with a long ledger, and its project."""
    database = make_database()
    web = Database(database.web, max_size=2)
    eve = people.cast(web).eve
    project = projects.create(web, by=eve, rules=rules.parse({"name": "Breaks", "skill": "kyc", "reason_codes": ["fits"]})).id
    web.close()
    with psycopg.connect(database.superuser, autocommit=True, row_factory=dict_row) as connection:
        connection.execute(FILL.format(project=project).encode())
        if request.param == "analysed":
            connection.execute("ANALYZE")
        yield connection, project


def given(project: int, keys: list[str]) -> dict[str, Any]:
    """Parameters of the admission of these keys."""

    def array(values: list[str]) -> str:
        return "{" + ",".join(values) + "}"

    hashes = array([f'"\\\\x{n:064x}"' for n in range(len(keys))])
    same = {"currencies": "EUR", "variances": "1.00", "match_decisions": "PARTIAL", "entities": "e", "project_ids": str(project)}
    return {
        **{name: array([value] * len(keys)) for name, value in same.items()},
        **dict.fromkeys(("message_hashes", "source_hashes", "bodies"), hashes),
        **dict.fromkeys(("keys", "trace_ids"), array(keys)),
        "partition_keys": array([f"P{n % 97}" for n in range(len(keys))]),
        "source": "http", "by": 0, "worker": "w", "settings_version": 0,
    }  # fmt: skip


def buffers(plan: dict[str, Any]) -> int:
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("start", [0, 1_000_000], ids=["known", "new"])
def test_it_admits_one_at_little_cost(desk: tuple[Any, int], mode: str, start: int) -> None:
    connection, project = desk
    plan = explain(connection, "inbox/admit", mode, **given(project, [f"k{start}"]))
    assert [n["Relation Name"] for n in nodes(plan) if n["Node Type"] == "Seq Scan"] == []
    assert buffers(plan) <= 120


@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("start", [0, 1_000_000], ids=["known", "new"])
def test_it_admits_many_at_little_cost_each(desk: tuple[Any, int], mode: str, start: int) -> None:
    connection, project = desk
    plan = explain(connection, "inbox/admit", mode, **given(project, [f"k{start + n}" for n in range(500)]))
    assert "messages" not in [n["Relation Name"] for n in nodes(plan) if n["Node Type"] == "Seq Scan"]
    assert buffers(plan) <= 500 * 60


@pytest.mark.parametrize("mode", ["custom", "generic"])
def test_it_counts_what_waits_at_little_cost(desk: tuple[Any, int], mode: str) -> None:
    connection, _ = desk
    assert buffers(explain(connection, "inbox/depth", mode, limit=60_001)) <= 1000
