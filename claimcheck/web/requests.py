"""One trace id and one log line for each request."""

from __future__ import annotations

import re
import secrets
import time

import structlog
from flask import Flask, Response, g, request
from flask_login import current_user

from claimcheck import logs
from claimcheck.operations import tracing
from claimcheck.operations.spans import Span

log = logs.get("claimcheck.web")
TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}")
QUIET = ("/static/", "/healthz", "/readyz")


def _begin() -> None:
    """The caller's trace id where the W3C header carries one, else a new one."""
    given = TRACEPARENT.fullmatch(request.headers.get("traceparent", ""))
    g.trace_id, g.began = given[1] if given else secrets.token_hex(16), time.perf_counter()
    g.span = Span("request", "server", g.trace_id, given[2] if given else "")
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(trace_id=g.trace_id)


def _finish(response: Response) -> Response:
    response.headers["X-Trace-Id"] = g.get("trace_id", "")
    if not request.path.startswith(QUIET):
        log.info(
            "request",
            method=request.method,
            path=request.path,
            route=request.url_rule.rule if request.url_rule else None,
            status=response.status_code,
            ms=round((time.perf_counter() - g.get("began", time.perf_counter())) * 1000, 1),
            person=_person_id(),
            address=request.remote_addr,
            agent=request.user_agent.string[:200],
        )
        _write(response)
    return response


def _write(response: Response) -> None:
    """Of the request's span, too: the route, never the path with its ids or what was asked."""
    route, item = request.url_rule, structlog.contextvars.get_contextvars().get("item_trace_id")
    if "span" in g:
        g.span.name, g.span.failed = f"{request.method} {route.rule if route else 'unknown'}", response.status_code >= 500
        g.span.say(http__request__method=request.method, http__route=route and route.rule, http__response__status_code=response.status_code)
        g.span.say(claimcheck__item_trace_id=logs.whole(item) if item else None)
        tracing.write(g.span)


def _person_id() -> int | None:
    """Whoever was recognised on the way; nobody is looked up for the sake of a log line."""
    return current_user.person.id if "_login_user" in g and current_user.is_authenticated else g.get("person_id")


def install(app: Flask) -> None:
    app.before_request(_begin)
    app.after_request(_finish)
