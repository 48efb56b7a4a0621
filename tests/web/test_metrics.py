"""The desk's measures: their names and numbers, and who may read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from flask import Flask
from prometheus_client.parser import text_string_to_metric_families

from claimcheck.db import STATEMENTS
from claimcheck.intake import admission, parameters
from tests import people
from tests.messages import body
from tests.people import Cast
from tests.web.api_client import Api, proof

NAMES = {
    "claimcheck_pending": "gauge",
    "claimcheck_oldest_pending_seconds": "gauge",
    "claimcheck_lease_count": "histogram",
    "claimcheck_decisions_unapplied": "gauge",
    "claimcheck_oldest_unapplied_seconds": "gauge",
    "claimcheck_dead_letters": "gauge",
    "claimcheck_dead_letters_open": "gauge",
    "claimcheck_intake_signals": "counter",
    "claimcheck_inbox_messages": "gauge",
    "claimcheck_inbox_oldest_seconds": "gauge",
    "claimcheck_processes": "gauge",
    "claimcheck_deadlines": "gauge",
    "claimcheck_dead_letters_last_hour": "gauge",
    "claimcheck_saturated_last_5_minutes": "gauge",
    "claimcheck_disk_free_ratio": "gauge",
}


def measured(app: Flask) -> dict[str, float]:
    answer = app.test_client().get("/metrics")
    assert answer.status_code == 200
    found = {f.name: f for f in text_string_to_metric_families(answer.text)}
    assert {name: f.type for name, f in found.items()} == NAMES
    return {s.name + "".join(f"[{v}]" for v in s.labels.values()): s.value for f in found.values() for s in f.samples}


def test_it_measures_what_waits_what_was_held_and_what_is_unapplied(app: Flask, cast: Cast, publish: Callable[[], int], database: Any) -> None:
    eve, ada = Api(app, cast.eve), Api(app, cast.ada)
    rows = [{"idempotency_key": f"m-{n}", "payload": {"n": n}} for n in range(4)]
    eve.post("/v1/projects", {"name": "Measured", "skill": "kyc", "reason_codes": ["fits"], "items": [*rows, {"idempotency_key": "bad"}]})
    publish()
    before = measured(app)
    assert (before["claimcheck_pending[review]"], before["claimcheck_pending[escalation]"]) == (4, 0)
    assert 0 < before["claimcheck_oldest_pending_seconds[review]"] < 600
    assert before["claimcheck_oldest_pending_seconds[escalation]"] == 0
    assert before["claimcheck_dead_letters"] == 1
    assert before["claimcheck_lease_count_count"] == 0

    looks = [{"verdict": "escalate", "reason_code": "fits"}, {"verdict": "approve", "reason_code": "fits"}]
    for verb, given in (("release", {}), *(("submit", look) for look in looks)):
        task = ada.post("/v1/tasks/next").json
        sent = {"lease_token": task["lease_token"]} if verb == "release" else {**proof(task), **given}
        ada.post(f"/v1/assignments/{task['assignment_id']}/{verb}", sent)
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("UPDATE tasks SET created_at = created_at - interval '1 hour' WHERE kind = 'escalation'")
        sql.execute("UPDATE outbox SET created_at = created_at - interval '1 hour'")
    after = measured(app)
    assert (after["claimcheck_pending[review]"], after["claimcheck_pending[escalation]"]) == (2, 1)
    assert 3600 < after["claimcheck_oldest_pending_seconds[escalation]"] < 4200
    assert (after["claimcheck_lease_count_count"], after["claimcheck_lease_count_sum"]) == (2, 3)
    assert (after["claimcheck_lease_count_bucket[1.0]"], after["claimcheck_lease_count_bucket[2.0]"]) == (1, 2)
    assert after["claimcheck_decisions_unapplied"] == 1, "the look that escalated is no outcome"
    assert 3600 < after["claimcheck_oldest_unapplied_seconds"] < 4200


def test_it_measures_the_pipeline(app: Flask, cast: Cast, database: Any) -> None:
    desk, eve = app.extensions["claimcheck"], Api(app, cast.eve)
    before = measured(app)
    project = eve.post("/v1/projects", {"name": "Breaks", "skill": "kyc", "reason_codes": ["fits"]}).json["id"]
    sender = admission.Sender(cast.eve.id, cast.eve.customer_id, "http")
    bodies = [body(project, "good"), body(project, "bad", match_decision="MATCHED"), body(project, "worse", variance_amount=1.5)]
    admission.admit(desk.db, bodies, sender=sender, worker="test", settings=parameters.current(desk.db))
    with psycopg.connect(database.superuser, autocommit=True) as sql:
        sql.execute("UPDATE inbox SET since = since - interval '1 hour'")
    after = measured(app)
    assert after["claimcheck_inbox_messages"] - before["claimcheck_inbox_messages"] == 1
    assert before["claimcheck_inbox_oldest_seconds"] == 0 and 3600 < after["claimcheck_inbox_oldest_seconds"] < 4200
    poison = "claimcheck_intake_signals_total[POISON_MESSAGE]"
    assert after[poison] - before[poison] == 2 and after["claimcheck_intake_signals_total[CONSUMER_LAG]"] == 0
    assert after["claimcheck_dead_letters_open[POISON_MESSAGE]"] == 2
    letter = Api(app, cast.dov).get("/v1/dead-letters?code=POISON_MESSAGE").json["dead_letters"][0]["id"]
    eve.post(f"/v1/dead-letters/{letter}/replay", {"body": body(project, "bad").decode()})
    mended = measured(app)
    assert mended["claimcheck_dead_letters_open[POISON_MESSAGE]"] == 1 and mended["claimcheck_dead_letters"] == after["claimcheck_dead_letters"]


def test_it_answers_this_machine_and_an_operator_alone(app: Flask, cast: Cast) -> None:
    def status(person: Any = None, address: str = "127.0.0.1", **headers: str) -> int:
        client = app.test_client() if person is None else people.program(app, person)
        return client.get("/metrics", headers=headers, environ_overrides={"REMOTE_ADDR": address}).status_code

    assert [status(address=a) for a in ("127.0.0.1", "127.9.9.9", "::1")] == [200, 200, 200]
    assert [status(address=a) for a in ("10.0.0.1", "203.0.113.7", "2001:db8::1", "::ffff:203.0.113.7", "")] == [401] * 5
    assert status(cast.dov, "203.0.113.7") == 200
    assert [status(p, "203.0.113.7") for p in (cast.ada, cast.chi, cast.eve)] == [403] * 3


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via", "X-Forwarded-Proto", "X-Forwarded-Host"])
def test_it_is_not_fooled_by_what_somebody_says_of_an_address(app: Flask, header: str) -> None:
    """From outside nobody becomes this machine; and a proxy on this machine, trusted or not, speaks for somebody outside."""
    for value in ("127.0.0.1", "::1", "for=127.0.0.1", "http", "localhost"):
        for address in ("203.0.113.7", "127.0.0.1"):
            answer = app.test_client().get("/metrics", headers={header: value}, environ_overrides={"REMOTE_ADDR": address})
            assert answer.status_code == 401
            assert "WWW-Authenticate" in answer.headers


def test_it_costs_little_however_much_there_is(database: Any) -> None:
    """No plan reads a whole table that grows: tasks and decisions are reached by an index, and never all of them."""
    with psycopg.connect(database.web) as sql:
        sql.execute("SET enable_seqscan = off")
        for name in ("metrics/queues", "metrics/lease_counts", "operations/recent"):
            plan = "\n".join(row[0] for row in sql.execute(f"EXPLAIN {STATEMENTS[name]}").fetchall())  # type: ignore[arg-type]
            assert not re.search(r"Seq Scan on (tasks|assignments|decisions|outbox|dead_letters)", plan), plan
