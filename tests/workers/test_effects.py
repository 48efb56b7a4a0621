"""Webhooks: their secrets, what they say, whom they may call, and what is kept of it."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from claimcheck import config, errors, rules
from claimcheck.embedded import servers, weed
from claimcheck.embedded.home import Home
from claimcheck.outbound import applying, deliveries, effects, outbox, webhook
from claimcheck.proof import signing
from claimcheck.review import decisions
from tests.workers.machinery import Hook
from tests.workers.stage import SECRET_KEY, Project, Stage

SETTINGS = config.Settings(secret_key=SECRET_KEY, webhook_allow="127.0.0.0/8", demo=False)


def hooked(stage: Stage, url: str, on: list[Any] | None = None) -> tuple[Project, str | None]:
    project = stage.project(standing=False)
    with stage.web.transaction() as connection:
        secret = effects.install(connection, project.id, rules.Webhook(url=url, on=on or ["approve", "overturn"]), SETTINGS)
    stage.run("DELETE FROM effects WHERE kind = 'standing'")  # every project has one; here it would only be in the way
    return project, secret


def body(hook: Hook, n: int = 0) -> dict[str, Any]:
    return json.loads(hook.entries()[n]["body"])


@pytest.fixture
def apply(stage: Stage) -> Iterator[Any]:
    """Applies one outcome with nothing in between."""
    made: list[applying.Applier] = []

    def apply(decision: int, settings: config.Settings = SETTINGS) -> Any:
        made.append(applying.Applier(stage.worker, deliveries.sender(settings), threads=1))
        assert made[-1].take(stage.row(decision).id)
        with made[-1]._came_free:
            assert made[-1]._came_free.wait_for(lambda: made[-1].free == 1, 60)
        return stage.row(decision)

    yield apply
    for applier in made:
        applier.stop()


def test_it_shows_a_new_webhooks_secret_once_and_keeps_it_sealed(stage: Stage) -> None:
    project, secret = hooked(stage, "https://hook.test/in")
    assert secret is not None and secret.startswith("whsec_") and len(secret) > 40
    sealed = stage.one("SELECT sealed_secret FROM effects WHERE kind = 'webhook'")
    assert secret.encode() not in sealed and secret not in repr(effects.load(stage.web, project_id=project.id))
    assert effects.load(stage.web, project_id=project.id).secrets(SECRET_KEY) == [secret]
    with pytest.raises(signing.Unsealable):
        effects.load(stage.web, project_id=project.id).secrets(SECRET_KEY + "!")


def test_it_follows_a_change_of_rules_and_keeps_the_secret(stage: Stage) -> None:
    project, secret = hooked(stage, "https://hook.test/in")
    for new in (
        rules.Webhook(url="https://hook.test/other", on=["reject"]),
        None,
        rules.Webhook(url="https://hook.test/other", on=["reject"]),
    ):
        with stage.web.transaction() as connection:
            assert effects.install(connection, project.id, new, SETTINGS) is None
        now = effects.load(stage.web, project_id=project.id)
        assert now.url == "https://hook.test/other" and (now.switched_off is None) == (new is not None)
    assert now.on_outcomes == ["reject"] and now.secrets(SECRET_KEY) == [secret]
    assert stage.one("SELECT count(*) FROM effects") == 2


@pytest.mark.parametrize("url", ["http://hook.test/in", "https://10.0.0.1/in", "https://169.254.169.254/", "https://[::ffff:10.0.0.1]/"])
def test_it_refuses_an_address_that_no_call_may_go_to(stage: Stage, url: str) -> None:
    strict = SETTINGS.model_copy(update={"webhook_allow": ()})
    project = stage.project(standing=False)
    with pytest.raises(errors.Invalid, match=r"webhook\.url"), stage.web.transaction() as connection:
        effects.install(connection, project.id, rules.Webhook(url=url), strict)
    assert not stage.all("SELECT FROM effects")


def test_it_signs_with_the_former_secret_for_a_day(stage: Stage, hook: Hook, apply: Any) -> None:
    project, first = hooked(stage, hook.url)
    second = effects.rotate(stage.web, project_id=project.id, me=stage.dov, settings=SETTINGS)
    assert first and second != first
    for secrets in ([first], [second]):
        hook.server.secrets = secrets
        assert apply(stage.outcome(project)).state == "done"
    stage.run("UPDATE effects SET former_until = clock_timestamp()")
    hook.server.secrets = [first]
    decision = stage.outcome(project)
    assert apply(decision).state == "dead"  # 401 is no passing fault
    hook.server.secrets = [second]
    outbox.retry(stage.web, outbox_id=stage.row(decision).id, me=stage.dov)
    assert apply(decision).state == "done"
    assert stage.all("SELECT FROM events WHERE kind = 'webhook.rotated' AND person_id = %(dov)s", dov=stage.dov)


def test_it_tells_the_receiver_what_was_decided_and_no_payload(stage: Stage, hook: Hook, apply: Any) -> None:
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    decision = stage.outcome(project, note="stamp is missing")
    assert apply(decision).state == "done"
    told, row = body(hook), stage.all("SELECT * FROM decisions")[0]
    assert told["type"] == "outcome.settled" and told["timestamp"] == told["data"]["decided_at"]
    data = told["data"]
    assert hook.entries()[0]["webhook_id"] == str(decision) and data["decision_id"] == decision
    assert (data["item_id"], data["project_id"], data["project"]) == (row.item_id, project.id, project.name)
    assert (data["outcome"], data["verdict"], data["reason_code"], data["note"]) == ("approve", "approve", "ok", "stamp is missing")
    assert data["evidence_hash"] == row.evidence_hash.hex() and data["idempotency_key"] == "item 1" and data["trace_id"] == "trace-item 1"
    assert data["supersedes"] is None and data["sequence"] is None and "evidence_changed" not in data


def test_it_tells_of_an_overturn_with_what_it_supersedes(stage: Stage, hook: Hook, apply: Any) -> None:
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    first = stage.outcome(project)
    second = stage.overturn(first)
    assert apply(first).state == stage.row(second).state == "done"
    told = body(hook, 1)
    assert told["type"] == "outcome.overturned" and [entry["webhook_id"] for entry in hook.entries()] == [str(first), str(second)]
    assert (told["data"]["supersedes"], told["data"]["outcome"], told["data"]["verdict"]) == (first, "reject", "overturn")
    assert "note" not in told["data"]


def test_it_numbers_the_events_of_a_partition(stage: Stage, hook: Hook, apply: Any) -> None:
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    apply(stage.outcomes(project, 3, "ledger")[0])
    assert [json.loads(entry["body"])["data"]["sequence"] for entry in hook.entries()] == [1, 2, 3]


def _evidence(stage: Stage, item: int, version: int, text: bytes) -> None:
    stage.run(
        "INSERT INTO evidence (item_id, version, fields, created_by, published_at) VALUES (%(i)s, %(v)s, '{name}', 0, now())",
        i=item,
        v=version,
    )
    stage.run(
        """INSERT INTO evidence_parts (item_id, version, n, name, content_type, size, sha256, object_key)
           VALUES (%(i)s, %(v)s, 0, 'payload.json', 'application/json', %(size)s, %(sha)s, 'k')""",
        i=item, v=version, size=len(text), sha=hashlib.sha256(text).digest(),
    )  # fmt: skip


def test_it_says_when_the_evidence_has_changed_since(stage: Stage, hook: Hook, apply: Any) -> None:
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    first = stage.outcome(project)
    told = decisions.load(stage.web, decision_id=first)
    for version, text in ((1, b'{"name":"Ada"}'), (2, b'{"name":"Ben"}')):
        _evidence(stage, told.item_id, version, text)
    stage.run("UPDATE items SET evidence_version = 2")
    stage.overturn(first)
    apply(first)
    changed = body(hook, 1)["data"]["evidence_changed"]
    assert changed["decided_hash"] == told.evidence_hash.hex() and changed["current_hash"] != changed["decided_hash"]
    assert len(changed["current_hash"]) == 64


def test_it_calls_no_address_that_it_may_not(stage: Stage, hook: Hook, apply: Any) -> None:
    """Registered while it was allowed, judged again at each call."""
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    decision = stage.outcome(project)
    row = apply(decision, SETTINGS.model_copy(update={"webhook_allow": ()}))
    assert row.state == "dead" and "WEBHOOK_ALLOW" in row.last_error and not hook.entries()
    own = SETTINGS.model_copy(update={"redis_url": f"redis://x:y@127.0.0.1:{hook.server.server_port}/0"})
    outbox.retry(stage.web, outbox_id=row.id, me=stage.dov)
    assert apply(decision, own).state == "dead" and not hook.entries()


def test_it_never_calls_the_desks_own_servers(tmp_path: Path) -> None:
    settings = config.Settings(
        home=tmp_path, secret_key=SECRET_KEY, port=8123, redis_url="redis://u:p@127.0.0.1:6400/1", s3_endpoint="http://127.0.0.1:8333",
        database_url_worker="postgresql://w:p@127.0.0.1:5999/desk", database_url_web="host=/tmp dbname=desk",
    )  # fmt: skip
    assert deliveries.sender(settings).denied_ports == {8123, 6400, 8333, 5999, 5432}
    opened = Home(tmp_path).ports(servers.USUAL, lambda wanted: [*range(9001, 9001 + len(wanted))])
    inner = {port for ports in opened.values() for port in ports}
    assert len(inner) > len(weed.PORTS) and deliveries.sender(settings).denied_ports >= inner, "the store's inner ports ask for no password"


def test_it_says_when_the_secret_can_no_longer_be_opened(stage: Stage, hook: Hook, apply: Any) -> None:
    project, _ = hooked(stage, hook.url)
    row = apply(stage.outcome(project), SETTINGS.model_copy(update={"secret_key": SECRET_KEY + "-another"}))
    assert row.state == "dead" and "SECRET_KEY" in row.last_error and not hook.entries("bad signature")


def test_it_keeps_an_excerpt_that_is_safe_to_show(stage: Stage) -> None:
    project, _ = hooked(stage, "https://hook.test/in")
    answer = webhook.deliver("http://127.0.0.1:9/", webhook.test(1, stage.one("SELECT now()")), ["whsec_QQ=="], "127.0.0.0/8")
    assert answer.error and "127.0.0.1" not in answer.error
    call = deliveries.Call(effects.load(stage.web, project_id=project.id).effect_id, None, "x", 1, answer)
    deliveries.record(stage.web, call)
    (kept,) = deliveries.last(stage.web, effect_id=call.effect_id)
    assert (kept.status, kept.error, kept.excerpt, kept.state) == (None, answer.error, "", None)


def test_it_sends_a_test_event_and_keeps_its_answer(stage: Stage, hook: Hook) -> None:
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    answer = deliveries.test(stage.web, deliveries.sender(SETTINGS), project_id=project.id, me=stage.dov)
    assert answer.status == 204 and body(hook)["type"] == "test"
    hook.misbehave(fail_rate=1.0, fail_status=500)
    deliveries.test(stage.web, deliveries.sender(SETTINGS), project_id=project.id, me=stage.dov)
    kept = deliveries.last(stage.web, effect_id=effects.load(stage.web, project_id=project.id).effect_id)
    assert [(one.status, one.outbox_id) for one in kept] == [(500, None), (204, None)]
    assert stage.one("SELECT count(*) FROM events WHERE kind = 'webhook.tested'") == 2


def test_it_shows_a_customer_their_own_webhooks_only(stage: Stage) -> None:
    project, _ = hooked(stage, "https://hook.test/in")
    assert [w.project_id for w in effects.webhooks(stage.web)] == [project.id]
    assert [w.project_id for w in effects.webhooks(stage.web, customer_id=1)] == [project.id]
    assert effects.webhooks(stage.web, customer_id=2) == []
    with pytest.raises(errors.NotFound):
        effects.load(stage.web, project_id=project.id, customer_id=2)


@pytest.mark.parametrize(("wished", "seconds"), [("30", (28, 31)), ("9999999", (3590, 3601)), ("soon", (0, 3))])
def test_it_waits_as_long_as_the_receiver_asks_up_to_an_hour(stage: Stage, apply: Any, busy: Any, wished: str, seconds: tuple[int, int]) -> None:
    project, _ = hooked(stage, busy(wished))
    row = apply(stage.outcome(project))
    wait = stage.one("SELECT extract(epoch FROM due - (SELECT max(at) FROM deliveries))::float8 FROM outbox")
    assert row.state == "pending" and seconds[0] <= wait <= seconds[1]


@pytest.fixture
def busy() -> Iterator[Any]:
    """Receivers that answer 429 with a Retry-After."""
    made: list[ThreadingHTTPServer] = []

    def start(wished: str) -> str:
        class Busy(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.send_response(429)
                self.send_header("Retry-After", wished)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        made.append(ThreadingHTTPServer(("127.0.0.1", 0), Busy))
        threading.Thread(target=made[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{made[-1].server_port}/"

    yield start
    for server in made:
        server.shutdown()
        server.server_close()


def test_it_switches_a_webhook_on_again(stage: Stage, hook: Hook, apply: Any) -> None:
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    hook.misbehave(fail_rate=1.0, fail_status=410)
    gone, waiting = stage.outcomes(project, 2)
    assert apply(gone).state == "dead" and "410" in str(effects.load(stage.web, project_id=project.id).switched_off)
    hook.misbehave()
    assert apply(waiting).state == "pending"
    effects.switch_on(stage.web, project_id=project.id, me=stage.dov)
    assert apply(waiting).state == "done"
    assert stage.one("SELECT detail ->> 'was_off_because' FROM events WHERE kind = 'webhook.switched_on'") == "The receiver answered 410."


def test_it_collects_what_is_decided_while_the_receiver_is_gone(stage: Stage, hook: Hook, apply: Any) -> None:
    project, secret = hooked(stage, hook.url)
    hook.server.secrets = [str(secret)]
    hook.misbehave(fail_rate=1.0, fail_status=410)
    assert apply(stage.outcome(project)).state == "dead"
    hook.misbehave()
    meanwhile = stage.outcome(project)
    assert stage.row(meanwhile).state == "pending"
    effects.switch_on(stage.web, project_id=project.id, me=stage.dov)
    assert apply(meanwhile).state == "done"


def test_it_owes_nothing_to_a_webhook_that_the_rules_no_longer_name(stage: Stage) -> None:
    project, _ = hooked(stage, "https://hook.test/in")
    before = stage.outcome(project)
    with stage.web.transaction() as connection:
        effects.install(connection, project.id, None, SETTINGS)
    after = stage.outcome(project)
    owed = stage.all("SELECT o.decision_id FROM outbox o JOIN effects e ON e.id = o.effect_id WHERE e.kind = 'webhook'")
    assert owed == [(before,)] and after > before
