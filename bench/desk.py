"""A desk that answers: the three servers and the web program exactly as bin/run starts it, without the workers, which would take the cores."""

from __future__ import annotations

import secrets
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench import ground
from bench.load import HASH, Floor
from claimcheck import evidence
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.embedded import ports, processes, programs
from claimcheck.embedded.postgres import Postgres
from claimcheck.embedded.valkey import Valkey
from claimcheck.embedded.weed import PORTS, Weed

EVIDENCE = f"""
INSERT INTO evidence (item_id, version, title, fields, created_by, published_at) SELECT id, 1, 'item ' || id, '{{text}}', 0, clock_timestamp() FROM items;
INSERT INTO evidence_parts (item_id, version, n, name, content_type, size, sha256, object_key)
SELECT id, 1, 0, 'payload.json', 'application/json', 1000, {HASH}, 'bench/' || id FROM items;
VACUUM ANALYZE
"""
HASHED = "UPDATE tasks t SET evidence_hash = h.hash FROM unnest(%s::bigint[], %s::bytea[]) h(item_id, hash) WHERE t.item_id = h.item_id AND t.ended_as IS NULL"
CHUNK = 5_000


@dataclass(frozen=True)
class Desk:
    """`superuser` is a conninfo; `settings` are the web program's and the workers'."""

    settings: Settings
    superuser: str

    @property
    def web(self) -> str:
        return str(self.settings.database_url_web)


def rehash(place: Desk) -> None:
    """Gives every task the true hash of its evidence, without which no receipt is made."""
    db = Database(place.web, max_size=1)
    with psycopg.connect(place.superuser, autocommit=True) as connection:
        found = [row[0] for row in connection.execute("SELECT id FROM items ORDER BY id")]
        for n in range(0, len(found), CHUNK):
            hashes = evidence.hashes(db, item_ids=found[n : n + CHUNK])
            connection.execute(HASHED, [list(hashes), list(hashes.values())])
        connection.execute("VACUUM (FULL, ANALYZE) tasks")
    db.close()


@contextmanager
def valkey(folder: Path) -> Iterator[Valkey]:
    """Valkey with the desk's configuration."""
    server = Valkey(
        folder / "valkey", ports.pick([0])[0], {who: secrets.token_urlsafe(18) for who in ("admin", "desk")}, folder / "log" / "valkey.log"
    )
    with _kept(server):
        yield server


@contextmanager
def _kept(server: Valkey | Weed) -> Iterator[None]:
    server.prepare()
    program = server.program()
    child = processes.start(program)
    try:
        if not processes.wait_until(server.is_ready, 60):
            raise RuntimeError(processes.last_words(program.log))
        yield
    finally:
        processes.stop(program, child)


@contextmanager
def desk(postgres: Postgres, floor: Floor) -> Iterator[Desk]:
    """A desk with that floor, whose items have evidence in the database and nothing in the store."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="desk-bench-")))
        superuser, web = stack.enter_context(ground.database(postgres, floor))
        ground.run(superuser, *EVIDENCE.split(";"))
        store = Weed(
            folder / "store", ports.pick([0] * len(PORTS)), secrets.token_hex(10), secrets.token_hex(20), "claimcheck", folder / "log" / "store.log"
        )
        stack.enter_context(_kept(store))
        redis = stack.enter_context(valkey(folder))
        settings = _settings(folder, web, superuser, redis, store)
        stack.enter_context(_answering(settings, folder / "log"))
        yield Desk(settings, superuser)


def _settings(folder: Path, web: str, worker: str, redis: Valkey, store: Weed) -> Settings:
    return Settings.model_validate(
        {
            "home": folder, "port": ports.pick([0])[0], "demo": False, "secret_key": secrets.token_urlsafe(48),
            "database_url_web": web, "database_url_worker": worker, "redis_url": redis.url(),
            "s3_endpoint": store.endpoint, "s3_access_key": store.access_key, "s3_secret_key": store.secret_key, "s3_bucket": store.bucket,
        }
    )  # fmt: skip


@contextmanager
def _answering(settings: Settings, logs: Path) -> Iterator[None]:
    program = programs.all_of(settings, logs)[0]
    child = processes.start(program)
    try:
        if not processes.wait_until(lambda: _is_ready(settings), 60, every=0.1):
            raise RuntimeError(processes.last_words(program.log))
        yield
    finally:
        processes.stop(program, child)


def _is_ready(settings: Settings) -> bool:
    try:
        with urllib.request.urlopen(f"{settings.base_url}/readyz", timeout=5) as answer:  # noqa: S310 (our own)
            return answer.status == 200
    except OSError:
        return False
