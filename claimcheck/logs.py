"""Log lines: one event a line, as JSON, with secrets struck out."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog

NAMES = re.compile(r"password|secret|token|cookie|authorization|api_?key", re.IGNORECASE)
SECRETS = re.compile(r"(?<![A-Za-z0-9_-])(?![0-9a-f]+(?![A-Za-z0-9_-]))[A-Za-z0-9_-]{40,}")  # ours are 43 and more; hashes are hexadecimal
CREDENTIALS = re.compile(r"(://[^/\s:@]*:)[^@\s/]+@")
WHOLE = re.compile(r"(?!0{32})[0-9a-f]{32}")
STRUCK = "[struck out]"


def _struck(value: Any) -> Any:
    if isinstance(value, str):
        return CREDENTIALS.sub(rf"\1{STRUCK}@", SECRETS.sub(STRUCK, value))
    if isinstance(value, dict):
        return {str(k): STRUCK if NAMES.search(str(k)) else _struck(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_struck(v) for v in value]
    return value


def redact(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor: no value under a secret's name, nothing that looks like one of our secrets."""
    return _struck(dict(event))


def configure(stream: TextIO | None = None) -> None:
    """Everything that is logged in this process, by us or by a library, becomes a line of JSON on `stream` (standard error)."""
    before: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.format_exc_info,
    ]
    render = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, redact, structlog.processors.JSONRenderer()]
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=before, processors=render))
    root = logging.getLogger()
    root.handlers, root.level = [handler], logging.INFO
    structlog.configure(
        processors=[*before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def trace(trace_id: str | None, field: str = "trace_id") -> None:
    """What this thread, or this request, logs from now on carries the trace id; None: no more. `field`: where the request has an id of its own."""
    structlog.contextvars.unbind_contextvars(field)
    if trace_id:
        structlog.contextvars.bind_contextvars(**{field: trace_id})


def whole(trace_id: str) -> str:
    """The id itself where it has the W3C form, 32 hexadecimal digits, else one of that form that is always made of it."""
    return trace_id if WHOLE.fullmatch(trace_id) else hashlib.sha256(trace_id.encode()).hexdigest()[:32]


def parent(trace_id: str, span_id: str | None = None) -> str:
    """A `traceparent` header (W3C) under which another's spans join ours."""
    return f"00-{whole(trace_id)}-{span_id or secrets.token_hex(8)}-01"


def get(name: str) -> Any:
    """A logger whose lines carry its name."""
    return structlog.get_logger(name)
