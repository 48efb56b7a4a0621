"""Applying: outcomes are carried out in threads of their own, so that a receiver that takes its time holds nobody else up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from claimcheck import errors, logs, outbound
from claimcheck.db import Connection, Database
from claimcheck.forecasts import letters
from claimcheck.operations import tracing
from claimcheck.operations.spans import Span
from claimcheck.outbound import deliveries, notices, outbox
from claimcheck.outbound.deliveries import Call
from claimcheck.outbound.outbox import Lease
from claimcheck.proof import signing

THREADS = 32  # calls under way in a process; they mostly wait
CHAIN_SECONDS = 15.0  # that a thread goes on with what follows, before others get their turn
PAUSE = 0.5  # between two tries of the database

SEALED = "SECRET_KEY does not open the webhook's secret: give the desk its former key, or the webhook a new secret"

Step = TypeVar("Step")
Ending = Callable[[Database | Connection, Lease], str | None]
log = logs.get("claimcheck.outbound.applying")


class Applier:
    """Takes ids of outbox rows and sees to them. What it does is fenced by leases in Postgres: it may be killed at any moment."""

    def __init__(self, db: Database, sender: deliveries.Sender, threads: int = THREADS):
        self.db, self.sender, self.threads = db, sender, threads
        self.resting = threading.Event()  # while it is set nothing new is taken
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="apply")
        self._came_free, self.free = threading.Condition(), threads
        self._stopping = threading.Event()

    def take(self, outbox_id: int, seconds: float | None = None) -> bool:
        """Hands a row to a free thread; waits for one, `seconds` at most. False: none came free, the row is left alone."""
        with self._came_free:
            if self.resting.is_set() or not self._came_free.wait_for(lambda: self.free > 0, seconds) or self._stopping.is_set():
                return False
            self.free -= 1
        self._pool.submit(self._run, outbox_id)
        return True

    @property
    def busy(self) -> int:
        """How many rows are in hand."""
        return self.threads - self.free

    def stop(self) -> None:
        """Finishes what is under way (a call has its deadline), begins nothing more."""
        self._stopping.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, outbox_id: int) -> None:
        try:
            self._chain(outbox_id)
        except errors.Unavailable as error:
            log.warning("apply.unavailable", outbox_id=outbox_id, error=error.detail)  # it is due again, or its lease lapses
        except Exception:
            log.exception("apply.broken", outbox_id=outbox_id)
        finally:
            with self._came_free:
                self.free += 1
                self._came_free.notify()

    def _chain(self, outbox_id: int) -> None:
        """A row and what follows it, so that a partition or an endpoint with a backlog need not wait for the doorbell each time."""
        until = time.monotonic() + CHAIN_SECONDS
        taken = self._lease([outbox_id])
        while taken is not None:
            if taken.lease is not None:
                self._apply(taken)
            taken = self._lease(_insist(until, outbox.after, self.db, taken)) if time.monotonic() < until else None

    def _lease(self, outbox_ids: list[int]) -> Lease | None:
        """The first of these rows that can be had."""
        until = time.monotonic() + CHAIN_SECONDS
        for outbox_id in outbox_ids:
            if not (self._stopping.is_set() or self.resting.is_set()) and (taken := _insist(until, outbox.lease, self.db, outbox_id=outbox_id)):
                return taken
        return None

    def _apply(self, taken: Lease) -> None:
        until = time.monotonic() + (outbox.LETTER_SECONDS if taken.kind == "letter" else outbox.LEASE_SECONDS)
        if taken.undone:
            _insist(until, outbox.drop, self.db, taken)
            return
        logs.trace(None)
        with tracing.span(f"effect {taken.kind}") as span:
            call, end = self._tell(taken, until, span) if taken.kind != "standing" else (None, _done)
            state = _insist(until, self._end, taken, call, end) or "lease lost"
            span.say(claimcheck__outbox_id=taken.outbox_id, claimcheck__decision_id=taken.decision_id)
            span.say(claimcheck__attempt=taken.attempt, claimcheck__state=state)
        named = {"outbox_id": taken.outbox_id, "decision_id": taken.decision_id, "kind": taken.kind}
        log.info("apply.ended", **named, attempt=taken.attempt, state=state)

    def _tell(self, taken: Lease, until: float, span: Span) -> tuple[Call | None, Ending]:
        """The call, where it came to one, and what is to be written down."""
        try:
            return self._write(taken, until) if taken.kind == "letter" else self._call(taken, until, span)
        except signing.Unsealable:
            return None, _failed(taken, SEALED, permanent=True)
        except outbound.Failure as failure:
            return None, _failed(taken, str(failure), permanent=failure.fault == "denied")
        except errors.Unavailable:
            raise
        except Exception as error:
            log.exception("apply.broken", outbox_id=taken.outbox_id)
            return None, _failed(taken, f"The desk could not make the call ({type(error).__name__})")

    def _call(self, taken: Lease, until: float, span: Span) -> tuple[Call | None, Ending]:
        to, sent = _insist(until - deliveries.DEADLINE, deliveries.prepare, self.db, taken)
        logs.trace(sent.trace_id)
        tracing.join(span, sent.trace_id)
        with tracing.span("POST webhook", "client") as made:
            call = deliveries.deliver(self.sender, to, sent, taken)
            made.failed = call.answer.kind != "applied"
            made.say(http__response__status_code=call.answer.status, claimcheck__answer=call.answer.kind)
        return call, _done if call.answer.kind == "applied" else _answered(taken, call.answer)

    def _write(self, taken: Lease, until: float) -> tuple[None, Ending]:
        notice = _insist(until - outbox.LETTER_SECONDS + outbox.LEASE_SECONDS, notices.load, self.db, notice_id=taken.notice_id)
        letters.send(self.sender.post, self.sender.base_url, notice)
        return None, _done

    def _end(self, taken: Lease, call: Call | None, end: Ending) -> str | None:
        if call is None:
            return end(self.db, taken)
        with self.db.transaction() as connection:
            deliveries.record(connection, call)
            return end(connection, taken)


def _insist(until: float, step: Callable[..., Step], *args: Any, **named: Any) -> Step:
    """Takes a step in the database, for as long as there is time: what has happened elsewhere would have to happen again."""
    while True:
        try:
            return step(*args, **named)
        except (errors.Unavailable, errors.Again) as error:
            if time.monotonic() + PAUSE > until:
                raise
            time.sleep(0 if isinstance(error, errors.Again) else PAUSE)


def _done(connection: Database | Connection, taken: Lease) -> str | None:
    return "done" if outbox.done(connection, taken) else None


def _answered(taken: Lease, answer: outbound.Answer) -> Ending:
    how = {"permanent": answer.kind == "permanent", "gone": answer.kind == "gone", "blames_endpoint": answer.kind == "transient"}
    return _failed(taken, answer.error or "The receiver gave no answer.", retry_after=answer.retry_after, **how)


def _failed(taken: Lease, error: str, retry_after: float | None = None, **how: bool) -> Ending:
    pause = outbound.backoff(taken.attempt, retry_after)
    return lambda connection, taken: outbox.failed(connection, taken, error=error, pause=pause, retry_after=retry_after, **how)
