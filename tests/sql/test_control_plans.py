"""The control room and the policy gaps on a desk of a thousand queues, three thousand people and a year: each screen within 500 buffers, and no history."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from bench.control import SCREENS
from tests.sql.test_plans import explain, nodes

KEPT = {"control_desk", "control_marks", "control_queues", "control_hours", "control_leases", "control_reasons", "control_routes", "control_load"}
SMALL = {"approvals", "projects", "queues", "people", "reason_codes", "policy_gaps", "forecast_ends", "processes", "project_versions"}
YEAR = """
SET session_replication_role = replica;
INSERT INTO people (id, name, role) OVERRIDING SYSTEM VALUE SELECT 1000 + n, 'reviewer ' || n, 'reviewer' FROM generate_series(1, 3000) n;
INSERT INTO projects (id, customer_id, name, skill_id, created_by) OVERRIDING SYSTEM VALUE SELECT n, 1, 'project ' || n, 1, 1 FROM generate_series(1, 400) n;
INSERT INTO queues (id, project_id, name, lane_id) OVERRIDING SYSTEM VALUE SELECT n, 1 + n % 400, 'queue ' || n / 400, 1 FROM generate_series(1, 1000) n;
INSERT INTO project_versions (project_id, version, shown_version, rules, created_by, created_at)
SELECT 7, n, n, jsonb_build_object('guidance', repeat('word ' || n % 9 || ' ', 1000)), 1001, now() - make_interval(days => 400 - n) FROM generate_series(1, 300) n;
INSERT INTO reason_codes (project_id, code, label) SELECT p, 'reason ' || r, 'Reason ' || r FROM generate_series(1, 400) p, generate_series(1, 8) r;
INSERT INTO approvals (id, item_id, project_id, overturns, task_id, state, moved_by)
SELECT n, n, 1 + n % 400, false, n, CASE WHEN n % 50 > 0 THEN 'resolved' ELSE 'pending' END, 1001 FROM generate_series(1, 100000) n;
INSERT INTO control_queues SELECT n, 1 + n % 400, n, n % 7, 0, 0, now() - make_interval(mins => n), n FROM generate_series(1, 1000) n;
INSERT INTO control_hours SELECT p, date_trunc('hour', now()) - make_interval(hours => h), 10, 9, 0, h FROM generate_series(0, 400, 20) p, generate_series(0, 8760) h;
INSERT INTO control_leases SELECT p, current_date - d, l, 10 FROM generate_series(0, 400) p, generate_series(0, 120) d, generate_series(1, 6) l;
INSERT INTO control_reasons SELECT q, date_trunc('week', now())::date - 7 * w, 'reason ' || r, 'approve', 10 * r, 1 FROM generate_series(1, 1000) q, generate_series(0, 30) w, generate_series(1, 8) r ORDER BY 2;
INSERT INTO control_routes SELECT q, date_trunc('week', now())::date - 7 * w, 'PARTIAL', 'EUR', b, 'approve', 100, 0 FROM generate_series(1, 1000) q, generate_series(0, 30) w, generate_series(1, 4) b ORDER BY 2;
INSERT INTO control_load SELECT current_date - d, 1000 + p, p % 200, 60, 0, 0, 0, 0 FROM generate_series(0, 60) d, generate_series(1, 3000) p;
INSERT INTO policy_gaps SELECT 1 + n % 400, 'reason', 'reason ' || n, 50, 20, 1, 19, 0, 0, 900, 20, 3, 2, '{1,2,3,4,5}' FROM generate_series(1, 500) n;
INSERT INTO policy_gaps SELECT n, '', '', 950, 40, 1, 19, 0, 0, 0, 0, NULL, NULL, '{}' FROM generate_series(1, 400) n;
SET session_replication_role = origin;
VACUUM ANALYZE;
"""


@pytest.fixture(scope="module")
def year(make_database):
    with psycopg.connect(make_database().superuser, autocommit=True, row_factory=dict_row) as connection:
        for statement in YEAR.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        yield connection


@pytest.mark.parametrize("screen", SCREENS)
def test_it_reads_what_is_kept_and_little_of_it(screen: str, year: Any):
    buffers = 0
    for statement, params in SCREENS[screen]:
        given = {name: list_of(value) for name, value in params.items()}
        explain(year, statement, "generic", **given)
        plan = explain(year, statement, "generic", **given)
        buffers += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
        assert not [node for node in nodes(plan) if node.get("Relation Name") == "approvals" and node.get("Index Name") != "approvals_waiting"]
        assert {node["Relation Name"] for node in nodes(plan) if "Relation Name" in node} <= KEPT | SMALL
    assert buffers <= 500, f"{buffers} buffers"


def list_of(value: Any) -> Any:
    return "{" + ",".join(value) + "}" if isinstance(value, list) else value
