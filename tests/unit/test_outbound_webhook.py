"""What a webhook says, and that anybody's Standard Webhooks library agrees with its signature."""

import base64
import datetime
import inspect
import json
import pathlib
import re
import typing
from typing import Any

import pytest
import standardwebhooks

from claimcheck.outbound import deliveries, webhook
from tests.unit.outbound_servers import LOOPBACK, OK, answering, serving


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


HAPPENED = datetime.datetime(2026, 11, 29, 13, 0, 0, 5, datetime.timezone(datetime.timedelta(hours=1)))
DATA = {"decision_id": 123, "verdict": "approve", "note": "clear – 12.50 €"}
OUTCOME = webhook.message("123", "outcome.settled", HAPPENED, DATA)
DOCS = (pathlib.Path(__file__).parents[2] / "docs/webhooks.md").read_text()


def test_it_tells_the_same_bytes_each_time() -> None:
    assert webhook.message("123", "outcome.settled", HAPPENED, DATA) == OUTCOME and OUTCOME.id == "123"
    assert json.loads(OUTCOME.body) == {"type": "outcome.settled", "timestamp": "2026-11-29T12:00:00.000005Z", "data": DATA}


def test_it_signs_each_attempt_anew_under_the_same_id() -> None:
    secret, sent = webhook.new_secret(), OUTCOME
    first = webhook.headers(sent, [secret], now() - datetime.timedelta(seconds=60))
    again = webhook.headers(sent, [secret], now().astimezone(datetime.timezone(datetime.timedelta(hours=5))))
    assert first["webhook-id"] == again["webhook-id"] == "123"
    assert first["webhook-signature"] != again["webhook-signature"]
    for headers in (first, again):
        assert standardwebhooks.Webhook(secret).verify(sent.body, headers)["type"] == "outcome.settled"


def test_it_signs_with_both_secrets_while_one_is_replaced() -> None:
    old, new = webhook.new_secret(), webhook.new_secret()
    sent = webhook.test(5, now())
    headers = webhook.headers(sent, [new, old], now())
    assert webhook.is_genuine([old], headers, sent.body) and webhook.is_genuine([new], headers, sent.body)
    assert not webhook.is_genuine([webhook.new_secret()], headers, sent.body)
    with pytest.raises(ValueError, match="secret"):
        webhook.headers(sent, [], now())


def test_it_makes_secrets_of_32_bytes() -> None:
    secret = webhook.new_secret()
    assert secret.startswith("whsec_") and len(base64.b64decode(secret[6:])) == 32 and secret != webhook.new_secret()
    assert webhook.test(5, now()).id != webhook.test(5, now()).id


def test_it_believes_no_forged_or_stale_message() -> None:
    secret, sent = webhook.new_secret(), OUTCOME
    good = webhook.headers(sent, [secret], now())
    assert webhook.is_genuine([secret], {name.title(): value for name, value in good.items()}, sent.body)
    stale = webhook.headers(sent, [secret], now() - datetime.timedelta(minutes=6))
    early = webhook.headers(sent, [secret], now() + datetime.timedelta(minutes=6))
    bad = [stale, early, {}, good | {"webhook-id": "124"}, good | {"webhook-timestamp": "x"}, good | {"webhook-timestamp": "nan"}]
    bad += [good | {"webhook-signature": value} for value in ("", "v1", "v1,x", "v1a," + "A" * 44, "v1,é", " ", "v1,a,b")]
    assert not [headers for headers in bad if webhook.is_genuine([secret], headers, sent.body)]
    assert not webhook.is_genuine([secret], good, sent.body + b" ") and not webhook.is_genuine([secret], good, b"\xff")
    assert not webhook.is_genuine([], good, sent.body)


def test_it_delivers() -> None:
    secret, sent = webhook.new_secret(), OUTCOME
    with serving(answering(OK)) as server:
        answer = webhook.deliver(f"http://127.0.0.1:{server.port}/hook", sent, [secret], LOOPBACK)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    headers = dict(line.decode().split(": ", 1) for line in head.split(b"\r\n")[1:])
    assert answer.kind == "applied" and body == sent.body and headers["Content-Type"] == "application/json"
    assert webhook.is_genuine([secret], headers, body)


def test_it_is_verified_by_the_ten_lines_of_the_docs() -> None:
    names: dict[str, Any] = {}
    exec(DOCS.split("```python\n")[1].split("```")[0], names)  # noqa: S102
    old, new, sent = webhook.new_secret(), webhook.new_secret(), OUTCOME
    headers = webhook.headers(sent, [new, old], now())
    assert names["is_genuine"](old, headers, sent.body) and names["is_genuine"](new, headers, sent.body)
    assert not names["is_genuine"](old, headers, sent.body + b" ")
    assert not names["is_genuine"](old, webhook.headers(sent, [old], now() - datetime.timedelta(minutes=6)), sent.body)


def test_it_documents_every_field_and_type() -> None:
    told = set(re.findall(r'"([a-z_]+)":', inspect.getsource(deliveries.message)))
    types = set(typing.get_args(webhook.Type))
    assert told and not [name for name in told | types | {"decided_hash", "current_hash"} if f"`{name}`" not in DOCS]
