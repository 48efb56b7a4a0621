"""Bearer tokens: the only way into the API. No cookie, no other scheme, no token in an address."""

from __future__ import annotations

from flask import request

from claimcheck import errors
from claimcheck.access import tokens
from claimcheck.access.people import Person
from claimcheck.web import desk


def person(roles: tuple[str, ...]) -> Person | None:
    """Who calls; None only where anybody may. Raises Unauthenticated, or Forbidden for another role than these."""
    if not roles:
        return None
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    found = tokens.person_of(desk().db, token.strip()) if scheme.lower() == "bearer" else None
    if found is None:
        raise errors.Unauthenticated("Send a valid token: Authorization: Bearer …")
    if found.role not in roles:
        raise errors.Forbidden(f"This is for a {' or '.join(roles)}; your token is a {found.role}'s.")
    return found
