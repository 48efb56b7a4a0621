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
from claimcheck.outbound import addresses, sending
from claimcheck.outbound.answers import Answer

Type = Literal["outcome.settled", "outcome.overturned", "evidence.changed", "test"]


@dataclasses.dataclass(frozen=True)
class Message:
    """What every attempt repeats: the `webhook-id`, by which receivers deduplicate, and the body, byte for byte."""

    id: str
    body: bytes


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a receiver is told of an outcome. `sequence` counts the outcomes of a partition (None without one).

    `current_evidence_hash` is that of the item's evidence now: it differs once the evidence has changed.
    """

    decision_id: int
    item_id: int
    idempotency_key: str
    project_id: int
    project_version: int
    verdict: str | None
    answer: Any
    reason_code: str | None
    note: str | None
    evidence_hash: str
    current_evidence_hash: str
    decided_at: datetime.datetime
    supersedes: int | None = None
    partition_key: str | None = None
    sequence: int | None = None
    trace_id: str | None = None


def outcome(facts: Outcome) -> Message:
    """The message of an outcome; its id is the decision's, whichever attempt or redelivery it is."""
    data = dataclasses.asdict(facts) | {
        "decided_at": _utc(facts.decided_at),
        "evidence_changed": facts.evidence_hash != facts.current_evidence_hash,
    }
    kind = "outcome.settled" if facts.supersedes is None else "outcome.overturned"
    return message(f"dec_{facts.decision_id}", kind, facts.decided_at, data)


def evidence_changed(facts: Outcome, evidence_version: int, at: datetime.datetime) -> Message:
    """The message that a decided item's evidence is now another, with both hashes."""
    names = ("decision_id", "item_id", "idempotency_key", "project_id", "evidence_hash", "current_evidence_hash")
    data = {name: getattr(facts, name) for name in names} | {"evidence_version": evidence_version}
    return message(f"evd_{facts.decision_id}_{evidence_version}", "evidence.changed", at, data)


def test(project_id: int, at: datetime.datetime) -> Message:
    """A message to try a receiver with; each has its own id."""
    return message(f"test_{uuid.uuid4().hex}", "test", at, {"project_id": project_id})


def message(message_id: str, kind: Type, at: datetime.datetime, data: Mapping[str, Any]) -> Message:
    """Any message: `at` is when the thing happened, not when it is sent."""
    return Message(message_id, canonical.encode({"type": kind, "timestamp": _utc(at), "data": data}))


def new_secret() -> str:
    """A fresh webhook secret, `whsec_…` with 32 random bytes; shown once, kept sealed."""
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


def headers(sent: Message, secrets: Sequence[str], now: datetime.datetime) -> dict[str, str]:
    """The headers of one attempt, signed anew with each of the secrets (two while one is being replaced)."""
    if not secrets:
        raise ValueError("a webhook needs a secret")
    now, text = now.astimezone(datetime.UTC), sent.body.decode()
    signatures = (standardwebhooks.Webhook(secret).sign(sent.id, now, text) for secret in secrets)
    return {
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
