"""The hot statements read little, however much there is: buffers and plan nodes at 100,000 pending and decided rows, with 5,000 live leases."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from psycopg.rows import dict_row

from bench.load import Floor, load
from claimcheck.db import STATEMENTS
from claimcheck.experts.ruling import BY_THE_STATEMENT
from tests.sql.test_statements import positional

LARGE = Floor(pending=100_000, decided=100_000, live=5_000)
BIG = {"tasks", "assignments", "decisions", "items", "payouts", "outbox", "people", "applied", "events", "evidence", "evidence_parts", "approvals", "proposals"}
ONE, FIVE, TWENTY, LEAD = 3, 1, 2, 20  # reviewers by how many skills they hold (n % 3), and a lead
HELD = LARGE.decided + 17
TYPES = {"me": "int", "skill_id": "int", "queue": "text", "item_id": "bigint"}

GOLDS = """
SET session_replication_role = replica;
INSERT INTO golds (item_id, project_id, skill_id, origin, exposures, max_exposures, made_by, retired_at, retired_why)
SELECT n, 1 + n % 200, 1 + n % 200, 'given', 1, 5, 20, CASE WHEN n > 300 THEN clock_timestamp() END, CASE WHEN n > 300 THEN 'worn out' END FROM generate_series(1, 5000) n;
INSERT INTO gold_exposures (task_id, gold_id, scored_at, price_minor, settled_at)
SELECT n, 1 + n % 5000, clock_timestamp(), 80, CASE WHEN n > 200 THEN clock_timestamp() END FROM generate_series(1, 50000) n;
INSERT INTO gold_exposures (task_id, gold_id) SELECT 105000 + n, n FROM generate_series(1, 300) n;
INSERT INTO payouts (assignment_id, person_id, amount_minor, currency) SELECT id, person_id, 100, 'EUR' FROM assignments WHERE ended_at IS NOT NULL;
INSERT INTO scores (person_id, skill_id, updated_at) SELECT person_id, skill_id, clock_timestamp() - interval '1 day' FROM person_skills;
UPDATE skills SET fitted_at = clock_timestamp() - interval '1 hour';
SET session_replication_role = origin;
"""  # 300 golds are live with a copy out, 4,700 are worn out; 50,000 looks were scored, 200 of them are to be settled with their month

EYES = """
SET session_replication_role = replica;
UPDATE projects SET four_eyes = '[{"amount_from": "10"}, {"verdict": "approve"}]' WHERE id = 19;
INSERT INTO lanes (skill_id, tier, queue) VALUES (19, 2, 'approval');
INSERT INTO queues (project_id, name, lane_id) SELECT 19, queue, id FROM lanes WHERE queue = 'approval';
INSERT INTO proposals (item_id, task_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash, reason_code, rule)
SELECT id, id, project_id, 1, 1, 'approve', 'approve', 1, 1, evidence_hash, 'ok', '{}' FROM tasks WHERE id <= 50000 OR id > 203000 ORDER BY id;
INSERT INTO approvals (id, item_id, project_id, overturns, task_id, state, moved_by)
SELECT id, item_id, project_id, false, task_id, CASE WHEN id <= 50000 THEN 'resolved' ELSE 'pending' END, 1 FROM proposals;
SET session_replication_role = origin;
"""  # project 19 asks for a second pair of eyes; 50,000 were, 2,000 wait
ASKED, LOOKED_AT, SECOND = LARGE.decided + 18, LARGE.decided + 218, 40  # held looks of that project, the second of which is submitted, and a lead who holds its approval


@pytest.fixture(scope="module", params=["analysed", "never analysed"])
def desk(make_database, request):
    database = make_database()
    load(database.superuser, LARGE, analyze=request.param == "analysed")
    with psycopg.connect(database.superuser, autocommit=True, row_factory=dict_row) as connection:
        connection.execute(GOLDS)
        connection.execute(EYES)
        look_again(connection)
        if request.param == "analysed":
            connection.execute("ANALYZE golds, gold_exposures, payouts, scores, weighing, proposals, approvals")
        yield connection


def literal(value) -> str:
    if value is None or isinstance(value, bool | int):
        return (
            {None: "NULL", True: "true", False: "false"}.get(value, str(value))
            if not isinstance(value, int) or isinstance(value, bool)
            else str(value)
        )
    return "'\\x" + value.hex() + "'" if isinstance(value, bytes) else "'" + str(value).replace("'", "''") + "'"


def nodes(plan):
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def explain(connection, statement: str, mode: str, **params):
    """The executed plan of a prepared statement, rolled back."""
    text, names = positional(statement)
    name = f"p_{statement.replace('/', '_')}_{mode}"
    connection.execute(f"SET plan_cache_mode = force_{mode}_plan")
    if not connection.execute("SELECT 1 FROM pg_prepared_statements WHERE name = %s", (name,)).fetchone():
        connection.execute(f"PREPARE {name} AS {text}")
    call = f"EXECUTE {name}" + (f"({', '.join(literal(params[n]) for n in names)})" if names else "")
    with connection.transaction(force_rollback=True):
        row = connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {call}").fetchone()
    plan = row["QUERY PLAN"] if isinstance(row["QUERY PLAN"], list) else json.loads(row["QUERY PLAN"])
    return plan[0]["Plan"]


def faults(plan) -> list[str]:
    """Scans and sorts that grow with the table."""
    found = []
    for node in nodes(plan):
        rows, loops = node.get("Actual Rows", 0), node.get("Actual Loops", 0)
        if (
            loops
            and node["Node Type"] in ("Seq Scan", "Bitmap Heap Scan")
            and node.get("Relation Name") in BIG
            and rows + node.get("Rows Removed by Filter", 0) > 100
        ):
            found.append(f"{node['Node Type']} on {node['Relation Name']}")
        if loops and "Sort" in node["Node Type"] and max((c.get("Actual Rows", 0) for c in node.get("Plans", [])), default=0) > 400:
            found.append("Sort over an unbounded scan")
        small = 20_000 if node.get("Relation Name") == "lanes" else 400  # a few hundred lanes in all; until they are analysed a scan may look as good
        if node.get("Rows Removed by Filter", 0) * loops > small:
            found.append(f"{node.get('Index Name', node['Node Type'])} on {node.get('Relation Name')} filtered {node['Rows Removed by Filter']}")
    return found


def held(connection, assignment=HELD):
    return connection.execute(
        "SELECT id AS assignment_id, token AS lease_token, person_id AS me, evidence_hash FROM assignments WHERE id = %s", (assignment,)
    ).fetchone()


def claim(me, skill_id=None, queue=None, item_id=None):
    return "tasks/claim", {"me": me, "skill_id": skill_id, "queue": queue, "item_id": item_id}


def submit(connection, assignment=HELD):
    answer = {"verdict": "approve", "answer": None, "vote": "approve", "reason_code": "ok", "note": "", **BY_THE_STATEMENT}
    return "decisions/submit", held(connection, assignment) | answer


def look_again(connection):
    """A look is submitted, and a lead takes the approval that comes of it."""
    name, params = submit(connection, LOOKED_AT)
    connection.execute(STATEMENTS[name], params)
    name, params = claim(SECOND, item_id=LOOKED_AT)
    connection.execute(STATEMENTS[name], params)


def approve(connection):
    return submit(connection, connection.execute("SELECT id FROM assignments WHERE person_id = %s AND ended_at IS NULL", (SECOND,)).fetchone()["id"])


CASES = {
    "claim, one skill": (lambda c: claim(ONE), 60),
    "claim, five skills": (lambda c: claim(FIVE), 110),
    "claim, twenty skills": (lambda c: claim(TWENTY), 250),
    "claim of one item": (lambda c: claim(TWENTY, item_id=LARGE.decided + LARGE.live + 400), 250),
    "claim, held already": (lambda c: claim(held(c)["me"]), 30),
    "an empty claim confirmed": (lambda c: ("tasks/any_left", {"me": TWENTY, "skill_id": None, "queue": None}), 60),
    "heartbeat": (lambda c: ("assignments/heartbeat", held(c) | {"idle_seconds": 0}), 60),
    "release": (lambda c: ("assignments/release", held(c) | {"skip": False, "reason": None}), 60),
    "submit": (submit, 60),
    "submit of what waits for a second pair of eyes": (lambda c: submit(c, ASKED), 120),
    "submit of that second pair of eyes": (approve, 170),
    "a page of approvals": (lambda c: ("approvals/page", {"me": LEAD, "project_id": None, "after": 0, "limit": 50}), 1_000),
    "an approval": (lambda c: ("approvals/load", {"approval_id": 51_000}), 30),
    "an item's approvals": (lambda c: ("approvals/of_item", {"item_id": LOOKED_AT}), 15),
    "submit, repeated": (lambda c: submit(c), 60),
    "whether something waits for a scorer": (lambda c: ("scores/waiting", {"seconds": 60.0}), 4_500),
    "the golds of a month paid": (lambda c: ("payouts/settle", {"at": datetime.now(UTC) + timedelta(days=40)}), 9_000),
    "a page of pay": (
        lambda c: (
            "payouts/page",
            {
                "person_id": held(c)["me"],
                "before": 2**62,
                "since": datetime(2000, 1, 1, tzinfo=UTC),
                "until": datetime(9999, 1, 1, tzinfo=UTC),
                "limit": 50,
            },
        ),
        1_200,
    ),
    "what is left": (lambda c: ("tasks/left", {"me": ONE}), 500),
    "an assignment's screen": (lambda c: ("assignments/load", held(c)), 40),
    "the key of a receipt": (lambda c: ("signing_keys/at", {"at": datetime.now(UTC)}), 10),
    "overturn": (
        lambda c: (
            "decisions/overturn",
            {"decision_id": 5, "me": LEAD, "answer": None, "outcome": "reject", "reason_code": "bad", "note": ""},
        ),
        230,  # a function: what the server reads to plan its statements is in here too
    ),
    "how many deadlines are in danger": (lambda c: ("alerts/in_danger", {"customer_id": None}), 60),
    "a page of a dataset": (lambda c: ("datasets/decisions", {"project_id": 7, "after": 1_000, "up_to": 2**40, "limit": 50}), 1_000),
    "whether there is news for a dataset": (lambda c: ("datasets/newest", {"project_id": 7}), 20),
    "what waits to be made": (lambda c: ("datasets/waiting", {"days": 3, "most": 4}), 20),
    "a page of what a retraction touches": (
        lambda c: (
            "retractions/touched",
            {"person_id": 70, "since": datetime(1970, 1, 1, tzinfo=UTC), "looks_to": 2**40, "project_id": 7, "after": 0, "limit": 50},
        ),
        1_500,
    ),
    "what a retraction opens next": (
        lambda c: ("retractions/next", {"retraction_id": 1, "stays": False, "probability": -1.0, "item_id": 0, "limit": 100}),
        10,
    ),
    "an effect's lease": (lambda c: ("outbox/lease", {"outbox_id": 5, "attempts": 9, "patience": 5, "at_once": 4, "seconds": 30.0, "letter_seconds": 90.0}), 20),
    "an effect done": (lambda c: ("outbox/done", {"outbox_id": 5, "lease": uuid.uuid4()}), 20),
}


@pytest.mark.parametrize("mode", ["generic", "custom"])
@pytest.mark.parametrize("case", CASES)
def test_it_reads_little_for(case, mode, desk):
    make, bound = CASES[case]
    statement, params = make(desk)
    explain(desk, statement, mode, **params)  # the first run warms the catalogue
    plan = explain(desk, statement, mode, **params)
    assert not (found := faults(plan)), found
    buffers = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    assert buffers <= bound, f"{buffers} buffers"


@pytest.mark.parametrize("mode", ["generic", "custom"])
def test_the_submit_never_takes_the_index_of_lapsed_leases(mode, desk):
    statement, params = submit(desk)
    used = {node.get("Index Name") for node in nodes(explain(desk, statement, mode, **params))}
    assert not used & {"assignments_expiry", "assignments_last"}


def test_no_index_holds_what_a_claim_or_a_heartbeat_changes_expiry_aside(desk):
    rows = desk.execute("SELECT indexdef FROM pg_indexes WHERE tablename IN ('tasks', 'assignments')").fetchall()
    for row in rows:
        body = row["indexdef"].split("USING", 1)[1]
        assert not any(column in body for column in ("seen_by", "skipped_by", "votes", "lease_count", "lease_expires")), row["indexdef"]


def test_a_claim_reads_little_when_thousands_of_leases_have_lapsed(desk):
    """The last test of this desk: it changes it for good."""
    desk.execute("UPDATE assignments SET lease_expires = clock_timestamp() - interval '1 min' WHERE ended_at IS NULL")
    statement, params = claim(TWENTY)
    plan = explain(desk, statement, "generic", **params)
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] <= 350
