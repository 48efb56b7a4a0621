"""`replay-audit`: what the pipeline did, rebuilt from its log stream alone, and compared with the database."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from claimcheck import config, errors
from claimcheck.cli import terminal
from claimcheck.intake import auditing, movement, records
from claimcheck.intake.auditing import Compared
from claimcheck.intake.movement import Fault, Reading

SHOWN = 20  # faults on the screen; --json has all
STEP = ("message_id", "idempotency_key", "match_decision", "variance_amount", "currency", "route", "queue", "item_id", "dead_letter_id", "code")
STEP += ("trace_id", "source_hash", "worker", "settings_version")


def replay(arguments: Namespace) -> int:
    """Exit 0 where the log is consistent and, with --compare, says what the database says; 1 where not."""
    paths: list[Path] = arguments.log or records.files(config.load().home)
    if not paths:
        raise errors.Invalid.field("LOG", "this desk has written no pipeline log yet; name the files")
    found = movement.read(_lines(paths))
    if arguments.trace or arguments.key or arguments.message:
        return _trail(arguments, found)
    moved = movement.movements(found)
    compared = _compared(paths, found) if arguments.compare else None
    faults = [*found.faults, *movement.inconsistent(moved.values()), *(compared.faults if compared else [])]
    for fault in faults[:SHOWN]:
        terminal.say(f"{fault.kind}: {fault.said}")
    facts = {**movement.totals(found, moved), "doubles": found.doubles, "faults": [fault._asdict() for fault in faults]}
    if compared:
        facts["compared"] = {"records": compared.records, "messages": compared.messages, "behind": compared.behind}
    terminal.answer(arguments, facts, _text(facts, faults))
    return terminal.FAILED if faults else 0


def _lines(paths: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        if str(path) == "-":
            yield from ((f"standard input, line {n}", line) for n, line in enumerate(sys.stdin.buffer, 1))
            continue
        with path.open("rb") as file:
            yield from ((f"{path.name}, line {n}", line) for n, line in enumerate(file, 1))


def _compared(paths: list[Path], found: Reading) -> Compared:
    with terminal.desk() as desk:
        compared = auditing.compare(desk.db, found)
        if compared.faults and Path("-") not in paths:  # they may have come into the log after it was read
            found.records.update(movement.read(_lines(paths)).records)
            compared = auditing.compare(desk.db, found)
    return compared


def _trail(arguments: Namespace, found: Reading) -> int:
    """The movement of one exception, from the log alone."""
    steps = movement.trail(found, trace=arguments.trace, key=arguments.key, message=arguments.message)
    if not steps:
        raise errors.NotFound("the log tells of no such message")
    faults = movement.inconsistent(one for n, one in movement.movements(found).items() if n in {s.get("message_id") for s in steps})
    for fault in faults:
        terminal.say(f"{fault.kind}: {fault.said}")
    terminal.answer(arguments, {"steps": steps, "faults": [fault._asdict() for fault in faults]}, "\n".join(map(_step, steps)))
    return terminal.FAILED if faults else 0


def _step(said: dict[str, Any]) -> str:
    told = "  ".join(f"{name}={said[name]}" for name in STEP if said.get(name) is not None)
    return f"{said['at']}  {said['decision']:<11}  record={said['record']}  {told}"


def _text(facts: dict[str, Any], faults: list[Fault]) -> str:
    lines = [f"{facts['records']:,} records, {facts['doubles']:,} of them written more than once."]
    counted = [(name, facts[name]) for name in ("decisions", "routes", "queues", "codes", "states") if facts[name]]
    lines += [f"{name}: " + ", ".join(f"{key} {n:,}" for key, n in counts.items()) for name, counts in counted]
    if facts["variance"]:
        lines.append("variance routed: " + ", ".join(f"{amount} {currency}" for currency, amount in facts["variance"].items()))
    if compared := facts.get("compared"):
        lines.append("compared with {records:,} records and {messages:,} messages of the database; {behind:,} not in the log yet".format(**compared))
    kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(Counter(fault.kind for fault in faults).items()))
    lines.append(f"NOT consistent: {kinds}" if faults else "consistent")
    return "\n".join(lines)
