"""The floor of a race: projects and people, what arrives, what is applied, what is killed, and the referee."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from tests.sql.race import INVARIANTS, Link, Plan, Race, Reviewer, digest

LOOSE = """
ALTER TABLE projects ALTER lease_seconds TYPE float8, ALTER max_hold_seconds TYPE float8;
ALTER TABLE assignments DROP COLUMN live_until, DROP COLUMN last_until;
ALTER TABLE assignments ALTER lease_seconds TYPE float8;
ALTER TABLE assignments
    ADD live_until timestamptz GENERATED ALWAYS AS (CASE WHEN ended_at IS NULL THEN lease_expires END) STORED,
    ADD last_until timestamptz GENERATED ALWAYS AS (CASE WHEN ended_at IS NULL AND may_be_last THEN lease_expires END) STORED;
CREATE INDEX ON assignments (lane_id, live_until) WHERE live_until IS NOT NULL;
CREATE INDEX ON assignments (last_until) WHERE last_until IS NOT NULL;
"""  # leases of fractions of a second
EYES = [{"verdict": "approve"}, {"verdict": "overturn"}]


def people(race: Race, connection: psycopg.Connection[Any]) -> list[tuple[int, bool]]:
    """(id, lead) of the cast; every reviewer holds some of the skills."""
    cast = [(f"reviewer {n}", "reviewer") for n in range(race.plan.reviewers)] + [(f"lead {n}", "lead") for n in range(race.plan.leads)]
    rows = [connection.execute("INSERT INTO people (name, role) VALUES (%s, %s) RETURNING id, role", who).fetchone() for who in cast]
    for n, row in enumerate(rows):
        if row["role"] == "reviewer":
            for skill in range(1, 5):
                if skill in (1, 3) or (n + skill) % 2:  # 3 is what three looks are wanted of: enough eyes must be left when an item is opened again
                    connection.execute("INSERT INTO person_skills (person_id, skill_id, tier) VALUES (%s, %s, %s)", (row["id"], skill, 2 if skill == 2 else 0))
    return [(r["id"], r["role"] == "lead") for r in rows]


def projects(race: Race, connection: psycopg.Connection[Any]) -> None:
    """Odd ones have partitions; wanted is 1, 3, 1, 1 in turn; skills 1 to 4; the fifth wants a second pair of eyes on what is approved or overturned."""
    connection.execute("INSERT INTO customers (name) VALUES ('Eve & Co')")
    connection.execute("INSERT INTO skills (name) SELECT 'skill ' || n FROM generate_series(1, 4) n")
    connection.execute(
        "INSERT INTO lanes (skill_id, tier, queue) SELECT s, CASE WHEN q IN ('adjudication', 'approval') THEN 2 ELSE 0 END, q "
        "FROM generate_series(1, 4) s, unnest('{review,escalation,adjudication,approval}'::text[]) q"
    )
    for n in range(1, race.plan.projects + 1):
        row = connection.execute(
            """INSERT INTO projects (customer_id, name, skill_id, wanted, lease_seconds, max_hold_seconds, abandon_limit, price_minor, weight, four_eyes, created_by)
               VALUES (1, %s, %s, %s, %s, %s, 3, %s, %s, %s, 0) RETURNING id""",
            (f"project {n}", 1 + n % 4, 3 if n % 4 == 2 else 1, race.plan.lease, race.plan.lease * 20, n * 10, 1 + n % 3, Jsonb(EYES) if n == 5 else None),
        ).fetchone()
        connection.execute(
            "INSERT INTO project_versions (project_id, version, shown_version, rules, created_by) VALUES (%s, 1, 1, %s, 0)",
            (row["id"], Jsonb({"four_eyes": EYES} if n == 5 else {})),
        )
        connection.execute(
            "INSERT INTO queues (project_id, name, lane_id) SELECT %s, queue, id FROM lanes WHERE skill_id = %s", (row["id"], 1 + n % 4)
        )
        connection.execute("INSERT INTO reason_codes SELECT %s, c, c FROM unnest('{ok,bad,agreement}'::text[]) c", (row["id"],))
        connection.execute(
            "INSERT INTO effects (project_id, kind, on_outcomes) VALUES (%s, 'standing', '{approve,reject,answer,overturn}')", (row["id"],)
        )
        connection.execute("INSERT INTO batches (project_id, created_by) VALUES (%s, 0)", (row["id"],))


ARRIVE = """
WITH item AS (
    INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, partition_id, partition_no, evidence_version)
    VALUES (%(project)s, %(project)s, %(key)s, %(hash)s, %(key)s, %(priority)s, %(partition)s, %(no)s, 1) RETURNING id),
shown AS (INSERT INTO evidence (item_id, version, fields, created_by, published_at) SELECT id, 1, '{}', 0, clock_timestamp() FROM item)
INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor, evidence_version, shown_version, evidence_hash,
                   partition_id, partition_no, waits)
SELECT item.id, p.id, 'review', q.id, q.lane_id, %(priority)s, (advance_clock(p.id, q.lane_id, %(priority)s::smallint, 1)).last,
       clock_timestamp() - %(priority)s * interval '10 minutes', p.wanted, p.abandon_limit, p.price_minor, 1, 1, %(hash)s, %(partition)s, %(no)s, %(waits)s
  FROM item, projects p JOIN queues q ON q.project_id = p.id AND q.name = 'review' WHERE p.id = %(project)s"""


def arrive(connection: psycopg.Connection[Any], project: int, key: str, partition: str | None, priority: int, hold: float = 0.0) -> None:
    """One item in one transaction, under its partition's lock; the publish statement itself is tested elsewhere."""
    with connection.transaction():
        turn = {"id": None, "last_no": None, "promoted_no": None}
        if partition:
            turn = connection.execute(
                """INSERT INTO partitions AS p (project_id, key, accepted_no, last_no, promoted_no) VALUES (%s, %s, 1, 1, 1)
                   ON CONFLICT (project_id, key) DO UPDATE SET accepted_no = p.accepted_no + 1, last_no = p.last_no + 1, promoted_no = least(p.settled_no + 1, p.last_no + 1)
                   RETURNING id, last_no, promoted_no""",
                (project, partition),
            ).fetchone()
        waits = bool(partition) and turn["last_no"] > turn["promoted_no"]
        params = {
            "project": project,
            "key": key,
            "hash": digest(key),
            "priority": priority,
            "partition": turn["id"],
            "no": turn["last_no"],
            "waits": waits,
        }
        connection.execute(ARRIVE, params)
        time.sleep(hold)


def intake(race: Race) -> None:
    """Keeps some hundred items open; single ones come into nearly idle partitions while their last one is being decided."""
    rnd = random.Random(f"{race.plan.seed}-in")
    with race.superuser() as connection:
        for n in range(race.plan.tasks):
            while race.running and connection.execute("SELECT count(*) AS n FROM tasks WHERE open_in IS NOT NULL").fetchone()["n"] > 150:
                time.sleep(0.01)
            if not race.running:
                return
            project = rnd.randint(1, race.plan.projects)
            hot = project % 2 and rnd.random() < 0.5
            arrive(connection, project, f"{n}", f"P{rnd.randint(0, 3)}" if project % 2 else None, rnd.randint(0, 2), 0.004 if hot else 0.0)
            if n == race.plan.tasks // 2:
                cancel(race, connection, race.plan.projects)


def cancel(race: Race, connection: psycopg.Connection[Any], project: int) -> None:
    connection.execute("UPDATE projects SET cancelled_at = clock_timestamp() WHERE id = %s", (project,))
    for _ in range(500):
        connection.execute(
            """WITH open AS MATERIALIZED (SELECT id FROM tasks WHERE open_in = %s LIMIT 25 FOR NO KEY UPDATE SKIP LOCKED)
               UPDATE tasks SET cancelled_at = clock_timestamp() WHERE id IN (SELECT id FROM open)""",
            (project,),
        )
        if not connection.execute("SELECT count(*) AS n FROM tasks WHERE open_in = %s", (project,)).fetchone()["n"]:
            return
        time.sleep(0.002)
    race.broke("I10 a cancel that never ends")


READY = "SELECT id FROM outbox WHERE ring_for IS NOT NULL AND (state = 'pending' OR lease_until <= clock_timestamp()) ORDER BY id LIMIT 20"


def applier(race: Race) -> None:
    """Stands in for a worker, with a worker's own statements; now and then it dies between lease and done."""
    rnd = random.Random(f"{race.plan.seed}-out")
    lease, done = race.plan.statements["outbox/lease"], race.plan.statements["outbox/done"]
    with race.superuser() as connection:
        while race.running:
            for row in connection.execute(READY).fetchall() or [None]:
                if row is None:
                    time.sleep(0.02)
                    continue
                params = {"outbox_id": row["id"], "attempts": 1000, "patience": 5, "at_once": 10, "seconds": 0.2, "letter_seconds": 0.2}
                leased = connection.execute(lease, params).fetchone()
                if leased and rnd.random() > 0.03:
                    finish(race, connection, done, leased)


def finish(race: Race, connection: psycopg.Connection[Any], done: str, leased: dict[str, Any]) -> None:
    for _ in range(50):
        try:
            connection.execute(done, {"outbox_id": leased["outbox_id"], "lease": leased["lease"]})
            return
        except psycopg.errors.CheckViolation as error:
            race.seen[f"refused by {error.diag.constraint_name}, run again"] += 1
    race.broke("an effect that cannot be done")


def killer(race: Race) -> None:
    rnd = random.Random(f"{race.plan.seed}-kill")
    with race.superuser() as connection:
        while race.running and not race.calm.is_set():
            pids = [
                r["pid"]
                for r in connection.execute(
                    "SELECT pid FROM pg_stat_activity WHERE usename = 'claimcheck_web' AND datname = current_database()"
                ).fetchall()
            ]
            if pids:
                connection.execute("SELECT pg_terminate_backend(%s)", (rnd.choice(pids),))
                race.seen["backends killed"] += 1
            time.sleep(race.plan.kill_every)


def check(race: Race, connection: psycopg.Connection[Any], when: str) -> None:
    for row in connection.execute(INVARIANTS).fetchall():
        race.broke(f"{row['invariant']} ({when})")
    if wrong := connection.execute(race.plan.statements["tasks/disagreements"]).fetchall():
        race.broke(f"I18 counters disagree with the facts ({when}): {wrong[0]['what']}")


OPEN = "SELECT (SELECT count(*) FROM tasks WHERE open_in IS NOT NULL) + (SELECT count(*) FROM outbox WHERE state <> 'done') AS n"


def referee(race: Race, source: threading.Thread) -> None:
    with race.superuser() as connection:
        while source.is_alive() and race.running and not race.broken:
            check(race, connection, "in mid-flight")
            time.sleep(1.0)
        race.calm.set()
        calm_end = time.monotonic() + (30 if race.plan.tasks < 1000 else 120)
        while (n := connection.execute(OPEN).fetchone()["n"]) and time.monotonic() < calm_end and not race.broken:
            time.sleep(0.05)
        race.over.set()
        if n and not race.broken:
            race.broke("I7 work is left when everybody is calm")
        time.sleep(0.2)
        check(race, connection, "after")
        kept(race, connection)


def kept(race: Race, connection: psycopg.Connection[Any]) -> None:
    """I17 and I1: what was acknowledged is there, and no lease was taken before its promised end."""
    rows = {
        r["assignment_id"]: (r["id"], r["verdict"], r["note"]) for r in connection.execute("SELECT * FROM decisions WHERE assignment_id IS NOT NULL")
    }
    if any(rows.get(a) != ack for a, ack in race.acks.items()):
        race.broke("I17 an acknowledged decision is lost or another one")
    ends = {r["id"]: r for r in connection.execute("SELECT * FROM assignments")}
    for assignment_id, promised in race.promises.items():
        end = ends.get(assignment_id)
        if end is None or end["lease_expires"] < promised or (end["end_reason"] == "expired" and end["ended_at"] < promised):
            race.broke("I1 a lease taken before its promised end")


def run(plan: Plan, database: Any) -> Race:
    """Races one seed on a fresh database; `broken` of what it returns is empty when everything held."""
    race = Race(plan, database)
    with race.superuser() as connection:
        connection.execute(LOOSE)
        connection.execute(plan.ddl or "SELECT")
        projects(race, connection)
        cast = people(race, connection)
    team: list[threading.Thread] = [Reviewer(race, me, lead) for me, lead in cast]
    source = threading.Thread(target=intake, args=(race,), daemon=True)
    team += [source] + [threading.Thread(target=work, args=(race,), daemon=True) for work in (applier, killer)]
    for thread in team:
        thread.start()
    referee(race, source)
    for thread in team:
        thread.join(15)
    if any(thread.is_alive() for thread in team):
        race.broke("a thread hung")
    if race.seen["deadlock"]:
        race.broke("a deadlock")
    return race


__all__ = ["Link", "Plan", "run"]
