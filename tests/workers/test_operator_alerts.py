"""The desk's own alerts: raised once however many watch, told by signed webhook and by letter, over once."""

from __future__ import annotations

import email
import json
from collections.abc import Callable, Iterator
from email import policy
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from claimcheck.operations import alerting
from claimcheck.operations.alerting import Watch
from claimcheck.outbound import deliveries
from tests import people
from tests.workers.machinery import Hook
from tests.workers.stage import SECRET, Stage

UNAPPLIED = "ClaimcheckUnapplied"
LATER = 10_000.0  # seconds, by which everything has held for long enough


@pytest.fixture
def hook(make_hook: Callable[[], Hook]) -> Hook:
    return make_hook()


@pytest.fixture
def watches(stage: Stage, hook: Hook, database: Any, store_server: Any, valkey: str, tmp_path: Path) -> Iterator[list[Watch]]:
    """Two publishers' watches, with the workers' rights; every program is heard of, so that nothing else is wrong."""
    more = {"webhook_allow": "127.0.0.0/8", "alert_url": hook.url, "alert_secret": SECRET, "home": tmp_path}
    settings = people.settings(database, store_server, valkey, **more)
    stage.run("DELETE FROM operator_notices; DELETE FROM operator_alerts")
    for kind in ("worker", "dispatcher", "publisher", "intake"):
        stage.run("INSERT INTO processes (name, kind) VALUES (%(k)s, %(k)s) ON CONFLICT (name) DO UPDATE SET seen_at = clock_timestamp()", k=kind)
    stage.run("UPDATE people SET disabled_at = NULL")
    yield [Watch(stage.worker, settings, deliveries.sender(settings)) for _ in range(2)]


def late(stage: Stage) -> None:
    stage.outcomes(stage.project(url="http://127.0.0.1:9/hook", standing=False), 1)
    stage.run("UPDATE outbox SET created_at = created_at - interval '1 hour'")


def look(watches: list[Watch], now: float) -> list[tuple[str, bool]]:
    for watch in watches:
        watch.look(now)
    return [(alert.name, alert.cleared_at is None) for alert in alerting.lately(watches[0].db)]


def told(hook: Hook, folder: Path) -> tuple[list[str], list[str]]:
    letters = [email.message_from_bytes(path.read_bytes(), policy=policy.default) for path in sorted(folder.glob("*.eml"))]
    return [entry["webhook_id"] for entry in hook.entries()], sorted(" ".join(f"{letter['To']}: {letter['Subject']}".split()) for letter in letters)


def test_it_tells_once_that_it_began_and_once_that_it_is_over(stage: Stage, watches: list[Watch], hook: Hook, tmp_path: Path) -> None:
    late(stage)
    assert look(watches, 0.0) == [], "it has to hold for a while"
    for now in (LATER, LATER + 15, LATER + 30):
        assert look(watches, now) == [(UNAPPLIED, True)]
    while any(watch.tell_one() for watch in watches):
        pass
    number = stage.one("SELECT id FROM operator_alerts")
    summary = "An outcome has not been applied everywhere for more than ten minutes."
    assert told(hook, tmp_path / "mail") == ([f"operations_{number}_raised"], [f"dov@example.org: Alert: {summary}"])
    sent = json.loads(hook.entries()[0]["body"])
    assert (sent["type"], sent["data"]["state"], sent["data"]["name"], sent["data"]["cleared_at"]) == ("operations.alert", "raised", UNAPPLIED, None)

    stage.run("UPDATE outbox SET state = 'done', done_at = clock_timestamp()")
    for now in (LATER + 45, LATER + 60):
        assert look(watches, now) == [(UNAPPLIED, False)]
    while any(watch.tell_one() for watch in watches):
        pass
    heard, letters = told(hook, tmp_path / "mail")
    assert heard == [f"operations_{number}_raised", f"operations_{number}_over"] and len(letters) == 2 and "Over: " in letters[1]
    kinds = [row.kind for row in stage.all("SELECT kind FROM events WHERE kind LIKE 'operations.alert%%' ORDER BY id")]
    assert kinds == ["operations.alert_raised", "operations.alert_over"]


def test_it_goes_on_where_the_last_process_ended(stage: Stage, watches: list[Watch]) -> None:
    late(stage)
    for now in (0.0, LATER):
        watches[0].look(now)
    assert look([watches[1]], 5.0) == [(UNAPPLIED, True)], "a new process, which has not seen it hold for long, clears nothing"


def test_it_tries_again_and_gives_up_what_can_never_be_told(stage: Stage, watches: list[Watch], hook: Hook, tmp_path: Path) -> None:
    late(stage)
    hook.misbehave(fail_rate=1.0)
    for now in (0.0, LATER):
        watches[0].look(now)
    stage.run("UPDATE people SET disabled_at = clock_timestamp() WHERE role = 'operator'")
    while watches[0].tell_one():
        pass
    rows = stage.all("SELECT person_id IS NULL AS hook, state, attempts, due > clock_timestamp() AS later FROM operator_notices ORDER BY 1")
    assert [tuple(row)[:3] for row in rows] == [(False, "dead", 1), (True, "pending", 1)] and rows[1].later
    hook.misbehave()
    stage.run("UPDATE operator_notices SET due = clock_timestamp() WHERE state = 'pending'")
    assert watches[0].tell_one() and [entry["webhook_id"] for entry in hook.entries()][-1].endswith("_raised")
    assert stage.one("SELECT count(*) FROM operator_notices WHERE state = 'pending'") == 0


def test_it_shows_operators_what_is_raised(stage: Stage, watches: list[Watch]) -> None:
    late(stage)
    for now in (0.0, LATER):
        watches[0].look(now)
    app = create_app(watches[0].settings)
    page = people.browser(app, stage.cast.dov).get("/operations").text
    assert "has not been applied everywhere" in page and ">now</span>" in page
    app.extensions["claimcheck"].db.close()
