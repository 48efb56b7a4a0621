"""Taking an item from a list of the leads': who comes second is told, and sees the list as it is now."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, url_for

from claimcheck.review import tasks
from claimcheck.web import access, desk, htmx


def take(item_id: int, show: Callable[[str], Response], gone: str) -> Response:
    """Claims that one and goes there. Otherwise 409 and what `show` makes of the reason: `gone`, or that they hold another item."""
    claim = tasks.claim(desk().db, me=access.current().id, item_id=item_id)
    if claim is not None and claim.item_id == item_id:
        return htmx.go(url_for("assignments.show", assignment_id=claim.assignment_id))
    response = show(gone if claim is None else "You hold another item: decide it, or give it back first.")
    response.status_code = 409
    return response
