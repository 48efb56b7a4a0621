"""A model of the desk beside the real one: Hypothesis draws what people do, and after each step both must agree."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from psycopg.rows import dict_row

from claimcheck.experts.ruling import BY_THE_STATEMENT
from tests.sql import floor, mutants
from tests.sql.race import INVARIANTS, Plan, Race, digest

PEOPLE = st.integers(0, 4)  # the last one leads
BACK = st.integers(0, 50) | st.integers(0, 4)  # a claim so many back from the latest: half of the time a recent one
TABLES = """applied, deliveries, standings, outbox, payouts, drafts, reconsiderations, decisions, assignments, tasks, access_events, events, spool, evidence_parts, evidence,
            items, partitions, batches, effects, reason_codes, project_clocks, queues, project_versions, projects, lanes, person_skills, skills, customers, people"""
WIPE = f"SET session_replication_role = replica; TRUNCATE {TABLES} RESTART IDENTITY CASCADE; INSERT INTO people (id, name, role, program, pseudonym) OVERRIDING SYSTEM VALUE VALUES (0, 'system', 'system', true, 'system'); SET session_replication_role = origin"


class Desk(RuleBasedStateMachine):
    """What the model knows: who holds what, which tokens are spent, what was acknowledged."""

    database: Any = None
    statements: ClassVar[dict[str, str]] = {}

    @initialize(wanted=st.sampled_from([1, 3]))
    def open_the_desk(self, wanted):
        self.root = psycopg.connect(self.database.superuser, autocommit=True, row_factory=dict_row)
        self.web = psycopg.connect(self.database.web, autocommit=True, row_factory=dict_row, prepare_threshold=0)
        self.root.execute(WIPE)
        race = Race(Plan(seed=0, reviewers=4, leads=1, projects=3, lease=60, statements=self.statements), self.database)
        floor.projects(race, self.root)
        self.root.execute("UPDATE projects SET wanted = %s", (wanted,))
        self.cast = [me for me, _ in floor.people(race, self.root)]
        self.claims: list[tuple[int, dict[str, Any]]] = []
        self.held: dict[int, int] = {}  # person → assignment with a good lease
        self.acks: dict[int, tuple[int, dict[str, Any]]] = {}
        self.answered: set[tuple[int, int]] = set()  # (person, item)
        self.arrived = 0

    def run(self, name, **params):
        try:
            return self.web.execute(self.statements[name], params).fetchall()
        except psycopg.errors.CheckViolation as error:
            assert error.diag.constraint_name == "partitions_head_promoted", error
            return self.run(name, **params)

    @rule(project=st.integers(1, 3), partition=st.sampled_from([None, "a", "b"]), priority=st.integers(-2, 3))
    def an_item_arrives(self, project, partition, priority):
        self.arrived += 1
        floor.arrive(self.root, project, f"item {self.arrived}", partition, priority)

    @rule(who=PEOPLE)
    def somebody_claims(self, who):
        me = self.cast[who]
        for _ in range(30):
            rows = self.run("tasks/claim", me=me, skill_id=None, queue=None, item_id=None)
            assert len(rows) <= 1
            if not rows or rows[0]["result"] == "claimed":
                break
        if not rows:
            left = self.run("tasks/any_left", me=me, skill_id=None, queue=None)
            assert not left[0]["any_left"], "a claim answered 'nothing' while work is left and nobody else moves"
            return
        claim = rows[0]
        if me in self.held:
            assert claim["assignment_id"] == self.held[me], "a live lease was not given again"
        assert claim["assignment_id"] not in [a for p, a in self.held.items() if p != me], "somebody else's live lease was taken"
        assert (me, claim["item_id"]) not in self.answered, "the same item again"
        self.held[me] = claim["assignment_id"]
        self.claims.append((me, claim))

    def pick(self, n):
        return self.claims[-1 - n % len(self.claims)] if self.claims else None

    def fence(self, me, claim):
        return {"assignment_id": claim["assignment_id"], "lease_token": claim["lease_token"], "me": me}

    @rule(n=BACK, verdict=st.sampled_from(["approve", "reject", "escalate"]), forged=st.booleans(), other=st.booleans())
    def somebody_submits(self, n, verdict, forged, other):
        if not (drawn := self.pick(n)):
            return
        me, claim = drawn
        if claim["kind"] in ("escalation", "adjudication") and verdict == "escalate":
            verdict = "approve"
        params = self.fence(me, claim) | {
            "evidence_hash": digest("other") if other else claim["evidence_hash"],
            "verdict": verdict,
            "answer": None,
            "vote": verdict,
            **BY_THE_STATEMENT,
        }
        params |= {"reason_code": "ok", "note": "", "lease_token": uuid.uuid4() if forged else claim["lease_token"]}
        row = self.run("decisions/submit", **params)[0]
        self.judge(me, claim, params, row, forged, other)

    def live(self, who):
        """How many claims back this person's live lease is, None without one."""
        return next((n for n, (_, claim) in enumerate(reversed(self.claims)) if claim["assignment_id"] == self.held.get(self.cast[who])), None)

    @rule(who=PEOPLE, times=st.integers(1, 3), other=st.sampled_from([False, False, True]))
    def somebody_works(self, who, times, other):
        for _ in range(times):
            self.somebody_claims(who)
            if (n := self.live(who)) is not None:
                self.somebody_submits(n, "approve", forged=False, other=other)

    @rule(who=PEOPLE, heir=PEOPLE)
    def somebody_walks_off(self, who, heir):
        self.somebody_claims(who)
        if (n := self.live(who)) is not None:
            self.a_lease_runs_out(n)
            self.somebody_claims(heir)

    def judge(self, me, claim, params, row, forged, other):
        key = claim["assignment_id"]
        now = self.root.execute("SELECT end_reason FROM assignments WHERE id = %s", (key,)).fetchone()["end_reason"]
        if forged:
            assert row["result"] == "stale"
        elif key in self.acks:
            same = self.acks[key][1] == params
            assert row["result"] == ("repeated" if same else "different")
            assert not same or row["decision_id"] == self.acks[key][0], "another receipt"
        elif other:
            assert row["result"] in ("evidence_changed", "stale")
        elif row["result"] == "accepted":
            assert now == "submitted"
            self.acks[key] = (row["decision_id"], params)
            self.held.pop(me, None)
            if params["verdict"] != "escalate":
                self.answered.add((me, claim["item_id"]))
        else:
            assert row["result"] == "stale" and self.held.get(me) != key, "a good token was refused"

    @rule(n=BACK, skip=st.booleans())
    def somebody_gives_it_back(self, n, skip):
        if drawn := self.pick(n):
            me, claim = drawn
            rows = self.run("assignments/release", **self.fence(me, claim), skip=skip, reason="unclear")
            assert bool(rows) == (self.held.get(me) == claim["assignment_id"])
            if rows:
                del self.held[me]

    @rule(n=BACK, idle=st.sampled_from([0, 9999]))
    def a_tab_sends_a_heartbeat(self, n, idle):
        if drawn := self.pick(n):
            me, claim = drawn
            before = self.root.execute("SELECT lease_expires FROM assignments WHERE id = %s", (claim["assignment_id"],)).fetchone()["lease_expires"]
            rows = self.run("assignments/heartbeat", **self.fence(me, claim), idle_seconds=idle)
            assert bool(rows) == (self.held.get(me) == claim["assignment_id"]), "a heartbeat answers for live leases only"
            assert not rows or (rows[0]["lease_expires"] >= before and (not idle or rows[0]["lease_expires"] == before))

    @rule(n=BACK)
    def a_lease_runs_out(self, n):
        if drawn := self.pick(n):
            me, claim = drawn
            rows = self.root.execute(
                "UPDATE assignments SET lease_expires = clock_timestamp() - interval '1 ms' WHERE id = %s AND ended_at IS NULL RETURNING 1",
                (claim["assignment_id"],),
            ).fetchall()
            if rows and self.held.get(me) == claim["assignment_id"]:
                del self.held[me]

    @rule(n=BACK)
    def a_lead_sends_back(self, n):
        if drawn := self.pick(n):
            me, claim = drawn
            rows = self.run("decisions/send_back", **self.fence(me, claim), note="page two")
            good = self.held.get(me) == claim["assignment_id"] and claim["kind"] in ("escalation", "adjudication")
            assert bool(rows) == good
            if rows:
                del self.held[me]

    @rule(n=BACK, outcome=st.sampled_from(["approve", "reject", "reopen"]))
    def a_lead_overturns(self, n, outcome):
        rows = self.root.execute("SELECT id, item_id FROM decisions WHERE outcome IN ('approve', 'reject') ORDER BY id").fetchall()
        if not rows:
            return
        target = rows[n % len(rows)]
        ask = {"decision_id": target["id"], "me": self.cast[-1], "answer": None, "outcome": outcome, "reason_code": "bad", "note": ""}
        done = self.root.execute("SELECT 1 FROM decisions WHERE supersedes = %s", (target["id"],)).fetchone()
        try:
            rows = self.run("decisions/overturn", **ask)
            assert rows and not done, "an outcome overturned twice"
        except psycopg.errors.UniqueViolation:
            assert done, "a first overturn was refused"

    @invariant()
    def everything_holds(self):
        if hasattr(self, "root"):
            assert not (broken := self.root.execute(INVARIANTS).fetchall()), broken
            assert not (wrong := self.root.execute(self.statements["tasks/disagreements"]).fetchall()), wrong
            stored = {
                r["assignment_id"]: r["id"] for r in self.root.execute("SELECT id, assignment_id FROM decisions WHERE assignment_id IS NOT NULL")
            }
            assert stored == {key: ack[0] for key, ack in self.acks.items()}, "what was acknowledged and what is stored differ"

    def teardown(self):
        for connection in ("root", "web"):
            if hasattr(self, connection):
                getattr(self, connection).close()


def play(database, statements, ddl="", examples=40):
    with psycopg.connect(database.superuser, autocommit=True) as root:
        root.execute(ddl or "SELECT")
    machine = type("Desk", (Desk,), {"database": database, "statements": statements})
    limits = settings(
        max_examples=examples,
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        print_blob=False,
        phases=[Phase.generate],
    )
    run_state_machine_as_test(machine, settings=limits)


def test_it_agrees_with_its_model(make_database):
    play(make_database(), mutants.STATEMENTS)


NOTICED = [
    "I3 the fence is removed",
    "I1 a claim ignores expiry",
    "I2 who has seen it is not asked",
    "I8 the evidence is not compared",
    "I7 an expired look stays in seen_by",
]


@pytest.mark.parametrize("name", NOTICED)
def test_the_model_notices_when(name, make_database):
    with pytest.raises((AssertionError, psycopg.Error, BaseExceptionGroup)):
        play(make_database(), mutants.statements(name), mutants.MUTANTS[name][1], examples=500)  # stops at the first
