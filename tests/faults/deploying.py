"""A close in full swing under `bin/run`: producers post messages, reviewers decide, and versions of the desk come and go on the same home."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import namedtuple_row

from claimcheck.access import tokens
from claimcheck.config import ROOT
from claimcheck.db import Database
from claimcheck.embedded import ports, processes
from claimcheck.intake.streams import STREAM
from tests import pipeline
from tests.embedded import running
from tests.embedded.running import Run
from tests.faults.chaos import INVARIANTS, Api

SECONDS = 120.0  # that anything may take on a busy machine
STREAMED = 12  # messages of one NDJSON body
AHEAD = 100  # messages more than were decided; three times as many while the desk is ended
PACE = 0.05  # seconds between entries, which nobody answers: else they take all the room
RULES = {"name": "Close", "skill": "breaks", "reason_codes": ["ok"], "lease_seconds": 4}

LEFT = """SELECT (SELECT count(*) FROM inbox) AS inbox, (SELECT count(*) FROM outbox WHERE state <> 'done') AS outbox,
    (SELECT count(*) FROM items) AS items, (SELECT count(*) FROM decisions WHERE outcome IS NOT NULL) AS settled,
    (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM tasks WHERE ended_as IS NULL GROUP BY 1) t) AS tasks"""


class Close:
    """`sent` holds what was answered, partition by partition, in the order of sending; a partition has one producer."""

    def __init__(self, folder: Path):
        self.home, self.port, self.ending = folder / "home", str(ports.pick([0])[0]), threading.Event()
        self.start()
        db = Database(str(self.settings.database_url_web), max_size=1)
        base = str(self.settings.base_url)
        self.customer = Api(base, tokens.new(db, name="Eve", role="customer"))
        self.reviewers = [Api(base, tokens.new(db, name=f"reviewer {n}", role="reviewer", skills=["breaks"])) for n in range(3)]
        db.close()
        status, body = self.customer("POST", "/v1/projects", RULES)
        assert status == 202, body
        self.project = json.loads(body)["id"]
        self.sent: dict[str, list[str]] = collections.defaultdict(list)
        self.decided: dict[int, bytes] = {}  # assignment → receipt
        self.answers: collections.Counter[str] = collections.Counter()
        self.left, self.broken_off = "", list[BaseException]()
        self.calm, self.over = threading.Event(), threading.Event()

    def start(self) -> None:
        """The next version of the desk: the same home, the same address."""
        self.run = Run(self.home, CLAIMCHECK_DEMO="0", PORT=self.port).until_ready()
        self.settings = self.run.settings()
        self.ending.clear()

    # The people -----------------------------------------------------------------------------------------------------

    def post(self, who: int) -> None:
        """Messages one by one, over three partitions, each until it is answered; some are sent again."""
        for n in range(100_000):
            if self.is_over():
                return
            partition, key = f"post {who}.{n % 3}", f"post {who}.{n}"
            body = self.message(key, partition, n)
            self.until(lambda body=body: self.posted(body, "application/json") in (200, 202))
            self.sent[partition].append(key)
            if n % 5 == 0:
                self.until(lambda body=body: self.posted(body, "application/json") == 200)

    def stream(self) -> None:
        """NDJSON bodies, each sent again whole until all of it is in."""
        for n in range(100_000):
            if self.is_over():
                return
            keys = [f"ndjson {n}.{i}" for i in range(STREAMED)]
            body = b"\n".join(self.message(key, f"ndjson {i % 6}", i // 6) for i, key in enumerate(keys))
            self.until(lambda body=body: self.posted(body, "application/x-ndjson") == 202)
            for i, key in enumerate(keys):
                self.sent[f"ndjson {i % 6}"].append(key)

    def add(self) -> None:
        """Entries of the stream, each until Valkey has it."""
        with redis.Redis.from_url(str(self.settings.streams_url), socket_timeout=15) as client:
            for n in range(100_000):
                if self.is_over():
                    return
                partition, key = f"xadd {n % 3}", f"xadd {n}"
                self.until(lambda key=key, partition=partition, n=n: self.added(client, self.message(key, partition, n)))
                self.sent[partition].append(key)
                time.sleep(PACE)

    def is_over(self) -> bool:
        """Waits while reviewers have enough to do, else the pile that is left at the end grows with the machine's load."""
        while not self.calm.is_set() and self.ahead() > (3 * AHEAD if self.ending.is_set() else AHEAD):
            time.sleep(0.05)
        return self.calm.is_set()

    def ahead(self) -> int:
        """Half of what is sent resolves by itself."""
        return sum(map(len, list(self.sent.values()))) - 2 * len(self.decided)

    def message(self, key: str, partition: str, n: int) -> bytes:
        """Every other one resolves by itself."""
        return pipeline.message(self.project, key, partition, variance_amount="12.50" if n % 2 else "0.00")

    def posted(self, body: bytes, kind: str) -> int:
        status, answer = self.customer("POST", "/v1/intake", body, kind=kind)
        self.answers[f"intake {status}"] += 1
        assert status not in (409, 422), answer
        assert kind == "application/json" or status != 202 or json.loads(answer)["lines"] == STREAMED, answer
        return status

    def added(self, client: redis.Redis, body: bytes) -> bool:
        try:
            return bool(client.xadd(STREAM, {"body": body}))
        except redis.RedisError:
            self.answers["xadd failed"] += 1
            return False

    def until(self, done: Callable[[], bool]) -> None:
        assert processes.wait_until(done, SECONDS, every=0.2), (self.left, self.progress(), self.broken_off, self.answers)

    def review(self, api: Api) -> None:
        while not self.over.is_set():
            status, body = api("POST", "/v1/tasks/next", {})
            self.answers[f"next {status}"] += 1
            if status == 200:
                self.decide(api, json.loads(body))
            else:
                time.sleep(0.1)

    def decide(self, api: Api, claim: dict[str, Any]) -> None:
        """Until it is answered; the same receipt whenever it is asked for again."""
        path, proof = f"/v1/assignments/{claim['assignment_id']}/submit", {name: claim[name] for name in ("lease_token", "evidence_hash")}
        while True:
            status, body = api("POST", path, {**proof, "verdict": "approve", "reason_code": "ok"})
            self.answers[f"submit {status}"] += 1
            if status == 200:
                assert self.decided.setdefault(claim["assignment_id"], body) == body
            if status in (200, 409):
                return
            time.sleep(0.1)

    # The close ------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def busy(self) -> Any:
        """Everybody is at work while the block lasts; then producers finish what they are at, and all of it is decided."""

        def guarded(work: Callable[..., None], *args: Any) -> None:
            try:
                work(*args)
            except BaseException as error:
                self.broken_off.append(error)

        producers = [(self.post, 0), (self.post, 1), (self.stream,), (self.add,)]
        reviewers = [(self.review, api) for api in self.reviewers]
        threads = [threading.Thread(target=guarded, args=args, daemon=True) for args in (*producers, *reviewers)]
        for thread in threads:
            thread.start()
        try:
            yield
            self.calm.set()
            for thread in threads[: len(producers)]:
                thread.join(SECONDS)
            self.until(self.is_settled)
        finally:
            self.calm.set()
            self.over.set()
            for thread in threads:
                thread.join(SECONDS)
        assert not self.broken_off, self.broken_off

    def under_load(self) -> None:
        """Waits until each door has let more in than before, more was decided, and messages wait at this moment."""
        before = self.progress()
        self.until(lambda: all(now >= then + 3 for now, then in zip(self.progress(), before, strict=True)))
        self.ending.set()
        self.until(lambda: bool(self.all("SELECT FROM inbox LIMIT 1")))

    def progress(self) -> list[int]:
        doors = [sum(len(keys) for partition, keys in list(self.sent.items()) if partition.startswith(door)) for door in ("post", "ndjson", "xadd")]
        return [*doors, len(self.decided)]

    def is_settled(self) -> bool:
        [row] = self.all(LEFT)
        self.left = f"{row}, {sum(map(len, self.sent.values()))} sent"
        return not row.inbox and not row.outbox and row.items == row.settled and row.items >= sum(map(len, self.sent.values()))

    def all(self, statement: str) -> list[Any]:
        password = json.loads((self.home / "secrets.json").read_text())["postgres"]
        url = conninfo_to_dict(str(self.settings.database_url)) | {"user": "postgres", "password": password}
        with psycopg.connect(**url, autocommit=True, row_factory=namedtuple_row) as root:  # type: ignore[arg-type]
            return root.execute(statement).fetchall()  # type: ignore[arg-type]

    # The accounts ---------------------------------------------------------------------------------------------------

    def items(self) -> dict[str, list[str]]:
        """The keys of the items, by partition, in their order."""
        return self.ordered("SELECT p.key, i.idempotency_key FROM items i JOIN partitions p ON p.id = i.partition_id ORDER BY i.partition_no")

    def outcomes(self) -> dict[str, list[str]]:
        """The keys of the outcomes, by partition, in the order in which they were applied."""
        return self.ordered(
            "SELECT p.key, i.idempotency_key FROM outbox o JOIN decisions d ON d.id = o.decision_id JOIN items i ON i.id = d.item_id "
            "JOIN partitions p ON p.id = i.partition_id WHERE o.state = 'done' ORDER BY o.done_at"
        )

    def ordered(self, statement: str) -> dict[str, list[str]]:
        found = collections.defaultdict(list)
        for partition, key in self.all(statement):
            found[partition].append(key)
        return dict(found)

    def broken(self) -> list[Any]:
        """What contradicts itself in the database; there is nothing."""
        return [
            *self.all(INVARIANTS),
            *self.all("SELECT id, cause, detail FROM dead_letters"),
            *self.all("SELECT item_id FROM standings WHERE times <> 1"),
            *self.all("SELECT message_id FROM pipeline_records WHERE decision = 'routed' GROUP BY message_id HAVING count(*) > 1"),
        ]

    def audit(self) -> subprocess.CompletedProcess[str]:
        """What the log says by itself, against the database."""
        argv = [sys.executable, str(ROOT / "bin" / "claimcheck"), "replay-audit", "--compare"]
        return subprocess.run(argv, env=running.environ(self.home), capture_output=True, text=True, cwd=os.sep, check=False)
