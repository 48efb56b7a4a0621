"""One id, from the producer's header to the receiver's, through the log lines of every program on the way."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from claimcheck import logs
from claimcheck.config import ROOT
from claimcheck.intake import records
from claimcheck.operations import tracing
from claimcheck.outbound import applying, deliveries
from tests import people
from tests.collector import Collector, attributes, collecting
from tests.doors import Door
from tests.intake import SKILL, World
from tests.messages import message
from tests.web.api_client import Api, proof
from tests.workers.machinery import Hook

SAID = {
    "http.request.method", "http.route", "http.response.status_code", "claimcheck.item_trace_id", "claimcheck.outbox_id", "claimcheck.decision_id",
    "claimcheck.attempt", "claimcheck.state", "claimcheck.answer",
}  # fmt: skip
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as made:
        yield made
        tracing.end()


def test_it_carries_one_id_from_intake_to_the_receiver(
    world: World, make_hook: Callable[[], Hook], database: Any, store_server: Any, valkey: str, valkey_admin: str, tmp_path: Path, collector: Collector
) -> None:
    hook, door, stream, root = make_hook(), Door(world, "inbox", valkey, valkey_admin), io.StringIO(), logging.getLogger()
    settings = people.settings(database, store_server, valkey, webhook_allow="127.0.0.0/8", otlp_endpoint=collector.url)
    app, handlers = create_app(settings), root.handlers
    logs.configure(stream)
    eve, ada = Api(app, world.cast.eve), Api(app, world.cast.ada)
    rules = {"name": secrets.token_hex(4), "skill": SKILL, "reason_codes": ["fits"], "webhook": {"url": hook.url, "on": ["approve"]}, "items": []}
    made = eve.post("/v1/projects", rules).json
    hook.server.secrets = [made["webhook_secret"]]
    given = {"traceparent": f"00-{TRACE}-{secrets.token_hex(8)}-01"}
    assert eve.post("/v1/intake", message(made["id"], "traced"), headers=given).json["trace_id"] == TRACE
    door.play(door.rest)
    world.publish()
    task = ada.post("/v1/tasks/next").json
    people.browser(app, world.cast.ada).get(f"/assignments/{task['assignment_id']}")
    decided = {**proof(task), "verdict": "approve", "reason_code": "fits"}
    ada.post(f"/v1/assignments/{task['assignment_id']}/submit", decided)
    applier = applying.Applier(world.worker, deliveries.sender(settings), threads=1)
    [first, _] = world.all("SELECT o.id FROM outbox o JOIN effects e ON e.id = o.effect_id WHERE e.project_id = %s ORDER BY o.effect_no", made["id"])
    applier.take(first.id)  # the standing, and the call after it, in their partition's order
    with applier._came_free:
        assert applier._came_free.wait_for(lambda: applier.free == 1, 60)
    applier.stop()
    root.handlers = handlers
    written = [json.loads(line) for line in stream.getvalue().split("\n") if line]
    assert all({"at", "level", "event", "logger"} <= set(line) for line in written), "one JSON line a record, each with time, level and origin"
    assert all("trace_id" in line for line in written if line["event"] == "request")

    traced = [line for line in written if TRACE in (line.get("trace_id"), line.get("item_trace_id"))]
    routes = [line["route"] for line in traced if line["event"] == "request"]
    submit = "/v1/assignments/<number:assignment_id>/submit"
    assert [re.sub(r"<\w+:", "<number:", route) for route in routes] == [
        "/v1/intake", "/v1/tasks/next", "/assignments/<number:assignment_id>", submit,
    ]  # fmt: skip
    [applied] = [line for line in traced if line["event"] == "apply.ended"]  # the webhook's: a standing is the desk's own
    assert (applied["state"], applied["kind"], applied["logger"]) == ("done", "webhook", "claimcheck.outbound.applying")
    records.relay(world.web, records.log(tmp_path))
    kept = [json.loads(line) for path in records.files(tmp_path) for line in path.read_text().splitlines()]
    assert {line["decision"] for line in kept if line["trace_id"] == TRACE} >= {"admitted", "routed"}, "the pipeline's record too"
    [heard] = hook.entries()
    assert heard["traceparent"].split("-")[1] == TRACE and json.loads(heard["body"])["data"]["trace_id"] == TRACE
    app.extensions["claimcheck"].db.close()
    tracing.end()
    spans_tell_the_same(collector, heard["traceparent"], world, given["traceparent"])


def spans_tell_the_same(collector: Collector, heard: str, world: World, given: str) -> None:
    """What the collector has: the same ids, one above the other, and nothing that is not said on purpose."""
    spans = collector.spans()
    by_id = {span.span_id.hex(): span for span in spans}
    call = by_id[heard.split("-")[2]]
    effect = by_id[call.parent_span_id.hex()]
    assert (call.name, effect.name, effect.parent_span_id, call.trace_id.hex(), effect.trace_id.hex()) == ("POST webhook", "effect webhook", b"", TRACE, TRACE)
    assert attributes(call)["http.response.status_code"] == 204 and attributes(effect)["claimcheck.state"] == "done"
    assert effect.start_time_unix_nano <= call.start_time_unix_nano <= call.end_time_unix_nano <= effect.end_time_unix_nano
    [taken] = [span for span in spans if span.name == "POST /v1/intake"]
    assert (taken.trace_id.hex(), taken.parent_span_id.hex()) == (TRACE, given.split("-")[2])
    assert len({span.trace_id for span in spans if span.name.startswith(("POST /v1/t", "GET /assignments"))}) == 2, "each request has a trace of its own"
    assert TRACE in {attributes(span).get("claimcheck.item_trace_id") for span in spans if span.name.startswith("GET /assignments")}
    assert collector.paths == {"/v1/traces"} and {key for span in spans for key in attributes(span)} == SAID
    told = b"".join(collector.sent)
    secret = [name for person in (world.cast.ada, world.cast.eve) for name in (person.name, person.email, person.pseudonym)] + ["traced", "127.0.0.1", "fits"]
    assert not [text for text in secret if text.encode() in told]


def test_it_says_what_is_missing_for_spans() -> None:
    """Where the packages are, and where they are not: a Python that does not look for any."""
    ask = "import claimcheck.config as c; c._can_send_spans = %s; c.load()"
    environ = {**os.environ, "OTLP_ENDPOINT": "http://127.0.0.1:9"}
    for there, code in (("lambda: False", 1), ("c._can_send_spans", 0)):
        ran = subprocess.run([sys.executable, "-c", ask % there], env=environ, cwd=ROOT, capture_output=True, text=True, check=False)
        assert ran.returncode == code and (not code or ("requirements-otel.txt" in ran.stderr and "OTLP_ENDPOINT" in ran.stderr))


def test_it_makes_a_whole_parent_of_any_id() -> None:
    for odd in ("order 7", "ä", "0" * 32, TRACE.upper(), "x" * 200):
        parts = logs.parent(odd).split("-")
        assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", "-".join(parts)) and parts[1] != "0" * 32
        assert logs.parent(odd).split("-")[1] == parts[1], "always the same of the same"
        assert logs.parent(odd) != logs.parent(odd), "and each attempt a span of its own"
