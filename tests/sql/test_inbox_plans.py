"""The inbox's statements read little, however much waits: 100,000 messages in one partition, beside 100,000 partitions with one each."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.sql.test_plans import explain, nodes

MANY = 100_000
FILL = f"""
SET session_replication_role = replica;
INSERT INTO inbox_partitions (project_id, key, open) VALUES (1, 'hot', {MANY});
INSERT INTO inbox_partitions (project_id, key, open) SELECT 1, n::text, 1 FROM generate_series(1, {MANY}) n;
INSERT INTO messages (project_id, idempotency_key, message_hash, source_hash, trace_id, partition_key, ledger_entity, currency, variance_amount, match_decision,
                      source, received_by)
SELECT 1, n::text, sha256('m'), sha256('s'), 't', 'p', 'l', 'EUR', 1, 'PARTIAL', 'http', 0 FROM generate_series(1, {2 * MANY}) n;
INSERT INTO inbox (message_id, partition_id, body) SELECT n, 1, 'x' FROM generate_series(1, {MANY}) n;
INSERT INTO inbox (message_id, partition_id, body) SELECT {MANY} + n, 1 + n, 'x' FROM generate_series(1, {MANY}) n;
"""
LEASE = uuid.UUID(int=7)
HELD = f"UPDATE inbox_partitions SET lease = '{LEASE}', lease_until = clock_timestamp() + interval '1 hour' WHERE id BETWEEN 90000 AND 99999"
FILES = {"inbox", "inbox_partitions", "messages"}


@pytest.fixture(scope="module", params=["analysed", "never analysed"])
def desk(make_database: Callable[[], Any], request: pytest.FixtureRequest) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(make_database().superuser, autocommit=True, row_factory=dict_row) as connection:
        for table in FILES:
            connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        for statement in [*filter(str.strip, FILL.split(";")), HELD]:
            connection.execute(statement)
        if request.param == "analysed":
            connection.execute("VACUUM ANALYZE")
        yield connection


def ids(first: int, count: int) -> str:
    return "{" + ",".join(str(n) for n in range(first, first + count)) + "}"


def leases(count: int) -> str:
    return "{" + ",".join([str(LEASE)] * count) + "}"


def read(first: int, count: int, lapsed: str = "f") -> dict[str, Any]:
    return {"partition_ids": ids(first, count), "lapsed": "{" + ",".join([lapsed] * count) + "}", "run_messages": 50, "bytes": 1 << 24}


HERE = {"worker": "w", "settings_version": 1}
CASES = {  # statement, parameters, buffers
    "lease": ("inbox/lease", {"room": 200, "run_messages": 50, "lease_ms": 30_000}, 6_000),
    "lease with little room": ("inbox/lease", {"room": 1, "run_messages": 1, "lease_ms": 30_000}, 60),
    "read the hot one": ("inbox/read", read(1, 1), 400),
    "read the hot one that lapsed": ("inbox/read", read(1, 1, "t"), 1_200),
    "read many": ("inbox/read", read(2, 150), 2_500),
    "wait": ("inbox/await", {"seconds": 0.0}, 20),
    "begin": ("inbox/begin", {"partition_ids": ids(90_000, 50), "leases": leases(50)}, 1_500),
    "extend": ("inbox/extend", {"partition_ids": ids(90_000, 200), "leases": leases(200), "lease_ms": 30_000}, 6_000),
    "hand back": ("inbox/hand_back", {"partition_ids": ids(90_000, 1), "leases": leases(1), "message_ids": ids(MANY + 89_999, 1), "seconds": 0.0, "error": None}
                  | HERE, 200),
    "oldest": ("inbox/oldest", {}, 250),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["generic", "custom"])
@pytest.mark.parametrize("case", CASES)
def test_it_reads_little_to(case: str, mode: str, desk: psycopg.Connection[Any]) -> None:
    statement, params, bound = CASES[case]
    explain(desk, statement, mode, **params)  # the first run warms the catalogue
    plan = explain(desk, statement, mode, **params)
    for node in nodes(plan):
        scans = node["Node Type"] in ("Seq Scan", "Bitmap Heap Scan") and node.get("Relation Name") in FILES
        assert not (scans and node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0) > 400), node
        assert node.get("Rows Removed by Filter", 0) * node.get("Actual Loops", 0) <= 400, node
    buffers = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    assert buffers <= bound, f"{buffers} buffers"
