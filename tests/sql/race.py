"""The race: reviewers and leads on the real statements, with everything that goes wrong at a desk.

Leases last a fraction of a second, backends are killed all the time, people double-click, come late, skip, release, forge and vanish;
items arrive meanwhile, in partitions and out of them; one project is cancelled. `run` returns what broke.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import random
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from claimcheck.db import STATEMENTS
from claimcheck.experts.ruling import BY_THE_STATEMENT

INVARIANTS = (Path(__file__).parent / "invariants.sql").read_text()
DEADLINE = 420.0  # a slow machine may take minutes; the end is what counts
OWN_LAPSED = "SELECT 1 FROM assignments WHERE person_id = %(me)s AND ended_at IS NULL AND lease_expires < clock_timestamp() - interval '1.5 s'"


@dataclass
class Plan:
    """How large a race, which statements (a mutant changes some) and which guards of the schema are taken away."""

    seed: int
    tasks: int = 2000
    reviewers: int = 14
    leads: int = 2
    projects: int = 8
    kill_every: float = 0.15
    lease: float = 0.25
    statements: dict[str, str] = field(default_factory=lambda: dict(STATEMENTS))
    ddl: str = ""


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


class Gone(Exception):
    """The backend was killed, and the call may or may not have happened."""


class Link:
    """One connection that comes back after a kill, and what went wrong on it."""

    def __init__(self, race: Race):
        self.race, self.conn, self.seen = race, None, race.seen

    def once(self, name: str, **params: Any) -> list[dict[str, Any]]:
        try:
            if self.conn is None:
                self.conn = psycopg.connect(self.race.web, autocommit=True, row_factory=dict_row, prepare_threshold=0)
            return self.conn.execute(self.race.plan.statements.get(name, name), params).fetchall()
        except (psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable) as error:
            self.seen["deadlock"] += 1
            raise Gone from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            if self.conn is not None:
                with contextlib.suppress(Exception):
                    self.conn.close()
                self.seen[f"killed in {name}"] += 1
            self.conn = None
            time.sleep(0.002)
            raise Gone from error

    def close(self) -> None:
        if self.conn is not None:
            self.conn.close()

    def __call__(self, name: str, **params: Any) -> list[dict[str, Any]] | None:
        for _ in range(60):
            try:
                rows = self.once(name, **params)
                if not (rows and rows[0].get("result") == "again"):
                    return rows
                self.seen["again"] += 1
            except Gone:
                self.seen["asked again after a kill"] += 1
            except psycopg.Error as error:
                if error.diag.constraint_name not in ("partitions_head_promoted", "assignments_one_live"):
                    self.race.broke(f"UNEXPECTED {name} {error.diag.constraint_name or str(error)[:100]}")
                    return None
                self.seen[f"refused by {error.diag.constraint_name}, run again"] += 1
        self.race.broke(f"UNEXPECTED {name} gave up")
        return None


class Race:
    """The state that the threads share."""

    def __init__(self, plan: Plan, database: Any):
        self.plan, self.web, self.root = plan, database.web, database.superuser
        self.seen: collections.Counter[str] = collections.Counter()
        self.broken: collections.Counter[str] = collections.Counter()
        self.acks: dict[int, tuple[Any, ...]] = {}
        self.promises: dict[int, Any] = {}
        self.calm, self.over = threading.Event(), threading.Event()
        self.end = time.monotonic() + DEADLINE

    def broke(self, what: str) -> None:
        self.broken[what] += 1

    def superuser(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.root, autocommit=True, row_factory=dict_row, application_name="referee")

    @property
    def running(self) -> bool:
        return not self.over.is_set() and time.monotonic() < self.end


class Reviewer(threading.Thread):
    """Claims, looks a moment, and does the right thing most of the time."""

    def __init__(self, race: Race, me: int, lead: bool):
        super().__init__(daemon=True)
        self.race, self.me, self.lead = race, me, lead
        self.rnd = random.Random(f"{race.plan.seed}-{me}")
        self.a, self.b = Link(race), Link(race)

    def both(self, name: str, **params: Any) -> list[Any]:
        """The same call at the same time on two connections."""
        out: list[Any] = [None, None]
        other = threading.Thread(target=lambda: out.__setitem__(1, self.b(name, **params)))
        other.start()
        out[0] = self.a(name, **params)
        other.join()
        return out

    def claim(self) -> dict[str, Any] | None:
        ask = {"me": self.me, "skill_id": None, "queue": None, "item_id": None}
        for _ in range(60):
            if self.rnd.random() < 0.1:
                pair = [r[0] for r in self.both("tasks/claim", **ask) if r and r[0]["result"] == "claimed"]
                if len({r["assignment_id"] for r in pair}) > 1 and not any(self.lapsed(r) for r in pair):
                    self.race.broke("I1 two tabs got two assignments")
                rows = pair[-1:]
                self.race.seen["two claims at once"] += 1
            else:
                rows = self.a("tasks/claim", **ask) or []
            if rows and rows[0]["result"] == "claimed":
                self.promise(rows[0])
                return rows[0]
            if not rows:
                return self.confirm_empty(ask)
            self.race.seen[f"claim: {rows[0]['result']}"] += 1
        self.race.broke("a claim that never ends")
        return None

    def lapsed(self, claim: dict[str, Any]) -> bool:
        rows = self.a("SELECT clock_timestamp() >= %(until)s AS past", until=claim["lease_expires"])
        return bool(rows and rows[0]["past"])

    def confirm_empty(self, ask: dict[str, Any]) -> None:
        left = self.a("tasks/any_left", me=ask["me"], skill_id=None, queue=None)
        self.race.seen["empty, work left" if left and left[0]["any_left"] else "empty, confirmed"] += 1
        if self.a(OWN_LAPSED, me=self.me):
            self.race.broke("I7 a lapsed lease of one's own keeps them from work")

    def promise(self, row: dict[str, Any]) -> None:
        known = self.race.promises.get(row["assignment_id"], row["lease_expires"])
        self.race.promises[row["assignment_id"]] = max(known, row["lease_expires"])

    def answer(self, x: dict[str, Any], **other: Any) -> dict[str, Any]:
        verdict = self.rnd.choices(["approve", "reject", "escalate"], [75, 20, 0 if self.lead else 5])[0]
        answered = {
            "verdict": verdict,
            "answer": None,
            "vote": verdict,
            **BY_THE_STATEMENT,
            "reason_code": self.rnd.choice(["ok", "bad"]),
            "note": f"{self.me}-{self.rnd.random()}",
        }
        fence = {"assignment_id": x["assignment_id"], "lease_token": x["lease_token"], "me": self.me, "evidence_hash": x["evidence_hash"]}
        return fence | answered | other

    def submit(self, x: dict[str, Any], twice: bool = False) -> list[dict[str, Any]]:
        answer = self.answer(x)
        replies = self.both("decisions/submit", **answer) if twice else [self.a("decisions/submit", **answer)]
        rows = [r[0] for r in replies if r]
        self.race.seen.update("submit " + r["result"] for r in rows)
        if sum(r["result"] == "accepted" for r in rows) > 1:
            self.race.broke("I3 one token accepted twice")
        for r in rows:
            if r["result"] in ("accepted", "repeated"):
                self.acknowledged(x, answer, r)
        return rows

    def acknowledged(self, x: dict[str, Any], answer: dict[str, Any], row: dict[str, Any]) -> None:
        known = self.race.acks.setdefault(x["assignment_id"], (row["decision_id"], answer["verdict"], answer["note"]))
        if known[0] != row["decision_id"]:
            self.race.broke("I3 another receipt on repeat")
        if self.rnd.random() < 0.2:
            again = self.a("decisions/submit", **answer)
            if again and (again[0]["result"], again[0]["decision_id"]) != ("repeated", known[0]):
                self.race.broke(f"I3 a repeat answered {again[0]['result']}")
            other = self.a("decisions/submit", **answer | {"note": "something else"})
            if other and other[0]["result"] != "different":
                self.race.broke(f"I3 other content on a spent token answered {other[0]['result']}")

    def outlast(self, x: dict[str, Any]) -> None:
        """Waits until the database says that the promised lease has run out."""
        for _ in range(80):
            if self.lapsed({"lease_expires": self.race.promises[x["assignment_id"]]}):
                return
            time.sleep(0.02)

    def blind(self, x: dict[str, Any]) -> None:
        """Who holds a second look can't read what was proposed; a lead between two can."""
        proposed = self.a("SELECT o.note FROM approvals a JOIN proposals o ON o.id = a.id WHERE a.task_id = %(task_id)s", task_id=x["task_id"])
        mine = {"assignment_id": x["assignment_id"], "me": self.me}
        told = repr([x, self.a("assignments/load", **mine), self.a("looks/disputed", **mine), self.a("looks/sent_back", task_id=x["task_id"])])
        if any(row["note"] and row["note"] in told for row in proposed or []):
            self.race.broke("I15 a second pair of eyes can read what was proposed")
        self.race.seen["a second look taken" if proposed else "two who differ"] += 1

    def work(self, x: dict[str, Any]) -> None:
        if x["kind"] == "approval":
            self.blind(x)
        if self.race.calm.is_set():
            self.submit(x)
            return
        acts = ["submit", "twice", "late", "abandon", "release", "skip", "beat", "stale_beat", "evidence", "forged", "send_back"]
        act = self.rnd.choices(acts, [52, 9, 6, 7, 3, 4, 8, 3, 3, 2, 20 if x["kind"] == "escalation" else 0])[0]
        self.race.seen[f"did {act}"] += 1
        getattr(self, act, self.submit)(x)

    def twice(self, x: dict[str, Any]) -> None:
        self.submit(x, twice=True)

    def late(self, x: dict[str, Any]) -> None:
        """Expiry alone does not void the token; a seat handed on does."""
        self.outlast(x)
        if self.rnd.random() < 0.5:
            time.sleep(self.rnd.uniform(0, 0.3))
        self.submit(x)

    def abandon(self, x: dict[str, Any]) -> None:
        """Closes the tab."""

    def lease(self, x: dict[str, Any]) -> dict[str, Any]:
        return {"assignment_id": x["assignment_id"], "lease_token": x["lease_token"], "me": self.me}

    def release(self, x: dict[str, Any], skip: bool = False) -> None:
        self.a("assignments/release", **self.lease(x), skip=skip, reason="unclear" if skip else None)

    def skip(self, x: dict[str, Any]) -> None:
        self.release(x, skip=True)

    def beat(self, x: dict[str, Any]) -> None:
        for _ in range(self.rnd.randint(1, 3)):
            time.sleep(self.rnd.uniform(0, 0.06))
            rows = self.a("assignments/heartbeat", **self.lease(x), idle_seconds=0)
            if rows:
                self.promise(x | rows[0])
        self.submit(x)

    def stale_beat(self, x: dict[str, Any]) -> None:
        self.outlast(x)
        if self.a("assignments/heartbeat", **self.lease(x), idle_seconds=0):
            self.race.broke("I3 a heartbeat revived a lapsed lease")

    def evidence(self, x: dict[str, Any]) -> None:
        rows = self.a("decisions/submit", **self.answer(x, evidence_hash=digest("changed")))
        if rows and rows[0]["result"] not in ("evidence_changed", "stale", "cancelled"):
            self.race.broke(f"I8 other evidence answered {rows[0]['result']}")
        self.submit(x)

    def forged(self, x: dict[str, Any]) -> None:
        rows = self.a("decisions/submit", **self.answer(x, lease_token=uuid.uuid4()))
        if rows and rows[0]["result"] != "stale":
            self.race.broke(f"I3 a forged token answered {rows[0]['result']}")

    def send_back(self, x: dict[str, Any]) -> None:
        self.a("decisions/send_back", **self.lease(x), note="look at page two")

    def overturn(self) -> None:
        """Two leads at once: one wins, the other is told."""
        rows = self.a(
            """SELECT d.id, EXISTS (SELECT FROM decisions r WHERE r.item_id = d.item_id AND r.outcome = 'reopen') AS reopened
                 FROM decisions d WHERE d.outcome IN ('approve', 'reject') AND d.assignment_id IS NOT NULL ORDER BY random() LIMIT 1"""
        )
        if not rows:
            return
        ask = {
            "decision_id": rows[0]["id"],
            "me": self.me,
            "answer": None,
            "outcome": self.rnd.choice(["approve", "reject", *([] if rows[0]["reopened"] else ["reopen"])]),  # once: each round bars more eyes
            "reason_code": "bad",
            "note": "",
        }
        wins = 0
        for _ in range(2):
            try:
                made = self.a.once("decisions/overturn", **ask)
                wins += sum(row["decision_id"] is not None for row in made)
                self.race.seen["an overturn proposed"] += sum(row["decision_id"] is None for row in made)
            except Gone:
                return
            except psycopg.errors.UniqueViolation:
                self.race.seen["a second overturn refused"] += 1
            except psycopg.errors.CheckViolation as error:
                if error.diag.constraint_name != "partitions_head_promoted":
                    raise
        if wins > 1:
            self.race.broke("an outcome overturned twice")

    def run(self) -> None:
        try:
            while self.race.running:
                if self.lead and not self.race.calm.is_set() and self.rnd.random() < 0.1:
                    self.overturn()
                x = self.claim()
                if x is None:
                    time.sleep(self.rnd.uniform(0.002, 0.02))
                    continue
                time.sleep(self.rnd.choice([0, 0, 0, self.rnd.uniform(0, 0.03)]))
                self.work(x)
        except Exception as error:
            self.race.broke(f"a reviewer died: {type(error).__name__} {error}"[:160])
        finally:
            self.a.close()
            self.b.close()
