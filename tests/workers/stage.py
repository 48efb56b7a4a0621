"""A desk's database with projects, effects and outcomes of its own making, for tests that begin where a decision was made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

from claimcheck import signing
from claimcheck.db import Database

SECRET_KEY = "n0t-a-real-key-but-long-enough-for-the-tests-of-effects"
SECRET = "whsec_" + "QWRhIEJlbiBDaGkgRG92IEV2ZSBBZGEgQmVuIENoaSE="
ALL = ["approve", "reject", "answer", "overturn"]

PROJECT = """
WITH p AS (INSERT INTO projects (customer_id, name, skill_id, created_by) SELECT 1, %(name)s, 1, 0 RETURNING id),
v AS (INSERT INTO project_versions (project_id, version, shown_version, rules, created_by) SELECT id, 1, 1, '{}', 0 FROM p),
q AS (INSERT INTO queues (project_id, name, lane_id) SELECT id, 'review', 1 FROM p),
r AS (INSERT INTO reason_codes (project_id, code, label) SELECT id, 'ok', 'Fine' FROM p),
b AS (INSERT INTO batches (project_id, created_by) SELECT id, 0 FROM p)
SELECT id FROM p"""

OUTCOME = """
WITH item AS (
    INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, partition_id, partition_no, evidence_version)
    SELECT %(project)s, b.id, %(key)s, %(hash)s, 'trace-' || %(key)s, 0, %(partition)s, %(no)s, 1 FROM batches b WHERE b.project_id = %(project)s RETURNING *),
task AS (
    INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, price_minor, shown_version, evidence_version, evidence_hash,
                       partition_id, partition_no, seen_by, votes, lease_count, ended_as, ended_at)
    SELECT i.id, i.project_id, 'review', q.id, q.lane_id, 0, 0, clock_timestamp(), 1, 0, 1, 1, %(hash)s, %(partition)s, %(no)s, '{0}', '{approve}', 1, 'decided',
           clock_timestamp()
      FROM item i JOIN queues q ON q.project_id = i.project_id RETURNING *),
decision AS (
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, shown_version, evidence_version, evidence_hash, reason_code, note)
    SELECT item_id, id, project_id, 1, 0, 'approve', 'approve', 1, 1, %(hash)s, 'ok', %(note)s FROM task RETURNING id, project_id),
wanted AS MATERIALIZED (
    SELECT d.id AS decision_id, e.id AS effect_id, row_number() OVER (ORDER BY e.kind, e.id)::int AS nth, count(*) OVER ()::int AS of
      FROM decision d JOIN effects e ON e.project_id = d.project_id AND 'approve' = ANY (e.on_outcomes)),
moved AS (
    UPDATE partitions p SET effect_no = p.effect_no + (SELECT max(of) FROM wanted) WHERE p.id = %(partition)s RETURNING p.id, old.effect_no AS before),
queued AS (
    INSERT INTO outbox (decision_id, effect_id, partition_id, effect_no)
    SELECT w.decision_id, w.effect_id, moved.id, moved.before + w.nth FROM wanted w LEFT JOIN moved ON true)
SELECT id FROM decision"""  # as decisions/submit.sql, without the queue around it

PARTITION = """
INSERT INTO partitions AS p (project_id, key, accepted_no, last_no, promoted_no, settled_no) VALUES (%(project)s, %(key)s, 1, 1, 1, 1)
    ON CONFLICT (project_id, key) DO UPDATE SET accepted_no = p.accepted_no + 1, last_no = p.last_no + 1, promoted_no = p.promoted_no + 1, settled_no = p.settled_no + 1
RETURNING id, accepted_no"""


TABLES = (
    "deliveries", "applied", "standings", "outbox", "events", "decisions", "tasks", "evidence_parts", "evidence", "items", "partitions", "batches",
    "effects", "queues", "reason_codes", "project_versions", "projects",
)  # fmt: skip
CLEAR = "SET session_replication_role = replica; " + "".join(f"DELETE FROM {t}; " for t in TABLES) + "RESET session_replication_role"


@dataclass(frozen=True)
class Project:
    id: int
    name: str
    standing: int | None
    webhook: int | None


class Stage:
    """Works as the superuser on one database; `web` and `worker` are databases with those roles' rights."""

    def __init__(self, conninfos: Any):
        self.conninfos = conninfos
        self.sql = psycopg.connect(conninfos.superuser, autocommit=True, row_factory=namedtuple_row)
        self.web, self.worker = Database(conninfos.web, name="test web"), Database(conninfos.worker, name="test worker")
        self.keys = self.projects = 0
        if not self.all("SELECT FROM customers"):
            self.run("INSERT INTO customers (name) VALUES ('Eve & Co')")
            self.run("INSERT INTO skills (name) VALUES ('documents')")
            self.run("INSERT INTO lanes (skill_id, tier, queue) VALUES (1, 0, 'review')")
            self.run("INSERT INTO people (name, email, role) VALUES ('Dov', 'dov@desk.test', 'operator'), ('Chi', 'chi@desk.test', 'lead')")

    def run(self, statement: str, **params: Any) -> None:
        self.sql.execute(statement, params)

    def all(self, statement: str, **params: Any) -> list[Any]:
        return self.sql.execute(statement, params).fetchall()

    def one(self, statement: str, **params: Any) -> Any:
        """The first column of the only row."""
        (row,) = self.all(statement, **params)
        return row[0]

    @property
    def dov(self) -> int:
        return self.one("SELECT id FROM people WHERE name = 'Dov'")

    def project(self, *, standing: bool = True, url: str | None = None, secret: str = SECRET, on: list[str] | None = None) -> Project:
        self.projects += 1
        name = f"project {self.projects}"
        project = self.one(PROJECT, name=name)
        kinds = {"standing": None, "webhook": None}
        if standing:
            kinds["standing"] = self.effect(project, "standing", on or ALL)
        if url:
            kinds["webhook"] = self.effect(
                project, "webhook", on or ALL, url, signing.seal(SECRET_KEY, f"webhook of project {project}", secret.encode())
            )
        return Project(project, name, **kinds)

    def effect(self, project: int, kind: str, on: list[str], url: str | None = None, sealed: bytes | None = None) -> int:
        statement = "INSERT INTO effects (project_id, kind, on_outcomes, url, sealed_secret) VALUES (%(project)s, %(kind)s, %(on)s, %(url)s, %(sealed)s) RETURNING id"
        return self.one(statement, project=project, kind=kind, on=on, url=url, sealed=sealed)

    def outcome(self, project: Project, partition: str | None = None, note: str = "") -> int:
        """An item that was just approved; the decision's id."""
        self.keys += 1
        key = f"item {self.keys}"
        at = self.all(PARTITION, project=project.id, key=partition)[0] if partition else (None, None)
        return self.one(
            OUTCOME, project=project.id, key=key, hash=hashlib.sha256(key.encode()).digest(), partition=at[0], no=at[1], note=note
        )

    def outcomes(self, project: Project, count: int, partition: str | None = None) -> list[int]:
        return [self.outcome(project, partition) for _ in range(count)]

    def row(self, decision: int, effect: int | None = None) -> Any:
        (row,) = self.all(
            "SELECT * FROM outbox WHERE decision_id = %(decision)s AND effect_id = COALESCE(%(effect)s, effect_id)",
            decision=decision,
            effect=effect,
        )
        return row

    def states(self, effect: int | None = None) -> dict[str, int]:
        return dict(
            self.all("SELECT state, count(*)::int FROM outbox WHERE effect_id = COALESCE(%(effect)s, effect_id) GROUP BY 1", effect=effect)
        )

    def open(self) -> int:
        return self.one("SELECT count(*) FROM outbox WHERE state IN ('pending', 'leased')")

    def clear(self) -> None:
        """Away with everything but people, skills and lanes; the triggers that keep facts are off meanwhile."""
        self.sql.execute(CLEAR)

    def end(self) -> None:
        self.sql.close()
        self.web.close()
        self.worker.close()


def overturn(stage: Stage, decision: int) -> int:
    """A row that overturns a decision to reject, with its effects."""
    statement = """
        WITH d AS (
            INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, shown_version, evidence_version, evidence_hash, reason_code)
            SELECT item_id, task_id, project_id, 1, 0, 'overturn', 'reject', id, 1, evidence_version, evidence_hash, 'ok' FROM decisions WHERE id = %(decision)s
            RETURNING id, project_id),
        queued AS (
            INSERT INTO outbox (decision_id, effect_id) SELECT d.id, e.id FROM d JOIN effects e USING (project_id) WHERE 'overturn' = ANY (e.on_outcomes))
        SELECT id FROM d"""
    return stage.one(statement, decision=decision)
