"""Spans for those who collect them: requests, effects and webhook calls, under the trace ids of the log lines. Off unless OTLP_ENDPOINT is set.

A span is written when it has ended, since an effect learns only on its way what it is about. What it says is chosen here and where it is made:
routes, numbers and states; never a payload, a name, an address or an id that a customer gave.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from claimcheck import config, logs
from claimcheck.operations.spans import Kind, Span

SERVICE = "claimcheck"
_around: ContextVar[Span | None] = ContextVar("span", default=None)
_writer: Any = None


def begin(settings: config.Settings, service: str) -> None:
    """Has the spans of this process sent to OTLP_ENDPOINT, if there is one."""
    global _writer
    if settings.otlp_endpoint and _writer is None:
        from claimcheck.operations import otlp  # packages that are optional

        _writer = otlp.writer(f"{settings.otlp_endpoint}/v1/traces", f"{SERVICE}-{service}")


def end() -> None:
    """Sends what is left, a few seconds at most; nothing is written from now on."""
    global _writer
    former, _writer = _writer, None
    if former is not None:
        former.close()


@contextmanager
def span(name: str, kind: Kind = "internal") -> Iterator[Span]:
    """A span for as long as the block takes. What it is about may be `join`ed once it is known, before spans within it begin."""
    around, made = _around.get(), Span(name, kind)
    if around is not None:
        made.trace_id, made.parent = around.trace_id, around.id
    before = _around.set(made)
    try:
        yield made
    except BaseException as error:
        made.failed = True
        made.say(error__type=type(error).__name__)
        raise
    finally:
        _around.reset(before)
        write(made)


def join(one: Span, trace_id: str | None) -> None:
    """Puts a span without a parent into the trace of an item, or of whatever has an id."""
    if trace_id and not one.parent:
        one.trace_id = logs.whole(trace_id)


def write(one: Span) -> None:
    """The span has ended now."""
    if _writer is not None:
        one.trace_id = one.trace_id or secrets.token_hex(16)
        _writer.write(one, time.time_ns())


def header(trace_id: str) -> str:
    """The `traceparent` of a call: others' spans stand under the one that makes it, where that is of the same trace."""
    around = _around.get()
    return logs.parent(trace_id, around.id if around is not None and around.trace_id == logs.whole(trace_id) else None)
