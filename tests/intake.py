"""A desk that takes items in: real PostgreSQL under its roles, a real store, the cast, and projects of Eve's."""

from __future__ import annotations

import base64
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, cast
from uuid import uuid4

import psycopg
from psycopg.rows import namedtuple_row

from claimcheck import db, items, projects, publishing, rules
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.intake import batches
from claimcheck.review import decisions, tasks
from claimcheck.store import Store
from tests import people

SKILL = "documents"
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class World:
    """`web` and `worker` work with those roles' rights, `sql` with the superuser's."""

    def __init__(self, database: Any, store_server: Any):
        self.conninfos = database
        self.settings = Settings(
            s3_endpoint=store_server.endpoint,
            s3_access_key=store_server.access_key,
            s3_secret_key=store_server.secret_key,
            s3_bucket=store_server.bucket,
            database_url_worker=database.worker,
        )
        self.web, self.worker = (
            Database(database.web, max_size=20, name="test web"),
            Database(database.worker, max_size=20, name="test worker"),
        )
        self.store = Store(self.settings, connections=40)
        self.sql = psycopg.connect(database.superuser, autocommit=True, row_factory=namedtuple_row)
        self.cast = people.cast(self.web, skills=[SKILL])
        self.named = 0

    def end(self) -> None:
        self.web.close()
        self.worker.close()
        self.sql.close()

    def quiet(self) -> None:
        """Whatever other tests left in the spool is out of the way, and nobody holds anything."""
        self.sql.execute("DELETE FROM spool")
        self.sql.execute("UPDATE evidence SET waits = true WHERE published_at IS NULL")
        self.sql.execute("UPDATE projects SET paused_at = clock_timestamp()")
        self.sql.execute("UPDATE tasks SET paused = true WHERE ended_as IS NULL")
        self.sql.execute("UPDATE assignments SET ended_at = clock_timestamp(), end_reason = 'revoked' WHERE ended_at IS NULL")

    def all(self, statement: str, *params: Any) -> list[Any]:
        return self.sql.execute(cast(Any, statement), params).fetchall()

    def one(self, statement: str, *params: Any) -> Any:
        """The first column of the only row."""
        (row,) = self.all(statement, *params)
        return row[0]

    def project(self, **more: Any) -> int:
        self.named += 1
        given = {"name": f"project {self.named} {uuid4().hex[:8]}", "skill": SKILL, "reason_codes": ["fine", "wrong"]} | more
        return projects.create(self.web, by=self.cast.eve, rules=rules.parse(given)).id

    def batch(self, project: int) -> int:
        return batches.open(self.web, project_id=project, by=self.cast.eve.id)

    def accept(self, project: int, rows: Sequence[Any], **more: Any) -> items.AcceptedChunk:
        batch = more.pop("batch_id", None) or self.batch(project)
        return items.accept(self.web, project=project, batch_id=batch, rows=rows, by=self.cast.eve.id, **more)

    def publish(self) -> int:
        """Publishes until nothing is due; how many."""
        published = 0
        while (done := publishing.publish(self.worker, self.store)).taken:
            published += done.published
        return published

    def claim(self, who: str = "ada") -> tasks.Claim | None:
        return tasks.claim(self.web, me=getattr(self.cast, who).id)

    def decide(self, claim: tasks.Claim, verdict: str = "approve") -> int:
        """Whoever holds the claim submits."""
        me = self.one("SELECT person_id FROM assignments WHERE id = %s", claim.assignment_id)
        proof = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash}
        return decisions.submit(self.web, **proof, me=me, verdict=verdict, reason_code="fine")

    def disagreements(self) -> list[Any]:
        """Counters that contradict the facts; there are none."""
        return self.all(db.STATEMENTS["tasks/disagreements"])

    def somebody_waits(self) -> bool:
        """Whether a statement waits for another one's lock."""
        return self.one("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") > 0

    def refused(self, project: int) -> list[Any]:
        return self.all("SELECT * FROM dead_letters WHERE project_id = %s ORDER BY id", project)


def row(key: str, text: str = "Ada Lovelace", **more: Any) -> dict[str, Any]:
    return {"idempotency_key": key, "payload": {"name": text}, **more}


def file(data: bytes = b"to be judged", name: str = "letter.txt", content_type: str = "text/plain", **more: Any) -> dict[str, Any]:
    return {"name": name, "content_type": content_type, "base64": base64.b64encode(data).decode(), **more}


def at_once(n: int, work: Callable[[int], Any]) -> list[Any]:
    """What n threads that start together answer."""
    barrier = threading.Barrier(n)

    def start(i: int) -> Any:
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(start, range(n)))


def eventually(holds: Callable[[], Any], seconds: float = 90) -> None:
    """Waits until it holds; fails where it does not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


@contextmanager
def without(statement: str, guard: str, instead: str = "") -> Iterator[None]:
    """A statement for as long as the block lasts, with a guard taken out of it."""
    whole = db.STATEMENTS[statement]
    assert guard in whole, f"{statement} has no {guard!r}"
    db.STATEMENTS[statement] = cast(Any, whole.replace(guard, instead))
    try:
        yield
    finally:
        db.STATEMENTS[statement] = whole


def function(name: str) -> str:
    """What makes a function of the schema."""
    [body] = re.findall(rf"CREATE OR REPLACE FUNCTION public\.{name}\(.*?\$function\$\n;", (db.QUEUE / "schema.sql").read_text(), re.DOTALL)
    return body


@contextmanager
def mended(world: World, name: str, guard: str, instead: str) -> Iterator[None]:
    """A function of the schema for as long as the block lasts, with a guard taken out of it."""
    whole = function(name)
    assert guard in whole, f"{name} no longer holds {guard!r}"
    world.sql.execute(cast(Any, whole.replace(guard, instead)))
    try:
        yield
    finally:
        world.sql.execute(cast(Any, whole))
