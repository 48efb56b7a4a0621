"""A lead's day in one piece: breaks come in, most are decided by sample, some are stale, some taken back, two are overturned as a list that another lead approves, and all of it can be verified."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from claimcheck import config, projects, revisions, rules, versions
from claimcheck.access import people
from claimcheck.bulk import batch_decisions, bulk_overturns, finding, overturning, working
from claimcheck.intake import replays
from claimcheck.outbound import applying, deliveries
from claimcheck.proof import exports, receipts
from claimcheck.review import decisions, lease_times, tasks
from tests import pipeline
from tests.intake import World
from tests.workers.stage import SECRET_KEY

ITEMS = int(os.environ.get("DESK_LEAD_DAY_ITEMS", "600"))  # 5,000 by hand
LIST, STALE, UNDONE, OVERTURNED, LOOKS = 400, 12, 3, 2, 40
GIVEN = {"batch_decision_bound": {"share": 0.05, "confidence": 0.95}, "four_eyes": [{"verdict": "overturn"}], "lease_seconds": 3600}
STANDING = "SELECT i.id, d.outcome FROM items i JOIN decisions d ON d.item_id = i.id AND d.outcome IS NOT NULL WHERE i.project_id = %s AND NOT EXISTS (SELECT FROM decisions l WHERE l.supersedes = d.id)"


class Day:
    def __init__(self, world: World):
        pipeline.clear(world)
        self.world, self.chi = world, world.cast.chi
        self.other_lead = people.add(world.web, name="Ben, who leads", email="leads@example.org", role="lead")
        self.project = world.project(**GIVEN)

    @property
    def now(self) -> projects.Project:
        return projects.load(self.world.web, self.project, self.chi)

    def arrive(self) -> None:
        """Breaks of two counterparties, each in a partition of its own, through the gates and onto the desk."""
        entities = ["Northwind"] * LIST + ["Acme"] * (ITEMS - LIST)
        bodies = [pipeline.message(self.project, f"k{n}", f"P{n}", ledger_entity=entity) for n, entity in enumerate(entities)]
        assert {answer.result for answer in pipeline.admit(self.world, bodies)} == {"admitted"}
        while runs := pipeline.pull(self.world):
            pipeline.handle(self.world, runs)
        assert self.world.publish() == ITEMS

    def look(self, claim: tasks.Claim | None, me: int, verdict: str = "approve") -> int:
        assert claim is not None
        proof = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash}
        return decisions.submit(self.world.web, **proof, me=me, verdict=verdict, reason_code="fine")

    def begin(self) -> batch_decisions.BatchDecision:
        self.batch = batch_decisions.ask(
            self.world.web, project=self.now, me=self.chi.id, same={"queue": "review", "counterparty": "Northwind"}, verdict="approve", reason_code="fine"
        )
        working.run(self.world.worker)
        return self.load()

    def load(self) -> batch_decisions.BatchDecision:
        return batch_decisions.load(self.world.web, batch_id=self.batch)

    def go_stale(self) -> set[int]:
        """Evidence of some that are not in the sample changes."""
        unseen = [m.item_id for m in batch_decisions.members(self.world.web, batch_id=self.batch, limit=LIST) if m.place is None][:STALE]
        for item in unseen:
            revisions.revise(self.world.web, person=self.world.cast.eve, item_id=item, payload={"ours": "100.00", "theirs": "999.00"})
        self.world.publish()
        return set(unseen)

    def decide_by_sample(self) -> batch_decisions.BatchDecision:
        while claim := batch_decisions.open_next(self.world.web, batch_id=self.batch, me=self.chi.id):
            self.look(claim, self.chi.id)
        batch_decisions.decide(self.world.web, batch_id=self.batch, me=self.chi.id, version=self.load().version)
        working.run(self.world.worker)
        return self.load()

    def undo(self) -> set[int]:
        ended = batch_decisions.members(self.world.web, batch_id=self.batch, limit=LIST, came_to="decided")[:UNDONE]
        for member in ended:
            batch_decisions.undo_one(self.world.web, batch_id=self.batch, n=member.n, me=self.chi.id)
        return {m.item_id for m in ended}

    def overturn(self) -> bulk_overturns.BulkOverturn:
        """Chi asks to overturn the latest that Ada decided, and another lead who never saw those items approves it."""
        asked = finding.Asked(self.project, reviewer_id=self.world.cast.ada.id)
        made = bulk_overturns.begin(self.world.web, asked, me=self.chi.id, verdict="reject", reason_code="wrong", most=OVERTURNED)
        for step, who in (("ask", self.chi), ("approve", self.other_lead)):
            overturning.run(self.world.worker)
            now = bulk_overturns.load(self.world.web, bulk_id=made, me=who.id)
            bulk_overturns.move(self.world.web, step, bulk_id=made, me=who, version=now.version)
        overturning.run(self.world.worker)
        return bulk_overturns.load(self.world.web, bulk_id=made, me=self.chi.id)

    def mend(self) -> None:
        """A dead letter is edited and replayed."""
        broken = pipeline.message(self.project, "mended", "mended", match_decision="MATCHED")
        [refused] = pipeline.admit(self.world, [broken])
        assert refused.dead_letter_id
        mended = broken.replace(b"MATCHED", b"PARTIAL")
        assert replays.one(self.world.web, dead_letter_id=refused.dead_letter_id, person=self.chi, body=mended).result == "admitted"
        pipeline.handle(self.world, pipeline.pull(self.world))
        assert self.world.publish() == 1

    def take_advice(self) -> None:
        """Leases took half a minute to two; the hour that the project gives is far too much."""
        work = "SET session_replication_role = replica; UPDATE assignments a SET claimed_at = a.ended_at - (30 + a.id % 90) * interval '1 s' FROM tasks t WHERE t.id = a.task_id AND t.project_id = {}"
        self.world.sql.execute(work.format(self.project))  # pyright: ignore[reportArgumentType, reportCallIssue]
        self.world.sql.execute("RESET session_replication_role")
        assert lease_times.count(self.world.worker, seconds=0)
        times = lease_times.of_project(self.world.web, project_id=self.project)
        assert times is not None and times.advised is not None and times.advised < 3600 and times.cut(times.advised) == 0
        new = rules.parse(self.now.rules | {"lease_seconds": times.advised})
        versions.change(self.world.web, self.project, self.chi.id, new, why="as advised")
        assert (self.now.parsed.lease_seconds, self.now.version, self.now.why) == (times.advised, 2, "as advised")

    def apply(self) -> None:
        """The undo window ends, and every effect is applied."""
        self.world.sql.execute("UPDATE outbox SET due = clock_timestamp() WHERE state = 'pending'")
        applier = applying.Applier(self.world.worker, deliveries.sender(config.Settings(secret_key=SECRET_KEY, demo=False)), threads=1)
        while rows := self.world.all("SELECT id FROM outbox WHERE ring_for IS NOT NULL AND state = 'pending' ORDER BY id"):
            for row in rows:
                applier.take(row.id)
                with applier._came_free:  # pyright: ignore[reportPrivateUsage]
                    assert applier._came_free.wait_for(lambda: applier.free == 1, 60)  # pyright: ignore[reportPrivateUsage]
        applier.stop()

    def verify(self, out: Path) -> int:
        """The export's receipts, each against its key and the bytes of its item; how many."""
        exports.write(self.world.web, self.world.store, project=self.now, me=self.chi, secret=SECRET_KEY, out=out)
        for receipt in sorted((out / "receipts").iterdir()):
            facts: dict[str, Any] = json.loads(receipt.read_bytes())
            folder = out / "items" / str(facts["item_id"]) / f"v{facts['evidence_version']}"
            assert receipts.verify(receipt.read_bytes(), (out / "keys" / f"{facts['key_id']}.pem").read_bytes(), folder).problems == ()
        return len([*(out / "receipts").iterdir()])


@pytest.mark.skipif(ITEMS <= LIST + LOOKS, reason="a list and some more are needed")
def test_a_day(world: World, tmp_path: Path) -> None:
    day = Day(world)
    day.arrive()
    begun = day.begin()
    assert (begun.state, begun.members) == ("sampling", LIST) and begun.sample_size is not None
    for person in (world.cast.ada.id, world.cast.ben.id) * (LOOKS // 2):
        day.look(tasks.claim(world.web, me=person), person)
    stale = day.go_stale()
    done = day.decide_by_sample()
    assert (done.state, done.opened, done.stale, done.decided) == ("decided", begun.sample_size, STALE, LIST - begun.sample_size - STALE)
    assert done.upper is not None and done.rest is not None and done.upper <= 0.05 * done.rest
    undone = day.undo()
    overturned = day.overturn()
    assert (overturned.state, overturned.overturned, overturned.left_out) == ("done", OVERTURNED, 0)
    day.take_advice()
    day.mend()
    day.apply()

    standing = dict(world.all(STANDING, day.project))
    assert Counter(standing.values()) == {"approve": done.opened + done.decided - UNDONE + LOOKS - OVERTURNED, "reject": OVERTURNED, "reopen": UNDONE}
    assert {item for item, outcome in standing.items() if outcome == "reopen"} == undone and not stale & standing.keys()
    told = "SELECT count(*) FROM applied a JOIN decisions d ON d.id = a.decision_id WHERE d.item_id = ANY(%s)"
    assert world.one(told, [*undone]) == 0, "what was taken back in time was never told"
    unapplied = "SELECT count(*) FROM outbox o JOIN decisions d ON d.id = o.decision_id WHERE d.project_id = %s AND o.state = 'pending'"
    assert world.one(unapplied, day.project) == 0 and not world.disagreements()
    assert day.verify(tmp_path / "out") == len(world.all("SELECT FROM decisions WHERE project_id = %s AND outcome IS NOT NULL", day.project))
    waits = {day.look(tasks.claim(world.web, me=world.cast.ada.id), world.cast.ada.id) for _ in range(3)}
    assert len(waits) == 3, "what is stale, undone or new waits for people as before"
