"""The operators' page: each act once, on record with its reason, and refused without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from claimcheck import errors
from claimcheck.access import people as desk_people
from claimcheck.access import sessions, tokens
from claimcheck.db import Database
from claimcheck.operations import drains, history, queues, replaying
from claimcheck.operations.pulse import Pulse
from claimcheck.outbound import outbox
from claimcheck.proof import keys
from tests import people
from tests.web.api_client import Api
from tests.workers.stage import Stage

ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
NASTY = "<img src=x onerror=alert(1)> {{7*7}}"


@pytest.fixture
def stage(app: Flask, database: Any) -> Iterator[Stage]:
    stage = Stage(database, app.extensions["claimcheck"].settings.secret_key)
    stage.clear()
    stage.web.run("skills/ensure", name="kyc")
    for person in (stage.cast.ada, stage.cast.ben):
        desk_people.give_skill(stage.web, person_id=person.id, skill="kyc", by=stage.dov)
    yield stage
    stage.end()


@pytest.fixture
def dov(app: Flask, stage: Stage) -> Any:
    return people.browser(app, stage.cast.dov)


ACTS = {
    "drain": ("/operations/drain", {}),
    "replay": ("/operations/replays", {}),
    "revoke": ("/operations/revocations", {}),
    "prune": ("/operations/prunings", {"days": "30"}),
}


@pytest.mark.parametrize("act", ACTS)
def test_it_refuses_what_may_hurt_without_a_reason(act: str, dov: Any, db: Database) -> None:
    path, form = ACTS[act]
    before = history.lately(db)
    for reason in ("", "  \n", "x" * 501, "a\0b", "‮"):
        answer = dov.post(path, data={**form, "reason": reason})
        assert answer.status_code == 422 and 'role="alert"' in answer.text and "reason: say in at most 500" in answer.text
    assert history.lately(db) == before


def test_it_pauses_one_queue_and_resumes_it(app: Flask, stage: Stage, dov: Any, db: Database, publish: Callable[[], int]) -> None:
    eve, ben = Api(app, stage.cast.eve), Api(app, stage.cast.ben)
    rules = {"name": "Halts", "skill": "kyc", "reason_codes": ["fits"], "items": [{"idempotency_key": "h", "payload": {"n": 1}}]}
    project = eve.post("/v1/projects", rules).json["id"]
    publish()
    key = f"{project}:review"
    assert dov.post("/operations/queues", data={"queue": key, "reason": ""}).status_code == 422
    for wrong in (f"{project}:none", "x:review", "99999999:review", f"{project}", "", f"{project}:\0", f"{str(project).translate(ARABIC)}:review"):
        assert dov.post("/operations/queues", data={"queue": wrong, "reason": "why"}).status_code == 404
    assert dov.post("/operations/queues", data={"queue": key, "reason": NASTY}).status_code == 303
    assert ben.post("/v1/tasks/next").status_code == 204
    page = dov.get("/operations").text
    assert ">paused</span>" in page and "&lt;img src=x" in page and "<img src=x" not in page and "{{7*7}}" in page
    assert not queues.pause(db, project_id=project, name="review", me=stage.dov, reason="again"), "again changes nothing"
    assert dov.post("/operations/queues", data={"queue": key, "open": "1"}).status_code == 303
    assert ben.post("/v1/tasks/next").status_code == 200
    acts = [(act.kind, act.by, act.detail["queue"]) for act in history.lately(db)[:2]]
    assert acts == [("operations.queue_resumed", "Dov", "review"), ("operations.queue_paused", "Dov", "review")]


def test_it_drains_and_says_when_all_is_empty(stage: Stage, dov: Any, worker: Database, db: Database) -> None:
    hand = [2]
    pulse = Pulse(worker, "worker", lambda: hand[0])
    pulse.beat()
    assert dov.post("/operations/drain", data={"reason": "A new release"}).status_code == 303
    assert not drains.state(db).empty and not pulse.resting.is_set()
    pulse.beat()
    assert pulse.resting.is_set()
    pulse.beat()
    page = dov.get("/operations").text
    assert "A new release" in page and ">resting</span>" in page and "All are empty" not in page
    hand[0] = 0
    pulse.beat()
    assert "All are empty" in dov.get("/operations").text and drains.state(db).empty
    assert dov.post("/operations/drain/end").status_code == 303
    pulse.beat()
    assert not pulse.resting.is_set() and not drains.state(db).empty
    pulse.stop()
    assert ">stopped</span>" in dov.get("/operations").text


def test_it_replays_what_is_unapplied_and_what_failed_if_asked(stage: Stage, dov: Any, db: Database) -> None:
    project = stage.project(url="http://127.0.0.1:9/hook", standing=False)
    first, _, _ = stage.outcomes(project, 3)
    taken = outbox.lease(stage.worker, outbox_id=stage.row(first, project.webhook).id)
    assert taken
    outbox.failed(stage.worker, taken, error="400", pause=0.0, permanent=True)
    stage.run("UPDATE outbox SET created_at = created_at - interval '1 hour', due = due + interval '1 hour', push_due = push_due + interval '1 hour'")
    assert replaying.unapplied(db) == replaying.Unapplied(2, 1)
    due = "SELECT count(*) FROM outbox WHERE state = 'pending' AND due <= clock_timestamp() AND push_due <= clock_timestamp()"
    assert stage.one(due) == 0
    assert "2 are tried at once" in dov.post("/operations/replays", data={"reason": "It is up again"}, follow_redirects=True).text
    assert stage.one(due) == 2 and stage.states() == {"pending": 2, "dead": 1}
    dov.post("/operations/replays", data={"reason": "All", "failed": "1"})
    assert stage.states() == {"pending": 3} and stage.one(due) == 3
    assert [act.detail for act in history.lately(db)[:2]] == [{"count": 3, "reason": "All"}, {"count": 2, "reason": "It is up again"}]


def test_it_ends_everybodys_sessions_and_tokens_but_ones_own(app: Flask, stage: Stage, dov: Any, db: Database) -> None:
    token = tokens.make(db, person_id=stage.cast.eve.id)
    secret = sessions.begin(db, person_id=stage.cast.ada.id)
    assert dov.post("/operations/revocations", data={"reason": "A laptop was lost"}).status_code == 303
    assert tokens.person_of(db, token) is None and sessions.person_of(db, secret) is None
    assert dov.get("/operations").status_code == 200, "whoever did it goes on"
    act = history.lately(db)[0]
    assert act.kind == "operations.signed_out" and act.detail["tokens"] >= 1 and act.detail["sessions"] >= 1 and act.detail["of"] is None


def test_it_counts_and_prunes_old_drafts(app: Flask, stage: Stage, dov: Any, db: Database, publish: Callable[[], int]) -> None:
    eve, ada = Api(app, stage.cast.eve), Api(app, stage.cast.ada)
    rows = [{"idempotency_key": f"d{n}", "payload": {"n": n}} for n in range(2)]
    eve.post("/v1/projects", {"name": "Drafts", "skill": "kyc", "reason_codes": ["fits"], "items": rows})
    publish()
    for verb in ("release", "none"):
        task = ada.post("/v1/tasks/next").json
        stage.run("INSERT INTO drafts (task_id, person_id, body, saved_at) VALUES (%(t)s, %(p)s, '{}', clock_timestamp() - interval '40 days') "
                  "ON CONFLICT DO NOTHING", t=task["task_id"], p=stage.cast.ada.id)  # fmt: skip
        if verb == "release":
            ada.post(f"/v1/assignments/{task['assignment_id']}/release", {"lease_token": task["lease_token"]})
            stage.run("UPDATE tasks SET seen_by = seen_by WHERE id = %(t)s", t=task["task_id"])
    stage.run("INSERT INTO drafts (task_id, person_id, body, saved_at) SELECT id, %(p)s, '{}', clock_timestamp() - interval '20 days' FROM tasks LIMIT 1",
              p=stage.cast.ben.id)  # fmt: skip
    held = stage.one("SELECT count(*) FROM drafts d JOIN assignments a USING (task_id, person_id) WHERE a.ended_at IS NULL")
    assert held == 1
    old = stage.one("SELECT count(*) FROM drafts WHERE saved_at < clock_timestamp() - interval '30 days'") - held
    tried = dov.post("/operations/prunings", data={"days": "30", "try": "1"})
    assert f"{old} draft" in tried.text and "Nothing was changed" in tried.text
    for days in ("0", "-1", "x", "99999", "٥", ""):
        assert dov.post("/operations/prunings", data={"days": days, "reason": "why"}).status_code == 422
    before = stage.one("SELECT count(*) FROM drafts")
    assert dov.post("/operations/prunings", data={"days": "30", "reason": "Spring"}).status_code == 303
    assert before - stage.one("SELECT count(*) FROM drafts") == old
    assert stage.one("SELECT count(*) FROM drafts d JOIN assignments a USING (task_id, person_id) WHERE a.ended_at IS NULL") == 1


def test_it_makes_a_signing_key_on_record(app: Flask, stage: Stage, dov: Any, db: Database) -> None:
    before = {key.id for key in keys.all(db)}
    assert dov.post("/operations/signing-keys").status_code == 303
    [made] = {key.id for key in keys.all(db)} - before
    act = history.lately(db)[0]
    assert (act.kind, act.by, act.detail["key"]) == ("operations.signing_key_made", "Dov", made)


def test_it_names_what_is_not_there(db: Database, stage: Stage) -> None:
    from claimcheck.operations import secrets

    with pytest.raises(errors.NotFound):
        secrets.revoke(db, me=stage.dov, reason="why", name="Nobody of that name")
