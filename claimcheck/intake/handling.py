"""Handling: pulled messages become items in the queues that their projects' rules name, all of a batch in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from claimcheck import errors, items, projects
from claimcheck import rules as rules_
from claimcheck.db import Connection, Database
from claimcheck.intake import batches, dead_letters, gates, inbox, parameters, signals
from claimcheck.intake.dead_letters import Refused
from claimcheck.intake.inbox import Run, Waiting

AUTOMATIC = "automatic"
LOST = "its handler did not come back"  # as inbox/read says; what else failed is an exception's words, which are no customer's to read


@dataclass(frozen=True, slots=True)
class Handled:
    """How many became items, and how many dead letters."""

    routed: int
    refused: int


@dataclass(frozen=True, slots=True)
class _Became:
    """What became of a message: an item in a queue, or a dead letter."""

    waiting: Waiting
    item_id: int | None
    queue: str | None
    kept: dead_letters.Kept | None

    def said(self) -> inbox.Became:
        code, letter = (self.kept.code, self.kept.dead_letter_id) if self.kept else (None, None)
        return inbox.Became(self.waiting.message_id, self.item_id, self.queue, code, letter)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Messages of one project and one sender, in order, each with its row; `terms` is None where nothing can go in."""

    project_id: int
    by: int
    messages: list[Waiting]
    queues: dict[str, str]  # by idempotency key
    rows: list[items.Ready | Refused]
    terms: items.Terms | None


def handle(db: Database, runs: Sequence[Run], *, worker: str, settings: parameters.Version) -> Handled:
    """All of it is written, or nothing.

    Raises LeaseExpired with `lost`, the partitions that others have by now; QueueSaturated while too much waits for the
    store; Unavailable.
    """
    try:
        inbox.begin(db, runs)
        chunks = [_prepared(db, settings, *group) for group in _groups(runs)]
        became = db.together(lambda connection: _write(connection, runs, chunks, worker, settings))
    except errors.LeaseExpired as error:
        _tell_lost(db, runs, error, settings)
        raise
    refused = [one for one in became if one.kept]
    if refused:
        _tell_refused(db, refused, settings)
    return Handled(len(became) - len(refused), len(refused))


def _groups(runs: Sequence[Run]) -> list[tuple[int, int, list[Waiting]]]:
    """By project and sender, together as far as each partition's order allows: what follows another sender's goes into a later group."""
    found: dict[tuple[int, int, int], list[Waiting]] = {}
    for run in runs:
        for nth, (by, messages) in enumerate(groupby(run.messages, key=lambda message: message.received_by)):
            found.setdefault((nth, run.project_id, by), []).extend(messages)
    return [(project, by, found[nth, project, by]) for nth, project, by in sorted(found)]


def _prepared(db: Database, settings: parameters.Version, project_id: int, by: int, messages: list[Waiting]) -> _Chunk:
    rules = _rules(db, project_id)
    judged = [_judged(message, rules, settings) for message in messages]
    queues = {row.item["idempotency_key"]: row.queue for row in judged if isinstance(row, items.Routed)}
    routed = [row for row in judged if isinstance(row, items.Routed)]
    try:
        terms, ready = items.prepare(db, project=project_id, rows=routed, by=by)
    except errors.ProjectCancelled as error:
        return _Chunk(project_id, by, messages, {}, [_refused(m, error.code, "project_id", error.detail) for m in messages], None)
    prepared = iter(ready)
    rows = [row if isinstance(row, Refused) else _marked(next(prepared), m) for row, m in zip(judged, messages, strict=True)]
    return _Chunk(project_id, by, messages, queues, rows, terms)


def _rules(db: Database, project_id: int) -> rules_.Rules:
    return _parsed(db, project_id, projects.version(db, project_id))


@lru_cache(maxsize=256)
def _parsed(db: Database, project_id: int, version: int) -> rules_.Rules:
    """A version never changes."""
    return projects.rules(db, project_id, version)


def _judged(waiting: Waiting, rules: rules_.Rules, settings: parameters.Version) -> items.Routed | Refused:
    """Through all the gates again, and to its route."""
    most = settings.parameters.max_attempts
    if waiting.attempts >= most:
        how = LOST if waiting.last_error == LOST else "it failed by a fault that stands in the desk's log"
        said = f"could not be handled in {waiting.attempts} attempts; the last one: {how}"
        return _refused(waiting, gates.POISON, "body", said, cause="handler_failed")
    judged = gates.judge(waiting.body)
    if isinstance(judged, list):
        first = judged[0]
        said = "; ".join([first.detail, *(f"{other.field} {other.detail}" for other in judged[1:4])])
        return _refused(waiting, first.code, first.field, said, cause=first.cause, gate=first.gate)
    message = judged.message
    money = {"variance": message.variance, "currency": message.currency, "match_decision": message.match_decision}
    route = rules.thresholds.route(**money) if message.variance else None
    priority = {"priority": route.priority} if route and route.priority is not None else {}
    queue = (route.queue if route else "review") if message.variance else AUTOMATIC
    return items.Routed({**message.item(waiting.trace_id), **priority}, queue, waiting.message_id, waiting.body)


def _refused(waiting: Waiting, code: str, field: str, detail: str, **more: Any) -> Refused:
    row = Refused(waiting.idempotency_key, code, field, detail, waiting.trace_id, waiting.body, **more)
    return replace(row, source="pool", attempts=waiting.attempts, message_id=waiting.message_id)


def _marked(row: items.Ready | Refused, waiting: Waiting) -> items.Ready | Refused:
    """What an item was refused for is the message's."""
    if isinstance(row, items.Ready):
        return row
    field = row.field.partition("].")[2] or row.field
    return _refused(waiting, row.code, field, row.detail, cause=row.cause, gate="structural")


def _write(connection: Connection, runs: Sequence[Run], chunks: list[_Chunk], worker: str, settings: parameters.Version) -> list[_Became]:
    became = [one for chunk in chunks for one in _insert(connection, chunk)]
    inbox.leave(connection, runs, [one.said() for one in became], worker=worker, settings=settings)
    return became


def _insert(connection: Connection, chunk: _Chunk) -> list[_Became]:
    if chunk.terms is None:
        refused = [row for row in chunk.rows if isinstance(row, Refused)]
        kept, taken = dead_letters.keep(connection, project_id=chunk.project_id, batch_id=None, refused=refused, received_by=chunk.by), {}
    else:
        batch_id = batches.pipeline(connection, project_id=chunk.project_id, by=chunk.by)
        done = items.insert(connection, chunk.project_id, batch_id, chunk.rows, chunk.terms, chunk.by)
        kept, taken = done.refused, {one.idempotency_key: one.item_id for one in done.taken}
    letters = {letter.idempotency_key: letter for letter in kept}
    return [_became(message, letters.get(message.idempotency_key), taken, chunk.queues) for message in chunk.messages]


def _became(waiting: Waiting, kept: dead_letters.Kept | None, taken: dict[str, int], queues: dict[str, str]) -> _Became:
    if kept is not None:
        return _Became(waiting, None, None, kept)
    return _Became(waiting, taken[waiting.idempotency_key], queues[waiting.idempotency_key], None)


def _tell_lost(db: Database, runs: Sequence[Run], error: errors.LeaseExpired, settings: parameters.Version) -> None:
    lost = [run for run in runs if run.partition_id in error.facts["lost"]]  # type: ignore[operator]
    first = next((run.messages[0] for run in lost if run.messages), None)
    said = f"another handler has partition {lost[0].key!r}" + (f" and {len(lost) - 1} more" if len(lost) > 1 else "")
    hashes = {"trace_id": first.trace_id, "source_hash": first.source_hash} if first else {}
    signals.note(db, "LEASE_EXPIRED", said, settings_version=settings.version, n=len(lost), **hashes)


def _tell_refused(db: Database, refused: list[_Became], settings: parameters.Version) -> None:
    first = refused[0]
    assert first.kept is not None
    said = f"{first.kept.field}: {first.kept.detail}" + (f" (and {len(refused) - 1} more)" if len(refused) > 1 else "")
    marks = {"trace_id": first.waiting.trace_id, "source_hash": first.waiting.source_hash}
    signals.note(db, "POISON_MESSAGE", said, settings_version=settings.version, n=len(refused), **marks)
