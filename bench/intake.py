"""Each source of the pipeline beside its raw floor: the bare SKIP LOCKED batch under pgbench, the bare XREADGROUP and XACK."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import redis
import redis.asyncio

from bench import ground
from bench.figures import Part, over, spread
from claimcheck import migrations
from claimcheck.db import Database
from claimcheck.embedded import ports, processes
from claimcheck.embedded.postgres import Postgres
from claimcheck.embedded.valkey import Valkey
from claimcheck.intake import handling, inbox, parameters
from claimcheck.intake.inbox import Run
from claimcheck.intake.pool import Pool
from claimcheck.intake.sources import InboxSource, Source, Threads
from claimcheck.intake.streams import STREAM, StreamSource

BATCH, PARTITIONS = 50, 400
LEAST = 0.5
SETTINGS = parameters.Version(1, parameters.DEFAULTS.settings, "file", "the bench", "bench", None)
BARE = """
CREATE TABLE bare_inbox (id bigint PRIMARY KEY, body bytea NOT NULL, lease bigint);
CREATE INDEX bare_inbox_free ON bare_inbox (id) WHERE lease IS NULL;
CREATE INDEX bare_inbox_lease ON bare_inbox (lease) WHERE lease IS NOT NULL;
INSERT INTO bare_inbox SELECT n, decode(repeat('ab', 300), 'hex') FROM generate_series(1, {n}) n;
VACUUM ANALYZE bare_inbox
"""
BARE_BATCH = f"""\\set lease random(1, 1000000000000)
WITH pick AS MATERIALIZED (SELECT id FROM bare_inbox WHERE lease IS NULL ORDER BY id LIMIT {BATCH} FOR NO KEY UPDATE SKIP LOCKED)
UPDATE bare_inbox b SET lease = :lease FROM pick WHERE b.id = pick.id RETURNING b.id, b.body;
DELETE FROM bare_inbox WHERE lease = :lease;
"""
FILL = """
INSERT INTO inbox_partitions (project_id, key, open) SELECT 1, p::text, {n} / {partitions} FROM generate_series(1, {partitions}) p;
INSERT INTO messages (project_id, idempotency_key, message_hash, source_hash, trace_id, partition_key, ledger_entity, currency, variance_amount, match_decision,
                      source, received_by)
SELECT 1, n::text, sha256('m'), sha256('s'), 't', (1 + n % {partitions})::text, 'l', 'EUR', 1, 'PARTIAL', 'http', 0 FROM generate_series(1, {n}) n;
INSERT INTO inbox (message_id, partition_id, body)
SELECT n, 1 + n % {partitions}, convert_to(format({body}, n, 1 + n % {partitions}), 'UTF8') FROM generate_series(1, {n}) n;
VACUUM ANALYZE
"""
BODY = (
    '\'{{"project_id": 1, "idempotency_key": "%s", "partition_key": "%s", "ledger_entity": "l", "currency": "EUR", "variance_amount": "1.00", '
    '"match_decision": "PARTIAL", "payload": {{"ours": "100.00", "theirs": "101.00", "text": "\' || repeat(\'ab\', 100) || \'"}}}}\''
)


def take(db: Database, runs: Sequence[Run], *, worker: str, settings: parameters.Version) -> None:
    """What the source itself does for messages that were handled: that it is begun, the fence, the record of each, and off the inbox."""
    became = [inbox.Became(message.message_id) for run in runs for message in run.messages]
    inbox.begin(db, runs)
    db.together(lambda connection: inbox.leave(connection, runs, became, worker=worker, settings=settings))


def main(full: bool, rounds: int = 5) -> Part:
    seconds = 6 if full else 2
    part = Part("intake", ["source", "through the pool, messages/s", "raw floor, messages/s", "×"])
    with ground.server() as postgres, _valkey() as valkey:
        with ground.empty(postgres) as name:
            web = _filled(postgres, name, 600_000 if full else 120_000)
            _compare(part, "inbox", *_rounds(rounds, lambda: _inbox(web, take, seconds), lambda: _bare_inbox(postgres, name, seconds)), LEAST)
            whole = [_inbox(web, handling.handle, seconds)]
            part.row("inbox, with items made of them", spread(whole, 0), "", "")
        _compare(part, "stream", *_rounds(rounds, lambda: _stream(valkey, seconds), lambda: _bare_stream(valkey, seconds)), LEAST)
    return part


def _rounds(rounds: int, ours: Callable[[], float], bare: Callable[[], float]) -> tuple[list[float], list[float]]:
    found = [(ours(), bare()) for _ in range(rounds)]
    return [one for one, _ in found], [other for _, other in found]


def _compare(part: Part, what: str, ours: list[float], bare: list[float], least: float) -> None:
    ratio = over(ours, bare)
    part.row(what, spread(ours, 0), spread(bare, 0), spread(ratio))
    part.goal(f"{what}: the pool to the raw floor", ratio, least=least)


def _filled(postgres: Postgres, name: str, n: int) -> str:
    migrations.migrate(postgres.conninfo("owner", name))
    superuser = postgres.conninfo("postgres", name)
    ground.run(superuser, *filter(str.strip, BARE.format(n=4 * n).split(";")))
    ground.run(superuser, *filter(str.strip, FILL.format(n=n, partitions=PARTITIONS, body=BODY.format()).split(";")))
    customer = "INSERT INTO customers (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'bench')"
    project = ("INSERT INTO projects (id, customer_id, name, skill_id, wanted, lease_seconds, max_hold_seconds, idle_seconds, abandon_limit, weight, priority, "
               "price_minor, currency, version, shown_version, created_by) OVERRIDING SYSTEM VALUE "
               "VALUES (1, 1, 'bench', 1, 1, 1800, 14400, 300, 3, 1, 0, 0, 'EUR', 1, 1, 0)")  # fmt: skip
    version = f"INSERT INTO project_versions (project_id, version, shown_version, rules, why, created_by) VALUES (1, 1, 1, '{ground.RULES}', 'bench', 0)"
    ground.run(superuser, customer, project, version)
    return postgres.conninfo("web", name)


def _through(pool: Pool, source: Source[Any], seconds: float) -> Callable[[], Any]:
    async def run() -> float:
        running, began = asyncio.create_task(pool.run()), time.perf_counter()
        await asyncio.sleep(seconds)
        handled, took = pool.status.handled, time.perf_counter() - began
        pool.stop()
        await running
        await source.close()
        return handled / took

    return run


def _inbox(web: str, handle: Callable[..., Any], seconds: float) -> float:
    db, threads = Database(web, max_size=12), Threads(8)
    try:
        source = InboxSource(db, threads, "bench", lambda: SETTINGS, handle)
        return asyncio.run(_through(Pool(source, lambda: SETTINGS), source, seconds)())
    finally:
        threads.end()
        db.close()


def _bare_inbox(postgres: Postgres, name: str, seconds: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        script = Path(folder) / "bare.sql"
        script.write_text(BARE_BATCH)
        return BATCH * ground.pgbench(postgres, postgres.conninfo("postgres", name), script, SETTINGS.parameters.handlers, seconds)


@contextmanager
def _valkey() -> Iterator[Valkey]:
    with tempfile.TemporaryDirectory(prefix="desk-bench-") as folder:
        passwords = {who: secrets.token_urlsafe(12) for who in ("admin", "desk")}
        server = Valkey(Path(folder) / "valkey", ports.pick([0])[0], passwords, Path(folder) / "log" / "valkey.log")
        server.prepare()
        process = processes.start(server.program())
        try:
            processes.wait_until(server.is_ready, 60)
            yield server
        finally:
            processes.ask(server.program(), process)
            process.wait(60)


def _entries(valkey: Valkey, count: int = 60_000) -> None:
    with redis.Redis.from_url(valkey.url("admin")) as client:
        client.flushall()
        for _ in range(count // 1000):
            with client.pipeline(transaction=False) as pipe:
                for _ in range(1000):
                    pipe.xadd(STREAM, {"body": b"x" * 600})
                pipe.execute()


class _Roomy:
    """Instead of a database: there is always room, and nothing is written."""

    def one(self, *_: Any, **__: Any) -> None: ...


def _stream(valkey: Valkey, seconds: float) -> float:
    """Until the stream is empty: entries a second."""
    _entries(valkey)
    threads = Threads(4)

    async def run() -> float:
        client = redis.asyncio.Redis.from_url(valkey.url("desk"))
        source = StreamSource(client, _Roomy(), threads, "bench", lambda: SETTINGS, admit=lambda *_, **__: [])  # type: ignore[arg-type]
        pool = Pool(source, lambda: SETTINGS)
        running, began = asyncio.create_task(pool.run()), time.perf_counter()
        while pool.status.handled < 60_000 and time.perf_counter() - began < 10 * seconds:
            await asyncio.sleep(0.005)
        took = time.perf_counter() - began
        pool.stop()
        await running
        await source.close()
        return pool.status.handled / took

    try:
        return asyncio.run(run())
    finally:
        threads.end()


def _bare_stream(valkey: Valkey, seconds: float) -> float:
    _entries(valkey)
    with redis.Redis.from_url(valkey.url("desk")) as client:
        client.xgroup_create(STREAM, "bare", id="0")
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < 10 * seconds:
            found: Any = client.xreadgroup("bare", "me", {STREAM: ">"}, count=SETTINGS.parameters.prefetch)
            if not found:
                break
            ids = [entry_id for entry_id, _ in found[0][1]]
            client.xack(STREAM, "bare", *ids)
            done += len(ids)
        return done / (time.perf_counter() - began)


