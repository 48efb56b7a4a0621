"""Fills a migrated database with a field to search in: items in every state, five looks each, and all that is rare or crowded among them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import psycopg

from bench.load import BASE, HASH

PROJECTS, REVIEWERS, LEADS = 20, 60, 2
NAMES = SimpleNamespace(hot="ledger 1", rare="rare", trace="trace 17", queue="senior", reviewer=REVIEWERS, busy=1, lead=REVIEWERS + 1)


@dataclass(frozen=True)
class Field:
    """How many items; decisions are five times as many.

    Four fifths are settled, oldest first; of what follows a twentieth each is escalated, waiting (a hundred of them in the queue `senior`), cancelled
    and paused; forty are held. Half belong to project 1, every tenth item to its one hot partition. NAMES says what is rare.
    The oldest five thousand are in two batch decisions, one of them decided, in a bulk overturn that is half done, in an action that is, and in one whose proposals are all resolved.
    """

    items: int

    @property
    def decisions(self) -> int:
        return 5 * self.items


MORE = """
INSERT INTO lanes (skill_id, tier, queue) VALUES (1, 1, 'senior');
INSERT INTO queues (project_id, name, lane_id) SELECT 1, 'senior', id FROM lanes WHERE queue = 'senior';
UPDATE project_versions SET rules = '{{"facets": ["/country", "/id"]}}';
INSERT INTO reason_codes (project_id, code, label) SELECT n, 'rare', 'Rare' FROM generate_series(1, {projects}) n;
INSERT INTO people (name, role) SELECT 'lead ' || n, 'lead' FROM generate_series(1, {leads}) n;
INSERT INTO partitions (project_id, key, accepted_no, last_no, settled_no, promoted_no) VALUES (1, 'ledger 1', {total} / 10, {total} / 10, {settled} / 10, {settled} / 10 + 1);
INSERT INTO partitions (project_id, key, accepted_no, last_no, settled_no, promoted_no) SELECT 1, 'ledger ' || n, 0, 0, 0, 0 FROM generate_series(2, 1000) n;
"""
OF = "CASE WHEN n % 2 = 0 THEN 1 ELSE 2 + n / 2 % 19 END"
AT = "clock_timestamp() - ({total} - n) * interval '30 days' / {total}"
SCRIPTS = (
    """
INSERT INTO messages (project_id, idempotency_key, message_hash, source_hash, trace_id, partition_key, ledger_entity, currency, variance_amount, match_decision, source, received_by)
SELECT {of}, 'k' || n, {hash}, {hash}, 'm' || n, 'x', 'x', 'EUR', CASE WHEN m % ({total} / 24) = 7 THEN 2000000 + m ELSE m * 7919 % 100000 / 100.0 END, 'UNMATCHED', 'http', 0
  FROM generate_series(1, {total} / 8) m CROSS JOIN LATERAL (SELECT 8 * m - 7 AS n) i;
""",
    """
INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version, partition_id, partition_no, message_id, created_at)
SELECT {of}, {of}, 'k' || n, {hash}, CASE WHEN n % ({total} / 4) = 17 THEN 'trace 17' ELSE 't' || n END, 0, 1, CASE WHEN n % 10 = 0 THEN 1 END, CASE WHEN n % 10 = 0 THEN n / 10 END,
       CASE WHEN n % 8 = 1 THEN n / 8 + 1 END, {at} FROM generate_series(1, {total}) n;
""",
    """
INSERT INTO evidence (item_id, version, title, fields, created_by, published_at, created_at)
SELECT n, 1, 'Invoice ' || n, '{{}}', 0, {at}, {at} FROM generate_series(1, {total}) n;
INSERT INTO item_facets (item_id, version, facets) SELECT n, 1, jsonb_build_object('/country', 'land ' || n % 50, '/id', n::text) FROM generate_series(1, {total}) n;
""",
    """
INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor, evidence_version, shown_version, evidence_hash,
                   partition_id, partition_no, waits, paused, cancelled_at, seen_by, votes, lease_count, ended_as, ended_at, created_at)
SELECT n, {of}, 'review', CASE WHEN aged AND n % 2 = 0 AND n <= {settled} + {fifth} + 200 THEN 3 * {projects} + 1 ELSE {of} END, {of}, 0, n::float8 / {total}, {at}, 5, 3, 0, 1, 1, {hash},
       CASE WHEN n % 10 = 0 THEN 1 END, CASE WHEN n % 10 = 0 THEN n / 10 END, n % 10 = 0 AND n > {settled} + 10,
       n > {settled} + 3 * {fifth} AND n <= {settled} + 4 * {fifth}, CASE WHEN n > {settled} + 2 * {fifth} AND n <= {settled} + 3 * {fifth} AND n % 10 <> 0 THEN clock_timestamp() END,
       CASE WHEN n <= {settled} THEN ARRAY[1, 2, 3, 4, 5] WHEN led THEN ARRAY[1, 2, 3, 4, 5] ELSE '{{}}' END,
       CASE WHEN n <= {settled} OR led THEN array_fill('approve'::text, ARRAY[5]) ELSE '{{}}' END, CASE WHEN n <= {settled} OR led THEN 5 ELSE 0 END,
       CASE WHEN n <= {settled} THEN 'decided' WHEN led THEN 'escalated' END, CASE WHEN n <= {settled} OR led THEN {at} END, {at}
  FROM generate_series(1, {total}) n CROSS JOIN LATERAL (SELECT n > {settled} AND n <= {settled} + {fifth} AND n % 10 <> 0 AS led, n > {settled} + {fifth} AS aged) w;
INSERT INTO tasks (item_id, project_id, parent_id, kind, queue_id, lane_id, priority, rank, since, wanted, price_minor, evidence_version, shown_version, evidence_hash, created_at)
SELECT n, {of}, n, 'escalation', q.id, q.lane_id, 10, n::float8 / {total}, {at}, 1, 0, 1, 1, {hash}, {at}
  FROM generate_series({settled} + 1, {settled} + {fifth}) n JOIN queues q ON q.project_id = {of} AND q.name = 'escalation' WHERE n % 10 <> 0;
""",
    """
INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash, reason_code, created_at)
SELECT n, n, {of}, 1, CASE WHEN k = 6 THEN 0 WHEN k = 2 AND n % ({settled} / 3) = 5 THEN {reviewers} ELSE 1 + (n * 7 + k * 13) % ({reviewers} - 1) END, 'approve', CASE WHEN k = 6 THEN 'approve' END,
       1, 1, {hash}, CASE WHEN k = 6 THEN 'agreement' WHEN k = 2 AND n % ({settled} / 5) = 6 THEN 'rare' WHEN n % 10 = 3 THEN 'bad' ELSE 'ok' END, {at}
  FROM generate_series(1, {settled} + {fifth}) n CROSS JOIN generate_series(1, 6) k WHERE n <= {settled} OR k < 6 ORDER BY n, k;
""",
    """
INSERT INTO events (at, kind, person_id, project_id, item_id, task_id)
SELECT {at}, 'assignment.submitted', 1 + (n * 7 + 13) % ({reviewers} - 1), {of}, n, n FROM generate_series(1, {settled} + {fifth}) n;
""",
)
HELD = """
INSERT INTO assignments (task_id, item_id, person_id, lane_id, lease_no, evidence_version, evidence_hash, claimed_at, lease_seconds, idle_seconds, hold_until, lease_expires, may_be_last)
SELECT t.id, t.item_id, row_number() OVER (ORDER BY t.id), t.lane_id, 1, 1, {hash}, clock_timestamp(), 1800, 300, clock_timestamp() + interval '9 days', clock_timestamp() + interval '2 days', false
  FROM tasks t WHERE t.id IN (SELECT {total} - 10 * n - 3 FROM generate_series(1, 40) n);
UPDATE tasks t SET lease_count = 1, wanted = 1, seen_by = ARRAY[a.person_id] FROM assignments a WHERE a.task_id = t.id;
"""
LISTED = 5_000  # items of each batch decision
BATCHES = """
CREATE TEMP TABLE told AS SELECT item_id AS n, min(id) AS first, max(id) AS last FROM decisions WHERE item_id <= {listed} GROUP BY item_id;
INSERT INTO batch_decisions (project_id, project_version, led_by, same, verdict, reason_code, note, at_most, confidence, undo_seconds, most, tolerate, state, members, seed, sample_size, nth, drawn,
                             looked, wrong, rest, upper)
SELECT 2, 1, {reviewers} + 1, '{{review,"","","",""}}', 'approve', 'ok', '', 0.02, 0.95, 300, {listed}, 0, state, {listed}, 'a', 142, 1, 142, looked, 0, {listed} - 142, 97
  FROM (VALUES ('decided', 142), ('sampling', NULL)) b (state, looked);
INSERT INTO batch_members (batch_id, n, item_id, task_id, evidence_hash) SELECT b.id, n, n, n, {hash} FROM batch_decisions b CROSS JOIN generate_series(1, {listed}) n;
INSERT INTO batch_draws (batch_id, place, n) SELECT b.id, place, 35 * place FROM batch_decisions b CROSS JOIN generate_series(1, 142) place;
INSERT INTO batch_looks (batch_id, n, decision_id, differs)
SELECT d.batch_id, d.n, told.first, false FROM batch_draws d JOIN told USING (n) JOIN batch_decisions b ON b.id = d.batch_id WHERE b.state = 'decided' OR d.place < 70;
INSERT INTO batch_ends (batch_id, n, came_to, why, decision_id)
SELECT m.batch_id, m.n, CASE WHEN m.n % 200 = 0 THEN 'stale' WHEN m.n % 35 = 0 AND m.n <= 35 * 142 THEN 'opened' ELSE 'decided' END, CASE WHEN m.n % 200 = 0 THEN 'it changed' END,
       CASE WHEN m.n % 200 <> 0 THEN told.last END
  FROM batch_members m JOIN told USING (n) JOIN batch_decisions b ON b.id = m.batch_id WHERE b.state = 'decided';
INSERT INTO batch_undone (batch_id, n, decision_id) SELECT batch_id, n, decision_id FROM batch_ends WHERE came_to = 'decided' AND n % 7 = 0;
INSERT INTO bulk_overturns (project_id, shown_version, requested_by, since, until, outcome, reason_code, note, most, state, moved_by, approved_by, place_at, place_id, listed, reached,
                            overturned, left_out)
SELECT 2, 1, {reviewers} + 1, clock_timestamp(), clock_timestamp(), 'reject', 'ok', '', {listed}, 'running', {reviewers} + 1, {reviewers} + 2, clock_timestamp(), 0, {listed}, {listed} / 2,
       {listed} / 2 - {listed} / 100, {listed} / 100;
INSERT INTO bulk_overturn_members (bulk_id, n, decision_id, item_id, task_id, evidence_hash, evidence_version)
SELECT 1, n, last, n, n, {hash}, 1 FROM told;
INSERT INTO bulk_overturn_ends (bulk_id, n, came_to, why, decision_id)
SELECT bulk_id, n, CASE WHEN n % 50 = 0 THEN 'left_out' ELSE 'overturned' END, CASE WHEN n % 50 = 0 THEN 'it changed' END, CASE WHEN n % 50 <> 0 THEN decision_id END
  FROM bulk_overturn_members WHERE n <= {listed} / 2;
INSERT INTO item_actions (asked_by, kind, what, why, state, members, acted, done)
SELECT {reviewers} + 1, 'prioritise', '{{}}', '', 'acting', {listed}, {listed} / 2, {listed} / 2 - {listed} / 100;
INSERT INTO item_action_members (action_id, n, item_id) SELECT 1, n, n FROM generate_series(1, {listed}) n;
INSERT INTO item_action_ends (action_id, n, done, why) SELECT 1, n, n % 50 <> 0, CASE WHEN n % 50 = 0 THEN 'it changed' END FROM generate_series(1, {listed} / 2) n;
INSERT INTO item_actions (asked_by, kind, what, why, state, members, acted, done) SELECT {reviewers} + 1, 'send_back', '{{}}', 'seen again', 'done', {listed}, {listed}, {listed};
INSERT INTO item_action_members (action_id, n, item_id) SELECT 2, n, n FROM generate_series(1, {listed}) n;
INSERT INTO item_action_ends (action_id, n, done, why) SELECT 2, n, true, 'proposed: it waits for a second pair of eyes' FROM generate_series(1, {listed}) n;
"""


def fill(superuser: str, field: Field) -> float:
    """Fills the database at `superuser`, and leaves it analysed; the seconds it took."""
    began, total = time.monotonic(), field.items
    names: dict[str, object] = {"skills": PROJECTS, "projects": PROJECTS, "reviewers": REVIEWERS, "people": REVIEWERS, "leads": LEADS, "hash": HASH}
    names |= {"total": total, "settled": total * 4 // 5, "fifth": total // 20, "of": OF, "at": AT.format(total=total)}
    run = partial(_run, superuser)
    run(BASE.format(**names) + MORE.format(**names))
    with ThreadPoolExecutor() as threads:  # a table each: no row looks for another while triggers are off
        list(threads.map(run, (script.format(**names) for script in SCRIPTS)))
    run(HELD.format(**names) + BATCHES.format(**names, listed=LISTED))
    run("VACUUM ANALYZE")
    return time.monotonic() - began


def _run(superuser: str, script: str) -> None:
    with psycopg.connect(superuser, autocommit=True, options="-c session_replication_role=replica") as connection:
        connection.execute(script.encode())
