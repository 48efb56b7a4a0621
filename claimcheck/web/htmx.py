"""The few places where htmx wants another answer than a browser."""

from __future__ import annotations

from flask import Response, redirect
from htmx_flask import make_response, request


def is_htmx() -> bool:
    """Whether htmx asks."""
    return bool(request.htmx)


def wants_fragment() -> bool:
    """Whether htmx asks for a part of the page. A view that decides by it answers with `Vary: HX-Request-Type`."""
    return is_htmx() and request.headers.get("HX-Request-Type") == "partial"


def go(address: str) -> Response:
    """On to another page, after a POST: 303, or for htmx, which would follow that and swap the page in, 204 with HX-Redirect."""
    return make_response("", 204, redirect=address) if is_htmx() else make_response(redirect(address, 303))
