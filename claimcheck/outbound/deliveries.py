"""Deliveries: calls to a project's webhook, what they say, and what was answered."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict

from claimcheck import evidence
from claimcheck.config import Network, Settings
from claimcheck.db import Connection, Database
from claimcheck.outbound import Answer, effects, notices, outbox, webhook
from claimcheck.outbound.mail import Post
from claimcheck.outbound.webhook import Message
from claimcheck.review import decisions

DEADLINE = 10.0  # seconds of a whole call, shorter than a lease
TEST_DEADLINE = 5.0  # somebody sits and waits


@dataclass(frozen=True, slots=True)
class Sender:
    """What calls and letters need of the settings. The desk's own servers are not called, wherever WEBHOOK_ALLOW leads."""

    secret_key: str = field(repr=False)
    post: Post
    base_url: str
    allow: tuple[Network, ...] = ()
    denied_ports: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was made, and its answer."""

    effect_id: int
    outbox_id: int | None
    webhook_id: str
    attempt: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Delivery:
    """A call and its answer. Without `outbox_id` it was a test; `state` is where its outbox row stands now."""

    id: int
    at: datetime
    outbox_id: int | None
    webhook_id: str
    attempt: int
    status: int | None
    error: str | None
    excerpt: str
    seconds: float
    decision_id: int | None
    notice: str | None
    state: str | None


def sender(settings: Settings) -> Sender:
    """Calls and letters as these settings allow them."""
    urls = (settings.redis_url, settings.s3_endpoint)
    ports = {parts.port for url in urls if url and (parts := urlsplit(url)).port}
    databases = (settings.database_url, settings.database_url_web, settings.database_url_worker)
    ports |= {int(conninfo_to_dict(url).get("port") or 5432) for url in databases if url}
    post, denied = Post(settings.home / "mail", settings.mail_from, settings.smtp_url), {settings.port, *ports, *_embedded(settings.home)}
    return Sender(str(settings.secret_key), post, settings.base_url, settings.webhook_allow, frozenset(denied))


def _embedded(home: Path) -> set[int]:
    """Every port of the servers that the home's own run opened; some of the store's ask for no password."""
    try:
        kept = json.loads((home / "ports.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return set()
    return {port for group in kept.values() for port in group}


def message(db: Database, told: decisions.Decision, sequence: int | None) -> Message:
    """What a receiver is told of an outcome, under the decision's id; no payload. `sequence` counts a partition's effects."""
    data: dict[str, Any] = {
        "decision_id": told.id,
        "item_id": told.item_id,
        "idempotency_key": told.idempotency_key,
        "project_id": told.project_id,
        "project": told.project,
        "project_version": told.project_version,
        "outcome": told.outcome,
        "verdict": told.verdict,
        "answer": told.answer,
        "reason_code": told.reason_code,
        "evidence_version": told.evidence_version,
        "evidence_hash": told.evidence_hash.hex(),
        "supersedes": told.supersedes,
        "decided_at": told.created_at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "trace_id": told.trace_id,
        "sequence": sequence,
    }
    now_and_then = {"note": told.note or None, "evidence_changed": _changed(db, told)}
    kind = "outcome.settled" if told.supersedes is None else "outcome.overturned"
    return webhook.message(str(told.id), kind, told.created_at, data | {k: v for k, v in now_and_then.items() if v}, told.trace_id)


def _changed(db: Database, told: decisions.Decision) -> dict[str, str] | None:
    """Both hashes, where the item's evidence is another than it was when it was decided."""
    if told.current_evidence_version <= told.evidence_version:
        return None
    of = {"item_id": told.item_id, "project_id": told.project_id, "shown_version": told.shown_version}
    current = evidence.document_hash(db, evidence_version=told.current_evidence_version, **of)
    return {"decided_hash": told.evidence_hash.hex(), "current_hash": current.hex()}


def prepare(db: Database, taken: outbox.Lease) -> tuple[effects.Webhook, Message]:
    """Where a leased outcome or notice is to be told, and what."""
    if taken.notice_id is not None:
        notice = notices.load(db, notice_id=taken.notice_id)
        return effects.load(db, project_id=notice.project_id), webhook.message(notice.webhook_id, notice.kind, notice.created_at, notice.body)
    assert taken.decision_id is not None
    told = decisions.load(db, decision_id=taken.decision_id)
    return effects.load(db, project_id=told.project_id), message(db, told, taken.effect_no)


def deliver(by: Sender, to: effects.Webhook, sent: Message, taken: outbox.Lease) -> Call:
    """Tells the webhook, once. Raises signing.Unsealable."""
    answer = webhook.deliver(to.url, sent, to.secrets(by.secret_key), by.allow, by.denied_ports, DEADLINE)
    return Call(to.effect_id, taken.outbox_id, sent.id, taken.attempt, answer)


def test(db: Database, by: Sender, *, project_id: int, me: int) -> Answer:
    """Sends a test event and waits for its answer. Raises NotFound."""
    to = effects.load(db, project_id=project_id)
    sent = webhook.test(project_id, datetime.now(UTC))
    answer = webhook.deliver(to.url, sent, to.secrets(by.secret_key), by.allow, by.denied_ports, TEST_DEADLINE)
    record(db, Call(to.effect_id, None, sent.id, 1, answer))
    db.run("deliveries/note_test", me=me, project_id=project_id, webhook_id=sent.id, status=answer.status)
    return answer


def record(db: Database | Connection, call: Call) -> None:
    """Keeps a call and its answer; what the receiver said is an excerpt, made safe to show."""
    made = {name: getattr(call, name) for name in ("effect_id", "outbox_id", "webhook_id", "attempt")}
    db.run("deliveries/record", **made, **{name: getattr(call.answer, name) for name in ("status", "error", "excerpt", "seconds")})


def last(db: Database, *, effect_id: int) -> list[Delivery]:
    """The last 50 calls of an effect, newest first."""
    return db.all("deliveries/last", Delivery, effect_id=effect_id)
