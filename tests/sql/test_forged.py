"""What somebody can't make up who has the password of the web's or the workers' role: an outcome past four eyes, a sample, a lead's wish."""

from __future__ import annotations

import psycopg
import pytest

from claimcheck.bulk import batch_decisions
from claimcheck.review import tasks
from tests.intake import World, row
from tests.sql.test_batch_decisions import Batch

FORGED = """
    INSERT INTO decisions (item_id, task_id, project_id, project_version, person_id, verdict, outcome, supersedes, evidence_version, shown_version, evidence_hash, reason_code)
    SELECT item_id, id, project_id, 1, 0, %(verdict)s, %(outcome)s, %(supersedes)s, evidence_version, shown_version, evidence_hash, %(reason)s FROM tasks WHERE id = %(task)s"""
UNDONE = "INSERT INTO reason_codes (project_id, code, label, reserved) VALUES (%s, 'desk.undone', 'Undone', true) ON CONFLICT DO NOTHING"


def settled(world: World) -> tuple[int, int]:
    """A task and its outcome, which nobody else had to see, in a project where overturns and approvals need a second pair of eyes."""
    project = world.project(four_eyes=[{"verdict": "overturn"}, {"verdict": "approve"}])
    world.accept(project, [row("one")])
    world.publish()
    [task] = world.all("SELECT * FROM tasks WHERE project_id = %s", project)
    claim = tasks.claim(world.web, me=world.cast.ada.id, item_id=task.item_id)
    assert claim is not None
    return task.id, world.decide(claim, "reject")


def test_no_reason_of_the_desks_own_is_a_way_past_four_eyes(world: World) -> None:
    """An undo is free of it, and only one: an outcome or overturn that is called one is refused, and the rule can't be lifted for a moment either."""
    task, outcome = settled(world)
    project = world.one("SELECT project_id FROM tasks WHERE id = %s", task)
    with psycopg.connect(world.conninfos.web, autocommit=True) as web:
        web.execute(UNDONE, (project,))
        for verdict, comes_to, supersedes in (("approve", "approve", None), ("overturn", "approve", outcome), ("overturn", "reopen", outcome)):
            for reason in ("desk.undone", "fine"):
                with pytest.raises(psycopg.errors.CheckViolation, match="second pair of eyes"):
                    web.execute(FORGED, {"verdict": verdict, "outcome": comes_to, "supersedes": supersedes, "task": task, "reason": reason})
        with pytest.raises(psycopg.errors.CheckViolation, match="are not those of its version"), web.transaction():
            web.execute("UPDATE projects SET four_eyes = NULL WHERE id = %s", (project,))
            web.execute(
                "UPDATE projects SET four_eyes = (SELECT rules -> 'four_eyes' FROM project_versions WHERE project_id = projects.id) WHERE id = %s",
                (project,),
            )
    assert world.one("SELECT count(*) FROM decisions WHERE task_id = %s AND outcome IS NOT NULL", task) == 1


BATCH = """
    INSERT INTO batch_decisions (project_id, project_version, led_by, same, verdict, reason_code, note, at_most, confidence, undo_seconds, most, tolerate, members, rest, upper, state)
    SELECT %s, 1, %s, '{review,"","","",""}', 'approve', 'ok', '', 0.99, 0.5, 0, 9, 0, 9, 9, 0, 'deciding'"""
ACTION = "INSERT INTO item_actions (asked_by, kind, what, why, state, members) VALUES (%s, 'send_back', '{}', '', 'acting', 1)"


def test_a_worker_asks_for_nothing_in_a_leads_name_and_the_web_draws_no_sample(world: World) -> None:
    """Workers' rights end at what was asked for: they can't begin a batch decision or an action, nor say that a bound is met. Who says so can't draw."""
    batch = Batch(world, 8).ask()
    batch.work()
    refused = pytest.raises(psycopg.errors.InsufficientPrivilege)
    with psycopg.connect(world.conninfos.worker, autocommit=True) as worker, psycopg.connect(world.conninfos.web, autocommit=True) as web:
        with refused:
            worker.execute(BATCH, (batch.swept.id, batch.chi))
        with refused:
            worker.execute(ACTION, (batch.chi,))
        for figures in ("looked = 8, wrong = 0, rest = 8, upper = 0, ", ""):
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation)):
                worker.execute(f"UPDATE batch_decisions SET {figures}state = 'deciding' WHERE id = %s", (batch.id,))
        for column in ("seed = 'x'", "sample_size = 1", "members = 1"):
            with refused:
                web.execute(f"UPDATE batch_decisions SET {column} WHERE id = %s", (batch.id,))
        with refused:
            web.execute(
                "INSERT INTO batch_members SELECT batch_id, 99, item_id, task_id, evidence_hash FROM batch_members WHERE batch_id = %s", (batch.id,)
            )
    assert not batch.ends()


UNDO = "SELECT undo_batch(%s, ARRAY(SELECT decision_id FROM batch_ends WHERE batch_id = %s AND came_to = 'decided'), %s)"


def test_a_worker_undoes_what_a_lead_asked_for_in_that_leads_name_alone(world: World) -> None:
    batch = Batch(world, 20).decided()
    lead, ada = batch.chi, world.cast.ada.id
    with psycopg.connect(world.conninfos.worker, autocommit=True) as worker:
        for who in (lead, ada):
            assert not worker.execute(UNDO, (batch.id, batch.id, who)).fetchall(), "nobody asked for it"
        assert not world.all("SELECT FROM outbox WHERE undone"), "its effects go out"
        with pytest.raises(psycopg.errors.CheckViolation, match="batch_decisions_undone_by"):
            worker.execute("UPDATE batch_decisions SET state = 'undoing' WHERE id = %s", (batch.id,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.execute("UPDATE batch_decisions SET state = 'undoing', undone_by = %s WHERE id = %s", (lead, batch.id))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.execute("INSERT INTO batch_undo_asks SELECT batch_id, decision_id, %s FROM batch_ends WHERE batch_id = %s", (lead, batch.id))
        first = next(end for end in batch.ends() if end.came_to == "decided")
        batch_decisions.undo_one(world.web, batch_id=batch.id, n=first.n, me=lead)
        batch_decisions.undo(world.web, batch_id=batch.id, me=lead)
        assert not worker.execute(UNDO, (batch.id, batch.id, ada)).fetchall(), "it was not Ada who asked"
    batch.work()
    by = world.all("SELECT DISTINCT person_id FROM decisions WHERE project_id = %s AND reason_code = 'desk.undone'", batch.swept.id)
    assert by == [(lead,)] and batch.load().undone == batch.load().decided
