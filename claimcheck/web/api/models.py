"""What answers look like. The views give plain objects; the tests hold every answer against these, and the OpenAPI document shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from claimcheck import questions, rules

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256, 64 hex digits")]


class Answer(BaseModel):
    """No field beside these."""

    model_config = ConfigDict(extra="forbid")


class FieldError(Answer):
    field: str
    message: str


class Problem(BaseModel):
    """An error (RFC 9457). Some carry more, such as `dead_letter_id`."""

    type: str
    title: str
    status: int
    code: str = Field(description="for programs; the sentence in `detail` is for people")
    detail: str
    errors: list[FieldError]
    trace_id: str


class Started(Answer):
    """Rows were taken in; they become claimable as they are stored. The batch says how far that is."""

    batch_id: int
    status_url: str


class ProjectMade(Started):
    id: int
    webhook_secret: str | None = Field(None, description="signs webhooks; shown this once")


class Counts(Answer):
    """Items, by where they are; `refused` are rows kept as dead letters."""

    pending: int
    leased: int
    blocked: int
    escalated: int
    settled: int
    not_durable: int
    refused: int


class Project(Answer):
    id: int
    customer: str
    name: str
    version: int
    shown_version: int = Field(description="the last version that changed what is shown or asked; stands in evidence hashes")
    rules: rules.Rules
    counts: Counts
    created_at: datetime
    paused_at: datetime | None
    cancelled_at: datetime | None


class ProjectChanged(Project):
    webhook_secret: str | None = Field(None, description="of a webhook that is new; shown this once")


class Projects(Answer):
    projects: list[Project]
    next: str | None


class RulesVersion(Answer):
    version: int
    shown_version: int
    rules: rules.Rules
    why: str
    created_at: datetime
    by: str


class RulesVersions(Answer):
    versions: list[RulesVersion]


class Refused(Answer):
    idempotency_key: str | None
    code: str
    field: str
    detail: str
    dead_letter_id: int


class Part(Answer):
    """A stored object of an item; part 0 holds the payload's fields. Reading it is put on record."""

    n: int
    name: str
    content_type: str
    size: int
    sha256: Hash
    url: str


class Task(Answer):
    """A task in your hands until `lease_expires`. `lease_token` proves it; heartbeats extend it."""

    assignment_id: int
    task_id: int
    item_id: int
    project_id: int
    project: str
    kind: str
    queue: str
    lease_token: UUID
    lease_no: int
    lease_expires: datetime
    hold_until: datetime
    payload_url: str = Field(description="the payload's fields")
    parts: list[Part]
    evidence_version: int
    evidence_hash: Hash
    question: questions.Question
    verdicts: list[str] = Field(description="those that it may end in; empty where the question only takes an answer")
    reason_codes: list[str]
    reasons: list[rules.ReasonCode]
    skip_reasons: list[rules.Reason]
    guidance: str


class Lease(Answer):
    lease_expires: datetime
    idle: bool = Field(description="the person was away too long, so it was not extended")


class SentBack(Answer):
    task_id: int


class Receipt(BaseModel):
    """A decision, signed (Ed25519): the same bytes each time. Check it with `bin/claimcheck verify`."""

    decision_id: int
    item_id: int
    idempotency_key: str
    verdict: str | None
    answer: Any
    reason_code: str | None
    evidence_hash: Hash
    evidence: dict[str, Any]
    reviewer: str
    decided_at: str
    key_id: str
    signature: str


class Decision(Answer):
    id: int
    decision_id: int
    item_id: int
    project_id: int
    project_version: int
    idempotency_key: str
    trace_id: str
    kind: str
    decided_by: str
    verdict: str | None
    answer: Any
    outcome: str | None = Field(description="what the item comes to by it; null for a look that settled nothing")
    reason_code: str
    note: str
    supersedes: int | None
    superseded_by: int | None
    evidence_version: int
    evidence_hash: Hash
    current_evidence_version: int
    evidence_changed: bool
    decided_at: datetime


class Result(Answer):
    decision_id: int
    item_id: int
    idempotency_key: str
    trace_id: str
    outcome: str
    verdict: str | None
    answer: Any
    reason_code: str
    note: str
    decided_by: str
    decided_at: datetime
    supersedes: int | None
    superseded_by: int | None
    project_version: int
    shown_version: int
    evidence_version: int
    evidence_hash: Hash
    current_evidence_version: int
    current_evidence_hash: Hash | None
    evidence_changed: bool


class Results(Answer):
    results: list[Result]
    after: int = Field(description="go on after this one, now or later")
    next: str | None = Field(description="the next page, if there is one now")


class Version(Answer):
    version: int
    created_at: datetime
    published_at: datetime | None
    evidence_hash: Hash | None
    parts: list[Part]


class Entry(Answer):
    """One thing done with an item."""

    at: datetime
    kind: str
    who: str
    task_kind: str
    decision_id: int | None
    verdict: str | None
    answer: Any
    outcome: str | None
    reason: str | None
    note: str
    evidence_version: int
    evidence_hash: Hash | None


class Outcome(Answer):
    decision_id: int
    outcome: str
    verdict: str | None
    answer: Any
    reason_code: str | None
    settled_at: datetime
    evidence_version: int
    evidence_changed: bool


class Item(Answer):
    id: int
    item_id: int
    project_id: int
    batch_id: int
    idempotency_key: str
    source_hash: Hash
    trace_id: str
    priority: int
    partition_key: str | None
    title: str
    created_at: datetime
    state: str = Field(description="not_durable, pending, leased, blocked, paused, escalated, settled, cancelled")
    lease_count: int
    evidence_version: int
    outcome: Outcome | None
    versions: list[Version]
    history: list[Entry]


class PayloadTaken(Answer):
    item_id: int
    evidence_version: int
    status_url: str


class Upload(Answer):
    upload: str = Field(description="name it in an item's `files`")
    name: str
    content_type: str
    size: int
    sha256: Hash


class DeadLetter(Answer):
    id: int
    project_id: int
    project: str
    batch_id: int | None
    idempotency_key: str | None
    code: str
    field: str
    detail: str
    source_hash: Hash
    bytes: int
    trace_id: str
    created_at: datetime


class DeadLetters(Answer):
    dead_letters: list[DeadLetter]
    next: str | None


class Skill(Answer):
    name: str
    tier: int
    status: str


class Me(Answer):
    """You, and what waits for you; counts stop at 200."""

    id: int
    name: str
    pseudonym: str
    role: str
    skills: list[Skill]
    waiting: int
    held: int
    next_free_seconds: int | None
    done_today: int
    assignment_id: int | None


class SigningKey(Answer):
    id: str
    public_key: str = Field(description="PEM, Ed25519")
    created_at: datetime


class SigningKeys(Answer):
    keys: list[SigningKey]
