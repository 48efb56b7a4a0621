"""How a person stands in a skill, and what one more gold makes of it: exam, pause, promotion. Pure; workers keep the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from claimcheck.quality import beta, cusum, exam

Purpose = Literal["exam", "ordinary", "extra"]
MEASURED = 30  # golds until the steady rate
EXTRA, EXTRA_RIGHT = 5, 4  # golds that a soft pause asks for, and how many of them lift it
AFTER_ALARM = 0.10  # the least share of gold for who had an alarm


@dataclass(frozen=True, slots=True)
class Standing:
    """A person in a skill. Counts are golds, `level` the CUSUM's; `status` is exam, active, soft_paused or paused."""

    status: str
    tier: int
    pinned: bool
    novice: bool
    extra_left: int
    gold_rate: float
    novice_rate: float
    ok: int = 0
    n: int = 0
    exam_ok: int = 0
    exam_n: int = 0
    level: float = 0.0
    alarms: int = 0
    extra_ok: int = 0
    extra_n: int = 0


@dataclass(frozen=True, slots=True)
class After:
    """What a gold made of a standing. `said` is what the person is told of a change, None where nothing changed."""

    standing: Standing
    purpose: Purpose
    score: beta.Score
    gold_every: int
    said: str | None


def after(now: Standing, *, correct: bool, pooled: float, sat: bool = False) -> After:
    """The standing after one more scored gold. `pooled` is the skill's mean accuracy on gold (`beta.pooled`).

    `sat`: it was handed out for an exam that was decided before this look was scored. It is the exam's, and moves nothing else.
    """
    purpose: Purpose = "exam" if sat else {"exam": "exam", "soft_paused": "extra"}.get(now.status, "ordinary")  # type: ignore[assignment]
    counted = replace(now, ok=now.ok + correct, n=now.n + 1)
    step = {"exam": _late if now.status != "exam" else _examined, "extra": _asked_extra, "ordinary": _watched}[purpose]
    moved, said = step(counted, correct)
    score = beta.score(moved.ok, moved.n, pooled)
    moved = _weighed(moved, score)
    if said is None and moved.tier != now.tier:
        said = f"Your tier is now {moved.tier}."
    return After(moved, purpose, score, gold_every(moved), said)


def gold_every(now: Standing) -> int:
    """One look in so many is gold: often while little is known or after an alarm, seldom then; 0: none."""
    rate = now.novice_rate if now.n < MEASURED else now.gold_rate
    if now.alarms:
        rate = max(rate, AFTER_ALARM)
    return round(1 / rate) if rate > 0 else 0


def _examined(now: Standing, correct: bool) -> tuple[Standing, str | None]:
    now = replace(now, exam_ok=now.exam_ok + correct, exam_n=now.exam_n + 1)
    match exam.result(now.exam_ok, now.exam_n):
        case "pass":
            said = f"You passed the entry exam: {now.exam_ok} of {now.exam_n} right. Live items come next."
            return replace(now, status="active", novice=True), said
        case "fail":
            return replace(now, status="paused"), f"The entry exam ended with {now.exam_ok} of {now.exam_n} right, which is not enough."
    return now, None


def _late(now: Standing, correct: bool) -> tuple[Standing, str | None]:
    return replace(now, exam_ok=now.exam_ok + correct, exam_n=now.exam_n + 1), None


def _watched(now: Standing, correct: bool) -> tuple[Standing, str | None]:
    now = replace(now, level=cusum.advance(now.level, correct), novice=now.novice and now.n < MEASURED)
    if now.level < cusum.ALARM:
        return now, None
    if now.alarms:
        return replace(now, status="paused", alarms=now.alarms + 1, level=0.0), "Paused: too many recent golds were answered wrongly, a second time."
    said = f"Too many recent golds were answered wrongly. Finish what you hold; of the {EXTRA} golds after it, {EXTRA_RIGHT} right ones lift this."
    return replace(now, status="soft_paused", alarms=1, level=0.0, extra_left=EXTRA, extra_ok=0, extra_n=0), said


def _asked_extra(now: Standing, correct: bool) -> tuple[Standing, str | None]:
    now = replace(now, extra_ok=now.extra_ok + correct, extra_n=now.extra_n + 1, extra_left=max(0, now.extra_left - 1))
    if now.extra_left:
        return now, None
    right = f"{now.extra_ok} of the {now.extra_n} golds since were right"
    if now.extra_ok >= now.extra_n - (EXTRA - EXTRA_RIGHT):
        return replace(now, status="active"), f"The pause is lifted: {right}."
    return replace(now, status="paused"), f"Paused: {right}, which is not enough."


def _weighed(now: Standing, score: beta.Score) -> Standing:
    """Promoted and set back by the 5 % bound, unless the tier was set by hand or the exam is still on."""
    return now if now.pinned or now.status == "exam" else replace(now, tier=beta.tier(score))
