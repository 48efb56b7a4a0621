"""Finding outcomes to be overturned: by who, why, where and when, in one project.

One index is walked, a bounded number is judged, and the page says how far it looked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from claimcheck import errors
from claimcheck.db import Connection, Database
from claimcheck.triage import asking

LOOKS = 20  # outcomes that a page looks at, each by several reads
NAMES = ("project", "reviewer", "reason", "queue", "match", "stood", "since", "until", "after")
OUTCOMES = ("approve", "reject", "answer")
PLACE = re.compile(r"(\d{1,16})~(\d{1,18})")
NEWEST = (2**52, 2**62)
LONGEST = 300  # characters of a word that is searched by


@dataclass(frozen=True, slots=True)
class Asked:
    """Which outcomes of a project. `reviewer_id`: theirs, alone or together with others; `stood`: what they say.

    `since` and `until`: when they were decided.
    `queue` and `match_decision` are what intake kept of the item: the route's queue, and the message's match.
    """

    project_id: int
    reviewer_id: int | None = None
    reason: str | None = None
    queue: str | None = None
    match_decision: str | None = None
    stood: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def narrow(self) -> bool:
        """Whether anything is asked beside the project."""
        return any(value is not None for name, value in asdict(self).items() if name != "project_id")


@dataclass(frozen=True, slots=True)
class _Candidate:
    outcome_id: int | None
    at: int
    place: int


@dataclass(frozen=True, slots=True)
class Row:
    """An outcome that fits. `why`: why it cannot be overturned; None where it can. `n` is its number among those looked at."""

    n: int
    id: int
    item_id: int
    idempotency_key: str
    title: str
    outcome: str
    answer: Any
    reason_code: str
    reason: str
    decided_by: str
    created_at: datetime
    queue: str
    match_decision: str
    why: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """A page. `next_after` is where the next one goes on (None: this is the last); `looked_at` outcomes were looked through for it."""

    outcomes: list[Row]
    next_after: str | None
    looked_at: int


@dataclass(frozen=True, slots=True)
class Effect:
    """What hears of each overturn in a project."""

    kind: str
    url: str | None
    switched_off: str | None


def read(given: Mapping[str, str], project_id: int) -> Asked:
    """The filters under NAMES; an empty one asks for nothing. Raises Invalid, naming the first that is wrong."""
    told = asking.cleaned(given, NAMES)
    long = next((name for name in ("reason", "queue", "match") if len(told[name]) > LONGEST), None)
    if long:
        raise errors.Invalid.field(long, f"must be at most {LONGEST} characters")
    return Asked(
        project_id=project_id,
        reviewer_id=asking.number("reviewer", told["reviewer"]),
        reason=told["reason"] or None,
        queue=told["queue"] or None,
        match_decision=told["match"] or None,
        stood=asking.one_of("stood", told["stood"], OUTCOMES),
        since=asking.moment("since", told["since"]),
        until=asking.moment("until", told["until"]),
    )


def check(asked: Asked) -> None:
    """Raises Invalid for a period that holds nothing."""
    if asked.since and asked.until and asked.since >= asked.until:
        raise errors.Invalid.field("until", "must be later than since")


def search(db: Database | Connection, asked: Asked, *, after: str = "") -> Found:
    """A page of outcomes that fit, the newest first. Raises Invalid for a period that holds nothing, and a place that no page gave."""
    check(asked)
    at, place = _place(after)
    walked = db.all("bulk_overturns/walk", _Candidate, **_walk(asked), at=at, place=place, limit=LOOKS)
    ids = list(dict.fromkeys(c.outcome_id for c in walked if c.outcome_id is not None))
    judged = {"project_id": asked.project_id, "queue": asked.queue, "match_decision": asked.match_decision, "stood": asked.stood}
    rows = db.all("bulk_overturns/found", Row, ids=ids, **judged)
    last = f"{walked[-1].at}~{walked[-1].place}" if len(walked) == LOOKS else None
    return Found(rows, last, len(walked))


def _walk(asked: Asked) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in ("project_id", "reviewer_id", "reason", "since", "until")}


def _place(after: str) -> tuple[int, int]:
    found = PLACE.fullmatch(after)
    if after and not found:
        raise errors.Invalid.field("after", "give what the page before said")
    return (min(int(found[1]), NEWEST[0]), min(int(found[2]), NEWEST[1])) if found else NEWEST


def effects(db: Database, *, project_id: int) -> list[Effect]:
    """What hears of each overturn in this project."""
    return db.all("bulk_overturns/effects", Effect, project_id=project_id)
