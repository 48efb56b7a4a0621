"""Plays a crowd's labels through a desk: each row is that worker asking for that very item, by the desk's own claim and submit."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from claimcheck import projects, rules
from claimcheck.access import customers, people
from claimcheck.db import Database
from claimcheck.experts import golds, judging, upkeep
from claimcheck.experts.crowds import Crowd, Given
from claimcheck.review import decisions, tasks

SKILL = "simulated"
PASSES = 3
ROUND, PART = 50, 50  # submits between two rounds of the workers: so many, or a part of those so far
FIT, FIT_PART = 200, 10  # submits between two fits, likewise
LEAST_GOLD, SHARE = 20, 10  # a tenth of the gold, 20 items at least
CHUNK = 2000
NEVER = 1e9  # seconds
LETTERS = str.maketrans("0123456789", "abcdefghij")  # a copy of a gold draws the digits of its key anew


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
    """A simulation's results. Shares are from 0 to 1; `accuracy` is None where no gold is left; `answered` are the rows that the desk took."""

    results: list[Result]
    accuracy: float | None
    answers_per_item: float
    paid: int
    undecided: int
    seed: int
    answered: list[Given]


@dataclass(frozen=True, slots=True)
class _Id:
    id: int


@dataclass(frozen=True, slots=True)
class _Away:
    id: int
    wholly: bool


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
    codes: dict[str, str]
    people: dict[str, int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    copies: dict[int, int] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    away: dict[int, bool] = field(default_factory=dict)
    done: dict[tuple[str, str], Given] = field(default_factory=dict)
    submits: int = 0
    due: int = ROUND
    fit_due: int = FIT

    def ask(self, row: Given) -> bool:
        """The worker asks for the item and answers it, if it wants their look; whether it did."""
        item = self.items[row.item]
        target = self.copies.get(item) if row.item in self.golden else item
        me = self.people[row.worker]
        if target is None or self._in_vain(me, item, golden=target != item):
            return False
        queue = None if row.item in self.golden else "review"  # not its adjudication, which its able people would be handed
        claimed = tasks.claim(self.desk.web, me=me, queue=queue, item_id=target)
        if claimed is None:
            return False
        decisions.submit(self.desk.web, assignment_id=claimed.assignment_id, lease_token=claimed.lease_token, me=me,
                         evidence_hash=claimed.evidence_hash, reason_code="given", answer=self.codes[row.label])  # fmt: skip
        self.done[row.worker, row.item] = row
        self.submits += 1
        if row.item in self.golden:
            del self.copies[item]
        if self.submits >= self.due:
            self.keep_up()
        return True

    def _in_vain(self, me: int, item: int, *, golden: bool) -> bool:
        """Whether the desk would hand out nothing: between two rounds of the workers nobody is paused or comes back."""
        return item in self.ended or (me in self.away and (self.away[me] or not golden))

    def keep_up(self) -> None:
        """What the workers do meanwhile; then which copies of golds wait, which items want no look any more, and who is paused."""
        fits = self.submits >= self.fit_due
        upkeep.run(self.desk.worker, fit_seconds=0 if fits else NEVER)
        self.copies = {c.item_id: c.copy_id for c in self.desk.owner.all("simulations/copies", _Copy)}
        self.ended = {i.id for i in self.desk.owner.all("simulations/ended", _Id, project_id=self.project_id)}
        self.away = {a.id: a.wholly for a in self.desk.owner.all("simulations/away", _Away, skill=SKILL)}
        self.due = self.submits + max(ROUND, self.submits // PART)
        if fits:
            self.fit_due = self.submits + max(FIT, self.submits // FIT_PART)


def project_rules(labels: Iterable[str], looks: int | None) -> rules.Rules:
    """A question with these labels; fixed looks, or adaptive where None."""
    agreement = {"mode": "adaptive", "audit": 0.0} if looks is None else {"mode": "majority"}
    question = {"ask": "preference", "text": "Which label?", "options": [*labels]}
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
    codes = {label: f"label {n}" for n, label in enumerate(crowd.labels)}
    in_force = project_rules(codes.values(), looks)
    customer = customers.ensure(desk.web, SKILL)
    maker = people.add(desk.web, name="maker", role="customer", customer=SKILL, program=True)
    project = projects.create(desk.web, by=maker, rules=in_force, customer_id=customer.id).id
    run = Play(desk, crowd, in_force, project, _golden(crowd, dice), codes)
    names = sorted({row.worker for row in crowd.rows})
    crew = desk.owner.all("simulations/people", _Id, people=len(names), skill=SKILL)
    run.people = {name: person.id for name, person in zip(names, crew, strict=True)}
    _load(run)
    run.keep_up()
    return run


def _load(run: Play) -> None:
    """The items, and their gold. Their names stay outside: a key of letters alone is drawn for no copy of a gold."""
    of = {f"item {str(n).translate(LETTERS)}": item for n, item in enumerate(run.crowd.items)}
    golden = [key for key, item in of.items() if item in run.golden]
    keys = [*of]
    for n in range(0, len(keys), CHUNK):
        made = run.desk.owner.all("simulations/items", _Keyed, project_id=run.project_id, keys=keys[n : n + CHUNK], golds=golden)
        run.items |= {of[i.key]: i.id for i in made}
    lead = people.add(run.desk.web, name="lead", role="lead", program=True)
    for item in sorted(run.golden):
        accepted = sorted(run.codes[label] for label in run.crowd.gold[item])
        golds.add(run.desk.web, item_id=run.items[item], accepted=accepted, me=lead.id)


def _golden(crowd: Crowd, dice: random.Random) -> set[str]:
    """A tenth of the items whose gold is known, twenty at least, all of them where there are fewer."""
    known = sorted(item for item in crowd.items if item in crowd.gold)
    return set(dice.sample(known, min(len(known), max(LEAST_GOLD, len(known) // SHARE))))


def _outcome(run: Play, seed: int) -> Outcome:
    results = _results(run)
    judged = [r.label in run.crowd.gold[r.item] for r in results if not r.used_as_gold and r.item in run.crowd.gold]
    paid = run.desk.owner.one("simulations/paid", _Paid)
    assert paid is not None
    delivered = sum(not r.used_as_gold and r.answers > 0 for r in results)
    undecided = sum(not r.used_as_gold and not r.settled for r in results)
    return Outcome(
        results, sum(judged) / len(judged) if judged else None, paid.lines / max(1, delivered), paid.paid, undecided, seed, [*run.done.values()]
    )


def _results(run: Play) -> list[Result]:
    """Each item's; one whose people were all paused has no label."""
    found = run.desk.owner.one("simulations/model", _Model, skill=SKILL)
    assert found is not None
    skill = judging.Skill(found.temperature, found.weighs and run.rules.agreement.mode == "adaptive")
    looks: dict[int, list[judging.Look]] = defaultdict(list)
    settled: dict[int, str] = {}
    for look in run.desk.owner.all("simulations/looks", _Look, project_id=run.project_id):
        if look.settles or run.rules.first_wanted == 1:
            settled[look.item_id] = look.answer
        if not look.settles:
            looks[look.item_id].append(judging.Look(None, look.answer, look.weight))
    labels = {code: label for label, code in run.codes.items()}
    results = []
    for key, item in run.items.items():
        given = looks[item]
        if key in run.golden:
            results.append(Result(key, min(run.crowd.gold[key]), 0, True))
        else:
            code = settled.get(item) or (judging.likeliest(run.rules, skill, given) if given else None)
            results.append(Result(key, labels[code] if code else "", len(given), False, item in settled))
    return results
