"""`/v1/signing-keys`: what receipts are checked with."""

from __future__ import annotations

from typing import Any

from claimcheck import keys
from claimcheck.web import desk
from claimcheck.web.api import models
from claimcheck.web.api.routes import ANYBODY, Call, route


@route("GET", "/signing-keys", roles=ANYBODY, answers={200: models.SigningKeys})
def public(call: Call) -> Any:  # noqa: ARG001
    """Every public key that ever signed a receipt, newest first."""
    return 200, {"keys": [{"id": k.id, "public_key": k.public_key, "created_at": k.created_at} for k in keys.all(desk().db)]}
