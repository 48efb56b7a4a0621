"""Unsafe requests are taken from our own pages only. The API, which reads no cookie, is exempt."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, current_app, request

from claimcheck import errors

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def is_api() -> bool:
    """Whether the request is to the bearer-token API."""
    return request.path.startswith("/v1/")


def check() -> None:
    """Raises CrossSite: by Sec-Fetch-Site where the browser sends it, else by Origin; a request with neither is refused."""
    if request.method in SAFE or is_api():
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site not in ("same-origin", "none") if site is not None else origin not in _own_origins():
        raise errors.CrossSite()


def _own_origins() -> tuple[str, ...]:
    base = urlsplit(current_app.extensions["claimcheck"].settings.base_url or "")
    return f"{request.scheme}://{request.host}", f"{base.scheme}://{base.netloc}"


def asked_for() -> None:
    """For a GET that is put on record: raises CrossSite where another site's page makes the browser ask. What is no browser says nothing."""
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise errors.CrossSite()


def install(app: Flask) -> None:
    app.before_request(check)
