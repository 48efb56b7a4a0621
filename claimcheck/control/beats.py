"""Which of the desk's programs are heard of: one that is missing can be told from one that has nothing to do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from claimcheck.db import Database

SILENT = 30.0  # seconds without a sign, after which a program is silent
KINDS = {
    "publisher": "What comes in is not stored and published, and lease times and forecasts stand still.",
    "dispatcher": "Nobody is told to apply outcomes or to count.",
    "worker": "Outcomes are applied slowly, by the dispatcher, and what is counted grows old.",
    "intake": "Messages wait in the inbox.",
}


@dataclass(frozen=True, slots=True)
class Beat:
    """The programs of one kind: how many are at work, how many of those take nothing new, how many fell silent without having been stopped."""

    kind: str
    at_work: int
    resting: int
    silent: int
    heard: datetime | None

    @property
    def missing(self) -> str:
        """What does not happen while none is at work."""
        return "" if self.at_work else KINDS[self.kind]


def heard(db: Database) -> list[Beat]:
    """Every kind of program."""
    return db.all("control/beats", Beat, kinds=[*KINDS], silent=SILENT)
