"""What a webhook says, and that anybody's Standard Webhooks library agrees with its signature."""

import base64
import dataclasses
import datetime
import json
import pathlib
from typing import Any

import pytest
import standardwebhooks

from claimcheck.outbound import webhook
from tests.unit.outbound_servers import LOOPBACK, OK, answering, serving

NOW = datetime.datetime.now(datetime.UTC)
OUTCOME = webhook.Outcome(
    decision_id=123,
    item_id=7,
    idempotency_key="case-7",
    project_id=5,
    project_version=4,
    verdict="approve",
    answer=None,
    reason_code="OK",
    note="clear – 12.50 €",
    evidence_hash="a" * 64,
    current_evidence_hash="a" * 64,
    decided_at=datetime.datetime(2026, 11, 29, 12, 0, 0, 5, datetime.UTC),
)


def test_it_tells_an_outcome_the_same_way_each_time() -> None:
    first = webhook.outcome(OUTCOME)
    assert first == webhook.outcome(OUTCOME) and first.id == "dec_123"
    event = json.loads(first.body)
    assert (event["type"], event["timestamp"]) == ("outcome.settled", "2026-11-29T12:00:00.000005Z")
    assert event["data"] | {"decided_at": OUTCOME.decided_at} == dataclasses.asdict(OUTCOME) | {"evidence_changed": False}


def test_it_tells_an_overturn_and_changed_evidence() -> None:
    changed = dataclasses.replace(OUTCOME, decision_id=124, supersedes=123, current_evidence_hash="b" * 64)
    event = json.loads(webhook.outcome(changed).body)
    assert (event["type"], event["data"]["supersedes"], event["data"]["evidence_changed"]) == ("outcome.overturned", 123, True)
    later = webhook.evidence_changed(changed, 3, NOW)
    event = json.loads(later.body)
    assert (later.id, event["type"]) == ("evd_124_3", "evidence.changed")
    assert (event["data"]["evidence_hash"], event["data"]["current_evidence_hash"]) == ("a" * 64, "b" * 64)


def test_it_signs_each_attempt_anew_under_the_same_id() -> None:
    secret, sent = webhook.new_secret(), webhook.outcome(OUTCOME)
    first = webhook.headers(sent, [secret], NOW - datetime.timedelta(seconds=60))
    again = webhook.headers(sent, [secret], NOW.astimezone(datetime.timezone(datetime.timedelta(hours=5))))
    assert first["webhook-id"] == again["webhook-id"] == "dec_123"
    assert first["webhook-signature"] != again["webhook-signature"]
    for headers in (first, again):
        assert standardwebhooks.Webhook(secret).verify(sent.body, headers)["type"] == "outcome.settled"


def test_it_signs_with_both_secrets_while_one_is_replaced() -> None:
    old, new = webhook.new_secret(), webhook.new_secret()
    sent = webhook.test(5, NOW)
    headers = webhook.headers(sent, [new, old], NOW)
    assert webhook.is_genuine([old], headers, sent.body) and webhook.is_genuine([new], headers, sent.body)
    assert not webhook.is_genuine([webhook.new_secret()], headers, sent.body)
    with pytest.raises(ValueError, match="secret"):
        webhook.headers(sent, [], NOW)


def test_it_makes_secrets_of_32_bytes() -> None:
    secret = webhook.new_secret()
    assert secret.startswith("whsec_") and len(base64.b64decode(secret[6:])) == 32 and secret != webhook.new_secret()
    assert webhook.test(5, NOW).id != webhook.test(5, NOW).id


def test_it_believes_no_forged_or_stale_message() -> None:
    secret, sent = webhook.new_secret(), webhook.outcome(OUTCOME)
    good = webhook.headers(sent, [secret], NOW)
    assert webhook.is_genuine([secret], {name.title(): value for name, value in good.items()}, sent.body)
    stale = webhook.headers(sent, [secret], NOW - datetime.timedelta(minutes=6))
    early = webhook.headers(sent, [secret], NOW + datetime.timedelta(minutes=6))
    bad = [stale, early, {}, good | {"webhook-id": "dec_124"}, good | {"webhook-timestamp": "x"}, good | {"webhook-timestamp": "nan"}]
    bad += [good | {"webhook-signature": value} for value in ("", "v1", "v1,x", "v1a," + "A" * 44, "v1,é", " ", "v1,a,b")]
    assert not [headers for headers in bad if webhook.is_genuine([secret], headers, sent.body)]
    assert not webhook.is_genuine([secret], good, sent.body + b" ") and not webhook.is_genuine([secret], good, b"\xff")
    assert not webhook.is_genuine([], good, sent.body)


def test_it_delivers() -> None:
    secret, sent = webhook.new_secret(), webhook.outcome(OUTCOME)
    with serving(answering(OK)) as server:
        answer = webhook.deliver(f"http://127.0.0.1:{server.port}/hook", sent, [secret], LOOPBACK)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    headers = dict(line.decode().split(": ", 1) for line in head.split(b"\r\n")[1:])
    assert answer.kind == "applied" and body == sent.body and headers["Content-Type"] == "application/json"
    assert webhook.is_genuine([secret], headers, body)


def test_it_is_verified_by_the_ten_lines_of_the_docs() -> None:
    page = pathlib.Path(__file__).parents[2] / "docs/webhooks.md"
    names: dict[str, Any] = {}
    exec(page.read_text().split("```python\n")[1].split("```")[0], names)  # noqa: S102
    old, new, sent = webhook.new_secret(), webhook.new_secret(), webhook.outcome(OUTCOME)
    headers = webhook.headers(sent, [new, old], NOW)
    assert names["is_genuine"](old, headers, sent.body) and names["is_genuine"](new, headers, sent.body)
    assert not names["is_genuine"](old, headers, sent.body + b" ")
    assert not names["is_genuine"](old, webhook.headers(sent, [old], NOW - datetime.timedelta(minutes=6)), sent.body)


def test_it_documents_every_field() -> None:
    page = (pathlib.Path(__file__).parents[2] / "docs/webhooks.md").read_text()
    event = json.loads(webhook.outcome(OUTCOME).body)
    assert not [name for name in [*event, *event["data"]] if f"`{name}`" not in page]
