"""Webhook messages by the Standard Webhooks convention: what is sent, under which id, signed how."""

import base64
import dataclasses
import datetime
import os
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

import standardwebhooks

from claimcheck import canonical
from claimcheck.operations import tracing
from claimcheck.outbound import addresses, sending
from claimcheck.outbound.answers import Answer

Type = Literal[
    "outcome.settled",
    "outcome.overturned",
    "deadline.changed",
    "dataset.delivered",
    "labels.retracted",
    "dataset.reminder",
    "operations.alert",
    "test",
]


@dataclasses.dataclass(frozen=True)
class Message:
    """What is told, under the `webhook-id` that every attempt repeats and by which receivers deduplicate."""

    id: str
    body: bytes
    trace_id: str | None = None


def message(message_id: str, kind: Type, at: datetime.datetime, data: Mapping[str, Any], trace_id: str | None = None) -> Message:
    """Any message: `at` is when the thing happened, not when it is sent. `trace_id` is the item's it is about."""
    return Message(message_id, canonical.encode({"type": kind, "timestamp": _utc(at), "data": data}), trace_id)


def test(project_id: int, at: datetime.datetime) -> Message:
    """A message to try a receiver with; each has its own id."""
    return message(f"test_{uuid.uuid4().hex}", "test", at, {"project_id": project_id})


def new_secret() -> str:
    """A fresh webhook secret, `whsec_…` with 32 random bytes; shown once, kept sealed."""
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


def is_secret(text: str) -> bool:
    """Whether this reads as a secret that `new_secret` could have made."""
    try:
        return text.startswith("whsec_") and len(base64.b64decode(text.removeprefix("whsec_"), validate=True)) == 32
    except ValueError:
        return False


def headers(sent: Message, secrets: Sequence[str], now: datetime.datetime) -> dict[str, str]:
    """The headers of one attempt, signed anew with each of the secrets (two while one is being replaced)."""
    if not secrets:
        raise ValueError("a webhook needs a secret")
    now, text = now.astimezone(datetime.UTC), sent.body.decode()
    signatures = (standardwebhooks.Webhook(secret).sign(sent.id, now, text) for secret in secrets)
    traced = {"traceparent": tracing.header(sent.trace_id)} if sent.trace_id else {}
    return traced | {
        "Content-Type": "application/json",
        "webhook-id": sent.id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def is_genuine(secrets: Iterable[str], received: Mapping[str, str], body: bytes) -> bool:
    """Whether one of the secrets signed this body within the last five minutes."""
    return any(_verifies(secret, dict(received), body) for secret in secrets)


def _verifies(secret: str, received: dict[str, str], body: bytes) -> bool:
    try:
        standardwebhooks.Webhook(secret).verify(body, received, json_parse=False)
    except (standardwebhooks.WebhookVerificationError, ValueError):
        return False
    return True


def deliver(
    url: str,
    sent: Message,
    secrets: Sequence[str],
    allow: str | Iterable[str | addresses.Network] = (),
    denied_ports: Collection[int] = frozenset(),
    deadline_seconds: float = 10.0,
) -> Answer:
    """Sign and POST the message once; see `outbound.post`."""
    signed = headers(sent, secrets, datetime.datetime.now(datetime.UTC))
    return sending.post(url, sent.body, signed, allow, deadline_seconds, denied_ports=denied_ports)


def _utc(time: datetime.datetime) -> str:
    return time.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
