"""Chaos: the real desk under `bin/run`, people and a customer at its API, a receiver, and a fault every second or so. Then calm, and the accounts.

`run(seed, seconds)` returns what was seen and what broke. A run in which a kind of fault never happened is no run.
"""

from __future__ import annotations

import collections
import contextlib
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg.rows import dict_row

from claimcheck.access import tokens
from claimcheck.db import STATEMENTS, Database
from claimcheck.embedded import ports
from claimcheck.outbound import receiver
from tests.embedded.running import Run

ROOT = Path(__file__).parents[2]
INVARIANTS = (ROOT / "tests" / "sql" / "invariants.sql").read_text()
VICTIMS = ("web", "worker-1", "worker-2", "dispatcher", "publisher", "valkey", "postgres")
MOODS = {  # of the receiver
    "receiver slow": ["--slow-seconds", "2"],
    "receiver failing": ["--fail-rate", "0.5"],
    "receiver past the deadline": ["--slow-seconds", "11"],
}
KINDS = [f"kill {name}" for name in VICTIMS] + ["flush valkey", "stop a worker", "kill receiver", *MOODS]
DRAIN_SECONDS = 240


@dataclass
class Seen:
    """What a run saw. `broken` is empty when everything held."""

    seed: int
    faults: collections.Counter[str] = field(default_factory=collections.Counter)
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    broken: list[str] = field(default_factory=list)
    drain_seconds: float = 0.0


class Receiver:
    """`bin/claimcheck receive` as a process; its journal survives it."""

    def __init__(self, folder: Path):
        self.port, self.journal, self.secret = ports.pick([0])[0], folder / "received.jsonl", ""
        self.process: subprocess.Popen[bytes] | None = None
        self.log = (folder / "receiver.log").open("ab")

    def start(self, *mood: str) -> None:
        self.end()
        argv = [
            sys.executable,
            "-m",
            "claimcheck.cli",
            "receive",
            "--port",
            str(self.port),
            "--secret",
            self.secret,
            "--log",
            str(self.journal),
            *mood,
        ]
        self.process = subprocess.Popen(argv, cwd=ROOT, stdout=self.log, stderr=self.log)

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        self.end()
        self.log.close()


class Api:
    """One caller of the API; answers are (status, body), 0 where none came."""

    def __init__(self, base: str, token: str):
        self.base, self.token = base, token

    def __call__(self, method: str, path: str, body: Any = None, *, kind: str = "application/json") -> tuple[int, bytes]:
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=15) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except (OSError, ValueError, http.client.HTTPException):  # none, or half of one
            return 0, b""


class Chaos:
    def __init__(self, folder: Path, seed: int, seconds: float):
        self.seen, self.rnd, self.seconds, self.folder = Seen(seed), random.Random(seed), seconds, folder
        self.receiver = Receiver(folder)
        self.run = Run(folder / "home", CLAIMCHECK_DEMO="0", PORT=str(ports.pick([0])[0]), WEBHOOK_ALLOW="127.0.0.0/8").until_ready()
        self.settings = self.run.settings()
        self.acks: dict[int, bytes] = {}  # assignment → receipt
        self.accepted: set[str] = set()
        self.calm, self.over = threading.Event(), threading.Event()
        self.open()

    def open(self) -> None:
        db = Database(str(self.settings.database_url_web), max_size=1)
        base = str(self.settings.base_url)
        self.customer = Api(base, tokens.new(db, name="Eve", role="customer"))
        self.lead = Api(base, tokens.new(db, name="Chi", role="lead"))
        self.reviewers = [Api(base, tokens.new(db, name=f"reviewer {n}", role="reviewer", skills=["chaos"])) for n in range(5)]
        db.close()
        rules = {
            "name": "Chaos",
            "skill": "chaos",
            "reason_codes": ["ok"],
            "lease_seconds": 4,
            "items": [],
            "webhook": {"url": f"http://127.0.0.1:{self.receiver.port}/"},
        }
        status, body = self.customer("POST", "/v1/projects", rules)
        assert status == 202, body
        made = json.loads(body)
        self.project, self.receiver.secret = made["id"], made["webhook_secret"]
        self.receiver.start()

    # The people -----------------------------------------------------------------------------------------------------

    def send(self) -> None:
        """The customer: rows in small streams, each sent again until it is answered; some in partitions, some sent twice."""
        for n in range(100_000):
            if self.calm.is_set():
                return
            keys = [f"{n}-{i}" for i in range(self.rnd.randint(1, 6))]
            rows = [{"idempotency_key": k, "payload": {"text": f"item {k}"}, **({"partition_key": f"p{n % 5}"} if n % 3 == 0 else {})} for k in keys]
            lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
            if self.until_answered(lines):
                self.accepted.update(keys)
                if n % 7 == 0:
                    self.until_answered(lines)
            time.sleep(0.25)

    def until_answered(self, lines: bytes) -> bool:
        for _ in range(200):
            status, _ = self.customer("POST", f"/v1/projects/{self.project}/items", lines, kind="application/x-ndjson")
            self.seen.counts[f"items {status}"] += 1
            if status == 202:
                return True
            time.sleep(0.3)
        self.seen.broken.append("a sending that was never answered")
        return False

    def review(self, api: Api, seed: int) -> None:
        rnd = random.Random(f"{self.seen.seed}-{seed}")
        while not self.over.is_set():
            status, body = api("POST", "/v1/tasks/next", {})
            self.seen.counts[f"next {status}"] += 1
            if status != 200:
                time.sleep(rnd.uniform(0.05, 0.4))
                continue
            if not self.calm.is_set() and rnd.random() < 0.05:
                time.sleep(4.5)  # a closed tab
                continue
            self.decide(api, json.loads(body), rnd)

    def decide(self, api: Api, claim: dict[str, Any], rnd: random.Random) -> None:
        """Submits until answered, sometimes twice; every receipt of one submit must be the same bytes."""
        path = f"/v1/assignments/{claim['assignment_id']}/submit"
        answer = {
            "lease_token": claim["lease_token"],
            "evidence_hash": claim["evidence_hash"],
            "verdict": rnd.choice(["approve", "reject"]),
            "reason_code": "ok",
        }
        for _ in range(200):
            status, body = api("POST", path, answer)
            self.seen.counts[f"submit {status}"] += 1
            if status == 200:
                if self.acks.setdefault(claim["assignment_id"], body) != body:
                    self.seen.broken.append("two receipts for one submit")
                if rnd.random() < 0.9:
                    return
            elif status in (409, 422):
                if claim["assignment_id"] in self.acks:
                    self.seen.broken.append(f"a repeat answered {status}: {body[:200]!r}")
                return
            time.sleep(0.1)

    # The faults -----------------------------------------------------------------------------------------------------

    def pid(self, name: str) -> int | None:
        """The running process of that name, as the supervisor has written down."""
        run = self.run.json()
        identity = run["processes"].get(name, {}).get("identity") if run else None
        return int(identity.split("/")[1]) if identity else None

    def strike(self, kind: str) -> None:
        _, _, name = kind.partition(" ")
        if kind in MOODS:
            self.receiver.start(*MOODS[kind])
            time.sleep(4)
            self.receiver.start()
        elif kind == "kill receiver":
            self.receiver.start()
        elif kind == "flush valkey":
            password = json.loads((self.run.home / "secrets.json").read_text())["valkey_admin"]
            with contextlib.suppress(redis.RedisError), redis.Redis.from_url(str(self.settings.redis_url), username="admin", password=password) as valkey:
                valkey.flushall()
        elif kind == "stop a worker":
            self.signalled("worker-1", signal.SIGSTOP)
            time.sleep(4)
            self.signalled("worker-1", signal.SIGCONT)
        else:
            self.signalled(name, signal.SIGKILL)
        self.seen.faults[kind] += 1

    def signalled(self, name: str, number: signal.Signals) -> None:
        pid = self.pid(name)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def torment(self) -> None:
        """Every kind once in a drawn order, then drawn ones until the time is over."""
        end, first = time.monotonic() + self.seconds, self.rnd.sample(KINDS, len(KINDS))
        while first or time.monotonic() < end:
            self.strike(first.pop() if first else self.rnd.choice(KINDS))
            time.sleep(self.rnd.uniform(0.5, 2.0))

    # The accounts ---------------------------------------------------------------------------------------------------

    def go(self) -> Seen:
        people = [threading.Thread(target=self.send, daemon=True)]
        people += [threading.Thread(target=self.review, args=(api, n), daemon=True) for n, api in enumerate(self.reviewers)]
        for person in people:
            person.start()
        try:
            self.torment()
            self.calm.set()
            people[0].join(120)
            self.drain()
            self.over.set()
            for person in people:
                person.join(30)
            self.account()
        finally:
            self.over.set()
            self.receiver.close()
            if self.run.stop() != 0:
                self.seen.broken.append(f"bin/run did not end well:\n{self.run.words[-2000:]}")
        return self.seen

    def drain(self) -> None:
        began = time.monotonic()
        left = {"items": -1}
        while time.monotonic() - began < DRAIN_SECONDS:
            with contextlib.suppress(psycopg.OperationalError), self.superuser() as root:
                left = root.execute(
                    """SELECT (SELECT count(*) FROM items i WHERE NOT EXISTS (SELECT FROM decisions d WHERE d.item_id = i.id AND d.outcome IS NOT NULL)) AS items,
                              (SELECT count(*) FROM outbox WHERE state <> 'done') AS effects,
                              (SELECT count(*) FROM tasks WHERE open_in IS NOT NULL AND kind = 'escalation') AS escalated"""
                ).fetchone()
                if left["items"] == left["escalated"] and not left["effects"]:
                    self.seen.drain_seconds = time.monotonic() - began
                    return
            time.sleep(0.5)
        self.seen.broken.append(f"not drained after {DRAIN_SECONDS} s: {left}")

    def superuser(self) -> psycopg.Connection[Any]:
        password = json.loads((self.run.home / "secrets.json").read_text())["postgres"]
        url = psycopg.conninfo.conninfo_to_dict(str(self.settings.database_url)) | {"user": "postgres", "password": password}
        return psycopg.connect(**url, autocommit=True, row_factory=dict_row)

    def account(self) -> None:
        with self.superuser() as root:
            self.expect("the database's invariants", root.execute(INVARIANTS).fetchall(), [])
            self.expect("counters and facts", root.execute(STATEMENTS["tasks/disagreements"]).fetchall(), [])
            keys = {row["idempotency_key"] for row in root.execute("SELECT idempotency_key FROM items")}
            self.expect("accepted items that are not here", self.accepted - keys, set())
            outcomes = {str(row["id"]) for row in root.execute("SELECT id FROM decisions WHERE outcome IS NOT NULL")}
            doubled = root.execute("SELECT item_id FROM standings WHERE times <> 1").fetchall()
            self.expect("in-database effects applied twice", doubled, [])
            stored = {row["assignment_id"] for row in root.execute("SELECT assignment_id FROM decisions WHERE assignment_id IS NOT NULL")}
            self.expect("acknowledged decisions that are not here", set(self.acks) - stored, set())
        events = receiver.entries(self.receiver.journal)
        first = collections.Counter(e["webhook_id"] for e in events if e["result"] == "first")
        self.expect("outcomes that the receiver never saw", outcomes - set(first), set())
        self.expect("outcomes that it saw and nobody made", set(first) - outcomes, set())
        self.expect("events that count twice after deduplication", [e for e, n in first.items() if n > 1], [])
        self.expect("bad signatures", [e for e in events if e["result"] == "bad signature"], [])
        self.repeats()
        self.expect("faults that never happened", [kind for kind in KINDS if not self.seen.faults[kind]], [])
        self.seen.counts |= {
            "items": len(keys),
            "outcomes": len(outcomes),
            "deliveries": len(events),
            "duplicates": len(events) - len(first),
            "receipts": len(self.acks),
        }

    def repeats(self) -> None:
        """A receipt asked for later has the bytes that were given at the submit."""
        for receipt in random.Random(1).sample(sorted(self.acks.values()), min(40, len(self.acks))):
            number = json.loads(receipt)["decision_id"]
            status, body = self.lead("GET", f"/v1/decisions/{number}/receipt")
            self.expect(f"the receipt of decision {number}", (status, body), (200, receipt))

    def expect(self, what: str, found: Any, wanted: Any) -> None:
        if found != wanted:
            self.seen.broken.append(f"{what}: {str(found)[:400]}")


def run(folder: Path, seed: int, seconds: float) -> Seen:
    """One seed, in a folder of its own."""
    return Chaos(folder, seed, seconds).go()


def main() -> int:
    """`bin/chaos [--full] [--seed N]`: a minute, or ten; prints the fault matrix."""
    import argparse
    import tempfile

    parser = argparse.ArgumentParser(prog="chaos", description="Torments a desk of its own on this machine and counts what is left.")
    parser.add_argument("--full", action="store_true", help="ten minutes instead of one")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="desk-chaos-") as folder:
        Path(folder).chmod(0o711)
        seen = run(Path(folder), arguments.seed, 600 if arguments.full else 60)
    print(f"seed {seen.seed}: {sum(seen.faults.values())} faults, drained in {seen.drain_seconds:.1f} s")
    for kind in KINDS:
        print(f"  {kind:<28} {seen.faults[kind]:>4}")
    print("  " + ", ".join(f"{what} {n}" for what, n in sorted(seen.counts.items())))
    print("\n".join(["BROKEN", *seen.broken]) if seen.broken else "everything held")
    return 1 if seen.broken else 0


if __name__ == "__main__":
    sys.exit(main())
