"""`/v1/signing-keys`: what receipts are checked with."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from claimcheck.proof import keys
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.routes import ANYBODY, Call, route


class SigningKey(models.Answer):
    id: str
    public_key: str = Field(description="PEM, Ed25519")
    created_at: datetime = Field(description="it signs what was decided from then on")


class SigningKeys(models.Answer):
    keys: list[SigningKey]


@route("GET", "/signing-keys", roles=ANYBODY, answers={200: SigningKeys})
def public(call: Call) -> Any:  # noqa: ARG001
    """Every public key that ever signed a receipt, newest first."""
    return 200, {"keys": [{"id": k.id, "public_key": k.public_key, "created_at": k.created_at} for k in keys.all(desk().db)]}
