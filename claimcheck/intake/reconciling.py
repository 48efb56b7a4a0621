"""A bank statement against a ledger: what does not agree becomes messages, what can't be read becomes dead letters."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from claimcheck import canonical, errors
from claimcheck.db import Connection, Database
from claimcheck.intake import admission, dead_letters, gates, ledgers, matching, parameters, signals, statements
from claimcheck.intake.admission import Answer, Sender
from claimcheck.intake.currencies import PLACES
from claimcheck.intake.ledgers import Row
from claimcheck.intake.matching import Break
from claimcheck.intake.statements import Entry, Flaw

LONGEST, LONGEST_TEXT = 200, 60  # characters of a partition's key
BYTES = 32 * 1024 * 1024  # of a statement file, and of a ledger


@dataclass(frozen=True, slots=True)
class Sheets:
    """The two files, each with its name and bytes."""

    statement: tuple[str, bytes]
    ledger: tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What became of the two files: `answers` are of the breaks, in their order; `flaws` were kept under `letters`."""

    read: statements.Reading
    result: matching.Result
    answers: tuple[Answer, ...]
    letters: tuple[int, ...]


def reconcile(
    db: Database, sheets: Sheets, *, project_id: int, by: int, settings: parameters.Version, worker: str, days: int = 0, encoding: str | None = None
) -> Reconciled:
    """Takes the breaks between the two files in; the same files again change nothing but the flaws' letters.

    Raises Invalid, before anything is taken, where the ledger can't be read; QueueSaturated where the inbox is full, which
    may be after some hundred breaks: send the same again.
    """
    for name, data in (sheets.statement, sheets.ledger):
        if len(data) > BYTES:
            raise errors.Invalid.field(name, f"has {len(data):,} bytes; the limit is {BYTES:,}: import it in parts")
    rows = ledgers.read(sheets.ledger[1], sheets.ledger[0])
    read = statements.read(sheets.statement[1], encoding)
    result = matching.match(read.statements, rows, days=days)
    sender = Sender(by, None, "file", {"file": sheets.statement[0], "ledger": sheets.ledger[0], "format": "mt940"})
    letters = _keep(db, read.flaws, project_id, sender, worker, settings.version)
    bodies = [*messages(project_id, result.breaks)]
    answers: list[Answer] = []
    for at in range(0, len(bodies), admission.LIMIT):
        admission.room(db, settings)
        answers += admission.admit(db, bodies[at : at + admission.LIMIT], sender=sender, worker=worker, settings=settings)
    return Reconciled(read, result, tuple(answers), tuple(letters))


def messages(project_id: int, breaks: Sequence[Break]) -> Iterator[bytes]:
    """A message a break. Its key is made from all that it says, and from how many like it came before: the same files give the same keys."""
    seen: Counter[str] = Counter()
    for one in breaks:
        said = {
            "project_id": project_id,
            "partition_key": _partition(one),
            "ledger_entity": (one.row and one.row.entity) or one.statement.account,
            "currency": one.statement.currency,
            "variance_amount": _money(one.variance, one.statement.currency),
            "match_decision": one.decision,
            "payload": _payload(one),
        }
        content = hashlib.sha256(canonical.encode(said)).hexdigest()
        seen[content] += 1
        yield canonical.encode({**said, "idempotency_key": f"mt940-{content[:32]}-{seen[content]}"}, sort_keys=False)


def _partition(one: Break) -> str:
    """What is handled in order: an entity's breaks, else a counterparty's, else those of one reference. Others need not wait for each other."""
    entry, row = one.entry, one.row
    known = (row and (row.entity or row.counterparty)) or (entry and entry.counterparty)
    named = (row and row.reference) or (entry and (entry.reference or entry.text[:LONGEST_TEXT])) or ""
    return (known or f"{one.statement.account} {named}")[:LONGEST].strip()


def _payload(one: Break) -> dict[str, Any]:
    currency, entry, row = one.statement.currency, one.entry, one.row
    sides: dict[str, dict[str, str]] = {}
    if row:
        sides["ledger"] = _side(row.reference, row.at, row.amount, currency, row.counterparty)
    if entry:
        sides["bank"] = _side(_named(entry, row), entry.value_date, entry.amount, currency, entry.counterparty)
    if len(sides) == 2 and not all(side.get("counterparty") for side in sides.values()):
        for side in sides.values():  # what one of them never says is no difference
            side.pop("counterparty", None)
    return {"summary": _summary(one), **sides, "details": _details(one)}


def _side(reference: str, at: date, amount: Decimal, currency: str, counterparty: str) -> dict[str, str]:
    told = {"amount": _money(amount, currency), "currency": currency, "date": at.isoformat(), "reference": reference, "counterparty": counterparty}
    return {name: value for name, value in told.items() if value}


def _named(entry: Entry, row: Row | None) -> str:
    """Of the entry's references the one that the row has, too."""
    key = "".join(row.reference.split()).casefold() if row else ""
    return next((r for r in entry.references if "".join(r.split()).casefold() == key), entry.reference)


def _summary(one: Break) -> str:
    entry, row, currency = one.entry, one.row, one.statement.currency
    name = row.reference if row else (entry and (entry.counterparty or entry.text or entry.reference)) or "no reference"
    bank, ledger = (_money(side.amount, currency) if side else "" for side in (entry, row))
    what = f"bank {bank}, ledger {ledger}" if bank and ledger else f"bank alone, {bank}" if bank else f"ledger alone, {ledger}"
    return f"{name[:60].strip()}: {what} {currency}"


def _details(one: Break) -> dict[str, str]:
    entry, row = one.entry, one.row
    told = {
        "account": one.statement.account,
        "statement": one.statement.name,
        "booked": entry.booked.isoformat() if entry and entry.booked else "",
        "bank_counterparty": entry.counterparty if entry else "",
        "bank_text": entry.text if entry else "",
        "bank_references": ", ".join(entry.references) if entry else "",
        "ledger_counterparty": row.counterparty if row else "",
        "ledger_text": row.text if row else "",
        **({f"ledger: {name}": value for name, value in row.more.items()} if row else {}),
    }
    return {name: value for name, value in told.items() if value}


def _money(amount: Decimal, currency: str) -> str:
    """With the places of its currency. What has more of them keeps them: the monetary gate refuses it, nothing is rounded."""
    places = PLACES.get(currency, 2)
    exact = amount.quantize(Decimal(1).scaleb(-places))
    return f"{exact if exact == amount else amount:f}"


def _keep(db: Database, flaws: Sequence[Flaw], project_id: int, sender: Sender, worker: str, version: int) -> list[int]:
    if not flaws:
        return []
    letters = [_letter(flaw, sender) for flaw in flaws]
    kept = db.together(lambda connection: _write(connection, letters, flaws, project_id, sender, worker, version))
    last = letters[-1]
    said = f"{last.cause}: {last.field} {last.detail} (dead letter {kept[-1]})"
    signals.note(db, "POISON_MESSAGE", said, settings_version=version, trace_id=last.trace_id, n=len(flaws))
    return kept


def _letter(flaw: Flaw, sender: Sender) -> dead_letters.Refused:
    headers: Mapping[str, str] = {**sender.headers, "statement": flaw.statement}
    told = {"gate": flaw.gate, "cause": flaw.cause, "source": sender.source, "headers": headers}
    return dead_letters.Refused(None, gates.POISON, flaw.field, flaw.detail, uuid4().hex, flaw.body, **told)


def _write(
    connection: Connection,
    letters: Sequence[dead_letters.Refused],
    flaws: Sequence[Flaw],
    project_id: int,
    sender: Sender,
    worker: str,
    version: int,
) -> list[int]:
    kept = dead_letters.keep(connection, project_id=project_id, batch_id=None, refused=letters, customer_id=None, received_by=sender.person_id)
    ids = [one.dead_letter_id for one in kept]
    nothing = [None] * len(letters)
    named = ("message_ids", "keys", "source_hashes", "match_decisions", "currencies", "variances")
    connection.run(
        "pipeline_records/note",
        decisions=["refused"] * len(letters),
        project_ids=[project_id] * len(letters),
        trace_ids=[letter.trace_id for letter in letters],
        dead_letter_ids=ids,
        codes=[letter.code for letter in letters],
        details=[Jsonb({"source": sender.source, "statement": f.statement, "gate": f.gate, "cause": f.cause, "field": f.field}) for f in flaws],
        worker=worker,
        settings_version=version,
        **dict.fromkeys(named, nothing),
    )
    return ids
