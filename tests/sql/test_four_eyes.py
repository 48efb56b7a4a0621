"""I16 and B8: an outcome that needs a second pair of eyes is not written without them, whichever way it comes about."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
import pytest

from claimcheck import errors, items, projects, revisions, versions
from claimcheck.access import people
from claimcheck.approvals import standing
from claimcheck.bulk import batch_decisions
from claimcheck.datasets import retracting
from claimcheck.db import QUEUE, STATEMENTS
from claimcheck.intake import resolving
from claimcheck.review import assignments, decisions, looks, tasks
from tests.intake import SKILL, World, at_once, mended, row, without
from tests.sql.test_batch_decisions import Batch

ALL = [{}]  # every outcome of the project
FOUND = "SELECT id FROM decisions WHERE item_id = %s AND outcome IS NOT NULL ORDER BY id"


@pytest.fixture(scope="module")
def desk(_world: World) -> World:
    """Ada and Ben review, Ben is trusted; Chi leads, and so do two more."""
    _world.sql.execute("UPDATE person_skills SET tier = 2 WHERE person_id = %s", (_world.cast.ben.id,))
    for n, role in ((2, "lead"), (3, "lead"), (2, "reviewer"), (3, "reviewer")):
        made = people.add(_world.web, name=f"{role} {n}", email=f"{role}{n}@example.org", role=role)
        setattr(_world.cast, f"{role}{n}", made)
        if role == "reviewer":
            people.give_skill(_world.web, person_id=made.id, skill=SKILL)
    return _world


@pytest.fixture
def world(desk: World) -> World:
    desk.quiet()
    return desk


def arrive(world: World, *, partition: str | None = None, keys: tuple[str, ...] = ("one",), **more: Any) -> list[int]:
    """Items of a new project, published; `four_eyes` is on everything unless it is given."""
    project = world.project(**{"four_eyes": ALL, "price_minor": 70} | more)
    world.accept(project, [row(key, **({"partition_key": partition} if partition else {})) for key in keys])
    world.publish()
    return [i for (i,) in world.all("SELECT id FROM items WHERE project_id = %s ORDER BY id", project)]


def take(world: World, who: str, item: int | None = None) -> tasks.Claim:
    claim = tasks.claim(world.web, me=getattr(world.cast, who).id, item_id=item)
    assert claim is not None, f"nothing for {who}"
    return claim


def say(world: World, who: str, verdict: str = "approve", item: int | None = None, note: str = "") -> int:
    """Somebody takes what is next for them, and decides."""
    claim, me = take(world, who, item), getattr(world.cast, who).id
    return decisions.submit(world.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, evidence_hash=claim.evidence_hash, me=me,
                            verdict=verdict, reason_code="fine", note=note)  # fmt: skip


def state(world: World, item: int) -> list[str]:
    return [s for (s,) in world.all("SELECT state FROM approvals WHERE item_id = %s ORDER BY id", item)]


def nothing_yet(world: World, item: int, before: int = 0) -> bool:
    """No outcome beyond those that stood before, and nothing on its way."""
    found = world.all(FOUND, item)
    told = world.all("SELECT FROM outbox o JOIN decisions d ON d.id = o.decision_id WHERE d.item_id = %s", item)
    return len(found) == before and len(told) == before and state(world, item)[-1] == "pending"


def resolved(world: World, item: int) -> Any:
    """The newest outcome with what it rests on, after checking that its effect is on its way."""
    assert state(world, item)[-1] == "resolved"
    found = world.all("SELECT d.*, EXISTS (SELECT FROM outbox o WHERE o.decision_id = d.id) AS told FROM decisions d WHERE item_id = %s AND outcome IS NOT NULL ORDER BY id", item)[-1]  # fmt: skip
    assert found.told and not world.disagreements()
    return found


# every way in which an outcome comes about: each returns its item, with an outcome that stood before or without


def single(world: World) -> tuple[int, int]:
    [item] = arrive(world)
    say(world, "ada", item=item)
    return item, 0


def agreement(world: World) -> tuple[int, int]:
    [item] = arrive(world, wanted=2, four_eyes=[{"reason_code": "fine", "verdict": "approve"}])
    say(world, "ada", item=item)
    say(world, "reviewer2", item=item)
    return item, 0


def majority(world: World) -> tuple[int, int]:
    [item] = arrive(world, wanted=3, agreement={"mode": "majority"})
    for who, verdict in (("ada", "approve"), ("reviewer2", "reject"), ("reviewer3", "approve")):
        say(world, who, verdict, item)
    return item, 0


def adjudication(world: World) -> tuple[int, int]:
    [item] = arrive(world, wanted=2)
    say(world, "ada", "approve", item)
    say(world, "reviewer2", "reject", item)
    say(world, "chi", "approve", item, note="page two")
    return item, 0


def escalation(world: World) -> tuple[int, int]:
    [item] = arrive(world)
    say(world, "ada", "escalate", item)
    say(world, "chi", "approve", item)
    return item, 0


def _settled(world: World) -> tuple[int, int]:
    """An item that somebody rejected, which nobody else had to see."""
    [item] = arrive(world, four_eyes=[{"verdict": "approve"}, {"verdict": "overturn"}])
    return item, say(world, "ada", "reject", item)


def overturn(world: World) -> tuple[int, int]:
    item, outcome = _settled(world)
    made = decisions.overturn(world.web, decision_id=outcome, me=world.cast.chi.id, reason_code="wrong", verdict="approve")
    assert made.decision_id is None and made.approval_id is not None
    return item, 1


def reopening(world: World) -> tuple[int, int]:
    item, outcome = _settled(world)
    assert decisions.overturn(world.web, decision_id=outcome, me=world.cast.chi.id, reason_code="wrong", reopen=True).decision_id is None
    return item, 1


def automatic(world: World) -> tuple[int, int]:
    project = world.project(four_eyes=[{"verdict": "approve", "reason_code": "auto_zero_variance"}])
    world.accept(project, [items.Routed(row("even"), "automatic", None, b"")])
    world.publish()
    [found] = resolving.resolve(world.web, worker="test", settings_version=1)
    assert found.decision_id is None
    return found.item_id, 0


def taken_back(world: World, item: int, outcome: int) -> int:
    """A retraction of Ada's look at an item, which flips it."""
    project = world.one("SELECT project_id FROM items WHERE id = %s", item)
    world.sql.execute("INSERT INTO reason_codes VALUES (%s, 'desk.retracted', 'Taken back', true)", (project,))
    world.sql.execute("SET session_replication_role = replica")
    made = world.one("INSERT INTO retractions (dataset_id, project_id, person_id, scope, since, looks_to, reason, relabel, requested_by) "
                     "VALUES (%s, %s, %s, 'all', clock_timestamp(), 1, 'not theirs', true, %s) RETURNING id", project, project, world.cast.ada.id, world.cast.chi.id)  # fmt: skip
    world.sql.execute("INSERT INTO tombstones VALUES (%s, %s, %s, 'pending', 'x', true, 0.5)", (made, item, outcome))
    world.sql.execute("SET session_replication_role = origin")
    return made


def retraction(world: World) -> tuple[int, int]:
    item, outcome = _settled(world)
    made = taken_back(world, item, outcome)
    for _ in range(2):  # a worker that was killed asks again
        assert world.worker.run("retractions/reopen", retraction_id=made, item_id=item) <= 1
    return item, 1


def batch(world: World) -> tuple[int, int]:
    made = Batch(world, 12, four_eyes=ALL, batch_decision_bound={"share": 0.5, "confidence": 0.6}, reason_codes=["ok", "fine"])
    skill = world.one("SELECT skill_id FROM projects WHERE id = %s", made.swept.id)
    world.sql.execute("UPDATE person_skills SET tier = 2 WHERE (person_id, skill_id) = (%s, %s)", (world.cast.ben.id, skill))
    made.ask().work()
    made.look()
    made.decide()
    made.work()
    ends = {end.n: end for end in made.ends()}
    unseen = [n for n, end in ends.items() if end.came_to == "stale"]
    assert unseen and {ends[n].why for n in unseen} == {"it waits for a second pair of eyes"} and set(made.outcomes()) == {0}
    return world.one("SELECT item_id FROM batch_members WHERE batch_id = %s AND n = %s", made.id, unseen[0]), 0


PATHS: list[Callable[[World], tuple[int, int]]] = [
    single, agreement, majority, adjudication, escalation, overturn, reopening, automatic, retraction, batch]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.__name__)
def test_it_catches_every_way_to_an_outcome(path: Callable[[World], tuple[int, int]], world: World) -> None:
    item, before = path(world)
    assert nothing_yet(world, item, before) and not world.disagreements()
    say(world, "ben", "approve", item)
    outcome = resolved(world, item)
    assert outcome.approved_by == world.cast.ben.id and outcome.outcome == ("reopen" if path in (reopening, retraction) else "approve")
    told = [kind for (kind,) in world.all("SELECT kind FROM events WHERE item_id = %s AND kind LIKE 'approval.%%' ORDER BY id", item)]
    assert told == ["approval.asked", "approval.approved", "approval.resolved"]
    if outcome.outcome == "reopen":
        assert world.one("SELECT state FROM tasks WHERE item_id = %s AND kind = 'relabel'", item) == "pending"


def test_a_retraction_comes_back_to_an_item_when_the_approval_that_it_waited_for_ends(world: World) -> None:
    """Not where it is answered to itself that what stands stays, but where somebody else's overturn came to that, and where its own is void."""
    item, outcome = _settled(world)
    decisions.overturn(world.web, decision_id=outcome, me=world.cast.lead2.id, reason_code="wrong", verdict="approve")
    made, reasons = taken_back(world, item, outcome), "SELECT p.reason_code FROM approvals a JOIN proposals p ON p.id = a.id WHERE a.open_item = %s"
    retracting.reopen(world.worker, retraction_id=made, item_id=item)
    retracting.come_back(world.worker)
    assert state(world, item) == ["pending"] and world.all(reasons, item) == [("wrong",)], "somebody's overturn waits"
    say(world, "ben", "reject", item)
    say(world, "lead3", "reject", item, note="it was right")
    assert state(world, item) == ["resolved"]
    assert world.one("SELECT EXISTS (SELECT FROM retraction_waits WHERE due)")
    retracting.come_back(world.worker)
    assert state(world, item) == ["resolved", "pending"] and world.all(reasons, item) == [("desk.retracted",)]
    with world.sql.transaction():
        world.sql.execute("UPDATE tasks SET evidence_hash = sha256('newer') WHERE item_id = %s AND kind = 'approval' AND ended_as IS NULL", (item,))
    retracting.come_back(world.worker)
    assert state(world, item) == ["resolved", "voided", "pending"] and world.all(reasons, item) == [("desk.retracted",)]
    world.cast.new = people.add(world.web, name="Somebody new", email="new@example.org", role="lead")
    say(world, "new", "approve", item)
    assert state(world, item)[-1] == "resolved" and world.one("SELECT count(*) FROM tasks WHERE item_id = %s AND kind = 'relabel'", item) == 1
    assert not world.one("SELECT EXISTS (SELECT FROM retraction_waits WHERE due)") and not world.disagreements()


def test_it_knows_every_statement_that_writes_decisions() -> None:
    """A new one has to be walked above."""
    schema = (QUEUE / "schema.sql").read_text()
    bodies = re.findall(r"CREATE OR REPLACE FUNCTION public\.(\w+)\(.*?\$function\$(.*?)\$function\$", schema, re.DOTALL)
    writes = {name for name, text in [*STATEMENTS.items(), *bodies] if re.search(r"INSERT\s+INTO\s+decisions\b", text)}
    assert writes == {"decisions/submit", "overturn", "decisions/resolve", "put_outcome", "reopen_retracted", "decide_batch", "undo_batch"}


def test_an_undone_batch_decision_takes_the_overturns_with_it_that_wait(world: World) -> None:
    """What is superseded can't be overturned any more; and one item that waits for its second pair of eyes holds no other up."""
    made = Batch(world, 12, four_eyes=[{"verdict": "overturn"}], batch_decision_bound={"share": 0.5, "confidence": 0.6}, reason_codes=["ok", "fine"])
    made.decided()
    unseen = [end for end in made.ends() if end.came_to == "decided"]
    item = world.one("SELECT item_id FROM decisions WHERE id = %s", unseen[0].decision_id)
    assert decisions.overturn(world.web, decision_id=unseen[0].decision_id, me=world.cast.lead2.id, reason_code="fine", reopen=True).approval_id is not None
    held = take(world, "lead3", item)
    batch_decisions.undo(world.web, batch_id=made.id, me=made.chi)
    assert made.work().undone == len(unseen)
    assert state(world, item) == ["voided"] and not world.disagreements()
    with pytest.raises(errors.StaleLease):
        decisions.submit(world.web, assignment_id=held.assignment_id, lease_token=held.lease_token, evidence_hash=held.evidence_hash, me=world.cast.lead3.id,
                         verdict="reject", reason_code="fine")  # fmt: skip


STATES = ("pending", "approved", "rejected", "resolved", "voided")
MOVES = {("pending", "approved"), ("pending", "rejected"), ("pending", "voided"), ("approved", "resolved"), ("rejected", "resolved"), ("rejected", "voided")}


def test_the_server_refuses_every_other_move(world: World) -> None:
    """Each pair of states, by the role that the pages run as; and a version that is not the next one."""
    [item] = arrive(world)
    say(world, "ada", item=item)
    with psycopg.connect(world.conninfos.web, autocommit=True) as web:
        for before, after in itertools.product(STATES, STATES):
            with psycopg.connect(world.conninfos.superuser) as root, root.transaction(force_rollback=True):
                decider = "task_id" if before in ("rejected", "voided") or after == "rejected" else "NULL"
                root.execute("ALTER TABLE approvals DROP CONSTRAINT approvals_sound")
                root.execute(f"SET session_replication_role = replica; UPDATE approvals SET state = '{before}', decider_id = {decider} WHERE item_id = {item}")
                root.execute("SET session_replication_role = origin; SET ROLE claimcheck_web")
                move = f"UPDATE approvals SET state = '{after}', version = version + 1 WHERE item_id = {item}"
                if (before, after) in MOVES:
                    assert root.execute(move).rowcount == 1
                else:
                    with pytest.raises(psycopg.errors.CheckViolation, match="cannot go"):
                        root.execute(move)
        with pytest.raises(psycopg.errors.CheckViolation, match="cannot go"):
            web.execute("UPDATE approvals SET state = 'approved', version = version + 2 WHERE item_id = %s", (item,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            web.execute("UPDATE approvals SET item_id = 1 WHERE item_id = %s", (item,))
        for forged in ("NULL, NULL", f"(SELECT id FROM approvals WHERE item_id = {item}), {world.cast.ben.id}"):
            with pytest.raises(psycopg.errors.CheckViolation, match="second pair of eyes"):
                web.execute(
                    f"""INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash,
                                               reason_code, approval_id, approved_by)
                        SELECT item_id, task_id, project_id, project_version, person_id, verdict, outcome, evidence_version, shown_version, evidence_hash, reason_code, {forged}
                          FROM proposals WHERE item_id = %s""",
                    (item,),
                )
    assert nothing_yet(world, item)


def test_nobody_who_had_it_in_their_hands_is_its_second_pair_of_eyes(world: World) -> None:
    """Whoever claimed, gave back, skipped, came too late, sent it back or answered; and who sent it in."""
    world.sql.execute("UPDATE person_skills SET tier = 2")
    [item] = arrive(world, abandon_limit=50)
    me, late = world.cast.reviewer2.id, world.cast.reviewer3.id
    held = take(world, "reviewer2", item)
    assignments.skip(world.web, assignment_id=held.assignment_id, lease_token=held.lease_token, me=me, reason="unclear")
    held = take(world, "reviewer3", item)
    world.sql.execute("UPDATE assignments SET claimed_at = claimed_at - interval '1 hour', lease_expires = clock_timestamp() - interval '1 min' WHERE id = %s",
                      (held.assignment_id,))  # fmt: skip
    claim = take(world, "ada", item)
    with pytest.raises(errors.StaleLease):
        decisions.submit(world.web, assignment_id=held.assignment_id, lease_token=held.lease_token, evidence_hash=held.evidence_hash, me=late,
                         verdict="approve", reason_code="fine")  # fmt: skip
    decisions.submit(world.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, evidence_hash=claim.evidence_hash, me=world.cast.ada.id,
                     verdict="escalate", reason_code="fine")  # fmt: skip
    led = take(world, "lead2", item)
    decisions.send_back(world.web, assignment_id=led.assignment_id, lease_token=led.lease_token, me=world.cast.lead2.id, note="page two")
    say(world, "ada", item=item)
    barred = ("ada", "reviewer2", "reviewer3", "lead2")
    assert [who for who in (*barred, "ben", "chi", "lead3") if tasks.claim(world.web, me=getattr(world.cast, who).id, item_id=item) is not None] == ["ben"]
    assignments.release(world.web, **_held(world, "ben"))
    assert take(world, "ben", item), "to have held the approval itself bars nobody"
    assignments.release(world.web, **_held(world, "ben"))
    world.sql.execute("UPDATE tasks SET barred = '{}' WHERE item_id = %s AND kind = 'approval'", (item,))
    with pytest.raises(errors.SameEyes):
        say(world, "lead2", item=item)
    assignments.release(world.web, **_held(world, "lead2"))
    assert nothing_yet(world, item)
    world.sql.execute("UPDATE person_skills SET tier = 0 WHERE person_id <> %s", (world.cast.ben.id,))


def _held(world: World, who: str) -> dict[str, Any]:
    [row] = world.all("SELECT id, token FROM assignments WHERE person_id = %s AND ended_at IS NULL", getattr(world.cast, who).id)
    return {"assignment_id": row.id, "lease_token": row.token, "me": getattr(world.cast, who).id}


def test_programs_novices_and_the_disabled_are_no_second_pair_of_eyes(world: World) -> None:
    [item] = arrive(world)
    say(world, "ada", item=item)
    world.sql.execute("UPDATE people SET program = true WHERE id = ANY (%s)", ([world.cast.ben.id, world.cast.lead2.id],))
    for who in ("ben", "lead2", "reviewer2"):
        assert tasks.claim(world.web, me=getattr(world.cast, who).id, item_id=item) is None, who
    [waits] = [one for one in standing.page(world.web, me=world.cast.chi.id) if one.item_id == item]
    assert waits.may and waits.anybody and not waits.held
    world.sql.execute("UPDATE people SET program = false")
    take(world, "lead3", item)
    people.disable(world.web, person_id=world.cast.lead3.id, by=world.cast.dov.id)
    world.sql.execute("UPDATE people SET disabled_at = NULL WHERE id = %s", (world.cast.lead3.id,))
    say(world, "chi", item=item)
    assert resolved(world, item).approved_by == world.cast.chi.id


@pytest.mark.parametrize(("said", "comes_to"), [("approve", "approve"), ("reject", "reject")])
def test_a_lead_decides_what_two_saw_differently(said: str, comes_to: str, world: World) -> None:
    [item] = arrive(world)
    say(world, "ada", "approve", item)
    say(world, "ben", "reject", item)
    assert state(world, item) == ["rejected"]
    with pytest.raises(errors.Invalid, match="in words"):
        say(world, "chi", said, item)
    held = _held(world, "chi")
    cards = looks.disputed(world.web, assignment_id=held["assignment_id"], me=held["me"])
    assert sorted(str(c.verdict) for c in cards) == ["approve", "reject"]
    say(world, "chi", said, item, note="page two")
    outcome = resolved(world, item)
    assert (outcome.outcome, outcome.person_id, outcome.approved_by) == (comes_to, world.cast.ada.id if said == "approve" else world.cast.ben.id, world.cast.chi.id)
    assert world.one("SELECT count(*) FROM payouts p JOIN assignments a ON a.id = p.assignment_id WHERE a.item_id = %s AND amount_minor = 70", item) == 3


def test_a_third_answer_needs_a_second_pair_of_eyes_too(world: World) -> None:
    [item] = arrive(world, question={"ask": "grade", "min": 1, "max": 5})
    for who, grade in (("ada", 1), ("ben", 5), ("chi", 3)):
        claim = take(world, who, item)
        decisions.submit(world.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, evidence_hash=claim.evidence_hash, me=getattr(world.cast, who).id,
                         answer=grade, reason_code="fine", note="why")  # fmt: skip
    assert state(world, item) == ["resolved", "pending"] and not world.all(FOUND, item)


def test_an_approved_reopening_shows_the_newest_evidence_and_is_on_record_like_any_other(world: World) -> None:
    """The evidence that changed after the decision came to no task then; the one that is raised now is about it."""
    item, outcome = _settled(world)
    revisions.revise(world.web, person=world.cast.eve, item_id=item, payload={"name": "other"})
    world.publish()
    decisions.overturn(world.web, decision_id=outcome, me=world.cast.chi.id, reason_code="wrong", reopen=True)
    say(world, "ben", "approve", item)
    made = resolved(world, item)
    relabel = world.all("SELECT t.*, i.evidence_version AS newest FROM tasks t JOIN items i ON i.id = t.item_id WHERE t.item_id = %s AND t.kind = 'relabel'", item)[0]
    assert relabel.evidence_version == relabel.newest == 2
    [noted] = world.all("SELECT person_id, decision_id, detail FROM events WHERE item_id = %s AND kind = 'decision.overturned'", item)
    assert (noted.person_id, noted.decision_id, noted.detail) == (world.cast.chi.id, made.id, {"supersedes": outcome, "reopened": relabel.id})


def test_an_overturn_that_nobody_backs_leaves_what_stands(world: World) -> None:
    item, before = overturn(world)
    with pytest.raises(errors.ApprovalPending):
        decisions.overturn(world.web, decision_id=world.all(FOUND, item)[0].id, me=world.cast.lead2.id, reason_code="wrong", reopen=True)
    say(world, "ben", "reject", item)
    say(world, "lead2", "reject", item, note="it stands")
    assert state(world, item) == ["resolved"] and len(world.all(FOUND, item)) == before and not world.disagreements()
    again = decisions.overturn(world.web, decision_id=world.all(FOUND, item)[0].id, me=world.cast.chi.id, reason_code="wrong", verdict="approve")
    assert again.approval_id is not None, "it may be proposed again"


@pytest.mark.parametrize("held", [False, True])
def test_changed_evidence_voids_it_and_the_item_is_looked_at_again(held: bool, world: World) -> None:
    [item] = arrive(world)
    say(world, "ada", item=item)
    if held:
        claim = take(world, "ben", item)
    revisions.revise(world.web, person=world.cast.eve, item_id=item, payload={"name": "other"})
    world.publish()
    assert state(world, item) == ["voided"] and not world.disagreements() and not world.all(FOUND, item)
    if held:
        with pytest.raises(errors.StaleLease):
            decisions.submit(world.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, evidence_hash=claim.evidence_hash,
                             me=world.cast.ben.id, verdict="approve", reason_code="fine")  # fmt: skip
    assert tasks.claim(world.web, me=world.cast.ada.id, item_id=item) is None, "who answered before does not look again"
    say(world, "reviewer2", item=item)
    assert state(world, item) == ["voided", "pending"]
    assert voided(world, item) == ("evidence", "evidence_changed")


def voided(world: World, item: int) -> tuple[str | None, str]:
    """What changed, as the approval says, and as the item's history does."""
    because = "SELECT detail ->> 'because' FROM events WHERE item_id = %s AND kind = 'task.moved' AND detail ->> 'because' LIKE '%%changed'"
    return standing.of_item(world.web, item_id=item)[0].voided_by, world.one(because, item)


def test_other_rules_void_it_only_where_they_change_what_is_asked(world: World) -> None:
    [item] = arrive(world)
    say(world, "ada", item=item)
    project = world.one("SELECT project_id FROM items WHERE id = %s", item)

    def change(**new: Any) -> None:
        old = projects.rules(world.web, project, projects.version(world.web, project))
        versions.change(world.web, project, world.cast.chi.id, type(old).model_validate(old.model_dump() | new), why="try")

    change(four_eyes=[], reason_codes=[{"code": "other", "label": "Other"}])
    assert nothing_yet(world, item)
    claim = take(world, "ben", item)
    decisions.submit(world.web, assignment_id=claim.assignment_id, lease_token=claim.lease_token, evidence_hash=claim.evidence_hash, me=world.cast.ben.id,
                     verdict="approve", reason_code="other")  # fmt: skip
    assert resolved(world, item).reason_code == "fine", "as it was proposed"
    [item] = arrive(world)
    say(world, "ada", item=item)
    project = world.one("SELECT project_id FROM items WHERE id = %s", item)
    change(guidance="Look twice.")
    assert state(world, item) == ["voided"] and not world.disagreements()
    assert voided(world, item) == ("rules", "rules_changed")


def test_its_partition_waits_and_goes_on_in_order(world: World) -> None:
    first, second = arrive(world, partition="P", keys=("one", "two"))
    say(world, "ada", item=first)
    assert tasks.claim(world.web, me=world.cast.ada.id, item_id=second) is None
    say(world, "ben", item=first)
    say(world, "ada", item=second)
    say(world, "chi", item=second)
    told = world.all("SELECT d.item_id FROM outbox o JOIN decisions d ON d.id = o.decision_id WHERE o.partition_id = (SELECT partition_id FROM items WHERE id = %s) ORDER BY effect_no", first)  # fmt: skip
    assert [item for (item,) in told] == [first, second] and not world.disagreements()


def test_a_cancelled_project_lets_who_holds_it_finish_and_nobody_else_begin(world: World) -> None:
    held, free = arrive(world, keys=("held", "free"))
    say(world, "ada", item=held)
    say(world, "ada", item=free)
    take(world, "ben", held)
    projects.cancel(world.web, world.one("SELECT project_id FROM items WHERE id = %s", held), world.cast.chi.id)
    assert tasks.claim(world.web, me=world.cast.chi.id, item_id=free) is None
    say(world, "ben", item=held)
    assert resolved(world, held).approved_by == world.cast.ben.id and nothing_yet(world, free)
    assert free not in [row.item_id for row in world.all("SELECT item_id FROM approvals a JOIN projects p ON p.id = a.project_id WHERE open_item IS NOT NULL AND p.cancelled_at IS NULL")]


RULES = [
    ({"verdict": "approve"}, "approve", True),
    ({"verdict": "approve"}, "reject", False),
    ({"reason_code": "fine"}, "reject", True),
    ({"reason_code": "wrong"}, "approve", False),
    ({"customer": "Northwind", "verdict": "reject"}, "reject", True),
    ({"customer": "Southwind"}, "approve", False),
    ({"amount_from": "100"}, "approve", True),  # it came without an amount
]


@pytest.mark.parametrize(("rule", "verdict", "caught"), RULES)
def test_a_rule_catches_what_fulfils_all_that_it_names(rule: dict[str, str], verdict: str, caught: bool, world: World) -> None:
    [item] = arrive(world, four_eyes=[{"reason_code": "wrong", "verdict": "approve"}, rule])
    say(world, "ada", verdict, item)
    assert state(world, item) == (["pending"] if caught else []) and (len(world.all(FOUND, item)) == 0) is caught


def test_it_asks_by_the_amount_of_the_message_in_its_currency(world: World) -> None:
    [item] = arrive(world, four_eyes=[{"amount_from": "100.50", "currency": "EUR"}])
    world.sql.execute("SET session_replication_role = replica")
    for amount, currency, caught in (("-100.50", "EUR", True), ("100.49", "EUR", False), ("900", "USD", False)):
        columns = {"project_id": 1, "idempotency_key": "m", "trace_id": "t", "source_hash": bytes(32), "currency": currency, "variance_amount": amount}
        needed = world.all("SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'messages' AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AND is_generated = 'NEVER'")
        filled = {n: columns.get(n, {"text": {"match_decision": "UNMATCHED", "source": "http"}.get(n, "x"), "bytea": bytes(32), "integer": 1, "bigint": 1}.get(kind)) for n, kind in needed} | {"variance_amount": amount, "currency": currency}
        names = ", ".join(filled)
        made = world.sql.execute(f"INSERT INTO messages ({names}) VALUES ({', '.join(['%s'] * len(filled))}) RETURNING id", [*filled.values()]).fetchone()[0]
        world.sql.execute("UPDATE items SET message_id = %s WHERE id = %s", (made, item))
        assert (world.one("SELECT eyes_rule(project_id, id, 0, 'approve', false, 'fine') FROM items WHERE id = %s", item) is not None) is caught
        world.sql.execute("UPDATE items SET message_id = NULL WHERE id = %s", (item,))
        world.sql.execute("DELETE FROM messages WHERE id = %s", (made,))
    world.sql.execute("SET session_replication_role = origin")


def test_two_at_once_approve_it_once_and_no_outcome_is_without_its_approval(world: World) -> None:
    """Many people on many items of every kind, each double-clicking, while the evidence of some changes: what the server keeps is whole."""
    ids = arrive(world, keys=tuple(f"{n}" for n in range(24)), four_eyes=[{"verdict": "approve"}], partition="P")
    names = ("ada", "ben", "chi", "lead2", "lead3", "reviewer2", "reviewer3")

    def work(n: int) -> None:
        me = getattr(world.cast, names[n % len(names)]).id
        for turn in range(60):
            claim = tasks.claim(world.web, me=me)
            if claim is None:
                continue
            asked = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash, "me": me, "note": "why"}
            with suppress(errors.StaleLease, errors.EvidenceChanged, errors.AlreadyDecided):
                decisions.submit(world.web, **asked, verdict="reject" if (n + turn + claim.item_id) % 5 == 0 else "approve", reason_code="fine")
            if n == 0 and turn % 10 == 9:
                revisions.revise(world.web, person=world.cast.eve, item_id=ids[turn // 3], payload={"name": f"other {turn}"})
                world.publish()

    at_once(2 * len(names), work)
    assert not world.disagreements()
    assert not world.all(
        """SELECT d.id FROM decisions d LEFT JOIN approvals a ON a.id = d.approval_id AND a.decision_id = d.id AND a.state = 'resolved'
            WHERE d.project_id = (SELECT project_id FROM items WHERE id = %s) AND d.outcome = 'approve' AND (a.id IS NULL OR d.approved_by = d.person_id)""",
        ids[0],
    )
    looked = """SELECT a.id FROM approvals a JOIN assignments second ON second.task_id = a.task_id AND second.end_reason = 'submitted'
                  JOIN tasks t ON t.item_id = a.item_id AND t.id < a.task_id JOIN assignments first ON first.task_id = t.id AND first.person_id = second.person_id"""
    assert not world.all(looked), "I16"
    steps = "SELECT a.id FROM approvals a WHERE a.version <> (SELECT count(*) FROM events e WHERE e.item_id = a.item_id AND e.kind LIKE 'approval.%%' AND (e.detail ->> 'approval')::bigint = a.id)"
    assert not world.all(steps), "each move is one version and one event"
    assert world.one("SELECT count(*) FROM approvals WHERE state = 'resolved' AND item_id = ANY (%s)", ids) > 3


MUTANTS = [
    ("decisions/submit", "OR four_eyes IS NOT NULL AND comes_to", "OR false AND comes_to", lambda w: test_it_catches_every_way_to_an_outcome(single, w)),
    ("decisions/submit", "no_other_eyes(t, %(me)s::int)", "false", test_nobody_who_had_it_in_their_hands_is_its_second_pair_of_eyes),
    ("overturn()", "FROM target WHERE rule IS NULL", "FROM target", lambda w: test_it_catches_every_way_to_an_outcome(overturn, w)),
    ("decisions/resolve", "WHEN judged.rule IS NULL THEN 'decided'", "WHEN true THEN 'decided'", lambda w: test_it_catches_every_way_to_an_outcome(automatic, w)),
    ("looks/disputed", "p.decider_id = held.task_id JOIN proposals", "false JOIN proposals", lambda w: test_a_lead_decides_what_two_saw_differently("approve", "approve", w)),
    ("need_four_eyes()", "RAISE EXCEPTION 'this outcome needs a second pair of eyes'", "RETURN NEW; RAISE EXCEPTION 'this outcome needs a second pair of eyes'",
     test_the_server_refuses_every_other_move),
    ("approval_move()", "NEW.version = OLD.version + 1 AND", "true AND", test_the_server_refuses_every_other_move),
    ("lanes_of()", "WHEN 'approval'     THEN in_role <> 'lead' AND NOT (SELECT p.program FROM people p WHERE p.id = of_person)", "WHEN 'approval' THEN in_role <> 'lead'",
     test_programs_novices_and_the_disabled_are_no_second_pair_of_eyes),
    ("backs()", "said_verdict IS NOT DISTINCT FROM p.outcome", "true", lambda w: test_a_lead_decides_what_two_saw_differently("approve", "approve", w)),
]  # fmt: skip


@pytest.mark.parametrize(("where", "guard", "instead", "test"), MUTANTS, ids=[f"{m[0]} {m[1][:30]}" for m in MUTANTS])
def test_it_would_notice_a_missing_guard(where: str, guard: str, instead: str, test: Callable[[World], None], world: World) -> None:
    noticed = pytest.raises((AssertionError, pytest.fail.Exception, errors.Error, psycopg.Error, ValueError))
    if "/" in where:
        with without(where, guard, instead), noticed:
            test(world)
        return
    with mended(world, where.removesuffix("()"), guard, instead), noticed:
        test(world)
