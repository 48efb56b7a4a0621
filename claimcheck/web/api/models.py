"""What answers look like. The views give plain objects; the tests hold every answer against these, and the OpenAPI document shows them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="SHA-256, 64 hex digits")]


class Answer(BaseModel):
    """No field beside these."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, row: object) -> dict[str, Any]:
        """The fields that a row of the desk has; those that it lacks are for the view to add."""
        return {name: getattr(row, name) for name in cls.model_fields if hasattr(row, name)}


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


class Part(Answer):
    """A stored object of an item; part 0 holds the payload's fields. Reading it is put on record."""

    n: int
    name: str
    content_type: str
    size: int
    sha256: Hash
    url: str


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
