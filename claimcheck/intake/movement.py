"""The movement of exceptions and the pipeline's totals, rebuilt from the log stream alone."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any, NamedTuple

from claimcheck.intake import records

Said = dict[str, Any]
SAME = ("project_id", "idempotency_key", "source_hash", "match_decision", "currency", "variance_amount")  # in every record of a message
STATES = ("routed", "resolved", "refused")
FIELDS = tuple(name for name in (each.name for each in dataclasses.fields(records.Record)) if name != "id")
BEFORE = {  # what a step may follow; a replay that lets a refused message wait again is one, every other replay moves nothing
    "handed_back": ("admitted", "handed_back", "replayed"),
    "routed": ("admitted", "handed_back", "replayed"),
    "refused": ("admitted", "handed_back", "replayed"),
    "resolved": ("routed",),
    "replayed": ("refused",),
}


class Fault(NamedTuple):
    """What is wrong with the log, and where."""

    kind: str
    said: str


@dataclass(slots=True)
class Reading:
    """What stands in the log: its records by number, and how many of its lines were not counted, and why."""

    records: dict[int, Said] = field(default_factory=dict)
    doubles: int = 0
    others: int = 0
    faults: list[Fault] = field(default_factory=list)


def read(lines: Iterable[tuple[str, bytes]]) -> Reading:
    """Lines with their places. A record that stands there twice counts once; twice with other content is a fault."""
    found = Reading()
    for place, line in lines:
        said = _record(line)
        if said is None:
            found.others += 1
        elif isinstance(said, str):
            found.faults.append(Fault("unreadable", f"{place}: {said}"))
        elif (known := found.records.setdefault(said["record"], said)) is not said:
            found.doubles += 1
            if known != said:
                names = ", ".join(sorted(name for name in {*known, *said} if known.get(name) != said.get(name)))
                found.faults.append(Fault("contradicts", f"{place}: record {said['record']} stands there twice, with other {names}"))
    return found


def _record(line: bytes) -> Said | str | None:
    """A record, what is wrong with it, or None for a line of another kind."""
    mark = records.EVENT.encode()
    if mark not in line:
        return None
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return "the line is cut off or damaged"
    if not isinstance(said, dict) or said.get("event") != records.EVENT:
        return None
    number = said.get("record")
    if not isinstance(number, int) or isinstance(number, bool):
        return "the record has no number"
    wrong = next((name for name in FIELDS if name not in said or not _can_be(name, said[name])), None)
    return f"record {number} has no {wrong}, or none that can be one" if wrong else said


def _can_be(name: str, value: Any) -> bool:
    """What it says is judged by comparing; here it must only be one value."""
    return isinstance(value, dict) if name == "detail" else not isinstance(value, list | dict)


@dataclass(frozen=True, slots=True)
class Movement:
    """How one message moved, as the log tells it."""

    message_id: int
    steps: tuple[Said, ...]

    @property
    def last(self) -> Said:
        """The step that says where it is now."""
        return next((step for step in reversed(self.steps) if step["decision"] != "handed_back"), self.steps[-1])

    @property
    def state(self) -> str:
        """Where it is now: waiting, routed, resolved or refused."""
        return self.last["decision"] if self.last["decision"] in STATES else "waiting"

    @property
    def item_id(self) -> int | None:
        return self.last["item_id"] if self.state in ("routed", "resolved") else None

    @property
    def queue(self) -> str | None:
        return self.last["queue"] if self.state in ("routed", "resolved") else None

    @property
    def dead_letter_id(self) -> int | None:
        return self.last["dead_letter_id"] if self.state == "refused" else None


def movements(found: Reading) -> dict[int, Movement]:
    """Every message's, by its number."""
    steps: defaultdict[int, list[Said]] = defaultdict(list)
    for number in sorted(found.records):
        said = found.records[number]
        if said.get("message_id") is not None and _moves(said):
            steps[said["message_id"]].append(said)
    return {message: Movement(message, tuple(told)) for message, told in steps.items()}


def _moves(said: Said) -> bool:
    detail = said.get("detail")
    again = isinstance(detail, dict) and bool(detail.get("waits_again"))
    return said["decision"] != "repeated" and (said["decision"] != "replayed" or again)


def inconsistent(moved: Iterable[Movement]) -> list[Fault]:
    """What no pipeline can have done: the log lacks a record, or one was changed."""
    return [Fault("impossible", f"message {one.message_id}: {what}") for one in moved for what in _oddities(one)]


def _oddities(one: Movement) -> Iterator[str]:
    told = [step["decision"] for step in one.steps]
    if told[0] != "admitted":
        yield f"{told[0]} without being admitted"
    for before, step in pairwise(told):
        if before not in BEFORE.get(step, ()):
            yield f"{step} after it was {before}"
    for name in SAME:
        values = {str(step.get(name)) for step in one.steps if step["decision"] != "replayed"}  # which tells of the letter
        if len(values) > 1:
            yield f"its records differ in {name}: {', '.join(sorted(values))}"


def trail(found: Reading, *, trace: str | None = None, key: str | None = None, message: int | None = None) -> list[Said]:
    """Every record about an exception, in their order: by trace id, by key, or by message, and what else is on record of the messages found so."""
    asked = {"trace_id": trace, "idempotency_key": key, "message_id": message}
    hits = [s for s in found.records.values() if all(s.get(name) == value for name, value in asked.items() if value is not None)]
    messages = {s["message_id"] for s in hits if s.get("message_id") is not None}
    numbers = {s["record"] for s in hits} | {n for n, s in found.records.items() if s.get("message_id") in messages}
    return [found.records[number] for number in sorted(numbers)]


def totals(found: Reading, moved: dict[int, Movement]) -> dict[str, Any]:
    """What the pipeline did, counted."""
    said = found.records.values()
    routed = [s for s in said if s["decision"] == "routed"]
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for step in routed:
        sums[str(step.get("currency"))] += _amount(step.get("variance_amount"))
    return {
        "records": len(found.records),
        "decisions": dict(sorted(Counter(str(s["decision"]) for s in said).items())),
        "routes": dict(sorted(Counter(str(s["route"]) for s in routed).items())),
        "queues": dict(sorted(Counter(str(s["queue"]) for s in routed).items())),
        "codes": dict(sorted(Counter(str(s["code"]) for s in said if s.get("code")).items())),
        "variance": {currency: f"{amount:f}" for currency, amount in sorted(sums.items())},
        "states": dict(sorted(Counter(one.state for one in moved.values()).items())),
    }


def _amount(text: Any) -> Decimal:
    try:
        return abs(Decimal(text)) if isinstance(text, str) else Decimal(0)
    except InvalidOperation:
        return Decimal(0)
