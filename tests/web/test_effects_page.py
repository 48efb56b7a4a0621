"""The page of effects, and a project's webhook: who sees what, and what may be done about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from claimcheck.outbound import Answer, deliveries, effects, outbox
from tests import people
from tests.workers.stage import Project, Stage

HOOK = "http://127.0.0.1:9/hook"
NASTY = "<img src=x onerror=alert(1)> {{7*7}} ‮"


@pytest.fixture
def stage(app: Flask, database: Any) -> Iterator[Stage]:
    stage = Stage(database, app.extensions["claimcheck"].settings.secret_key)
    stage.clear()
    yield stage
    stage.end()


@pytest.fixture
def dov(app: Flask, stage: Stage) -> Any:
    return people.browser(app, stage.cast.dov)


@pytest.fixture
def eve(app: Flask, stage: Stage) -> Any:
    return people.browser(app, stage.cast.eve)


def fail(stage: Stage, decision: int, project: Project, error: str = "The receiver answered 400.") -> int:
    taken = outbox.lease(stage.worker, outbox_id=stage.row(decision, project.webhook).id)
    assert taken
    outbox.failed(stage.worker, taken, error=error, pause=0.0, permanent=True)
    answer = Answer(400, NASTY, 0.25, error)
    deliveries.record(stage.worker, deliveries.Call(taken.effect_id, taken.outbox_id, str(decision), taken.attempt, answer))
    return taken.outbox_id


def test_it_shows_what_failed_with_its_error_and_what_it_holds_back(stage: Stage, dov: Any) -> None:
    project = stage.project(url=HOOK, standing=False)
    first, _ = stage.outcomes(project, 2, "ledger")
    fail(stage, first, project, NASTY)
    page = dov.get("/effects").text
    assert "holds back 1 later one" in page and f"decision {first}" in page and project.name in page
    assert "&lt;img src=x" in page and "<img src=x" not in page and "{{7*7}}" in page


def test_it_retries_one_and_all(stage: Stage, dov: Any) -> None:
    project = stage.project(url=HOOK, standing=False)
    rows = [fail(stage, decision, project) for decision in stage.outcomes(project, 3)]
    assert dov.post(f"/effects/{rows[0]}/attempts").status_code == 303
    assert stage.states() == {"pending": 1, "dead": 2}
    assert dov.post(f"/effects/{rows[0]}/attempts").status_code == 409, "it is so already"
    answer = dov.post("/effects/attempts", follow_redirects=True)
    assert "2 are tried again" in answer.text and stage.states() == {"pending": 3}
    assert stage.one("SELECT count(*) FROM events WHERE kind = 'effect.retried' AND person_id = %(dov)s", dov=stage.dov) == 3


def test_it_skips_with_a_reason_only(stage: Stage, dov: Any) -> None:
    project = stage.project(url=HOOK, standing=False)
    first, second = stage.outcomes(project, 2, "ledger")
    row = fail(stage, first, project)
    refused = dov.post(f"/effects/{row}/skip", data={"reason": "   "})
    assert refused.status_code == 422 and "why this effect need not happen" in refused.text and stage.row(first).state == "dead"
    assert dov.post(f"/effects/{row}/skip", data={"reason": "told by telephone"}).status_code == 303
    assert stage.row(first).state == "skipped" and stage.row(second).turn
    again = dov.post(f"/effects/{row}/skip", data={"reason": "told by telephone"})
    assert again.status_code == 409 and "can&#39;t be skipped" in again.text


def test_it_refuses_to_retry_what_is_on_its_way(stage: Stage, dov: Any) -> None:
    decision = stage.outcome(stage.project())
    outbox.lease(stage.worker, outbox_id=stage.row(decision).id)
    answer = dov.post(f"/effects/{stage.row(decision).id}/attempts")
    assert answer.status_code == 409 and "on its way, done, or tried again already" in answer.text and "on its way</span>" in answer.text


def test_it_answers_htmx_with_a_redirect_of_its_own(stage: Stage, dov: Any) -> None:
    project = stage.project(url=HOOK, standing=False)
    row = fail(stage, stage.outcome(project), project)
    answer = dov.post(f"/effects/{row}/attempts", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (204, "/effects")


def test_it_shows_a_projects_calls_to_whom_it_concerns(app: Flask, stage: Stage, eve: Any) -> None:
    project = stage.project(url=HOOK, standing=False)
    fail(stage, stage.outcome(project), project)
    page = eve.get(f"/projects/{project.id}/webhook").text
    assert "The receiver answered 400." in page and "&lt;img src=x" in page and "<img src=x" not in page
    assert ">Retry<" not in page and "Make a new secret" in page
    for name, status in (("chi", 200), ("dov", 200), ("ada", 403)):
        assert people.browser(app, getattr(stage.cast, name)).get(f"/projects/{project.id}/webhook").status_code == status


def test_it_hides_other_customers_webhooks(stage: Stage, eve: Any) -> None:
    stage.run("INSERT INTO customers (name) VALUES ('Southwind') ON CONFLICT DO NOTHING")
    other = stage.project(url=HOOK, customer=stage.one("SELECT id FROM customers WHERE name = 'Southwind'"))
    path = f"/projects/{other.id}/webhook"
    answers = [eve.get(path), eve.post(f"{path}/secrets"), eve.post(f"{path}/tests"), eve.get("/projects/999999/webhook")]
    assert [answer.status_code for answer in answers] == [404] * 4
    assert not stage.all("SELECT FROM deliveries") and not stage.all("SELECT FROM effects WHERE sealed_former IS NOT NULL")


def test_it_shows_a_new_secret_once(app: Flask, stage: Stage, eve: Any) -> None:
    project = stage.project(url=HOOK)
    answer = eve.post(f"/projects/{project.id}/webhook/secrets")
    key = app.extensions["claimcheck"].settings.secret_key
    new, former = effects.load(stage.web, project_id=project.id).secrets(key)
    assert answer.status_code == 200 and new in answer.text and former not in answer.text
    page = eve.get(f"/projects/{project.id}/webhook").text
    assert "whsec_" not in page and "still signs" in page
    assert people.browser(app, stage.cast.chi).post(f"/projects/{project.id}/webhook/secrets").status_code == 403


def test_it_sends_a_test_event_and_says_what_came_of_it(stage: Stage, dov: Any) -> None:
    project = stage.project(url="https://127.0.0.1:9/hook")
    answer = dov.post(f"/projects/{project.id}/webhook/tests", follow_redirects=True)
    assert "not one that this desk may send to" in answer.text and "test event" in answer.text
    assert stage.one("SELECT count(*) FROM deliveries WHERE outbox_id IS NULL") == 1


def test_it_puts_a_webhook_to_use_again(stage: Stage, dov: Any, eve: Any) -> None:
    project = stage.project(url=HOOK)
    stage.run("UPDATE effects SET switched_off = 'The receiver answered 410.' WHERE id = %(id)s", id=project.webhook)
    assert "switched off" in dov.get("/effects").text and eve.post(f"/projects/{project.id}/webhook/use").status_code == 403
    assert dov.post(f"/projects/{project.id}/webhook/use").status_code == 303
    assert effects.load(stage.web, project_id=project.id).switched_off is None


def test_it_is_for_operators(app: Flask, stage: Stage) -> None:
    row = stage.row(stage.outcome(stage.project())).id
    for name in ("ada", "chi", "eve"):
        client = people.browser(app, getattr(stage.cast, name))
        calls = [
            client.get("/effects"),
            client.post("/effects/attempts"),
            client.post(f"/effects/{row}/attempts"),
            client.post(f"/effects/{row}/skip"),
        ]
        assert [call.status_code for call in calls] == [403] * 4
