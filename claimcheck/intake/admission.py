"""Admission: messages through the gates into the ledger and the inbox, each once for ever, or with their bytes into the dead letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal
from uuid import uuid4

from psycopg.types.json import Jsonb

from claimcheck import errors, lines
from claimcheck.db import Connection, Database
from claimcheck.intake import dead_letters, gates, parameters, rooms, signals
from claimcheck.intake.gates import Passed, Refusal, Said

LIMIT = 500  # messages of one call
OTHER_CONTENT = Refusal(
    "idempotency",
    errors.DuplicateKey.code,
    "other_content",
    "idempotency_key",
    "was used before with other content, which stands; send other content under another key",
)
Result = Literal["admitted", "repeated", "refused"]
_Key = tuple[int | None, str | None]
Body = bytes | lines.TooLong  # a message as it came; of one that is too long, how it begins


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends, through which door, and what is worth keeping of how: headers without secrets. Without a customer, every project is theirs."""

    person_id: int
    customer_id: int | None
    source: Literal["http", "file", "stream", "replay"]
    headers: Mapping[str, str] = field(default_factory=dict)
    trace_id: str = ""  # of a message that names none; each gets its own where this is empty


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a message. A repeat has the first one's id and trace id; of a refused one `refusals` are all, the other fields the first."""

    result: Result
    message_id: int | None = None
    idempotency_key: str | None = None
    trace_id: str = ""
    source_hash: bytes | None = None
    code: str | None = None
    gate: str | None = None
    cause: str | None = None
    field: str | None = None
    detail: str | None = None
    dead_letter_id: int | None = None
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class _Project:
    id: int
    customer_id: int
    cancelled: bool
    ask: str


@dataclass(frozen=True, slots=True)
class _Known:
    nth: int
    message_id: int
    message_hash: bytes
    source_hash: bytes
    trace_id: str
    new: bool


@dataclass(frozen=True, slots=True)
class _Draft:
    """A message on its way in: what it is, or why it can't be."""

    body: Body = field(repr=False)
    said: Said
    trace_id: str
    project_id: int | None = None  # the sender's, once it is known to be
    passed: Passed | None = None
    message_hash: bytes = b""
    source_hash: bytes | None = None
    refusals: tuple[Refusal, ...] = ()

    @property
    def key(self) -> _Key:
        return self.said.project_id, self.said.idempotency_key

    def refused(self, *refusals: Refusal) -> _Draft:
        return replace(self, passed=None, refusals=refusals)


def room(db: Database, settings: parameters.Version) -> None:
    """Raises QueueSaturated while the inbox is full; whoever reads from producers asks before each call of `admit`."""
    rooms.check(db, settings)


def admit(db: Database, bodies: Sequence[Body], *, sender: Sender, worker: str, settings: parameters.Version) -> list[Answer]:
    """Takes at most LIMIT messages in, in their order, in one transaction; an answer for each. Bad ones are kept beside the good ones.

    Nothing of it is in where this raises; where that is Unavailable at the commit, send the same again.
    """
    if len(bodies) > LIMIT:
        raise ValueError(f"{len(bodies)} messages at once; the limit is {LIMIT}")
    drafts = [_read(body, sender.trace_id) for body in bodies]
    answers = db.together(lambda connection: _admit(connection, drafts, sender, worker, settings.version)) if drafts else []
    rooms.add(db, sum(answer.result == "admitted" for answer in answers))
    tell(db, answers, settings.version)
    return answers


def within(connection: Connection, bodies: Sequence[Body], *, sender: Sender, worker: str, settings: parameters.Version) -> list[Answer]:
    """As `admit`, in the caller's transaction, which raises errors.Again when it is to be run anew. What came of it is the caller's to `tell`."""
    return _admit(connection, [_read(body, sender.trace_id) for body in bodies], sender, worker, settings.version) if bodies else []


def _read(body: Body, trace_id: str) -> _Draft:
    """Everything that needs no database, done before the transaction begins."""
    found = gates.judge(body)
    if isinstance(found, list):
        said = gates.said(body)
        return _Draft(body, said, said.trace_id or trace_id or uuid4().hex, refusals=tuple(found))
    message = found.message
    said = Said(message.project_id, message.idempotency_key, message.trace_id)
    trace_id = message.trace_id or trace_id or uuid4().hex
    return _Draft(body, said, trace_id, passed=found, message_hash=message.message_hash(), source_hash=message.source_hash())


def _admit(connection: Connection, drafts: Sequence[_Draft], sender: Sender, worker: str, version: int) -> list[Answer]:
    projects = _projects(connection, drafts, sender)
    drafts = [_of_project(draft, projects) for draft in drafts]
    firsts: dict[_Key, _Draft] = {}
    for draft in drafts:
        if draft.passed:
            firsts.setdefault(draft.key, draft)
    once = list(firsts.values())  # each where its key came first
    known = _insert(connection, once, sender, worker, version)
    first = {id(draft) for draft in once}
    drafts = [_judged(draft, known) for draft in drafts]
    letters = _keep(connection, drafts, sender)
    answers = [_answer(draft, known.get(draft.key), id(draft) in first, letters.get(n)) for n, draft in enumerate(drafts)]
    _record(connection, drafts, answers, sender, worker, version)
    return answers


def _projects(connection: Connection, drafts: Sequence[_Draft], sender: Sender) -> dict[int, _Project]:
    """Those of the messages' projects that are the sender's."""
    ids = sorted({draft.said.project_id for draft in drafts if draft.said.project_id is not None})
    found = connection.all("inbox/projects", _Project, ids=ids) if ids else []
    return {project.id: project for project in found if sender.customer_id in (None, project.customer_id)}


def _of_project(draft: _Draft, projects: Mapping[int, _Project]) -> _Draft:
    """The draft with its project, or why that one doesn't take it."""
    project = projects.get(draft.said.project_id or 0)
    draft = replace(draft, project_id=project.id if project else None)
    if draft.passed is None:
        return draft
    if project is None:
        return draft.refused(_structural("no_such_project", "names no project of yours; GET /v1/projects lists them"))
    if project.cancelled:
        return draft.refused(_structural("project_cancelled", "names a project that was cancelled; it takes no more messages"))
    if project.ask != "verdict":
        return draft.refused(_structural("asks_no_verdict", f"names a project that asks for a {project.ask}; breaks are settled by a verdict"))
    return draft


def _structural(cause: str, detail: str) -> Refusal:
    return Refusal("structural", gates.POISON, cause, "project_id", detail)


def _insert(connection: Connection, once: Sequence[_Draft], sender: Sender, worker: str, version: int) -> dict[_Key, _Known]:
    """The ledger's row of each key, made now where there was none."""
    if not once:
        return {}
    messages = [draft.passed.message for draft in once if draft.passed]
    partitions = sorted({(m.project_id, m.partition_key) for m in messages})
    connection.run("inbox/hold", project_ids=[p for p, _ in partitions], keys=[k for _, k in partitions])
    rows = connection.all(
        "inbox/admit",
        _Known,
        project_ids=[m.project_id for m in messages],
        keys=[m.idempotency_key for m in messages],
        message_hashes=[draft.message_hash for draft in once],
        source_hashes=[draft.source_hash for draft in once],
        trace_ids=[draft.trace_id for draft in once],
        partition_keys=[m.partition_key for m in messages],
        entities=[m.ledger_entity for m in messages],
        currencies=[m.currency for m in messages],
        variances=[m.variance for m in messages],
        match_decisions=[m.match_decision for m in messages],
        bodies=[draft.body for draft in once],
        source=sender.source,
        by=sender.person_id,
        worker=worker,
        settings_version=version,
    )
    return {once[row.nth - 1].key: row for row in rows}


def _judged(draft: _Draft, known: Mapping[_Key, _Known]) -> _Draft:
    """The other half of the idempotency gate: the same key stands for the same content."""
    if draft.passed is None or known[draft.key].message_hash == draft.message_hash:
        return draft
    return draft.refused(OTHER_CONTENT)


def _keep(connection: Connection, drafts: Sequence[_Draft], sender: Sender) -> dict[int, int]:
    """The dead letter of each refused draft, by its place."""
    by_project: dict[int | None, list[int]] = {}
    for n, draft in enumerate(drafts):
        if draft.refusals:
            by_project.setdefault(draft.project_id, []).append(n)
    letters: dict[int, int] = {}
    for project_id, places in by_project.items():
        refused = [_letter(drafts[n], sender) for n in places]
        whose = {"customer_id": sender.customer_id, "received_by": sender.person_id}
        kept = dead_letters.keep(connection, project_id=project_id, batch_id=None, refused=refused, **whose)
        letters |= {n: letter.dead_letter_id for n, letter in zip(places, kept, strict=True)}
    return letters


def _letter(draft: _Draft, sender: Sender) -> dead_letters.Refused:
    first, body = draft.refusals[0], draft.body if isinstance(draft.body, bytes) else draft.body.beginning
    more = "".join(f"; {r.field} {r.detail} ({r.gate}: {r.cause})" for r in draft.refusals[1:])
    told = {"gate": first.gate, "cause": first.cause, "source": sender.source, "headers": sender.headers}
    return dead_letters.Refused(draft.said.idempotency_key, first.code, first.field, first.detail + more, draft.trace_id, body, **told)


def _answer(draft: _Draft, row: _Known | None, first: bool, letter: int | None) -> Answer:
    if draft.refusals:
        first_refusal = draft.refusals[0]
        named = (draft.said.idempotency_key, draft.trace_id, draft.source_hash)
        return Answer("refused", None, *named, first_refusal.code, first_refusal.gate, *first_refusal[2:], letter, draft.refusals)
    assert row is not None
    result: Result = "admitted" if row.new and first else "repeated"
    return Answer(result, row.message_id, draft.said.idempotency_key, row.trace_id, row.source_hash)


def _record(connection: Connection, drafts: Sequence[_Draft], answers: Sequence[Answer], sender: Sender, worker: str, version: int) -> None:
    """One record for each repeat and each refusal; the admitted ones have theirs."""
    told = [(d, a) for d, a in zip(drafts, answers, strict=True) if a.result != "admitted"]
    if not told:
        return
    messages = [d.passed.message if d.passed else None for d, _ in told]
    connection.run(
        "pipeline_records/note",
        decisions=[a.result for _, a in told],
        project_ids=[d.project_id for d, _ in told],
        message_ids=[a.message_id for _, a in told],
        keys=[d.said.idempotency_key for d, _ in told],
        trace_ids=[a.trace_id for _, a in told],
        source_hashes=[a.source_hash for _, a in told],
        match_decisions=[m and m.match_decision for m in messages],
        currencies=[m and m.currency for m in messages],
        variances=[_variance(m) for m in messages],
        dead_letter_ids=[a.dead_letter_id for _, a in told],
        codes=[a.code for _, a in told],
        details=[Jsonb(_detail(a, sender)) for _, a in told],
        worker=worker,
        settings_version=version,
    )


def _variance(message: Any) -> Decimal | None:
    return message.variance if message else None


def _detail(answer: Answer, sender: Sender) -> dict[str, Any]:
    refusals = [{"gate": r.gate, "cause": r.cause, "field": r.field[:200]} for r in answer.refusals]
    return {"source": sender.source, **({"refusals": refusals} if refusals else {})}


def tell(db: Database, answers: Sequence[Answer], version: int) -> None:
    """Poison is told once a call, with the last one's trace."""
    poison = [a for a in answers if a.code == gates.POISON]
    if poison:
        last = poison[-1]
        said = f"{last.cause}: {last.field} {last.detail} (dead letter {last.dead_letter_id})"
        traced = {"trace_id": last.trace_id, "source_hash": last.source_hash}
        signals.note(db, "POISON_MESSAGE", said, settings_version=version, n=len(poison), **traced)
