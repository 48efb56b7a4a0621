"""Bulk overturns: found by who, why and when; a fixed list; approved by somebody new to it; each outcome superseded once, whatever is killed or comes between."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from claimcheck import errors, projects, revisions, rules, versions
from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.bulk import bulk_overturns, finding, overturning
from claimcheck.bulk.bulk_overturns import BulkOverturn
from claimcheck.bulk.finding import Asked
from claimcheck.db import Connection, Database
from claimcheck.review import decisions, tasks
from tests.intake import World, at_once, mended, row

STATES = ("gathering", "listed", "pending", "rejected", "withdrawn", "running", "paused", "stopped", "done")
WAYS = {
    ("gathering", "listed"), ("gathering", "withdrawn"), ("listed", "pending"), ("listed", "withdrawn"), ("pending", "running"), ("pending", "rejected"),
    ("pending", "withdrawn"), ("running", "paused"), ("running", "stopped"), ("running", "done"), ("paused", "running"), ("paused", "stopped"),
}  # fmt: skip
STANDING = """SELECT i.id, d.id AS decision_id, d.outcome, d.bulk_overturn_id, d.approved_by, d.person_id FROM items i JOIN decisions d ON d.item_id = i.id AND d.outcome IS NOT NULL
               WHERE i.project_id = %s AND NOT EXISTS (SELECT FROM decisions l WHERE l.supersedes = d.id) ORDER BY i.id"""


@pytest.fixture(scope="module")
def leads(_world: World) -> list[Person]:
    """Two leads beside Chi."""
    return [people.add(_world.web, name=f"lead {n}", email=f"lead{n}@example.org", role="lead") for n in (2, 3)]


class Bulk:
    """A project whose items Ada approved, and a bulk overturn of those that Chi begins."""

    def __init__(self, world: World, leads: list[Person], n: int = 12, *, partitions: int = 3, **rules: Any):
        self.world, self.leads, self.chi, self.ada = world, leads, world.cast.chi, world.cast.ada
        self.project = world.project(price_minor=70, **rules)
        world.accept(self.project, [row(f"k{k}", partition_key=f"p{k % partitions}") for k in range(n)])
        world.publish()
        self.outcomes = [self.decide() for _ in range(n)]
        self.id = 0

    def decide(self, who: str = "ada", verdict: str = "approve") -> int:
        claim = self.world.claim(who)
        assert claim is not None and claim.project_id == self.project
        return self.world.decide(claim, verdict)

    def begin(self, **given: Any) -> BulkOverturn:
        how: dict[str, Any] = {"verdict": "reject", "reason_code": "wrong"} | given
        asked = how.pop("asked", Asked(self.project, reviewer_id=self.ada.id))
        self.id = bulk_overturns.begin(self.world.web, asked, me=self.chi.id, **how)
        return self.work()

    def work(self, chunk: int | None = None) -> BulkOverturn:
        overturning.run(self.world.worker, chunk=chunk)
        return self.load()

    def load(self, who: Person | None = None) -> BulkOverturn:
        return bulk_overturns.load(self.world.web, bulk_id=self.id, me=(who or self.chi).id)

    def move(self, act: str, who: Person | None = None, why: str = "", version: int | None = None) -> None:
        known = self.load().version if version is None else version
        bulk_overturns.move(self.world.web, act, bulk_id=self.id, me=who or self.chi, version=known, why=why)

    def approved(self, **given: Any) -> Bulk:
        assert self.begin(**given).state == "listed"
        self.move("ask")
        self.move("approve", self.leads[0], "Seen three of them.")
        return self

    def standing(self) -> list[Any]:
        return self.world.all(STANDING, self.project)

    def ends(self) -> dict[int, tuple[str, str | None]]:
        return {m.decision_id: (m.came_to or "waits", m.why) for m in bulk_overturns.members(self.world.web, bulk_id=self.id)}

    def told(self) -> int:
        """Overturns that are on their way to whoever hears of them."""
        return self.world.one("SELECT count(*) FROM outbox o JOIN decisions d ON d.id = o.decision_id WHERE d.project_id = %s AND d.verdict = 'overturn'", self.project)

    def paid(self) -> list[Any]:
        return self.world.all("SELECT p.assignment_id, p.amount_minor FROM payouts p JOIN decisions d ON d.assignment_id = p.assignment_id WHERE d.project_id = %s ORDER BY p.id", self.project)  # fmt: skip

    def exactly_once(self, overturned: int) -> None:
        """Each outcome was superseded once at most, and told once; pay and queue are as they would be by hand."""
        assert self.told() == overturned and not self.world.disagreements()
        twice = "SELECT supersedes FROM decisions WHERE project_id = %s AND supersedes IS NOT NULL GROUP BY 1 HAVING count(*) > 1"
        assert not self.world.all(twice, self.project)


@pytest.fixture
def bulk(world: World, leads: list[Person]) -> Bulk:
    return Bulk(world, leads)


def found(db: Database, asked: Asked) -> list[int]:
    """Every page of a search."""
    ids, after = [], ""
    while True:
        page = finding.search(db, asked, after=after)
        ids += [one.id for one in page.outcomes]
        if page.next_after is None:
            return ids
        after = page.next_after


def test_it_finds_outcomes_by_who_why_where_and_when_the_newest_first(world: World, leads: list[Person]):
    bulk = Bulk(world, leads, 23)
    world.accept(bulk.project, [row("by ben"), row("by both")])
    world.publish()
    ben = bulk.decide("ben", "reject")
    newest = bulk.outcomes[::-1]
    assert found(world.web, Asked(bulk.project, reviewer_id=bulk.ada.id)) == newest
    assert found(world.web, Asked(bulk.project)) == [ben, *newest] == found(world.web, Asked(bulk.project, reason="fine"))
    assert found(world.web, Asked(bulk.project, stood="reject")) == [ben]
    assert found(world.web, Asked(bulk.project, queue="review", reviewer_id=world.cast.ben.id)) == [ben]
    assert not found(world.web, Asked(bulk.project, queue="senior")) and not found(world.web, Asked(bulk.project, match_decision="PARTIAL"))
    at = dict(world.all("SELECT id, created_at FROM decisions WHERE project_id = %s", bulk.project))
    middle = bulk.outcomes[5:18]
    for asked in (Asked(bulk.project), Asked(bulk.project, reason="fine"), Asked(bulk.project, reviewer_id=bulk.ada.id)):
        assert found(world.web, replace(asked, since=at[middle[0]], until=at[bulk.outcomes[18]])) == middle[::-1]


def test_it_finds_what_somebody_decided_together_with_others(world: World, leads: list[Person]):
    project = world.project(wanted=2)
    world.accept(project, [row("one")])
    world.publish()
    for who in ("ada", "ben"):
        claim = world.claim(who)
        assert claim is not None
        world.decide(claim)
    [outcome] = [d for (d,) in world.all("SELECT id FROM decisions WHERE project_id = %s AND outcome IS NOT NULL", project)]
    for asked in (Asked(project, reviewer_id=world.cast.ada.id), Asked(project, reviewer_id=world.cast.ben.id), Asked(project, reason="fine")):
        assert found(world.web, asked)[0] == outcome, "a look that came to nothing else is no outcome of its own"


@pytest.mark.parametrize("instead", [{"verdict": "reject"}, {"verdict": None, "reopen": True}])
def test_it_does_to_each_of_the_list_what_a_lead_does_to_one(instead: dict[str, Any], world: World, leads: list[Person]):
    """The same rows follow, in outbox, partitions, tasks, events and pay."""
    by_hand, bulk = Bulk(world, leads, 3), Bulk(world, leads, 3)
    how = {"reason_code": "wrong", "note": "a stale list", "me": by_hand.chi.id} | {name: v for name, v in instead.items() if v is not None}
    for outcome in by_hand.outcomes[::-1]:
        decisions.overturn(world.web, decision_id=outcome, **how)
    bulk.approved(**instead, note="a stale list")
    done = bulk.work(chunk=2)
    assert (done.state, done.overturned, done.left_out) == ("done", 3, 0)
    bulk.exactly_once(3)
    came_to = """SELECT i.idempotency_key AS key, d.verdict, d.outcome, d.person_id, d.reason_code, d.note, d.project_version, d.evidence_version, d.shown_version, n.effect_no,
                        (SELECT array_agg((o.effect_no, e.kind)::text) FROM outbox o JOIN effects e ON e.id = o.effect_id WHERE o.decision_id = d.id) AS told,
                        (SELECT array_agg((t.kind, t.state, t.priority, t.wanted, t.barred)::text ORDER BY t.id) FROM tasks t WHERE t.item_id = i.id) AS tasks,
                        (SELECT array_agg(v.kind ORDER BY v.id) FROM events v WHERE v.item_id = i.id) AS events,
                        (SELECT array_agg((p.amount_minor, p.person_id)::text) FROM payouts p JOIN decisions x ON x.assignment_id = p.assignment_id WHERE x.item_id = i.id) AS paid
                   FROM items i JOIN decisions d ON d.item_id = i.id AND d.supersedes IS NOT NULL JOIN partitions n ON n.id = i.partition_id WHERE i.project_id = %s ORDER BY i.id"""
    assert world.all(came_to, bulk.project) == world.all(came_to, by_hand.project)
    assert {row.approved_by for row in bulk.standing()} == {leads[0].id} and {row.bulk_overturn_id for row in bulk.standing()} == {bulk.id}


def test_it_lists_what_cannot_be_overturned_and_why(bulk: Bulk):
    world, (first, second, third, fourth) = bulk.world, bulk.outcomes[:4]
    said = {"me": bulk.chi.id, "reason_code": "wrong"}
    decisions.overturn(world.web, decision_id=first, **said, verdict="reject")
    [item] = [i for (i,) in world.all("SELECT item_id FROM decisions WHERE id = %s", fourth)]
    bulk.begin()
    assert bulk.ends()[first] == ("left_out", "it was overturned already") and len(bulk.ends()) == 12
    bulk.move("ask")
    decisions.overturn(world.web, decision_id=second, **said, reopen=True)
    bulk.move("approve", bulk.leads[0])
    decisions.overturn(world.web, decision_id=third, me=bulk.leads[0].id, reason_code="wrong", verdict="reject")
    revisions.revise(world.web, person=world.cast.eve, item_id=item, payload={"name": "Grace Hopper"})
    world.publish()
    done = bulk.work()
    assert (done.state, done.overturned, done.left_out) == ("done", 8, 4)
    assert {d: why for d, (came_to, why) in bulk.ends().items() if came_to == "left_out"} == {
        first: "it was overturned already", second: "it was overturned already", fourth: "it changed since it was listed",
        third: "who approved the list has had it in their hands since",
    }  # fmt: skip
    bulk.exactly_once(8 + 3)
    assert {(why.why, why.items) for why in bulk_overturns.reasons(world.web, bulk_id=bulk.id)} >= {("it was overturned already", 2)}
    assert bulk.begin(asked=Asked(bulk.project, stood="reject"), verdict="reject").left_out == 10, "nothing would change"
    with pytest.raises(errors.Invalid, match="withdraw it"):
        bulk.move("ask")


def test_it_keeps_the_list_to_what_was_decided_before_and_to_its_length(bulk: Bulk):
    world = bulk.world
    one = bulk.begin(most=5)
    assert (one.listed, one.whole) == (5, False) and [*bulk.ends()] == bulk.outcomes[:-6:-1]
    world.accept(bulk.project, [row("later")])
    world.publish()
    bulk.id = bulk_overturns.begin(world.web, Asked(bulk.project, reason="fine"), me=bulk.chi.id, verdict="reject", reason_code="wrong")
    later = bulk.decide()
    assert later not in bulk.ends() and bulk.work().listed == 12 and later not in bulk.ends()
    with pytest.raises(psycopg.errors.CheckViolation, match="fixed"):
        world.sql.execute("INSERT INTO bulk_overturn_members SELECT bulk_id, 99, %s, item_id, task_id, evidence_hash, 1 FROM bulk_overturn_members WHERE bulk_id = %s AND n = 1", (later, bulk.id))


def test_only_a_lead_who_is_new_to_all_of_it_approves_and_the_server_holds_to_that(bulk: Bulk):
    world, (ben, fay) = bulk.world, bulk.leads
    decisions.overturn(world.web, decision_id=bulk.outcomes[0], me=ben.id, reason_code="wrong", reopen=True)
    bulk.begin()
    bulk.move("ask")
    assert bulk.load(ben).may, "what is left out counts for nothing"
    bulk.move("withdraw")
    again = bulk.standing()[0].decision_id
    assert again not in bulk.outcomes
    claim = tasks.claim(world.web, me=world.cast.ben.id, item_id=bulk.standing()[0].id)
    assert claim is not None
    world.decide(claim)
    bulk.begin(asked=Asked(bulk.project, reason="fine"))
    bulk.move("ask")
    had = {lead.id: lead.items for lead in bulk_overturns.eyes(world.web, bulk_id=bulk.id)}
    assert (had[ben.id], had[fay.id]) == (1, 0) and bulk.chi.id not in had
    for who, words in ((bulk.chi, "You asked for it"), (ben, "had items of it")):
        with pytest.raises(errors.SameEyes, match=words):
            bulk.move("approve", who)
        with pytest.raises(errors.SameEyes):  # whoever forgets to ask is refused by the server
            world.web.run("bulk_overturns/move", bulk_id=bulk.id, me=who.id, version=bulk.load().version, ways=["pending"], to="running", why="")
    with pytest.raises(errors.OverturnsMoved):
        bulk.move("approve", fay, version=bulk.load().version - 1)
    with pytest.raises(errors.Invalid, match="say why"):
        bulk.move("reject", fay)
    with pytest.raises(errors.Forbidden):
        bulk.move("withdraw", fay)
    bulk.move("approve", fay)
    assert bulk.work().state == "done" and {row.approved_by for row in bulk.standing() if row.bulk_overturn_id} == {fay.id}


def test_its_approval_is_the_second_pair_of_eyes_that_the_project_asks_for_and_the_server_takes_no_other(world: World, leads: list[Person]):
    bulk = Bulk(world, leads, 6, four_eyes=[{"verdict": "overturn"}])
    alone = decisions.overturn(world.web, decision_id=bulk.outcomes[0], me=leads[1].id, reason_code="wrong", verdict="reject")
    assert alone.approval_id is not None
    bulk.begin()
    assert bulk.ends()[bulk.outcomes[0]] == ("left_out", "another overturn of it waits for a second pair of eyes")
    bulk.move("ask")
    forged = "SELECT decision_id FROM overturn(%s, %s, 'reject', NULL, 'wrong', '', %s, %s)"
    for outcome, by, eyes in ((bulk.outcomes[1], bulk.chi, leads[0]), (bulk.outcomes[1], leads[0], leads[1])):
        with pytest.raises(psycopg.errors.CheckViolation, match="second pair of eyes"):  # nobody approved it
            world.sql.execute(forged, (outcome, by.id, bulk.id, eyes.id))
    bulk.move("approve", leads[0])
    with pytest.raises(psycopg.errors.CheckViolation, match="second pair of eyes"):  # by somebody else than who approved it
        world.sql.execute(forged, (bulk.outcomes[1], bulk.chi.id, bulk.id, leads[1].id))
    with pytest.raises(psycopg.errors.UniqueViolation, match="waits for its second pair"):  # the other overturn goes on
        world.sql.execute(forged, (bulk.outcomes[0], bulk.chi.id, bulk.id, leads[0].id))
    bulk.move("pause")
    with pytest.raises(psycopg.errors.CheckViolation, match="second pair of eyes"):  # while it rests
        world.sql.execute(forged, (bulk.outcomes[1], bulk.chi.id, bulk.id, leads[0].id))
    bulk.move("resume")
    done = bulk.work()
    assert (done.overturned, done.left_out) == (5, 1) and {row.outcome for row in bulk.standing()[1:]} == {"reject"}
    bulk.exactly_once(5)


def test_it_refuses_every_way_but_the_drawn_ones(world: World, leads: list[Person]):
    bulk = Bulk(world, leads, 1)
    bulk.begin()
    to = "UPDATE bulk_overturns SET state = %(state)s, approved_by = CASE WHEN %(held)s THEN %(ben)s END, moved_by = %(by)s, why = 'tried', reached = listed WHERE id = %(id)s"
    held, chi, ben = ("running", "paused", "stopped", "done"), bulk.chi.id, leads[0].id
    with psycopg.connect(world.conninfos.superuser) as connection:
        for was, state, by in itertools.product(STATES, STATES, (chi, ben)):
            with connection.transaction(force_rollback=True):
                given = {"id": bulk.id, "ben": ben, "by": by}
                connection.execute("SET LOCAL session_replication_role = replica")
                connection.execute(to, given | {"state": was, "held": was in held, "by": 0})
                connection.execute("SET LOCAL session_replication_role = origin")
                try:
                    with connection.transaction():
                        connection.execute(to, given | {"state": state, "held": state in held})
                    taken = True
                except psycopg.errors.CheckViolation:
                    taken = False
                whose = {"pending": by == chi, "withdrawn": by == chi, "rejected": by == ben}
                may = by == ben if (was, state) == ("pending", "running") else whose.get(state, True)
                assert taken == ((was, state) in WAYS and may), f"{was} → {state}"


def test_it_can_be_paused_resumed_and_stopped_and_each_step_is_an_event(bulk: Bulk):
    world = bulk.approved().world
    overturning_once = lambda: world.worker.together(lambda connection: overturning.step(connection, 5))  # noqa: E731
    overturning_once()
    bulk.move("pause", bulk.leads[1])
    assert not overturning.waits(world.worker) and (bulk.work().reached, bulk.load().overturned) == (5, 5)
    with pytest.raises(errors.OverturnsMoved):
        bulk.move("pause")
    bulk.move("resume")
    overturning_once()
    bulk.move("stop", why="enough")
    done = bulk.work()
    assert (done.state, done.overturned, done.waiting) == ("stopped", 10, 2)
    assert [(s.kind.partition(".")[2], s.who, s.why) for s in bulk_overturns.history(world.web, bulk_id=bulk.id)] == [
        ("begun", "Chi", ""), ("listed", "system", ""), ("asked", "Chi", ""), ("approved", "lead 2", "Seen three of them."), ("paused", "lead 3", ""),
        ("resumed", "Chi", ""), ("stopped", "Chi", "enough"),
    ]  # fmt: skip
    bulk.exactly_once(10)


@pytest.mark.parametrize("change", ["who asked leads no more", "who approved is disabled", "another question"])
def test_it_stops_where_it_may_not_go_on(change: str, world: World, leads: list[Person]):
    bulk = Bulk(world, leads, 3).approved()
    if change == "another question":
        now = projects.load(world.web, bulk.project, bulk.chi)
        versions.change(world.web, bulk.project, bulk.chi.id, rules.parse({**now.rules, "question": {"ask": "grade", "text": "How good?", "min": 1, "max": 5}}), why="tried")
    who = leads[0].id if "disabled" in change else bulk.chi.id
    world.sql.execute("UPDATE people SET role = CASE WHEN %s THEN 'reviewer' ELSE role END, disabled_at = CASE WHEN %s THEN now() END WHERE id = %s", ("leads no more" in change, "disabled" in change, who))
    try:
        assert (bulk.work().state, bulk.load().overturned) == ("stopped", 0) and bulk.load().why
    finally:
        world.sql.execute("UPDATE people SET role = 'lead', disabled_at = NULL WHERE id = %s", (who,))


class Killed(Exception):
    """The worker is gone."""


def test_it_goes_on_where_a_killed_worker_stopped_while_two_work_and_leads_overturn_the_same_by_hand(world: World, leads: list[Person]):
    bulk = Bulk(world, leads, 60, partitions=4)
    bulk.approved(verdict=None, reopen=True)

    def die(connection: Connection) -> None:
        overturning.step(connection, 7)
        raise Killed

    with pytest.raises(Killed):
        world.worker.together(die)
    assert bulk.load().reached == 0 and bulk.told() == 0
    by_hand: list[int] = []

    def act(i: int) -> None:
        if i < 2:
            overturning.run(world.worker, chunk=7)
            return
        for outcome in bulk.outcomes[i :: 6]:
            try:
                decisions.overturn(world.web, decision_id=outcome, me=leads[1].id, reason_code="wrong", verdict="reject")
                by_hand.append(outcome)
            except errors.AlreadyOverturned:
                pass

    at_once(4, act)
    done = bulk.work()
    assert (done.state, done.overturned, done.left_out) == ("done", 60 - len(by_hand), len(by_hand))
    assert {d for d, (came_to, _) in bulk.ends().items() if came_to == "left_out"} == {*by_hand} and by_hand, "a lead was first at some"
    assert {why for _, why in bulk.ends().values()} == {None, "it was overturned already"}
    bulk.exactly_once(60)


GUARDS = [
    ("run_bulk_overturn", "b.approved_by = ANY (touched(m.item_id, 0))", "false", test_it_lists_what_cannot_be_overturned_and_why),
    ("run_bulk_overturn", "i.evidence_version <> m.evidence_version", "false", test_it_lists_what_cannot_be_overturned_and_why),
    ("move_bulk_overturn", "NOT new_to_bulk(OLD, NEW.approved_by)", "false", test_only_a_lead_who_is_new_to_all_of_it_approves_and_the_server_holds_to_that),
    ("need_four_eyes", "b.state = 'running'", "true", test_its_approval_is_the_second_pair_of_eyes_that_the_project_asks_for_and_the_server_takes_no_other),
    ("need_four_eyes", "b.approved_by,", "NEW.approved_by,", test_its_approval_is_the_second_pair_of_eyes_that_the_project_asks_for_and_the_server_takes_no_other),
]


@pytest.mark.parametrize(("function", "guard", "instead", "test"), GUARDS, ids=[f"{g[0]} {g[1][:20]}" for g in GUARDS])
def test_it_would_notice_a_missing_guard(function: str, guard: str, instead: str, test: Callable[..., None], world: World, leads: list[Person]):
    given = (world, leads) if "world" in test.__annotations__ else (Bulk(world, leads),)
    with mended(world, function, guard, instead), pytest.raises((AssertionError, pytest.fail.Exception, errors.Error, psycopg.Error)):
        test(*given)
