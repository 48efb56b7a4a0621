"""Items that were labelled already, written as facts in one go: thousands of them, for tests that begin where labels are delivered."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

HASH = bytes.fromhex("ab" * 32)
BEGAN = datetime(2026, 11, 1, 8, tzinfo=UTC)
Looks = Sequence[tuple[int, str]]  # who, and the verdict


@dataclass(frozen=True)
class Labelled:
    """The items' ids, in order, and when each one's label was given."""

    items: list[int]
    at: list[datetime]


class _Writer:
    def __init__(self, connection: psycopg.Connection[Any], project: int):
        self.connection, self.project = connection, project
        self.queue, self.lane = connection.execute("SELECT id, lane_id FROM queues WHERE project_id = %s AND name = 'review'", (project,)).fetchone() or (0, 0)
        self.batch = connection.execute("INSERT INTO batches (project_id, created_by, closed_at) VALUES (%s, 0, now()) RETURNING id", (project,)).fetchone()[0]  # type: ignore[index]

    def first(self, table: str) -> int:
        return (self.connection.execute(f"SELECT COALESCE(max(id), 0) + 1 FROM {table}").fetchone() or (1,))[0]

    def copy(self, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self.connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        if columns.startswith("id, "):
            self.connection.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")


def label(superuser: str, project: int, rows: Sequence[Looks], *, key: str = "k", price: int = 10, reason: str = "fine") -> Labelled:
    """Items of a project, each with these looks and their majority as its outcome, a minute apart."""
    with psycopg.connect(superuser, autocommit=True, options="-c session_replication_role=replica") as connection, connection.transaction():
        return _label(_Writer(connection, project), rows, key, price, reason)


def _label(to: _Writer, rows: Sequence[Looks], key: str, price: int, reason: str) -> Labelled:
    items, tasks = range(first := to.first("items"), first + len(rows)), to.first("tasks")
    at = [BEGAN + timedelta(minutes=n) for n in range(len(rows))]
    to.copy("items", "id, project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version",
            ((i, to.project, to.batch, f"{key}{n}", HASH, f"trace {i}", 0, 1) for n, i in enumerate(items)))  # fmt: skip
    to.copy("evidence", "item_id, version, fields, created_by, published_at", ((i, 1, [], 0, BEGAN) for i in items))
    to.copy("tasks", "id, item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor, evidence_version, shown_version, "
            "evidence_hash, seen_by, votes, lease_count, ended_as, ended_at",
            ((tasks + n, i, to.project, "review", to.queue, to.lane, 0, 1.0, BEGAN, len(rows[n]), 3, price, 1, 1, HASH, [p for p, _ in rows[n]],
              [v for _, v in rows[n]], len(rows[n]), "decided", at[n]) for n, i in enumerate(items)))  # fmt: skip
    _looks(to, rows, items, tasks, at, price, reason)
    return Labelled([*items], at)


def _looks(to: _Writer, rows: Sequence[Looks], items: range, tasks: int, at: list[datetime], price: int, reason: str) -> None:
    assignments, decisions = to.first("assignments"), itertools.count(to.first("decisions"))
    given = [(n, no, who, said) for n, looks in enumerate(rows) for no, (who, said) in enumerate(looks, 1)]
    to.copy("assignments", "id, task_id, item_id, person_id, lane_id, lease_no, evidence_version, evidence_hash, claimed_at, lease_seconds, idle_seconds, hold_until, "
            "lease_expires, may_be_last, ended_at, end_reason",
            ((assignments + a, tasks + n, items[n], who, to.lane, no, 1, HASH, BEGAN, 1800, 300, at[n] + timedelta(days=9), at[n] + timedelta(days=1), False,
              at[n], "submitted") for a, (n, no, who, _) in enumerate(given)))  # fmt: skip
    to.copy("payouts", "assignment_id, person_id, amount_minor, currency", ((assignments + a, who, price, "EUR") for a, (_, _, who, _) in enumerate(given)))
    columns = "id, item_id, task_id, assignment_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash, reason_code, created_at"
    to.copy("decisions", columns, _decided(to.project, rows, items, tasks, assignments, decisions, at, reason))


def _decided(project: int, rows: Sequence[Looks], items: range, tasks: int, assignments: int, ids: Iterable[int], at: list[datetime], reason: str):
    number, ids = itertools.count(assignments), iter(ids)
    for n, looks in enumerate(rows):
        alone, common = len(looks) == 1, Counter(said for _, said in looks).most_common(1)[0][0]
        for who, said in looks:
            yield next(ids), items[n], tasks + n, next(number), project, 1, who, said, said if alone else None, 1, 1, HASH, reason, at[n]
        if not alone:
            yield next(ids), items[n], tasks + n, None, project, 1, 0, common, common, 1, 1, HASH, "agreement", at[n]
