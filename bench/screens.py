"""What the screens of leads and operators read: the buffers of each of their statements in two databases, one of them ten times as large."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import psycopg
from psycopg.rows import dict_row

from bench import control
from bench.field import LISTED, NAMES, Field, fill
from bench.figures import Part
from bench.ground import empty, server
from claimcheck import migrations
from claimcheck.bulk import finding
from claimcheck.db import STATEMENTS, Connection
from claimcheck.triage import searching

SMALL, FULL = Field(100_000), Field(1_000_000)
BOUND = 500  # shared buffers that a screen may read, all its statements together
PAYLOADS = {"spool", "evidence_parts"}  # what is sent, and what tells where it lies


Asked = tuple[str, dict[str, Any]]


class Recorder(Connection):
    """Runs statements for whoever asks, and keeps what was asked."""

    def __init__(self, raw: psycopg.Connection[Any]):
        super().__init__(raw)
        self.asked: list[Asked] = []

    def _execute(self, statement: str, row: Any, params: dict[str, Any]) -> psycopg.Cursor[Any]:
        self.asked.append((statement, params))
        return super()._execute(statement, row, params)


@dataclass(frozen=True)
class Screen:
    """One look at a screen: its statements with what they are asked, or what asks them.

    `grows`: how much more it may read in the larger database (a level of an index a lookup); `rows`: a list of its own that it counts through.
    """

    name: str
    statements: Sequence[Asked] | Callable[[Recorder], object]
    grows: float = 1.35
    bound: int = BOUND
    rows: int = 0


def found(name: str, **filters: Any) -> Screen:
    """A page of items."""
    return Screen(f"items: {name}", lambda db: searching.search(db, searching.Asked(**filters)))


def _outcomes(asked: finding.Asked, db: Recorder) -> object:
    return finding.search(db, asked)


def batch(number: int) -> list[Asked]:
    """What each page of a batch decision asks for."""
    return [("batch_decisions/load", {"batch_id": number}), ("batch_decisions/tally", {"batch_id": number})]


def members(after: int, came_to: str | None = None) -> Asked:
    """A page of the list of the batch decision that was decided."""
    return "batch_decisions/members", {"batch_id": 1, "after": after, "limit": 21, "came_to": came_to}


AGO = datetime.now(UTC) - timedelta(days=2)
SINCE, UNTIL = AGO - timedelta(days=10), AGO - timedelta(days=9)
OUTCOMES: dict[str, dict[str, Any]] = {
    "a project's": {"project_id": 7},
    "a reviewer's of three items": {"project_id": 1, "reviewer_id": NAMES.reviewer},
    "a busy reviewer's of a day": {"project_id": 7, "reviewer_id": NAMES.busy, "since": SINCE, "until": UNTIL},
    "the desk's own": {"project_id": 7, "reviewer_id": 0},
    "of a reason, of a day": {"project_id": 1, "reason": "bad", "since": SINCE, "until": UNTIL},
    "of a day": {"project_id": 7, "since": SINCE, "until": UNTIL},
    "of a queue that nothing came to": {"project_id": 7, "queue": NAMES.queue, "stood": "reject"},
}
SCREENS: list[Screen] = [
    Screen("an item's page", [("items/facts", {"item_id": 77, "customer_id": None}), ("items/history", {"item_id": 77})]),
    *(Screen(name, statements) for name, statements in control.SCREENS.items()),
    Screen(
        "batch decisions",
        [
            ("batch_decisions/groups", {"project_id": 2, "me": 61, "after": 0, "window": 200}),
            ("batch_decisions/page", {"project_id": 2, "before": 2**62, "limit": 21}),
        ],
        grows=12,  # forty are open in the smaller one, which is less than a page; every row of the larger one's lies apart
    ),
    Screen("a batch decision that was decided", [*batch(1), members(2_500)], rows=LISTED),
    Screen("what a batch decision left out", [*batch(1), members(0, "stale")], rows=LISTED),
    Screen("a batch decision's sample", [*batch(2), ("batch_decisions/drawn", {"batch_id": 2, "after": 60, "limit": 21})], rows=LISTED),
    Screen("the next of a sample", [*batch(2), ("batch_decisions/next_drawn", {"batch_id": 2})], rows=LISTED),
    Screen(
        "operations",
        [
            ("operations/open_alerts", {"past": 5}),
            ("operations/drained", {}),
            ("operations/programs", {}),
            ("operations/queues", {"project_id": None, "limit": 200}),
            ("operations/unapplied", {"seconds": 60.0}),
            ("operations/reachable", {"name": None}),
            ("operations/history", {"limit": 30}),
        ],
    ),
    Screen(
        "actions over many items",
        [
            ("item_actions/page", {"before": 2**62, "limit": 31, "me": 61}),
            ("item_actions/members", {"action_id": 1, "after": 2_000, "limit": 21}),
            ("saved_views/page", {"me": 61}),
        ],
    ),
    Screen("an action that proposed what was resolved since", [("item_actions/load", {"action_id": 2})]),
    Screen("what an action left out", [("item_actions/refused", {"action_id": 1, "after": 0, "limit": 21})]),
    *(Screen(f"overturns: {name}", partial(_outcomes, finding.Asked(**asked)), grows=2.5) for name, asked in OUTCOMES.items()),  # moments are found by halving
    Screen(
        "overturns: those begun, and one",
        [
            ("bulk_overturns/page", {"project_id": 2, "before": 2**62, "limit": 21}),
            ("bulk_overturns/load", {"bulk_id": 1, "me": 61}),
            ("bulk_overturns/effects", {"project_id": 2}),
            ("bulk_overturns/eyes", {"bulk_id": 1}),
            ("bulk_overturns/reasons", {"bulk_id": 1}),
            ("bulk_overturns/history", {"bulk_id": 1}),
            ("bulk_overturns/members", {"bulk_id": 1, "after": 0, "limit": 21, "came_to": "waits"}),
        ],
    ),
    Screen("overturns: what was left out", [("bulk_overturns/members", {"bulk_id": 1, "after": 500, "limit": 21, "came_to": "left_out"})]),
    Screen("overturns: what was overturned", [("bulk_overturns/members", {"bulk_id": 1, "after": 500, "limit": 21, "came_to": None})]),
    found("all, the newest"),
    found("a project's, the oldest", project_id=7, order="oldest"),
    found("a project's that are settled", project_id=7, state="settled"),
    found("all that wait", state="pending"),
    found("a project's that wait, the newest", project_id=7, state="pending", order="newest"),
    found("all that are escalated", state="escalated"),
    found("a project's escalated", project_id=7, state="escalated"),
    found("held", state="leased"),
    found("blocked", project_id=1, state="blocked"),
    found("paused, among all that are open", state="paused"),
    found("cancelled", project_id=1, state="cancelled"),
    found("being stored, where none is", state="not_durable"),
    found("a rare queue", project_id=1, queue=NAMES.queue, state="pending"),
    found("a queue in any state", project_id=7, queue="review"),
    found("a rare reason", project_id=1, reason=NAMES.rare),
    found("a reason that everybody gives", project_id=1, reason="ok"),
    found("a reviewer of three items", reviewer_id=NAMES.reviewer),
    found("a busy reviewer", reviewer_id=NAMES.busy),
    found("a busy reviewer's of a rare reason", project_id=1, reviewer_id=NAMES.busy, reason=NAMES.rare),
    found("a hot partition", project_id=1, partition=NAMES.hot),
    found("a hot partition's that wait, where the settled come first", project_id=1, partition=NAMES.hot, state="pending"),
    found("a narrow band of amounts", project_id=7, least=Decimal(2_000_000)),
    found("a broad band of amounts", project_id=2, least=Decimal(1), most=Decimal(900), state="settled"),
    found("a trace", trace_id=NAMES.trace),
    found("a key", key="k4711"),
    found("older than two days, waiting", state="pending", older=AGO),
    found("newer than two days, of a rare reason", project_id=1, reason=NAMES.rare, newer=AGO),
    found(
        "all at once, and none fits",
        project_id=1,
        queue=NAMES.queue,
        state="settled",
        reason="ok",
        reviewer_id=1,
        least=Decimal(9),
        partition=NAMES.hot,
    ),
]


@dataclass
class Read:
    """What statements read: buffers, the tables, and the rows that were looked at in vain or sorted."""

    buffers: int = 0
    tables: set[str] = field(default_factory=set)
    most: int = 0


def positional(statement: str) -> tuple[str, list[str]]:
    """The statement with $1, $2 … and the names they stand for."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return re.sub(r"%\((\w+)\)[sbt]", number, STATEMENTS[statement]).replace("%%", "%"), names


def read(connection: psycopg.Connection[dict[str, Any]], screen: Screen) -> Read:
    """Runs a screen's statements by their generic plans, twice (the first run warms the catalogue), and takes back what they did."""
    found = Read()
    for statement, params in asked(connection, screen):
        for last in (False, True):
            plan = explained(connection, statement, params)
            if last:
                found.buffers += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
                for node in nodes(plan):
                    found.most = max(
                        found.most, int((node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)) * node.get("Actual Loops", 0))
                    )
                    if node.get("Actual Loops") and "Relation Name" in node:
                        found.tables.add(node["Relation Name"])
    return found


def asked(connection: psycopg.Connection[dict[str, Any]], screen: Screen) -> Sequence[Asked]:
    if not callable(screen.statements):
        return screen.statements
    recorder = Recorder(connection)
    screen.statements(recorder)
    return recorder.asked


def explained(connection: psycopg.Connection[dict[str, Any]], statement: str, params: dict[str, Any]) -> dict[str, Any]:
    """The executed plan of a prepared statement, rolled back."""
    text, names = positional(statement)
    name = "s_" + statement.replace("/", "_")
    if not connection.execute("SELECT 1 FROM pg_prepared_statements WHERE name = %s", (name,)).fetchone():
        connection.execute("SET plan_cache_mode = force_generic_plan")
        connection.execute(f"PREPARE {name} AS {text}".encode())
    values = psycopg.ClientCursor(connection).mogrify(", ".join(["%s"] * len(names)).encode(), [params[n] for n in names])
    with connection.transaction(force_rollback=True):
        row = connection.execute(
            f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE {name}{f' ({values})' if names else ''}".encode()
        ).fetchone()
    assert row is not None
    plan = row["QUERY PLAN"] if isinstance(row["QUERY PLAN"], list) else json.loads(row["QUERY PLAN"])
    return plan[0]["Plan"]


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def reader(superuser: str) -> psycopg.Connection[dict[str, Any]]:
    """A connection whose rows are dictionaries, as `read` needs it."""
    return psycopg.Connection[dict[str, Any]].connect(superuser, autocommit=True, row_factory=dict_row)


@contextmanager
def filled(postgres: Any, size: Field, part: Part) -> Iterator[psycopg.Connection[dict[str, Any]]]:
    """A connection to a database with a field of that size."""
    with empty(postgres) as name:
        migrations.migrate(postgres.conninfo("owner", name))
        superuser = postgres.conninfo("postgres", name)
        part.say(f"{size.items:,} items and {size.decisions:,} decisions made in {fill(superuser, size):.0f} s")
        with reader(superuser) as connection:
            yield connection


def main(full: bool) -> Part:
    part = Part("screens", ["screen", "items", "buffers", "of a tenth"])
    size = FULL if full else SMALL
    with server() as postgres, ExitStack() as stack:
        tenth, larger = (stack.enter_context(filled(postgres, one, part)) for one in (Field(size.items // 10), size))
        for screen in SCREENS:
            small, large = read(tenth, screen), read(larger, screen)
            part.row(screen.name, f"{size.items:,}", str(large.buffers), str(small.buffers))
            part.goal(f"{screen.name}, {size.items:,} items", [large.buffers], most=screen.bound, unit="buffers")
    return part
