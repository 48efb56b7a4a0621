"""`import --format mt940`: a bank statement against a ledger, its breaks into the pipeline."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from claimcheck import errors
from claimcheck.cli import terminal
from claimcheck.cli.projects import named
from claimcheck.intake import parameters, reconciling, settling
from claimcheck.intake.reconciling import Reconciled, Sheets

NAME = "cli"
SHOWN = 20  # refused ones on the screen; all are kept as dead letters


def bring_in(arguments: Namespace) -> int:
    """The breaks between a statement and a ledger, followed until they can be claimed."""
    if arguments.ledger is None:
        raise errors.Invalid.field("LEDGER", "name the ledger's CSV behind the statement: import --format mt940 STATEMENT LEDGER.csv --project NAME")
    sheets = Sheets(_file(arguments.source), _file(arguments.ledger))
    with terminal.desk() as desk:
        project = named(desk, arguments.project)
        asked = {"project_id": project.id, "by": desk.me.id, "settings": parameters.current(desk.db), "worker": NAME}
        done = reconciling.reconcile(desk.db, sheets, **asked, days=arguments.days, encoding=arguments.encoding)
        if not arguments.no_wait:
            sent = [answer.message_id for answer in done.answers if answer.message_id is not None]
            settling.settle(desk.db, desk.worker, desk.store, message_ids=sent, name=NAME, tell=_tell)
    for line in _refused(done)[:SHOWN]:
        terminal.say(line)
    facts = _facts(done)
    terminal.answer(arguments, facts, _text(facts))
    return terminal.FAILED if facts["refused"] else 0


def _file(path: Path) -> tuple[str, bytes]:
    return ("standard input", sys.stdin.buffer.read()) if str(path) == "-" else (path.name, path.read_bytes())


def _tell(there: settling.Progress) -> None:
    terminal.say(f"{there.waiting:,} wait in the inbox, {there.durable:,} of {there.items:,} items are durable")


def _refused(done: Reconciled) -> list[str]:
    flaws = [
        f"refused: statement {flaw.statement or '(no name)'}: {flaw.field} {flaw.detail} (dead letter {letter})"
        for flaw, letter in zip(done.read.flaws, done.letters, strict=True)
    ]
    answers = [a for a in done.answers if a.result == "refused"]
    return flaws + [f"refused: {a.idempotency_key or '(no key)'}: {a.field} {a.detail} (dead letter {a.dead_letter_id})" for a in answers]


def _facts(done: Reconciled) -> dict[str, int]:
    results = [answer.result for answer in done.answers]
    return {
        "statements": len(done.read.statements),
        "entries": sum(len(statement.entries) for statement in done.read.statements),
        "matched": done.result.matched,
        "breaks": len(done.result.breaks),
        "admitted": results.count("admitted"),
        "repeated": results.count("repeated"),
        "refused": results.count("refused") + len(done.letters),
        "outside": done.result.outside,
        "not_judged": done.result.not_judged,
    }


def _text(facts: dict[str, int]) -> str:
    said = "{statements} statements with {entries} entries: {matched} matched, {breaks} breaks."
    more = [said.format(**facts), "{admitted} admitted, {repeated} repeated, {refused} refused and kept as dead letters.".format(**facts)]
    if facts["outside"]:
        more.append(f"{facts['outside']} rows of the ledger are of no account and time that the statements tell of.")
    if facts["not_judged"]:
        more.append(f"{facts['not_judged']} rows were not judged, since entries beside them could not be read: import the mended statement.")
    return "\n".join(more)
