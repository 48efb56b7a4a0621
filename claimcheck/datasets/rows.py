"""What a version says of an item: a pure function of the item's decisions and tombstones, so that the same facts give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

Status = Literal["settled", "changed", "confirmed", "pending", "withdrawn"]
VALUED = ("approve", "reject", "answer")


@dataclass(frozen=True, slots=True)
class Decision:
    """A look (`look`) or an outcome of an item, or both."""

    id: int
    task_id: int
    look: bool
    person_id: int
    by: str
    verdict: str | None
    answer: Any
    outcome: str | None
    supersedes: int | None
    project_version: int
    evidence_version: int
    evidence_hash: bytes
    reason_code: str
    note: str
    at: datetime

    @property
    def value(self) -> tuple[str | None, Any]:
        """What it comes to, to be compared."""
        return self.outcome, self.answer


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What the retraction that made a version decided of an item: whose looks go, and whether the outcome stands without them."""

    item_id: int
    version: int
    decision_id: int
    status: str
    why: str
    person_id: int
    since: datetime
    looks_to: int
    reason: str

    def takes(self, one: Decision) -> bool:
        """Whether it takes this look back."""
        return one.look and one.person_id == self.person_id and one.at >= self.since and one.id <= self.looks_to


@dataclass(frozen=True, slots=True)
class Cut:
    """A version's number and the last decision that it knows."""

    version: int
    up_to: int


@dataclass(frozen=True, slots=True)
class Item:
    """An item with all its decisions and tombstones, oldest first."""

    id: int
    idempotency_key: str
    decisions: Sequence[Decision]
    tombstones: Sequence[Tombstone]


@dataclass(frozen=True, slots=True)
class State:
    """How an item stands in a version: what holds (`now`), what was delivered before and no longer holds as it was (`old`), and why."""

    status: Status
    now: Decision | None
    old: Decision | None = None
    reason: str = ""


def standing(decisions: Sequence[Decision], up_to: int) -> Decision | None:
    """The outcome that held at a cut; None where there was none or the item was open again."""
    known = [d for d in decisions if d.id <= up_to]
    superseded = {d.supersedes for d in known}
    return next((d for d in reversed(known) if d.outcome in VALUED and d.id not in superseded), None)


def state(item: Item, at: Cut, before: Sequence[Cut]) -> State | None:
    """How the item stands at a version, given the cuts of those before it; None where it has no row there."""
    now = standing(item.decisions, at.up_to)
    delivered = [found for cut in before if (found := standing(item.decisions, cut.up_to))]
    stone = next((t for t in reversed(item.tombstones) if t.version <= at.version), None)
    told = next((d for d in delivered if stone and d.id == stone.decision_id), None)
    old = told or (delivered[-1] if delivered else None)
    if stone and now and now.id == stone.decision_id and stone.status != "confirmed":
        return State("withdrawn" if stone.status == "withdrawn" else "pending", None, old, stone.reason) if old else None
    if now is None:
        return State("pending", None, old, _reopened(item, at.up_to)) if old else None
    if told and stone:
        return State("confirmed" if now.value == told.value else "changed", now, told, stone.reason)
    if old is None or old.value == now.value:
        return State("settled", now)
    return State("changed", now, old, now.note or now.reason_code)


def _reopened(item: Item, up_to: int) -> str:
    """Why an item is open again."""
    found = next((d for d in reversed(item.decisions) if d.id <= up_to and d.outcome == "reopen"), None)
    return (found.note or found.reason_code) if found else ""


def row(item: Item, at: Cut, before: Sequence[Cut]) -> dict[str, Any] | None:
    """The item's row in a version: what holds, what held before, and the looks at it."""
    found = state(item, at, before)
    if found is None:
        return None
    now = found.now
    return {
        "item_id": item.id,
        "idempotency_key": item.idempotency_key,
        "status": found.status,
        **_value(now),
        "reason_code": now.reason_code if now else None,
        "note": now.note if now else None,
        "decided_at": moment(now.at) if now else None,
        "project_version": now.project_version if now else None,
        "evidence_version": now.evidence_version if now else None,
        "evidence_hash": now.evidence_hash.hex() if now else None,
        "old": _value(found.old) if found.old else None,
        "reason": found.reason or None,
        "looks": _looks(item, at, now or found.old),
    }


def _value(one: Decision | None) -> dict[str, Any]:
    return {"decision_id": one.id if one else None, "outcome": one.outcome if one else None, "answer": one.answer if one else None}


def _looks(item: Item, at: Cut, last: Decision | None) -> list[dict[str, Any]]:
    """Those that led to what the row says; later ones are independent still."""
    stones = [t for t in item.tombstones if t.version <= at.version]
    return [
        {
            "by": d.by,
            "verdict": d.verdict,
            "answer": d.answer,
            "reason_code": d.reason_code,
            "note": d.note,
            "at": moment(d.at),
            "withdrawn": any(t.takes(d) for t in stones),
        }
        for d in item.decisions
        if d.look and last is not None and d.id <= max(last.id, _settling(item, last))
    ]


def _settling(item: Item, last: Decision) -> int:
    """The last look of the task that an outcome ended: the system's own outcome may be numbered before it."""
    return max((d.id for d in item.decisions if d.look and d.task_id == last.task_id and d.at <= last.at), default=0)


def change(item: Item, at: Cut, before: Sequence[Cut]) -> dict[str, Any] | None:
    """What became of a row that the version before has; None where it says the same or has none."""
    if not before or (was := state(item, before[-1], before[:-1])) is None:
        return None
    found = state(item, at, before)
    same = found is not None and _said(found.now) == _said(was.now)
    if found is None or (same and found.status in (was.status, "settled")):
        return None
    return {
        "item_id": item.id,
        "idempotency_key": item.idempotency_key,
        "status": found.status,
        "old": _value(was.now or was.old),
        "new": _value(found.now) if found.now else None,
        "reason": found.reason or None,
    }


def _said(one: Decision | None) -> Any:
    return one.value if one else None


def moment(at: datetime) -> str:
    """A time as it stands in files: UTC, microseconds, Z."""
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
