"""Batch decisions: a fixed list that nobody else works on, a sample that a seed gives again, one outcome for each item, and a window to undo it."""

from __future__ import annotations

import itertools
from contextlib import suppress
from math import comb
from typing import Any

import psycopg
import pytest

from claimcheck import errors, projects
from claimcheck.bulk import batch_decisions, groups, samples, working
from claimcheck.bulk.batch_decisions import BatchDecision
from claimcheck.db import Connection
from claimcheck.outbound import outbox
from claimcheck.quality import hypergeometric
from claimcheck.review import decisions, tasks
from tests.intake import World, at_once
from tests.sql.test_sweeps import Swept

REVIEW = {"queue": "review"}
EASY = {"share": 0.3, "confidence": 0.9}
STATES = ("gathering", "sampling", "deciding", "decided", "undoing", "undone", "dropping", "dropped")
WAYS = {
    ("gathering", "sampling"), ("gathering", "dropping"), ("sampling", "deciding"), ("sampling", "dropping"), ("dropping", "dropped"),
    ("deciding", "decided"), ("deciding", "undoing"), ("decided", "undoing"), ("undoing", "undone"),
}  # fmt: skip


class Batch:
    """A project with so many items, and a lead who begins a batch decision of them."""

    def __init__(self, world: World, n: int = 40, **rules: Any):
        self.world, self.swept = world, Swept(world, n, **({"batch_decision_bound": EASY} | rules))
        self.chi = world.cast.chi.id

    @property
    def project(self) -> projects.Project:
        return projects.load(self.world.web, self.swept.id, self.world.cast.chi)

    def ask(self, **given: Any) -> Batch:
        how = {"same": REVIEW, "verdict": "approve", "reason_code": "ok"} | given
        self.id = batch_decisions.ask(self.world.web, project=self.project, me=self.chi, **how)
        return self

    def work(self, chunk: int = 500) -> BatchDecision:
        working.run(self.world.worker, chunk=chunk)
        self.check()
        return self.load()

    def check(self) -> None:
        """What was kept of the sample is what the tasks and decisions say, and so with what was taken back."""
        if (one := self.load()).sample_size and one.state not in ("dropping", "dropped"):
            assert samples.tally(self.world.web, batch_id=self.id) == samples.judge(samples.load(self.world.web, batch_id=self.id))
        undone = "SELECT count(*) FROM batch_ends e JOIN decisions d ON d.supersedes = e.decision_id WHERE e.batch_id = %s AND d.reason_code = 'desk.undone'"
        assert one.undone == self.world.one(undone, self.id)

    def load(self) -> BatchDecision:
        return batch_decisions.load(self.world.web, batch_id=self.id)

    def look(self, *verdicts: str) -> int:
        """Chi looks at the whole sample; the first ones get these verdicts, the others are approved. How many there were."""
        said = itertools.chain(verdicts, itertools.repeat("approve"))
        seen = 0
        while claim := batch_decisions.open_next(self.world.web, batch_id=self.id, me=self.chi):
            held = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "me": self.chi}
            decisions.submit(self.world.web, **held, evidence_hash=claim.evidence_hash, verdict=next(said), reason_code="ok")
            seen += 1
        self.check()
        return seen

    def decide(self) -> None:
        batch_decisions.decide(self.world.web, batch_id=self.id, me=self.chi, version=self.load().version)

    def decided(self, **rules: Any) -> Batch:
        """Through the sample, until the worker has written every decision."""
        self.ask(**rules).work()
        self.look()
        self.decide()
        self.work()
        return self

    def ends(self) -> list[Any]:
        return self.world.all("SELECT * FROM batch_ends WHERE batch_id = %s ORDER BY n", self.id)

    def outcomes(self) -> list[int]:
        """How many outcomes each item has that nothing superseded."""
        rows = self.world.all(
            """SELECT i.id, count(d.id) AS n FROM items i LEFT JOIN decisions d ON d.item_id = i.id AND d.outcome <> 'reopen'
                  AND NOT EXISTS (SELECT FROM decisions later WHERE later.supersedes = d.id) WHERE i.project_id = %s GROUP BY i.id ORDER BY i.id""",
            self.swept.id,
        )
        return [row.n for row in rows]


@pytest.fixture
def batch(world: World) -> Batch:
    return Batch(world)


def test_it_finds_groups_of_alike_items_that_wait(batch: Batch):
    batch.world.sql.execute("UPDATE items SET alike[2] = 'ACME', alike[5] = '10 to 100' WHERE project_id = %s AND id %% 4 = 0", (batch.swept.id,))
    found = groups.page(batch.world.web, project_id=batch.swept.id, me=batch.chi)
    assert [(g.parts["counterparty"], g.parts["band"], g.items) for g in found.groups] == [("", "", 30), ("ACME", "10 to 100", 10)]
    assert (found.looked, found.last) == (40, None)
    made = batch.ask(same={"counterparty": "ACME"}).work()
    assert (made.state, made.members) == ("sampling", 10)
    assert sum(g.items for g in groups.page(batch.world.web, project_id=batch.swept.id, me=batch.chi).groups) == 30


def test_it_keeps_what_a_message_is_alike_by(world: World):
    bands = {"12.50": "10 to 100", "-1000": "-1000 to 10000", "0.99": "0 to 1", "0": "0", "9.999": "1 to 10"}
    rows = world.all("SELECT a, variance_band(a::numeric) AS band FROM unnest(%s::text[]) a", [*bands])
    assert {row.a: row.band for row in rows} == bands


def test_it_draws_the_same_sample_from_its_seed_again_and_nobody_else_gets_an_item(batch: Batch):
    one = batch.ask().work()
    assert (one.state, one.members) == ("sampling", 40) and one.seed is not None and one.sample_size is not None and 0 < one.sample_size < 40
    listed = [m.item_id for m in batch_decisions.members(batch.world.web, batch_id=one.id)]
    assert [d.item_id for d in samples.load(batch.world.web, batch_id=one.id)] == samples.order(one.seed, listed)[: one.sample_size]
    world = batch.world
    assert tasks.claim(world.web, me=world.cast.ada.id, skill=batch.swept.skill) is None
    assert tasks.claim(world.web, me=world.cast.ada.id, item_id=listed[0]) is None
    assert {row.state for row in world.all("SELECT state FROM tasks WHERE project_id = %s", batch.swept.id)} == {"held"}


def test_it_writes_one_decision_for_each_item_once_the_sample_is_good_enough(batch: Batch):
    one = batch.ask().work()
    with pytest.raises(errors.BoundNotMet, match="not looked at yet"):
        batch.decide()
    assert batch.look() == one.sample_size
    batch.decide()
    done = batch.work(chunk=7)
    assert (done.state, done.decided, done.opened, done.stale) == ("decided", 40 - one.sample_size, one.sample_size, 0)
    assert batch.outcomes() == [1] * 40 and not batch.world.disagreements()
    assert done.upper is not None and done.rest == 40 - one.sample_size and done.upper <= 0.3 * done.rest
    early = "SELECT count(*) FROM outbox o JOIN batch_ends e ON e.decision_id = o.decision_id WHERE e.batch_id = %s AND e.came_to = 'decided' AND o.due < e.at + interval '299 s'"
    assert batch.world.one(early, batch.id) == 0
    paid = "SELECT count(*) FROM payouts p JOIN assignments a ON a.id = p.assignment_id JOIN tasks t ON t.id = a.task_id WHERE t.project_id = %s"
    assert batch.world.one(paid, batch.swept.id) == one.sample_size, "only what was looked at is paid"


def test_it_decides_nothing_unseen_where_too_many_of_the_sample_differ(batch: Batch):
    batch.ask().work()
    looked = batch.look("reject", "escalate", "reject")
    one = batch.load()
    _, found = batch_decisions.sample(batch.world.web, one)
    assert found is not None and (found.looked, found.wrong, found.left, found.met) == (looked, 3, 0, False)
    with pytest.raises(errors.BoundNotMet, match=f"3 of {looked} differ"):
        batch.decide()
    with pytest.raises(errors.BoundNotMet):  # whoever forgets to ask is refused by the server
        figures = {"looked": looked, "wrong": 3, "rest": found.rest, "upper": found.upper}
        batch.world.web.run("batch_decisions/go_on", batch_id=one.id, me=batch.chi, version=one.version, **figures)
    batch_decisions.drop(batch.world.web, batch_id=one.id, me=batch.chi, version=one.version)
    assert batch.work(chunk=9).state == "dropped"
    assert batch.swept.tally("state") == {"pending": 40 - looked + 1, "settled": looked - 1, "passed_on": 1}  # the escalated one is with the leads
    assert not batch.world.disagreements()


def test_it_asks_more_of_each_further_sample_of_the_same_items_whoever_begins_it_and_however(world: World):
    """A lead who draws until it suits: the doubt is spent over all draws of an item, and by the server."""
    batch, ben = Batch(world, 120, batch_decision_bound={"share": 0.1, "confidence": 0.95}), world.cast.ben.id
    world.sql.execute("UPDATE people SET role = 'lead' WHERE id = %s", (ben,))
    world.sql.execute("UPDATE items SET alike[2] = 'ACME' WHERE project_id = %s AND id %% 4 > 0", (batch.swept.id,))
    sizes, leads = [], [(batch.chi, REVIEW), (ben, {"queue": "review", "counterparty": "ACME"}), (batch.chi, REVIEW)]
    for batch.chi, same in leads:
        one = batch.ask(same=same).work()
        assert one.sample_size == hypergeometric.needed(one.members, 0, 0.1, hypergeometric.of_draw(0.95, len(sizes) + 1))
        sizes.append(one.sample_size)
        batch_decisions.drop(world.web, batch_id=one.id, me=batch.chi, version=one.version)
        batch.work()
    assert batch.load().nth == 3 and sizes[0] < sizes[2], sizes
    asked = batch.ask(sample_size=sizes[0]).work()  # as large as the first, and as good: not enough any more
    batch.look()
    with pytest.raises(errors.BoundNotMet, match="the next sample of the same items is larger"):
        batch.decide()
    assert sizes[0] is not None
    population, rest = asked.members, asked.members - sizes[0]
    eased = {"looked": sizes[0], "wrong": 0, "rest": rest, "upper": hypergeometric.upper_rest(population, sizes[0], 0, 0.95)}
    assert eased["upper"] <= 0.1 * rest, "it would have been enough at first"
    for figures in (eased, eased | {"upper": 0}, eased | {"looked": population, "rest": 0, "upper": 0}):
        with pytest.raises(errors.BoundNotMet):
            world.web.run("batch_decisions/go_on", batch_id=asked.id, me=batch.chi, version=asked.version, **figures)


def test_the_server_counts_samples_as_the_program_does(world: World):
    cases = (9, 4, 1, 3), (9, 4, 1, 9), (500, 184, 0, 12), (5000, 254, 3, 100), (1, 1, 0, 0), (60, 0, 0, 7), (4000, 3900, 1, 90)
    for population, sample, wrong, bad in cases:
        exact = hypergeometric.holding_at_most(population, sample, wrong, bad) / comb(population, sample)
        told = "SELECT sampled_at_most(%s, %s, %s, %s)"
        assert world.one(told, population, sample, wrong, bad) == pytest.approx(exact, rel=1e-9, abs=1e-300)
    for nth in range(5):
        assert world.one("SELECT doubt_of(0.95, %s)", nth) == pytest.approx(float(1 - hypergeometric.of_draw(0.95, nth)), rel=1e-12)


def test_it_lists_what_went_stale_and_gives_it_back(batch: Batch):
    batch.ask().work()
    batch.look()
    rest = [m for m in batch_decisions.members(batch.world.web, batch_id=batch.id) if m.place is None]
    changed, cancelled, moved = (m.item_id for m in rest[:3])
    batch.world.sql.execute("UPDATE tasks SET evidence_hash = sha256('newer') WHERE item_id = %s", (changed,))
    batch.world.sql.execute("UPDATE tasks SET cancelled_at = clock_timestamp() WHERE item_id = %s", (cancelled,))
    batch.world.sql.execute("UPDATE tasks SET held_for = NULL WHERE item_id = %s", (moved,))
    batch.decide()
    done = batch.work()
    stale = {m.item_id: m.why for m in batch_decisions.members(batch.world.web, batch_id=batch.id, came_to="stale")}
    assert stale == {
        changed: "it changed since it was listed", cancelled: "the project was cancelled", moved: "it was decided or moved otherwise",
    }  # fmt: skip
    assert done.stale == 3 and batch.swept.tally("state") == {"pending": 2, "cancelled": 1, "settled": 37}


def test_it_puts_another_in_the_place_of_a_sampled_item_that_came_to_nothing(batch: Batch):
    one = batch.ask().work()
    first = samples.load(batch.world.web, batch_id=one.id)[0]
    batch.world.sql.execute("UPDATE tasks SET evidence_hash = sha256('newer') WHERE item_id = %s", (first.item_id,))
    drawn, found = batch_decisions.sample(batch.world.web, one)
    assert found == batch_decisions.progress(batch.world.web, one) and found is not None and (found.void, found.left) == (1, one.sample_size)
    assert len(drawn) == one.sample_size, "to read it draws nothing"
    assert batch.look() == one.sample_size
    drawn, found = batch_decisions.sample(batch.world.web, one)
    assert found is not None and found.met and (found.void, len(drawn)) == (1, one.sample_size + 1)
    listed = [m.item_id for m in batch_decisions.members(batch.world.web, batch_id=one.id)]
    assert [d.item_id for d in drawn] == samples.order(one.seed or "", listed)[: len(drawn)]


def test_it_gives_a_lapsed_or_released_sample_to_its_lead_again_and_never_to_the_leads(world: World):
    batch = Batch(world, 12, abandon_limit=1)
    batch.ask().work()
    for _ in range(3):
        claim = batch_decisions.open_next(world.web, batch_id=batch.id, me=batch.chi)
        assert claim is not None
        world.sql.execute("UPDATE assignments SET lease_expires = claimed_at WHERE id = %s", (claim.assignment_id,))
    batch.look()
    assert batch.swept.tally("kind") == {"review": 12}, "none was raised to the leads"


@pytest.mark.parametrize("was", STATES)
def test_it_refuses_every_way_but_the_drawn_ones(was: str, world: World):
    insert = """INSERT INTO batch_decisions (project_id, project_version, led_by, same, verdict, reason_code, note, at_most, confidence, undo_seconds, most, tolerate, state, looked, wrong, rest, upper,
                                             seed, nth, sample_size, undone_by)
                SELECT min(id), 1, 0, '{review,"","","",""}', 'approve', 'ok', '', 0.02, 0.95, 300, 10, 0, %s, 0, 0, 0, 0, 's', 1, 1, 0 FROM projects RETURNING id"""
    Batch(world, 1)
    with psycopg.connect(world.conninfos.superuser) as connection:
        for state in STATES:
            with connection.transaction(force_rollback=True):
                row = connection.execute(insert, (was,)).fetchone()
                assert row is not None
                try:
                    with connection.transaction():
                        connection.execute("UPDATE batch_decisions SET state = %s WHERE id = %s", (state, row[0]))
                    taken = True
                except psycopg.errors.CheckViolation as error:
                    taken, broken = False, error.diag.constraint_name
                    assert broken == "batch_decisions_moves"
                assert taken == ((was, state) in WAYS or was == state), f"{was} → {state}"


def test_it_lets_nobody_else_look_at_the_sample_or_go_on_from_an_old_page(batch: Batch):
    one, dov = batch.ask().work(), batch.world.cast.ada.id
    with pytest.raises(errors.Forbidden):
        batch_decisions.open_next(batch.world.web, batch_id=one.id, me=dov)
    batch.look()
    with pytest.raises(errors.BatchMoved):
        batch_decisions.decide(batch.world.web, batch_id=one.id, me=batch.chi, version=one.version - 1)
    batch.decide()
    for late in (batch.decide, lambda: batch_decisions.drop(batch.world.web, batch_id=one.id, me=batch.chi, version=one.version)):
        with pytest.raises(errors.BatchMoved):
            late()


def test_it_drops_what_its_lead_leaves_alone(batch: Batch):
    batch.ask().work()
    batch.world.sql.execute("UPDATE batch_decisions SET touched_at = clock_timestamp() - interval '5 hours' WHERE id = %s", (batch.id,))
    assert working.waits(batch.world.worker)
    one = batch.work()
    assert (one.state, one.why) == ("dropped", "nobody went on with it, or the project was cancelled")
    assert batch.swept.tally("state") == {"pending": 40} and not working.waits(batch.world.worker)


class Killed(Exception):
    """The worker is gone."""


def test_it_goes_on_where_a_killed_worker_stopped_and_two_do_nothing_twice(world: World):
    batch = Batch(world, 60, undo_seconds=3600)
    batch.ask()

    def die(connection: Connection) -> None:
        working.step(connection, 7)
        raise Killed

    def go_on() -> None:
        for _ in range(3):
            with pytest.raises(Killed):
                world.worker.together(die)
            world.worker.together(lambda connection: working.step(connection, 7))
        at_once(2, lambda _: working.run(world.worker, chunk=7))

    go_on()
    batch.look()
    batch.decide()
    go_on()
    assert batch.outcomes() == [1] * 60 and len(batch.ends()) == 60
    batch_decisions.undo(world.web, batch_id=batch.id, me=batch.chi)
    go_on()
    one = batch.load()
    assert (one.state, one.undone) == ("undone", one.decided) and batch.outcomes().count(0) == one.decided
    assert not world.disagreements()


def test_it_lists_what_nobody_else_took_while_all_are_at_work(world: World):
    batch, got = Batch(world, 120), []
    batch.ask()

    def one_of_many(n: int) -> None:
        if n == 2:
            working.run(world.worker)
            return
        while claim := tasks.claim(world.web, me=(world.cast.ada.id, world.cast.ben.id)[n], skill=batch.swept.skill):
            got.append(world.decide(claim, "approve"))
            if len(got) > 60:
                return

    world.decide = lambda claim, verdict="approve": decisions.submit(  # type: ignore[method-assign]
        world.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, evidence_hash=claim.evidence_hash, verdict=verdict, reason_code="ok",
        me=world.one("SELECT person_id FROM assignments WHERE id = %s", claim.assignment_id),
    )  # fmt: skip
    at_once(3, one_of_many)
    both = "SELECT count(*) FROM batch_members m JOIN assignments a ON a.task_id = m.task_id WHERE m.batch_id = %s"
    assert world.one(both, batch.id) == 0
    batch.look()
    batch.decide()
    batch.work()
    assert set(batch.outcomes()) <= {0, 1} and sum(batch.outcomes()) >= batch.load().members and not world.disagreements()


def test_it_undoes_what_did_not_go_out_and_sends_what_was_not_undone(world: World):
    """The dispatcher and a lead race for each effect at the end of its window: it happens or is undone, never both, never neither."""
    batch = Batch(world, 60, undo_seconds=60).decided()
    unseen = [end for end in batch.ends() if end.came_to == "decided"]
    far = len(unseen) - 3  # the windows of the first three are over, those of the last three are long, the others end meanwhile
    soon = "UPDATE outbox SET (not_before, due, push_due) = (at, at, at) FROM (SELECT clock_timestamp() + %s * interval '20 ms') s (at) WHERE decision_id = %s RETURNING id, not_before"
    rows = [(end, *world.all(soon, -9 if n < 3 else 10**6 if n >= far else 10 + n, end.decision_id)[0]) for n, end in enumerate(unseen)]

    def send() -> None:
        left = {row_id for _, row_id, _ in rows}
        while left:
            for taken in filter(None, (outbox.lease(world.worker, outbox_id=row_id) for row_id in sorted(left)[:3])):
                outbox.drop(world.worker, taken) if taken.undone else outbox.done(world.worker, taken)
                left.remove(taken.outbox_id)

    def undo() -> None:
        for nth, (end, _, at) in enumerate(rows):
            while nth % 3 and nth < far and world.one("SELECT clock_timestamp() < %s::timestamptz - %s * interval '1 ms'", at, nth % 4):
                pass
            with suppress(errors.UndoOver):
                batch_decisions.undo_one(world.web, batch_id=batch.id, n=end.n, me=batch.chi)

    at_once(2, lambda n: undo() if n else send())
    superseded = {row.supersedes for row in world.all("SELECT supersedes FROM decisions WHERE supersedes IS NOT NULL AND project_id = %s", batch.swept.id)}
    applied = {row.decision_id for row in world.all("SELECT decision_id FROM applied WHERE decision_id = ANY (%s)", [end.decision_id for end in unseen])}
    assert superseded and applied and not superseded & applied and superseded | applied == {end.decision_id for end in unseen}
    told = "SELECT count(*) FROM outbox o JOIN decisions d ON d.id = o.decision_id WHERE d.reason_code = 'desk.undone' AND d.project_id = %s"
    assert world.one(told, batch.swept.id) == 0 and not world.disagreements()


def test_it_undoes_all_within_the_window_and_nothing_after_it(world: World):
    batch = Batch(world, 20).decided()
    with pytest.raises(errors.NotFound):
        batch_decisions.undo_one(world.web, batch_id=batch.id, n=99, me=batch.chi)
    batch_decisions.undo(world.web, batch_id=batch.id, me=batch.chi)
    one = batch.work(chunk=3)
    assert (one.state, one.undone, one.opened) == ("undone", one.decided, 20 - one.decided)
    assert batch.swept.tally("kind") == {"review": 20, "relabel": one.decided}
    late = Batch(world, 20, undo_seconds=0).decided()
    with pytest.raises(errors.UndoOver):
        batch_decisions.undo(world.web, batch_id=late.id, me=late.chi)
    [first, *_] = [end for end in late.ends() if end.came_to == "decided"]
    with pytest.raises(errors.UndoOver):
        batch_decisions.undo_one(world.web, batch_id=late.id, n=first.n, me=late.chi)
