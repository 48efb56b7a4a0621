"""A version of very many rows is made in flat memory, and a kill in the middle changes no byte of it."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from claimcheck import projects
from claimcheck.config import ROOT
from claimcheck.datasets import making, versions
from tests.intake import World
from tests.workers.stage import SECRET_KEY
from tests.workers.test_memory import resident

ROWS = int(os.environ.get("DESK_DATASET_ROWS", "100000"))  # a million by hand
SLACK = 48 * 1024 * 1024  # a part on its way, twice, and what the allocator keeps
ALONE = """
import sys
from claimcheck import config
from claimcheck.datasets import making
from claimcheck.db import Database
from claimcheck.store import Store
settings = config.load()
making.run(making.Desk(Database(settings.database_url_worker), Store(settings), str(settings.secret_key)))
"""


def alone(world: World) -> subprocess.Popen[bytes]:
    s = world.settings
    ours = {"DATABASE_URL_WORKER": world.conninfos.worker, "S3_ENDPOINT": s.s3_endpoint, "S3_ACCESS_KEY": s.s3_access_key, "S3_SECRET_KEY": s.s3_secret_key,
            "S3_BUCKET": s.s3_bucket, "SECRET_KEY": SECRET_KEY}  # fmt: skip
    return subprocess.Popen([sys.executable, "-c", ALONE], env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **ours}, cwd=ROOT)


def test_it_makes_very_many_rows_in_flat_memory_whoever_is_killed_meanwhile(world: World) -> None:
    project, ada = world.project(), world.cast.ada.id
    fill(world, project, ada)
    asked = versions.ask(world.web, project=projects.load(world.web, project, world.cast.chi), me=world.cast.eve)

    def version() -> versions.Version:
        return versions.load(world.web, dataset_id=asked.id, person=world.cast.eve)

    first = alone(world)
    until(lambda: first.poll() is not None or version().step_done > ROWS // 10)
    assert first.poll() is None, "it ended by itself"
    first.send_signal(signal.SIGKILL)
    first.wait()
    world.sql.execute("UPDATE dataset_work SET lease_until = clock_timestamp() WHERE dataset_id = %s", (asked.id,))
    seen = watched(lambda: making.run(making.Desk(world.worker, world.store, SECRET_KEY)))
    warm = seen[len(seen) // 5]
    assert max(seen) - warm < SLACK, (warm, max(seen))
    assert version().rows == ROWS and version().counts == {"settled": ROWS}
    for file in json.loads(versions.manifest(world.web, dataset_id=asked.id).body)["files"]:
        opened = versions.open_file(world.web, world.store, dataset_id=asked.id, name=file["name"], me=world.cast.eve)
        digest, lines = hashlib.sha256(), 0
        for chunk in opened.stream:
            digest.update(chunk)
            lines += chunk.count(b"\n")
        assert digest.hexdigest() == file["sha256"] and lines == ROWS + file["name"].endswith(".csv")


FACTS = """
SET session_replication_role = replica;
INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version)
SELECT {project}, 1, 'k' || n, decode(repeat('ab', 32), 'hex'), n::text, 0, 1 FROM generate_series(1, {rows}) n;
INSERT INTO decisions (item_id, task_id, assignment_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash, reason_code)
SELECT i.id, i.id, i.id, {project}, 1, {person}, 'approve', 'approve', 1, 1, i.source_hash, 'fine' FROM items i WHERE i.project_id = {project};
RESET session_replication_role; ANALYZE items, decisions;
"""


def fill(world: World, project: int, person: int) -> None:
    """As many decided items as are asked for; only what a version is made of."""
    world.sql.execute(FACTS.format(project=project, person=person, rows=ROWS))


def until(holds: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


def watched(work: Any) -> list[int]:
    """What the process held while it worked."""
    seen, over = [resident()], threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            seen.append(resident())

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        work()
    finally:
        over.set()
        watcher.join()
    return seen
