"""The log of accesses is read by its indexes, however long it is: 300,000 events of three customers and fifty people."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.sql.test_plans import explain, faults, nodes

EVENTS = 300_000
WITHIN = {"copies": False, "since": "2000-01-01", "until": "9000-01-01", "limit": 101}
CASES = {
    "of_customer": ({"customer_id": 2}, 1300),
    "of_customer_by": ({"customer_id": 2, "person_id": 1007}, 1300),
    "of_person": ({"person_id": 1007}, 1300),
    "of_one_item": ({"customer_id": 2, "person_id": None, "item_id": 1501}, 1300),
}


@pytest.fixture(scope="module")
def log(make_database):
    database = make_database()
    with psycopg.connect(database.superuser, autocommit=True, row_factory=dict_row) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("INSERT INTO customers (id, name) OVERRIDING SYSTEM VALUE SELECT n, 'c' || n FROM generate_series(1, 3) n")
        connection.execute(
            "INSERT INTO people (id, name, role) OVERRIDING SYSTEM VALUE SELECT 1000 + n, 'p' || n, 'reviewer' FROM generate_series(1, 50) n"
        )
        connection.execute(
            "INSERT INTO projects (id, customer_id, name, skill_id, created_by) OVERRIDING SYSTEM VALUE SELECT n, n, 'p', 1, 0 FROM generate_series(1, 3) n"
        )
        connection.execute(
            """INSERT INTO items (id, project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version) OVERRIDING SYSTEM VALUE
               SELECT n, n %% 3 + 1, 1, 'k' || n, decode(repeat('ab', 32), 'hex'), 't', 0, 1 FROM generate_series(1, 60000) n""".replace("%%", "%")
        )
        connection.execute(
            f"""INSERT INTO access_events (at, person_id, item_id, evidence_version, part, purpose, customer_id)
               SELECT clock_timestamp() - interval '60 days' * ({EVENTS} - n) / {EVENTS}, 1001 + n / 7 % 50, n % 60000 + 1, 1, 'payload.json', 'review', (n % 60000 + 1) % 3 + 1
                 FROM generate_series(1, {EVENTS}) n"""
        )
        connection.execute("VACUUM ANALYZE access_events, items, people, projects")
        yield connection


@pytest.mark.parametrize("mode", ["generic", "custom"])
@pytest.mark.parametrize("case", CASES)
def test_it_reads_a_page_of_the_log_by_an_index(case, mode, log):
    params, bound = CASES[case]
    for before in (2**63 - 1, EVENTS // 2):
        plan = explain(log, f"access_events/{case}", mode, **params, **WITHIN, before=before)
        assert not [fault for fault in faults(plan) if "Sort" not in fault]
        assert not [n for n in nodes(plan) if n["Node Type"] == "Seq Scan" and n.get("Relation Name") == "access_events"]
        assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] <= bound


def test_it_reads_only_the_days_that_are_not_written_down_yet(log):
    """And the second time nothing of the past."""
    log.execute("SET session_replication_role = origin")
    log.execute("SET plan_cache_mode = force_generic_plan")
    first = explain(log, "access_days/fill", "generic", days=28)
    read = max(n.get("Actual Rows", 0) for n in nodes(first) if n.get("Relation Name") == "access_events")
    assert EVENTS * 27 / 60 < read < EVENTS * 30 / 60
    log.execute("INSERT INTO access_days SELECT 1001, (clock_timestamp() AT TIME ZONE 'UTC')::date - 1, 1, 1, '{}'")
    again = explain(log, "access_days/fill", "generic", days=28)
    assert max(n.get("Actual Rows", 0) for n in nodes(again) if n.get("Relation Name") == "access_events") == 0
