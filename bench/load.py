"""Fills a migrated database with a floor of any size: skills, people, pending tasks, live leases, decided history. Set-based; triggers are off meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import psycopg

HASH = "decode(repeat('ab', 32), 'hex')"


@dataclass(frozen=True)
class Floor:
    """How much of everything. Reviewers 1…`reviewers` hold 1, 5 and 20 skills in turn (n % 3 = 0, 1, 2); holders of live leases come after them."""

    pending: int = 10_000
    decided: int = 0
    live: int = 0
    skills: int = 200
    reviewers: int = 60
    abandon_limit: int = 3


BASE = """
INSERT INTO customers (name) VALUES ('Eve & Co');
INSERT INTO skills (name) SELECT 'skill ' || n FROM generate_series(1, {skills}) n;
INSERT INTO lanes (skill_id, tier, queue) SELECT n, CASE q WHEN 'adjudication' THEN 2 ELSE 0 END, q FROM generate_series(1, {skills}) n, unnest('{{review,escalation,adjudication}}'::text[]) q ORDER BY q DESC, n;
INSERT INTO projects (customer_id, name, skill_id, lease_seconds, created_by) SELECT 1, 'project ' || n, n, 1800, 0 FROM generate_series(1, {skills}) n;
INSERT INTO project_versions (project_id, version, shown_version, rules, created_by) SELECT n, 1, 1, '{{}}', 0 FROM generate_series(1, {skills}) n;
INSERT INTO queues (project_id, name, lane_id) SELECT p.id, l.queue, l.id FROM projects p JOIN lanes l ON l.skill_id = p.skill_id ORDER BY l.queue DESC, p.id;
INSERT INTO reason_codes (project_id, code, label) SELECT n, c, c FROM generate_series(1, {skills}) n, unnest('{{ok,bad,agreement}}'::text[]) c;
INSERT INTO effects (project_id, kind, on_outcomes) SELECT n, 'standing', '{{approve,reject,answer,overturn}}' FROM generate_series(1, {skills}) n;
INSERT INTO batches (project_id, created_by) SELECT n, 0 FROM generate_series(1, {skills}) n;
INSERT INTO people (name, role) SELECT 'reviewer ' || n, CASE WHEN n % 20 = 0 THEN 'lead' ELSE 'reviewer' END FROM generate_series(1, {people}) n;
INSERT INTO person_skills (person_id, skill_id)
SELECT DISTINCT n, 1 + (n * 7 + k * 11) % {skills} FROM generate_series(1, {reviewers}) n, generate_series(0, 19) k WHERE k < (ARRAY[1, 5, 20])[1 + n % 3];
INSERT INTO project_clocks (project_id, lane_id, priority, clock) SELECT n, n, 0, {total} FROM generate_series(1, {skills}) n;
"""
ITEMS = """
INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version)
SELECT 1 + n % {skills}, 1 + n % {skills}, n::text, {hash}, n::text, 0, 1 FROM generate_series(1, {total}) n;
"""
TASKS = """
INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor, evidence_version, shown_version,
                   evidence_hash, seen_by, votes, lease_count, ended_as, ended_at)
SELECT n, 1 + n % {skills}, 'review', 1 + n % {skills}, 1 + n % {skills}, 0, n::float8 / {skills}, clock_timestamp() - (2 * {total} - n) * interval '1 ms', 1, {abandon_limit}, 0, 1, 1,
       {hash}, CASE WHEN n <= {busy} THEN ARRAY[{who}] ELSE '{{}}' END, CASE WHEN n <= {decided} THEN ARRAY['approve'] ELSE '{{}}' END, (n <= {busy})::int,
       CASE WHEN n <= {decided} THEN 'decided' END, CASE WHEN n <= {decided} THEN clock_timestamp() - interval '1 day' END
  FROM generate_series(1, {total}) n;
"""
ASSIGNMENTS = """
INSERT INTO assignments (task_id, item_id, person_id, lane_id, lease_no, evidence_version, evidence_hash, claimed_at, lease_seconds, idle_seconds, hold_until, lease_expires,
                         may_be_last, ended_at, end_reason)
SELECT n, n, {who}, 1 + n % {skills}, 1, 1, {hash}, clock_timestamp() - interval '2 days', 1800, 300, clock_timestamp() + interval '9 days',
       clock_timestamp() + interval '2 days' + n * interval '1 ms', false,
       CASE WHEN n <= {decided} THEN clock_timestamp() - interval '1 day' END, CASE WHEN n <= {decided} THEN 'submitted' END
  FROM generate_series(1, {busy}) n;
"""
DECISIONS = """
INSERT INTO decisions (item_id, task_id, assignment_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash, reason_code,
                       created_at)
SELECT n, n, n, 1 + n % {skills}, 1, {who}, 'approve', 'approve', 1, 1, {hash}, 'ok', clock_timestamp() - interval '1 day' FROM generate_series(1, {decided}) n;
"""
OUTBOX = """
INSERT INTO outbox (decision_id, effect_id, state, done_at) SELECT n, 1 + n % {skills}, 'done', clock_timestamp() FROM generate_series(1, {decided}) n;
INSERT INTO applied (decision_id, effect_id) SELECT n, 1 + n % {skills} FROM generate_series(1, {decided}) n;
"""


def load(superuser: str, floor: Floor, analyze: bool = True) -> None:
    """Fills the database at `superuser`. Tasks 1…decided are settled, the next `live` are held, the rest pend; item, task and rank rise together."""
    busy = floor.decided + floor.live
    names = {
        "skills": floor.skills,
        "reviewers": floor.reviewers,
        "people": floor.reviewers + max(floor.live, 1),
        "decided": floor.decided,
        "busy": busy,
        "total": busy + floor.pending,
        "who": f"{floor.reviewers} + CASE WHEN n <= {floor.decided} THEN 1 + n % {max(floor.live, 1)} ELSE n - {floor.decided} END",
        "hash": HASH,
        "abandon_limit": floor.abandon_limit,
    }
    run = partial(_run, superuser)
    run(BASE.format(**names))
    with ThreadPoolExecutor() as threads:  # a table each: no row looks for another while triggers are off
        list(threads.map(run, (script.format(**names) for script in (TASKS, ASSIGNMENTS, DECISIONS, ITEMS, OUTBOX))))
    if analyze:
        run("VACUUM ANALYZE")


def _run(superuser: str, script: str) -> None:
    with psycopg.connect(superuser, autocommit=True, options="-c session_replication_role=replica") as connection:
        connection.execute(script)
