"""Scoring: what gold and peers say of each person, off the request. Workers call `score` and `fit`; each may be called again at any time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from claimcheck import canonical, logs, projects, questions
from claimcheck.db import Connection, Database
from claimcheck.experts import judging
from claimcheck.experts.standing import After, Standing, after
from claimcheck.quality import agreement, beta, gains, posterior, temperature, weights

LOCK = 0x676F6C64  # one scorer at a time: each person's looks are scored in their order
LATEST = 10_000  # tasks whose agreement is counted, the newest of a skill
FIT_FROM = 30  # golds with two looks or more, before a skill's temperature is fitted

log = logs.get("scoring")


@dataclass(frozen=True, slots=True)
class _Answered:
    task_id: int
    gold_id: int
    skill_id: int
    decision_id: int
    person_id: int
    item_id: int
    verdict: str | None
    answer: Any
    accepted: list[str]


@dataclass(frozen=True, slots=True)
class _Sat:
    exam: bool


@dataclass(frozen=True, slots=True)
class _Pooled:
    ok: int
    n: int


@dataclass(frozen=True, slots=True)
class _Taken:
    begun: datetime
    task_ids: list[int]


@dataclass(frozen=True, slots=True)
class _Look:
    task_id: int
    project_id: int
    project_version: int
    person_id: int
    verdict: str | None
    answer: Any


@dataclass(frozen=True, slots=True)
class _Counts:
    person_id: int
    ok: int
    n: int
    peer_ok: float
    peer_n: float


@dataclass(frozen=True, slots=True)
class _Known:
    gold_id: int
    accepted: list[str]
    person_id: int
    verdict: str | None
    answer: Any


def score(db: Database) -> int:
    """Scores the looks at golds that wait for it; how many."""
    return db.together(_score)


def _score(connection: Connection) -> int:
    found = connection.all("golds/answered", _Answered, lock=LOCK)
    for one in found:
        _score_one(connection, one)
    return len(found)


def _score_one(connection: Connection, one: _Answered) -> None:
    place = {"person_id": one.person_id, "skill_id": one.skill_id}
    now = connection.one("scores/lock", Standing, **place)
    correct = None if one.verdict == "escalate" else canonical.vote(one.verdict, one.answer) in one.accepted
    look = {"task_id": one.task_id, "decision_id": one.decision_id, "item_id": one.item_id, **place}
    sat = connection.one("golds/sat", _Sat, skill_id=one.skill_id, decision_id=one.decision_id)
    late = sat is not None and sat.exam
    if now is None or correct is None:  # the skill was taken, or the look asked for a lead
        purpose = "exam" if late or (now and now.status == "exam") else "ordinary"
        connection.run("golds/scored", **look, purpose=purpose, correct=None, level=0.0)
        return
    found = after(now, correct=correct, pooled=pooled(connection, one.skill_id), sat=late and now.status != "exam")
    connection.run("golds/scored", **look, purpose=found.purpose, correct=correct, level=found.standing.level)
    connection.run("scores/put", **place, **_columns(found))
    if found.standing.status != now.status:
        log.info("skill moved", **place, was=now.status, status=found.standing.status)


def pooled(db: Database | Connection, skill_id: int) -> float:
    """A skill's mean accuracy on gold, the prior of everybody's score in it."""
    found = db.one("scores/pooled", _Pooled, skill_id=skill_id)
    assert found is not None
    return beta.pooled(found.ok, found.n)


def _columns(found: After) -> dict[str, Any]:
    s = found.standing
    counts = {name: getattr(s, name) for name in ("ok", "n", "exam_ok", "exam_n", "level", "alarms", "extra_ok", "extra_n")}
    standing = {name: getattr(s, name) for name in ("status", "tier", "novice", "extra_left")}
    bounds = {name: getattr(found.score, name) for name in ("mean", "low", "high")}
    return {**counts, **standing, **bounds, "gold_every": found.gold_every, "said": found.said}


def fit(db: Database, *, skill_id: int, classes: int) -> bool:
    """Counts a skill's agreement anew, weighs its people, fits its temperature and judges whether weights lose to plain majority there;
    whether there was enough gold to say.
    """
    taken = db.one("scores/taken", _Taken, skill_id=skill_id)  # before they are read: what comes meanwhile asks again
    assert taken is not None
    _meet(db, skill_id, classes)
    _reweigh(db, skill_id, classes)
    known = _known(db, skill_id, classes)
    enough = len(known) >= FIT_FROM
    hot, weighs = (temperature.fit(known, classes), not gains.harm(known, classes)) if enough else (1.0, True)
    db.run("scores/fit", skill_id=skill_id, temperature=hot, weighs=weighs, begun=taken.begun, task_ids=taken.task_ids)
    return enough


def _meet(db: Database, skill_id: int, classes: int) -> None:
    """Everybody's agreement with their peers, by what these are worth now. Tasks that are still open count as well: those that
    have ended are those on which people agreed, and by them alone everybody would look able.
    """
    tasks: dict[int, list[_Look]] = defaultdict(list)
    for look in db.all("scores/latest", _Look, skill_id=skill_id, limit=LATEST):
        tasks[look.task_id].append(look)
    counts = _counts(db, skill_id)
    p, newcomer = weights.weights(counts, classes), _newcomer(counts, classes)
    met: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for looks in tasks.values():
        asked = projects.rules(db, looks[0].project_id, looks[0].project_version).question
        for person, n, ok in _peers(looks, p, newcomer, asked):
            met[person][0] += n
            met[person][1] += ok
    if met:
        ns, oks = zip(*met.values(), strict=True)
        db.run("scores/met", skill_id=skill_id, person_ids=[*met], ns=[*ns], oks=[*oks])


def _peers(looks: list[_Look], p: dict[Any, float], newcomer: float, asked: questions.Question) -> list[tuple[int, int, int]]:
    """(person, peer_n, peer_ok) of each look that says something of its own."""
    given = [look for look in looks if look.verdict != "escalate"]
    said = [agreement.comparable(asked.ask, look.answer if look.verdict is None else look.verdict) for look in given]
    votes = [posterior.Vote(what, p.get(look.person_id, newcomer)) for look, what in zip(given, said, strict=True)]
    return [(look.person_id, n, ok) for look, (n, ok) in zip(given, weights.peers(votes, judging.classes(asked)), strict=True)]


def _counts(db: Database, skill_id: int) -> list[weights.Counts]:
    rows = db.all("scores/counts", _Counts, skill_id=skill_id)
    return [weights.Counts(r.person_id, r.n, r.ok, r.peer_n, r.peer_ok) for r in rows]


def _newcomer(counts: list[weights.Counts], classes: int) -> float:
    return weights.weight(weights.Counts(None), weights.mean(counts, classes), weights.strength(counts))


def _reweigh(db: Database, skill_id: int, classes: int) -> None:
    counts = _counts(db, skill_id)
    found = weights.weights(counts, classes)
    db.run("scores/weigh", skill_id=skill_id, person_ids=[*found], weights=[*found.values()], newcomer=_newcomer(counts, classes),
           floor=weights.floor(counts, found))  # fmt: skip


def _known(db: Database, skill_id: int, classes: int) -> list[temperature.Known]:
    """The skill's golds that two people or more have looked at, each look with the weight that its author would have without it."""
    by_gold: dict[int, list[_Known]] = defaultdict(list)
    for row in db.all("golds/known", _Known, skill_id=skill_id):
        by_gold[row.gold_id].append(row)
    counts = _counts(db, skill_id)
    of, centre, worth = {c.person: c for c in counts}, weights.mean(counts, classes), weights.strength(counts)
    return [_gold(rows, of, centre, worth) for rows in by_gold.values() if len(rows) > 1]


def _gold(rows: list[_Known], of: dict[Any, weights.Counts], centre: float, worth: float) -> temperature.Known:
    votes = []
    for row in rows:
        said = canonical.vote(row.verdict, row.answer)
        votes.append(posterior.Vote(said, weights.without(of[row.person_id], said in row.accepted, centre, worth)))
    given = {vote.answer for vote in votes}
    return temperature.Known(next((a for a in rows[0].accepted if a in given), rows[0].accepted[0]), votes)
