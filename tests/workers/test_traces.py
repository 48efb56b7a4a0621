"""One id, from the producer's header to the receiver's, through the log lines of every program on the way."""

from __future__ import annotations

import io
import json
import logging
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app import create_app
from claimcheck import applying, deliveries, logs
from claimcheck.intake import records
from tests import people
from tests.doors import Door
from tests.intake import SKILL, World
from tests.messages import message
from tests.web.api_client import Api, proof
from tests.workers.machinery import Hook

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_it_carries_one_id_from_intake_to_the_receiver(
    world: World, make_hook: Callable[[], Hook], database: Any, store_server: Any, valkey: str, valkey_admin: str, tmp_path: Path
) -> None:
    hook, door, stream, root = make_hook(), Door(world, "inbox", valkey, valkey_admin), io.StringIO(), logging.getLogger()
    settings = people.settings(database, store_server, valkey, webhook_allow="127.0.0.0/8")
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
    assert (applied["state"], applied["kind"], applied["logger"]) == ("done", "webhook", "claimcheck.applying")
    records.relay(world.web, records.log(tmp_path))
    kept = [json.loads(line) for path in records.files(tmp_path) for line in path.read_text().splitlines()]
    assert {line["decision"] for line in kept if line["trace_id"] == TRACE} >= {"admitted", "routed"}, "the pipeline's record too"
    [heard] = hook.entries()
    assert heard["traceparent"].split("-")[1] == TRACE and json.loads(heard["body"])["data"]["trace_id"] == TRACE
    app.extensions["claimcheck"].db.close()


def test_it_makes_a_whole_parent_of_any_id() -> None:
    for odd in ("order 7", "ä", "0" * 32, TRACE.upper(), "x" * 200):
        parts = logs.parent(odd).split("-")
        assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", "-".join(parts)) and parts[1] != "0" * 32
        assert logs.parent(odd).split("-")[1] == parts[1], "always the same of the same"
        assert logs.parent(odd) != logs.parent(odd), "and each attempt a span of its own"
