"""Experts on real statements: gold among live work, exams and pauses, agreement and adjudication, late looks, pay."""

from __future__ import annotations

import contextlib
import itertools
import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from claimcheck import db, errors, projects
from claimcheck.access import people
from claimcheck.experts import golds, payouts, standings, upkeep
from claimcheck.experts.ruling import BY_THE_STATEMENT
from claimcheck.review import assignments, decisions, tasks
from claimcheck.review.looks import late_looks
from tests.intake import World, at_once, row, without


@pytest.fixture
def desk(world: World) -> World:
    """A world where nothing of other tests is in anybody's way."""
    world.quiet()
    people.give_skill(world.web, person_id=world.cast.chi.id, skill="documents", by=0)
    world.sql.execute("UPDATE golds SET retired_at = clock_timestamp(), retired_why = 'by hand' WHERE retired_at IS NULL")
    world.sql.execute(
        "UPDATE person_skills SET gold_every = 0, looks = 0, status = 'active', novice = false, extra_left = 0, tier = 0, pinned = false"
    )
    world.sql.execute("UPDATE scores SET ok = 0, n = 0, exam_ok = 0, exam_n = 0, level = 0, alarms = 0, extra_ok = 0, extra_n = 0")
    world.sql.execute("UPDATE skills SET exam = false, gold_rate = 0.05, novice_rate = 0.2, weighs = false, temperature = 1")
    return world


def filled(desk: World, n: int, **rules: Any) -> tuple[int, list[int]]:
    """A project with n items that may be claimed; (its id, theirs)."""
    project = desk.project(**rules)
    desk.accept(project, [row(f"k{i:06d}") for i in range(n)])
    desk.publish()
    return project, [item.id for item in desk.all("SELECT id FROM items WHERE project_id = %s ORDER BY id", project)]


def settled(desk: World, n: int, **rules: Any) -> tuple[int, list[int]]:
    """As `filled`, every item decided by Ada: sources of gold."""
    project, ids = filled(desk, n, **rules)
    for _ in range(n):
        claimed = desk.claim("ada")
        assert claimed is not None
        desk.decide(claimed)
    return project, ids


def make_gold(desk: World, ids: list[int], right: str = "approve") -> list[int]:
    made = [golds.add(desk.web, item_id=i, accepted=[right], me=desk.cast.chi.id) for i in ids]
    upkeep.run(desk.worker)
    return made


def is_gold(desk: World, claimed: tasks.Claim) -> bool:
    return desk.one("SELECT kind FROM tasks WHERE id = %s", claimed.task_id) == "gold"


def standing(desk: World, who: str) -> standings.Mine:
    [mine] = [s for s in standings.of_person(desk.web, person_id=getattr(desk.cast, who).id) if s.skill == "documents"]
    return mine


def test_gold_s_label_is_beyond_the_web_s_reach(desk: World) -> None:
    for table in ("gold_labels", "gold_exposures"):
        with psycopg.connect(desk.conninfos.web) as web, pytest.raises(psycopg.errors.InsufficientPrivilege):
            web.execute(f"SELECT * FROM {table}")  # type: ignore[arg-type]


def test_gold_comes_at_its_rate_and_never_twice_in_a_row(desk: World) -> None:
    _, ids = settled(desk, 12)
    make_gold(desk, ids)
    filled(desk, 60)
    kinds = []
    for _ in range(50):
        claimed = desk.claim("ben")
        assert claimed is not None
        kinds.append(is_gold(desk, claimed))
        desk.decide(claimed)
    assert sum(kinds) == 10  # one in five, while little is known of Ben
    assert not any(a and b for a, b in itertools.pairwise(kinds))


def test_no_gold_comes_when_no_live_work_waits(desk: World) -> None:
    _, ids = settled(desk, 5)
    make_gold(desk, ids)
    assert desk.claim("ben") is None


def test_a_copy_of_a_gold_looks_like_any_item(desk: World) -> None:
    project, ids = settled(desk, 3)
    make_gold(desk, ids)
    filled(desk, 12)
    for _ in range(12):
        claimed = desk.claim("ben")
        assert claimed is not None
        held = assignments.load(desk.web, assignment_id=claimed.assignment_id, me=desk.cast.ben.id)
        assert (held.kind, held.queue, held.wanted) == ("review", "review", 1)
        decision = desk.decide(claimed)
        own = decisions.visible(desk.web, decision_id=decision, person=desk.cast.ben)
        assert (own.kind, own.outcome) == ("review", "approve")
    assert desk.one("SELECT count(*) FROM decisions d JOIN tasks t ON t.id = d.task_id WHERE t.kind = 'gold' AND d.outcome IS NOT NULL") == 0
    assert desk.one("SELECT count(*) FROM items WHERE gold AND project_id = %s AND idempotency_key LIKE 'k%%'", project) > 0


def test_a_gold_is_copied_whatever_characters_its_key_has(desk: World) -> None:
    project = desk.project()
    desk.accept(project, [row(r"scans\2026\0007")])
    desk.publish()
    claimed = desk.claim("ada")
    assert claimed is not None
    desk.decide(claimed)
    make_gold(desk, [claimed.item_id])
    assert desk.one("SELECT count(*) FROM items WHERE gold AND project_id = %s AND idempotency_key LIKE 'scans%%'", project) == 1


def test_a_copy_of_a_gold_takes_no_key_away_from_the_customer(desk: World) -> None:
    project, ids = settled(desk, 1)
    make_gold(desk, ids)
    upkeep.run(desk.worker)
    key = desk.one("SELECT idempotency_key FROM items WHERE gold AND project_id = %s ORDER BY id DESC LIMIT 1", project)
    sent = [desk.accept(project, [row(key)]) for _ in range(2)]
    assert [(one.accepted, one.repeated, one.refused) for one in sent] == [(1, 0, []), (0, 1, [])]


def exposures(desk: World, gold: int) -> list[int]:
    """Whose looks at a gold were scored."""
    rows = desk.all(
        "SELECT r.person_id FROM gold_results r JOIN decisions d ON d.id = r.decision_id JOIN gold_exposures e ON e.task_id = d.task_id "
        "WHERE e.gold_id = %s ORDER BY 1",
        gold,
    )
    return [row.person_id for row in rows]


def work_on(desk: World, who: list[str], rounds: int) -> None:
    for _ in range(rounds):
        for one in who:
            claimed = desk.claim(one)
            if claimed is not None:
                desk.decide(claimed)
                upkeep.run(desk.worker)


def test_a_gold_is_seen_as_often_as_it_may_be(desk: World) -> None:
    _, ids = filled(desk, 1)
    desk.sql.execute("UPDATE tasks SET paused = true WHERE item_id = %s", [ids[0]])  # who looked at it would not meet its copies
    gold = golds.add(desk.web, item_id=ids[0], accepted=["approve"], me=desk.cast.dov.id, max_exposures=2)
    upkeep.run(desk.worker)
    filled(desk, 60)
    work_on(desk, ["ada", "ben", "chi"], 15)
    assert len(exposures(desk, gold)) == 2


def test_nobody_sees_a_gold_twice(desk: World) -> None:
    _, ids = settled(desk, 1)
    [gold] = make_gold(desk, ids)
    filled(desk, 40)
    work_on(desk, ["ben"], 30)
    assert exposures(desk, gold) == [desk.cast.ben.id]


def test_nobody_meets_a_gold_of_what_they_looked_at_or_that_they_made(desk: World) -> None:
    _, ids = settled(desk, 3)  # by Ada
    make_gold(desk, ids)  # by Chi
    filled(desk, 18)
    kinds = {who: [is_gold(desk, claimed) for _ in range(6) if (claimed := desk.claim(who)) and desk.decide(claimed)] for who in ("ada", "chi", "ben")}
    assert not any(kinds["ada"] + kinds["chi"])
    assert any(kinds["ben"])


def test_the_database_refuses_a_sixth_exposure(desk: World) -> None:
    _, ids = settled(desk, 1)
    [gold] = make_gold(desk, ids)
    with pytest.raises(psycopg.errors.CheckViolation):
        desk.sql.execute("UPDATE golds SET exposures = 6 WHERE id = %s", [gold])


def sit(desk: World, who: str, answers: str) -> None:
    """Claims and answers so many golds: 1 is right (approve)."""
    for answer in answers:
        claimed = desk.claim(who)
        assert claimed is not None, standing(desk, who)
        assert is_gold(desk, claimed)
        desk.decide(claimed, "approve" if answer == "1" else "reject")
        upkeep.run(desk.worker)


def test_who_is_new_sits_an_exam_on_gold_alone_and_then_works(desk: World) -> None:
    _, ids = settled(desk, 12)
    make_gold(desk, ids)
    filled(desk, 3)
    desk.sql.execute("UPDATE skills SET exam = true")
    people.take_skill(desk.web, person_id=desk.cast.ben.id, skill="documents", by=0)
    people.give_skill(desk.web, person_id=desk.cast.ben.id, skill="documents", by=0)
    assert standing(desk, "ben").status == "exam"
    sit(desk, "ben", "111111111")
    assert (standing(desk, "ben").status, standing(desk, "ben").novice) == ("active", True)
    claimed = desk.claim("ben")
    assert claimed is not None
    assert not is_gold(desk, claimed)


@pytest.mark.parametrize("last", ["approve", "reject", "escalate"])
def test_an_exam_wears_no_gold_out_with_a_look_that_was_taken_before_it_was_decided(desk: World, last: str) -> None:
    """Looks are scored a moment after them: whoever is quicker has another of the exam's golds in hand when it ends, or asks for a lead."""
    _, ids = settled(desk, 12)
    made = make_gold(desk, ids)
    filled(desk, 3)
    desk.sql.execute("UPDATE skills SET exam = true")
    people.take_skill(desk.web, person_id=desk.cast.ben.id, skill="documents", by=0)
    people.give_skill(desk.web, person_id=desk.cast.ben.id, skill="documents", by=0)
    sit(desk, "ben", "11111111")
    for verdict in ("approve", last):  # the ninth ends it
        claimed = desk.claim("ben")
        assert claimed is not None and is_gold(desk, claimed)
        desk.decide(claimed, verdict)
    upkeep.run(desk.worker)
    ben = standing(desk, "ben")
    assert (ben.status, ben.exam_n, ben.level) == ("active", 9 + (last != "escalate"), 0)
    purposes = "SELECT DISTINCT purpose FROM gold_results r JOIN decisions d ON d.id = r.decision_id WHERE r.person_id = %s AND d.task_id >= %s"
    assert desk.all(purposes, desk.cast.ben.id, desk.one("SELECT min(task_id) FROM gold_exposures WHERE gold_id = ANY (%s)", made)) == [("exam",)]
    assert desk.one("SELECT sum(exposures) FROM golds WHERE id = ANY (%s)", made) == 0


def test_an_alarm_is_a_soft_pause_that_extra_gold_lifts(desk: World) -> None:
    _, ids = settled(desk, 20)
    make_gold(desk, ids)
    desk.sql.execute("UPDATE person_skills SET status = 'active'")
    filled(desk, 60)
    wrong = 0
    while standing(desk, "ben").status == "active":
        claimed = desk.claim("ben")
        assert claimed is not None
        gold = is_gold(desk, claimed)
        wrong += gold
        desk.decide(claimed, "reject" if gold else "approve")
        upkeep.run(desk.worker)
    assert wrong >= 4
    assert "Too many recent golds" in standing(desk, "ben").said
    sit(desk, "ben", "11111")
    assert standing(desk, "ben").status == "active"


def test_an_appeal_is_answered_by_a_lead_and_lifts_the_pause(desk: World) -> None:
    me, skill = desk.cast.ben.id, standing(desk, "ben").skill_id
    with pytest.raises(errors.NothingToAppeal):
        standings.appeal(desk.web, me=me, skill_id=skill, note="why?")
    standings.put(desk.web, person_id=me, skill_id=skill, status="paused", tier=0, pinned=False, why="asked to rest", me=desk.cast.chi.id)
    assert desk.claim("ben") is None
    appeal = standings.appeal(desk.web, me=me, skill_id=skill, note="I am rested")
    with pytest.raises(errors.NothingToAppeal):
        standings.appeal(desk.web, me=me, skill_id=skill, note="again")
    assert [a.id for a in standings.appeals(desk.web)] == [appeal]
    standings.answer(desk.web, appeal_id=appeal, me=desk.cast.chi.id, text="Welcome back.", resume=True)
    assert standing(desk, "ben").status == "active"
    assert standing(desk, "ben").said == "Welcome back."


def test_nobody_changes_their_own_standing(desk: World) -> None:
    with pytest.raises(errors.Forbidden):
        standings.put(desk.web, person_id=desk.cast.chi.id, skill_id=1, status="active", tier=3, pinned=True, why="me", me=desk.cast.chi.id)


def test_two_novices_never_share_an_item(desk: World) -> None:
    desk.sql.execute("UPDATE person_skills SET novice = true WHERE person_id = ANY (%s)", [[desk.cast.ada.id, desk.cast.ben.id]])
    _, ids = filled(desk, 1, wanted=2)
    first = desk.claim("ada")
    assert first is not None
    desk.decide(first)
    assert desk.claim("ben") is None
    assert tasks.claim(desk.web, me=desk.cast.ben.id, item_id=ids[0]) is None
    desk.sql.execute("UPDATE person_skills SET novice = false WHERE person_id = %s", [desk.cast.ben.id])
    assert desk.claim("ben") is not None


def test_what_is_reserved_is_the_novices_first(desk: World) -> None:
    desk.sql.execute("UPDATE person_skills SET novice = true WHERE person_id = %s", [desk.cast.ada.id])
    _, ids = filled(desk, 40, wanted=2)
    reserved = desk.one("SELECT count(*) FROM tasks WHERE item_id = ANY (%s) AND reserved_until IS NOT NULL", ids)
    assert reserved == 4
    for _ in range(36):
        claimed = desk.claim("ben")
        assert claimed is not None
        desk.decide(claimed)
    assert desk.claim("ben") is None
    assert desk.claim("ada") is not None
    desk.sql.execute("UPDATE tasks SET reserved_until = clock_timestamp() - interval '1 s' WHERE reserved_until IS NOT NULL")
    assert desk.claim("ben") is not None


def looks(desk: World, *said: tuple[str, str]) -> list[int]:
    made = []
    for who, verdict in said:
        claimed = desk.claim(who)
        assert claimed is not None, who
        made.append(desk.decide(claimed, verdict))
    return made


def outcome(desk: World, item: int) -> Any:
    found = desk.all("SELECT person_id, outcome, reason_code FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item)
    return found and (found[0].person_id, found[0].outcome, found[0].reason_code)


def contradicted(desk: World, item: int) -> list[Any]:
    """The item's tasks whose counters contradict the facts."""
    ids = {t.id for t in desk.all("SELECT id FROM tasks WHERE item_id = %s", item)}
    return [d for d in desk.disagreements() if d.what == "task" and d.id in ids]


def test_a_majority_settles_what_one_of_three_disputes(desk: World) -> None:
    _, [item] = filled(desk, 1, wanted=3, agreement={"mode": "majority"})
    looks(desk, ("ada", "approve"), ("ben", "reject"), ("chi", "approve"))
    assert outcome(desk, item) == (0, "approve", "agreement")
    assert not contradicted(desk, item)


def test_adaptive_looks_ask_for_a_third_where_two_differ(desk: World) -> None:
    _, [item, other] = filled(desk, 2, agreement={"mode": "adaptive", "audit": 0})
    looks(desk, ("ada", "approve"), ("ada", "approve"), ("ben", "approve"), ("ben", "reject"))
    assert outcome(desk, item) == (0, "approve", "agreement")
    assert not outcome(desk, other)
    looks(desk, ("chi", "reject"))
    assert outcome(desk, other) == (0, "reject", "agreement")
    assert desk.one("SELECT wanted FROM tasks WHERE item_id = %s", other) == 3
    assert not contradicted(desk, item)


def test_what_looks_dispute_goes_to_somebody_trusted_who_must_say_why(desk: World) -> None:
    project, [item] = filled(desk, 1, wanted=2, price_minor=100, prices={"adjudication": 250})
    looks(desk, ("ada", "approve"), ("ben", "reject"))
    trusted = people.add(desk.web, name=f"Dan {project}", role="reviewer", email=f"dan{project}@example.org", skills=["documents"])
    assert tasks.claim(desk.web, me=trusted.id) is None
    people.give_skill(desk.web, person_id=trusted.id, skill="documents", tier=2, by=0)
    claimed = tasks.claim(desk.web, me=trusted.id)
    assert claimed is not None
    assert claimed.kind == "adjudication"
    proof = {"assignment_id": claimed.assignment_id, "lease_token": claimed.lease_token, "evidence_hash": claimed.evidence_hash, "me": trusted.id}
    with pytest.raises(errors.Invalid, match="say why"):
        decisions.submit(desk.web, **proof, verdict="reject", reason_code="fine")
    decisions.submit(desk.web, **proof, verdict="reject", reason_code="fine", note="The stamp is missing.")
    assert outcome(desk, item) == (trusted.id, "reject", "fine")
    assert [line.amount_minor for line in payouts.page(desk.web, person_id=trusted.id)] == [250]
    assert golds.candidates(desk.web, skill_id=standing(desk, "ada").skill_id)[0].item_id == item


def test_looks_that_agree_may_be_audited_before_they_settle(desk: World) -> None:
    _, [item] = filled(desk, 1, agreement={"mode": "adaptive", "audit": 1})
    looks(desk, ("ada", "approve"), ("ben", "approve"))
    assert not outcome(desk, item)
    raised = desk.one("SELECT detail ->> 'because' FROM events WHERE item_id = %s AND kind = 'task.moved'", item)
    assert raised == "audit"


def test_a_late_look_is_kept_and_seen_by_nobody_before_the_item_is_settled(desk: World) -> None:
    _, [item] = filled(desk, 1, wanted=2, lease_seconds=1)
    late = desk.claim("ada")
    assert late is not None
    desk.sql.execute("UPDATE assignments SET lease_expires = clock_timestamp() WHERE id = %s", [late.assignment_id])
    taken = desk.claim("ben")
    assert taken is not None
    with pytest.raises(errors.StaleLease):
        desk.decide(late, "reject")
    kept = desk.all("SELECT * FROM late_looks WHERE assignment_id = %s", late.assignment_id)
    assert [k.verdict for k in kept] == ["reject"]
    assert late_looks(desk.web, item_id=item) == []
    desk.decide(taken, "approve")
    looks(desk, ("chi", "approve"))
    [kept_look] = late_looks(desk.web, item_id=item)
    assert (kept_look.person, kept_look.verdict) == (desk.cast.ada.name, "reject")


def test_agreement_with_peers_moves_the_weights(desk: World) -> None:
    filled(desk, 6, wanted=3, agreement={"mode": "majority"})
    for _ in range(6):
        looks(desk, ("ada", "approve"), ("ben", "reject"), ("chi", "approve"))
    upkeep.fit(desk.worker, seconds=0)
    weight = {m.person_id: m.weight for m in standings.of_skill(desk.web, skill_id=standing(desk, "ada").skill_id)}
    assert (weight[desk.cast.ada.id] or 0) > (weight[desk.cast.ben.id] or 1)


DIES = """
from claimcheck import db
from claimcheck.db import Database
from claimcheck.experts import upkeep
db.STATEMENTS.update({{"scores/taken": {taken!r}, "scores/weigh": "SELECT pg_sleep(60)"}})
upkeep.fit(Database({conninfo!r}, name={name!r}), seconds=0)
"""


def test_a_fit_that_broke_off_comes_again(desk: World) -> None:
    """A worker dies between what it took and the end of its fit; the dispatcher hears of it as of anything that waits."""
    upkeep.run(desk.worker, fit_seconds=0)
    filled(desk, 6, wanted=3, agreement={"mode": "majority"})
    for _ in range(6):
        looks(desk, ("ada", "approve"), ("ben", "reject"), ("chi", "approve"))
    name = f"dies in its fit {time.monotonic_ns()}"  # an earlier one's statement may still sleep at the server
    code = DIES.format(conninfo=desk.conninfos.worker, taken=db.STATEMENTS["scores/taken"], name=name)
    with subprocess.Popen([sys.executable, "-c", code]) as worker:
        while not desk.one("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND query LIKE '%%pg_sleep%%' AND state = 'active'", name):
            assert worker.poll() is None
            time.sleep(0.02)
        worker.kill()
    desk.sql.execute("UPDATE skills SET fitted_at = COALESCE(fitted_at, clock_timestamp()) - interval '5 min'")
    desk.sql.execute("UPDATE scores SET updated_at = updated_at - interval '1 hour'")
    before = desk.one("SELECT min(fitted_at) FROM skills WHERE name = 'documents'")
    assert upkeep.waits(desk.worker)
    upkeep.run(desk.worker)
    assert desk.one("SELECT min(fitted_at) FROM skills WHERE name = 'documents'") > before
    assert not upkeep.waits(desk.worker)


def test_gold_is_paid_at_its_own_price_with_its_month_and_once(desk: World) -> None:
    """No line tells a gold: each is of the project's price, and what golds pay beside it comes in one sum when their month is over."""
    _, ids = settled(desk, 2, price_minor=100, prices={"gold": 30})
    make_gold(desk, ids)
    filled(desk, 10, price_minor=100)
    for _ in range(10):
        claimed = desk.claim("ben")
        assert claimed is not None
        desk.decide(claimed)
    lines = payouts.page(desk.web, person_id=desk.cast.ben.id, limit=10)
    assert {(line.amount_minor, line.kind, line.why) for line in lines} == {(100, "review", "look")}
    assert payouts.settle(desk.worker) == 0  # the month is not over
    later = datetime.now(UTC) + timedelta(days=33)
    at_once(2, lambda _: payouts.settle(desk.worker, at=later))
    [line] = [line for line in payouts.page(desk.web, person_id=desk.cast.ben.id, limit=12) if line.id > lines[0].id]
    assert (line.amount_minor, line.kind, line.assignment_id, line.item_id) == (-140, "golds", None, None)
    assert line.why == f"Golds of {lines[0].created_at:%Y-%m}: 2 looks, the difference to the price for gold"
    assert payouts.settle(desk.worker, at=later) == 0


def test_what_waits_falls_by_one_a_look_whether_it_is_gold_or_not(desk: World) -> None:
    _, ids = settled(desk, 12)
    make_gold(desk, ids)
    filled(desk, 30)
    upkeep.run(desk.worker)
    desk.sql.execute("UPDATE person_skills SET gold_every = 5, looks = 0 WHERE person_id = %s", [desk.cast.ben.id])
    seen, kinds = [], []
    while (left := tasks.left(desk.web, me=desk.cast.ben.id)).waiting:
        claimed = desk.claim("ben")
        assert claimed is not None
        during = tasks.left(desk.web, me=desk.cast.ben.id)
        kinds.append(is_gold(desk, claimed))
        desk.decide(claimed)
        seen.append((left.waiting, during.waiting, left.held, left.lanes == during.lanes))
    assert sum(kinds) in (7, 8)  # where the last one's turn falls is drawn
    assert seen == [(n, n - 1, 0, True) for n in range(30 + sum(kinds), 0, -1)]


def test_counts_and_single_golds_tell_nobody_which_items_were_gold(desk: World) -> None:
    _, ids = settled(desk, 12)
    make_gold(desk, ids)
    filled(desk, 60)
    told, seen = [], 0

    def shown(who: str) -> list[tuple[str, bool]]:
        found = standings.results(desk.web, person_id=getattr(desk.cast, who).id, skill_id=standing(desk, who).skill_id)
        return [(one.purpose, one.correct) for one in found if one.purpose != "exam"]

    while standing(desk, "ben").status == "active":
        claimed = desk.claim("ben")
        assert claimed is not None
        gold = is_gold(desk, claimed)
        desk.decide(claimed, "reject" if gold else "approve")
        seen += gold
        if standing(desk, "ben").status == "active":
            upkeep.run(desk.worker)
            mine = standing(desk, "ben")
            told.append((mine.ok, mine.n, mine.mean, mine.low, mine.high, [] if mine.status != "active" else shown("ben")))
    assert {str(said) for said in told} == {"(0, 0, None, None, None, [])"}
    assert shown("ben") == [("ordinary", False)] * seen  # the pause's reason
    desk.sql.execute("UPDATE person_skills SET status = 'active' WHERE person_id = %s", [desk.cast.ben.id])
    assert shown("ben") == []


def test_a_copy_of_a_gold_is_as_old_as_what_stands_beside_it(desk: World) -> None:
    _, ids = settled(desk, 3)
    project, _ = filled(desk, 1)
    desk.sql.execute("UPDATE items SET created_at = created_at - interval '3 days' WHERE id = ANY (%s) OR project_id = %s", [ids, project])
    make_gold(desk, ids)
    source = desk.one("SELECT project_id FROM items WHERE id = %s", ids[0])
    desk.accept(source, [row(f"live{n}") for n in range(9)])
    desk.publish()
    desk.sql.execute("UPDATE items SET created_at = created_at - interval '3 days' WHERE project_id = %s AND NOT gold", [source])
    upkeep.run(desk.worker)
    desk.sql.execute("UPDATE person_skills SET gold_every = 5, looks = 1 WHERE person_id = %s", [desk.cast.ben.id])
    ages, golden = set(), 0
    for _ in range(8):
        claimed = desk.claim("ben")
        assert claimed is not None
        held = assignments.load(desk.web, assignment_id=claimed.assignment_id, me=desk.cast.ben.id)
        decided = desk.one("SELECT count(*) FROM decisions WHERE person_id = %s AND project_id = %s", desk.cast.ben.id, source)
        if not is_gold(desk, claimed) or decided:
            ages.add((held.server_now - held.arrived_at).days)
            golden += is_gold(desk, claimed)
        desk.decide(claimed)
    assert golden and ages == {3}


def test_the_database_refuses_a_second_line_and_a_change(desk: World) -> None:
    filled(desk, 1, price_minor=100)
    looks(desk, ("ada", "approve"))
    line = payouts.page(desk.web, person_id=desk.cast.ada.id, limit=1)[0]
    again = "INSERT INTO payouts (assignment_id, person_id, amount_minor, currency) VALUES (%s, %s, 100, 'EUR')"
    with pytest.raises(psycopg.errors.UniqueViolation):
        desk.sql.execute(again, [line.assignment_id, desk.cast.ada.id])
    for change in ("UPDATE payouts SET amount_minor = 1 WHERE id = %s", "DELETE FROM payouts WHERE id = %s"):
        with pytest.raises(psycopg.errors.RestrictViolation):
            desk.sql.execute(change, [line.id])


def paid(desk: World) -> tuple[Any, Any]:
    """(assignments that were accepted, those with exactly one line of the task's price): I9."""
    accepted = desk.one("SELECT count(*) FROM assignments WHERE end_reason = 'submitted'")
    right = desk.one(
        "SELECT count(*) FROM assignments a JOIN tasks t ON t.id = a.task_id JOIN payouts p ON p.assignment_id = a.id AND p.reverses IS NULL "
        "WHERE a.end_reason = 'submitted' AND p.amount_minor = t.price_minor AND p.person_id = a.person_id"
    )
    return accepted, right


def test_the_ledger_is_what_was_accepted_whatever_happens(desk: World) -> None:
    """Submits doubled and raced, backends ended, the project cancelled in mid-flight, gold and adjudications in between."""
    _, ids = settled(desk, 6, price_minor=70, prices={"gold": 30})
    make_gold(desk, ids)
    project, _ = filled(desk, 60, wanted=2, price_minor=100, prices={"adjudication": 250})
    who = ["ada", "ben", "chi"]

    def work(n: int) -> None:
        dice = random.Random(n)
        for step in range(25):
            claimed = None
            with contextlib.suppress(errors.Unavailable):
                claimed = desk.claim(who[n])
            if claimed is None:
                continue
            verdict, note = dice.choice(["approve", "reject"]), "seen" if claimed.kind == "adjudication" else ""
            proof = {"assignment_id": claimed.assignment_id, "lease_token": claimed.lease_token, "evidence_hash": claimed.evidence_hash}
            for _ in range(dice.choice([1, 2])):
                with contextlib.suppress(errors.Error):
                    decisions.submit(desk.web, **proof, me=getattr(desk.cast, who[n]).id, verdict=verdict, reason_code="fine", note=note)
            if n == 0 and step >= 15:
                with contextlib.suppress(errors.Unavailable):
                    projects.cancel(desk.web, project, desk.cast.chi.id)

    def end_backends() -> None:
        for _ in range(10):
            desk.sql.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'test web' AND datname = current_database() AND random() < 0.3"
            )
            time.sleep(0.1)

    at_once(4, lambda n: end_backends() if n == 3 else work(n))
    accepted, right = paid(desk)
    assert accepted == right
    assert accepted > 40
    assert desk.one("SELECT count(*) FROM payouts WHERE reverses IS NULL AND assignment_id IS NOT NULL") == accepted


def test_a_line_is_reversed_once_and_never_by_more_than_it_is(desk: World) -> None:
    filled(desk, 1, price_minor=100)
    looks(desk, ("ada", "approve"))
    line = payouts.page(desk.web, person_id=desk.cast.ada.id, limit=1)[0]
    with pytest.raises(errors.NotReversible):
        payouts.reverse(desk.web, payout_id=line.id, amount_minor=101, why="too much", me=desk.cast.chi.id)
    back = payouts.reverse(desk.web, payout_id=line.id, amount_minor=40, why="wrong price", me=desk.cast.chi.id)
    with pytest.raises(errors.NotReversible):
        payouts.reverse(desk.web, payout_id=line.id, amount_minor=10, why="again", me=desk.cast.chi.id)
    with pytest.raises(errors.NotReversible):
        payouts.reverse(desk.web, payout_id=back, amount_minor=1, why="a reversal", me=desk.cast.chi.id)
    text = "".join(payouts.statement(desk.web, person_id=desk.cast.ada.id, since=payouts.START, until=payouts.END))
    assert '"-40","EUR"' in text


def test_a_paused_or_cancelled_project_s_golds_are_not_handed_out(desk: World) -> None:
    project, ids = settled(desk, 2)
    make_gold(desk, ids)
    desk.sql.execute("UPDATE projects SET paused_at = clock_timestamp() WHERE id = %s", [project])
    upkeep.run(desk.worker)
    assert desk.one("SELECT count(*) FROM tasks WHERE project_id = %s AND kind = 'gold' AND state = 'pending'", project) == 0
    desk.sql.execute("UPDATE projects SET paused_at = NULL, cancelled_at = clock_timestamp() WHERE id = %s", [project])
    upkeep.run(desk.worker)
    assert desk.one("SELECT count(*) FROM tasks WHERE project_id = %s AND kind = 'gold' AND state = 'cancelled'", project) == 2


def test_a_ruling_holds_only_for_the_looks_that_it_judged(desk: World) -> None:
    _, [item] = filled(desk, 1, wanted=2, agreement={"mode": "majority"})
    claimed = desk.claim("ada")
    assert claimed is not None
    proof = {"assignment_id": claimed.assignment_id, "lease_token": claimed.lease_token, "evidence_hash": claimed.evidence_hash}
    look = {"me": desk.cast.ada.id, "verdict": "approve", "answer": None, "vote": "approve", "reason_code": "fine", "note": ""}
    ruled = BY_THE_STATEMENT | {"looks_before": 1, "ends_as": "decided", "settles_verdict": "reject"}
    row = desk.web.one("decisions/submit", decisions._Submitted, **proof, **look, **ruled)  # pyright: ignore[reportPrivateUsage]
    assert row is not None
    assert (row.result, row.decision_id) == ("moved", None)
    assert desk.one("SELECT votes FROM tasks WHERE item_id = %s", item) == []


def test_adaptive_looks_at_once_come_to_one_outcome_each(desk: World) -> None:
    """Three people decide forty items at the same time; each ends settled once or with an adjudication, on two to five looks."""
    adaptive = {"mode": "adaptive", "audit": 0, "most": 3}
    _, ids = filled(desk, 40, agreement=adaptive)
    who = ["ada", "ben", "chi"]

    def work(n: int) -> None:
        dice = random.Random(n)
        while (claimed := desk.claim(who[n])) is not None:
            if claimed.kind == "review":
                desk.decide(claimed, dice.choice(["approve", "approve", "reject"]))
            else:
                assignments.release(desk.web, assignment_id=claimed.assignment_id, lease_token=claimed.lease_token, me=getattr(desk.cast, who[n]).id)
                break

    at_once(3, work)
    for item in ids:
        [task] = desk.all("SELECT * FROM tasks WHERE item_id = %s AND kind = 'review'", item)
        outcomes = desk.one("SELECT count(*) FROM decisions WHERE item_id = %s AND outcome IS NOT NULL", item)
        if task.ended_as is not None:
            assert len(task.votes) == task.wanted
            assert 2 <= task.wanted <= 3
            assert (task.ended_as, outcomes) in (("decided", 1), ("disputed", 0))
            assert len(set(task.votes)) < 3
    assert sum(not contradicted(desk, item) for item in ids) == 40


@pytest.mark.parametrize(
    ("statement", "guard", "instead", "test"),
    [
        ("tasks/claim", "AND open_to(n.task, (SELECT novice FROM lane WHERE id = (n.task).lane_id), (SELECT now FROM clock))", "",
         test_two_novices_never_share_an_item),
        ("golds/expose", "live.item_id = g.item_id", "false", test_nobody_meets_a_gold_of_what_they_looked_at_or_that_they_made),
        ("golds/scored", "exposures = g.exposures + 1,", "exposures = g.exposures,", test_a_gold_is_seen_as_often_as_it_may_be),
        ("golds/expose", "SELECT before.seen_by || before.barred", "SELECT '{}'::int[]",
         test_nobody_sees_a_gold_twice),
        ("decisions/submit", "NOT too_late AND same_looks AND", "NOT too_late AND", test_a_ruling_holds_only_for_the_looks_that_it_judged),
        ("decisions/submit", "SET looks = s.looks + 1", "SET looks = s.looks", test_gold_comes_at_its_rate_and_never_twice_in_a_row),
        ("decisions/submit", " AND (t).kind <> 'gold'\n", "\n", test_a_copy_of_a_gold_looks_like_any_item),
        ("golds/expose", "1, p.price_minor, 1,", "1, COALESCE((SELECT (v.rules -> 'prices' ->> 'gold')::bigint FROM project_versions v WHERE v.project_id = p.id), p.price_minor), 1,",
         test_gold_is_paid_at_its_own_price_with_its_month_and_once),
        ("tasks/left", "q.gold AND s.status = 'active'", "false", test_what_waits_falls_by_one_a_look_whether_it_is_gold_or_not),
        ("tasks/left", "WHEN begun.skill_id THEN 1", "WHEN begun.skill_id THEN 0", test_what_waits_falls_by_one_a_look_whether_it_is_gold_or_not),
        ("people/standings", "r.purpose = 'ordinary' AND", "false AND", test_counts_and_single_golds_tell_nobody_which_items_were_gold),
        ("assignments/load", "COALESCE(beside.created_at, i.created_at)", "i.created_at", test_a_copy_of_a_gold_is_as_old_as_what_stands_beside_it),
        ("scores/taken", "-- weighing", "WITH taken AS (DELETE FROM weighing) -- weighing", test_a_fit_that_broke_off_comes_again),
        ("payouts/reverse", "BETWEEN 1 AND amount_minor", "> 0", test_a_line_is_reversed_once_and_never_by_more_than_it_is),
        ("assignments/load", "CASE WHEN t.kind = 'gold' OR second.id", "CASE WHEN second.id", test_a_copy_of_a_gold_looks_like_any_item),
    ],
    ids=lambda value: value if isinstance(value, str) and "/" in value else "",
)  # fmt: skip
def test_a_missing_guard_is_noticed(desk: World, statement: str, guard: str, instead: str, test: Any) -> None:
    with without(statement, guard, instead), pytest.raises((AssertionError, pytest.fail.Exception, errors.Error, psycopg.Error)):
        test(desk)
