"""The sample of a batch decision: which items it is, what the lead made of them, and the bound that follows for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

from claimcheck.db import Connection, Database
from claimcheck.quality import hypergeometric


@dataclass(frozen=True, slots=True)
class Drawn:
    """A place of the sample. `state`: `open`; `looked`, by the lead, under the evidence of the list; `void`, which counts for nothing."""

    place: int
    n: int
    item_id: int
    idempotency_key: str
    title: str
    decision_id: int | None
    verdict: str | None
    answer: Any
    reason_code: str | None
    state: str
    differs: bool
    held: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """What the sample says. Of `rest` items that nobody opens at most `upper` are wrong, with the confidence that the project asks for."""

    looked: int
    wrong: int
    left: int
    void: int
    rest: int
    upper: int
    met: bool

    @property
    def share(self) -> float:
        """The greatest share of wrong ones in the rest."""
        return self.upper / self.rest if self.rest else 0.0


def order(seed: str, item_ids: Sequence[int]) -> list[int]:
    """The order in which a seed draws from a list: by the SHA-256 of `seed:item`, as text in UTF-8. The sample is its beginning."""
    return sorted(item_ids, key=lambda item_id: sha256(f"{seed}:{item_id}".encode()).digest())


@dataclass(frozen=True, slots=True)
class Tally:
    """How many places were drawn so far, and what they came to."""

    drawn: int
    looked: int
    wrong: int
    void: int


def load(db: Database | Connection, *, batch_id: int) -> list[Drawn]:
    """The places drawn so far, in their order."""
    return db.all("batch_decisions/sample", Drawn, batch_id=batch_id)


def page(db: Database | Connection, *, batch_id: int, after: int = 0, limit: int = 20) -> list[Drawn]:
    """Some of them, from a place on."""
    return db.all("batch_decisions/drawn", Drawn, batch_id=batch_id, after=after, limit=limit)


def tally(db: Database | Connection, *, batch_id: int) -> Tally:
    """What the places came to as it was kept when it happened."""
    found = db.one("batch_decisions/tally", Tally, batch_id=batch_id)
    assert found is not None
    return found


def judge(drawn: Sequence[Drawn]) -> Tally:
    """What the places came to by the tasks and decisions themselves."""
    looked = [d for d in drawn if d.state == "looked"]
    return Tally(len(drawn), len(looked), sum(d.differs for d in looked), sum(d.state == "void" for d in drawn))


def bound(of: Tally, *, members: int, size: int, at_most: float, confidence: Fraction) -> Bound:
    """What the sample says so far; `met` only once every place was looked at, so that nobody stops when it suits."""
    population = members - of.void
    left = min(size, population) - of.looked
    upper = hypergeometric.upper_rest(population, of.looked, of.wrong, confidence)
    rest = population - of.looked
    return Bound(of.looked, of.wrong, left, of.void, rest, upper, met=left <= 0 and upper <= at_most * rest)


def short_of(found: Bound, *, at_most: float) -> str:
    """Why the rest can't be decided yet."""
    if found.left > 0:
        return f"{found.left} of the sample were not looked at yet; look at them first."
    return (
        f"{found.wrong} of {found.looked} differ, so up to {found.share:.1%} of the rest may be wrong; the project allows {at_most:.1%}. "
        "Drop it and decide them one by one, or begin anew: the next sample of the same items is larger."
    )


def stand_in(db: Database, *, batch_id: int, members: int, size: int) -> None:
    """The next places stand in for those that came to nothing, as long as there are any."""
    while True:
        of = tally(db, batch_id=batch_id)
        wanted = min(size + of.void, members)
        if wanted <= of.drawn or not db.run("batch_decisions/draw_more", batch_id=batch_id, places=wanted):
            return
