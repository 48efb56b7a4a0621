"""Plays a crowd's labels through a desk: each row is that worker asking for that very item, by the desk's own claim and submit."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from claimcheck import customers, decisions, people, projects, rules, tasks
from claimcheck.db import Database
from claimcheck.experts import golds, judging, upkeep
from claimcheck.experts.crowds import Crowd, Given

SKILL = "simulated"
PASSES = 3
EVERY = 200  # submits between two rounds of the workers
LEAST_GOLD, SHARE = 20, 10  # a tenth of the gold, 20 items at least
CHUNK = 2000


@dataclass(frozen=True, slots=True)
class Desk:
    """The throw-away desk, by the rights of those who act: who loads, who looks, who scores."""

    owner: Database
    web: Database
    worker: Database


@dataclass(frozen=True, slots=True)
class Result:
    """An item as it would be delivered. `settled` is False where it keeps its likeliest answer."""

    item: str
    label: str
    answers: int
    used_as_gold: bool
    settled: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """A simulation's results. Shares are from 0 to 1; `accuracy` is None where no gold is left to judge by."""

    results: list[Result]
    accuracy: float | None
    answers_per_item: float
    paid: int
    undecided: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Named:
    id: int
    name: str


@dataclass(frozen=True, slots=True)
class _Keyed:
    id: int
    key: str


@dataclass(frozen=True, slots=True)
class _Copy:
    item_id: int
    copy_id: int


@dataclass(frozen=True, slots=True)
class _Look:
    item_id: int
    answer: Any
    settles: bool
    weight: float


@dataclass(frozen=True, slots=True)
class _Paid:
    paid: int
    lines: int


@dataclass(frozen=True, slots=True)
class _Model:
    temperature: float
    weighs: bool


@dataclass
class Play:
    """A simulation under way."""

    desk: Desk
    crowd: Crowd
    rules: rules.Rules
    project_id: int
    golden: set[str]
    people: dict[str, int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    copies: dict[int, int] = field(default_factory=dict)
    done: set[tuple[str, str]] = field(default_factory=set)
    submits: int = 0

    def ask(self, row: Given) -> bool:
        """The worker asks for the item and answers it, if it wants their look; whether it did."""
        item = self.items[row.item]
        target = self.copies.get(item) if row.item in self.golden else item
        if target is None:
            return False
        me = self.people[row.worker]
        claimed = tasks.claim(self.desk.web, me=me, item_id=target)
        if claimed is None:
            return False
        decisions.submit(self.desk.web, assignment_id=claimed.assignment_id, lease_token=claimed.lease_token, me=me,
                         evidence_hash=claimed.evidence_hash, reason_code="given", answer=row.label)  # fmt: skip
        self.done.add((row.worker, row.item))
        self.submits += 1
        if row.item in self.golden or self.submits % EVERY == 0:
            self.keep_up()
        return True

    def keep_up(self) -> None:
        """What the workers do meanwhile."""
        upkeep.run(self.desk.worker, fit_seconds=0 if self.submits % EVERY == 0 else 1e9)
        self.copies = {c.item_id: c.copy_id for c in self.desk.owner.all("simulations/copies", _Copy)}


def project_rules(labels: list[str], looks: int | None) -> rules.Rules:
    """A question with these labels; fixed looks, or adaptive where None."""
    agreement = {"mode": "adaptive", "audit": 0.0} if looks is None else {"mode": "majority"}
    question = {"ask": "preference", "text": "Which label?", "options": labels}
    given = {"name": SKILL, "skill": SKILL, "question": question, "reason_codes": ["given"], "price_minor": 1, "agreement": agreement}
    return rules.parse(given if looks is None else {**given, "wanted": looks})


def play(desk: Desk, crowd: Crowd, *, seed: int, looks: int | None, say: Callable[[str], None]) -> Outcome:
    """Plays every row in an order drawn from the seed, in three passes. `looks` is fixed, or None for adaptive."""
    dice = random.Random(seed)  # noqa: S311 (a draw, no secret)
    run = _begin(desk, crowd, dice, looks)
    rows = [*crowd.rows]
    dice.shuffle(rows)
    for number in range(1, PASSES + 1):
        answered = sum(run.ask(row) for row in rows if (row.worker, row.item) not in run.done)
        say(f"pass {number}: {answered:,} of {len(rows):,} rows were asked for")
    run.keep_up()
    return _outcome(run, seed)


def _begin(desk: Desk, crowd: Crowd, dice: random.Random, looks: int | None) -> Play:
    in_force = project_rules(crowd.labels, looks)
    customer = customers.ensure(desk.web, SKILL)
    maker = people.add(desk.web, name="maker", role="customer", customer=SKILL, program=True)
    project = projects.create(desk.web, by=maker, rules=in_force, customer_id=customer.id).id
    golden = _golden(crowd, dice)
    run = Play(desk, crowd, in_force, project, golden)
    names = sorted({row.worker for row in crowd.rows})
    run.people = {p.name: p.id for p in desk.owner.all("simulations/people", _Named, names=names, skill=SKILL)}
    keys = crowd.items
    for n in range(0, len(keys), CHUNK):
        made = desk.owner.all("simulations/items", _Keyed, project_id=project, keys=keys[n : n + CHUNK], golds=[*golden])
        run.items |= {i.key: i.id for i in made}
    lead = people.add(desk.web, name="lead", role="lead", program=True)
    for item in sorted(golden):
        golds.add(desk.web, item_id=run.items[item], accepted=sorted(crowd.gold[item] & {*crowd.labels}), me=lead.id)
    run.keep_up()
    return run


def _golden(crowd: Crowd, dice: random.Random) -> set[str]:
    """A tenth of the items whose gold is known, twenty at least, all of them where there are fewer."""
    known = sorted(item for item in crowd.items if item in crowd.gold)
    return set(dice.sample(known, min(len(known), max(LEAST_GOLD, len(known) // SHARE))))


def _outcome(run: Play, seed: int) -> Outcome:
    results = _results(run)
    judged = [r.label in run.crowd.gold[r.item] for r in results if not r.used_as_gold and r.item in run.crowd.gold]
    paid = run.desk.owner.one("simulations/paid", _Paid)
    assert paid is not None
    delivered = [r for r in results if not r.used_as_gold]
    return Outcome(
        results,
        sum(judged) / len(judged) if judged else None,
        paid.lines / max(1, len(delivered)),
        paid.paid,
        sum(not r.settled for r in delivered),
        seed,
    )


def _results(run: Play) -> list[Result]:
    found = run.desk.owner.one("simulations/model", _Model, skill=SKILL)
    assert found is not None
    adaptive = run.rules.agreement.mode == "adaptive"
    skill = judging.Skill(found.temperature, found.weighs and adaptive)
    looks: dict[int, list[judging.Look]] = defaultdict(list)
    settled: dict[int, str] = {}
    for look in run.desk.owner.all("simulations/looks", _Look, project_id=run.project_id):
        if look.settles or run.rules.first_wanted == 1:
            settled[look.item_id] = look.answer
        if not look.settles:
            looks[look.item_id].append(judging.Look(None, look.answer, look.weight))
    results = []
    for key, item in run.items.items():
        given = looks[item]
        if key in run.golden:
            results.append(Result(key, min(run.crowd.gold[key]), 0, True))
        elif given:
            label = settled.get(item) or judging.likeliest(run.rules, skill, given)
            results.append(Result(key, label, len(given), False, item in settled))
    return results
