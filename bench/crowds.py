"""Real crowds played against the mathematics of quality: `python -m bench.crowds FOLDER [SET …] [--seeds N] [--desk]`.

Without `--desk` by the mathematics alone, in seconds; with it as `bin/claimcheck simulate` plays them, through a throw-away desk a seed, in minutes.

FOLDER holds a folder a set, each with labels.csv (worker,item,label) and gold.csv (item,gold).
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from claimcheck.cli import simulating as command
from claimcheck.experts import crowds, simulating, standing
from claimcheck.quality import posterior, temperature, weights
from claimcheck.quality.posterior import Vote

EVERY = 200  # answers between two counts of weights, as a background worker would, and a tenth of what there is later on
EXPOSURES = 5
MODES = ("fixed 3", "fixed 5", "adaptive", "adaptive, floor", "adaptive, pauses, temperature, floor")
NEW = standing.Standing("active", 0, pinned=False, novice=False, extra_left=0, gold_rate=1, novice_rate=1)
BY_DESK = {"fixed 3": 3, "adaptive": None}

Rows = list[tuple[str, str, str]]
Key = dict[str, set[str]]
Looks = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True)
class Crowd:
    rows: Rows
    gold: Key
    classes: int
    items: int


def read(folder: Path) -> Crowd:
    """A set. A later row of the same worker and item replaces the earlier. Relations (`relation`, `adjudicated`) become yes or no."""
    with (folder / "gold.csv").open(encoding="utf-8") as file:
        golds = list(csv.DictReader(file))
    with (folder / "labels.csv").open(encoding="utf-8") as file:
        labels = {(r["worker"], r["item"]): r["label"] for r in csv.DictReader(file)}
    if "relation" in golds[0]:
        asked = {g["item"]: g for g in reversed(golds) if g["adjudicated"] in ("0", "1")}
        labels = {(w, i): str(int(asked[i]["relation"] in label)) for (w, i), label in labels.items() if i in asked}
        golds = [{"item": i, "gold": g["adjudicated"]} for i, g in asked.items()]
    items = {i for _, i in labels}
    gold = {g["item"]: set(g["gold"].split("|")) for g in golds if g["item"] in items}
    return Crowd([(w, i, label) for (w, i), label in labels.items()], gold, len(set(labels.values())), len(items))


@dataclass
class Play:
    """One run over a crowd: what is kept between two answers is votes, settled answers, and counts."""

    crowd: Crowd
    mode: str
    draw: random.Random
    golds: set[str] = field(default_factory=set)
    looks: Looks = field(default_factory=lambda: defaultdict(list))
    exposed: Counter[str] = field(default_factory=Counter)
    right: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    settled: dict[str, str] = field(default_factory=dict)
    p: dict[str, float] = field(default_factory=dict)
    newcomer: float = weights.START
    floor: float = 0.0
    answers: int = 0
    due: int = EVERY
    standings: dict[str, standing.Standing] = field(default_factory=lambda: defaultdict(lambda: NEW))
    shown: Looks = field(default_factory=lambda: defaultdict(list))  # at golds
    hot: float = 1.0

    def run(self) -> None:
        """Three passes over the rows in one order; a row that is not wanted is passed over."""
        self.golds = set(self.draw.sample(sorted(self.crowd.gold), min(len(self.crowd.gold), max(20, len(self.crowd.gold) // 10))))
        left = self.draw.sample(self.crowd.rows, len(self.crowd.rows))
        for _ in range(3):
            left = [row for row in left if not self.ask(*row)]
        self.count()

    def ask(self, worker: str, item: str, label: str) -> bool:
        """One row; whether it was taken."""
        status = self.standings[worker].status
        if item in self.golds:
            taken = self.exposed[item] < EXPOSURES and status != "paused"
            if taken:
                self.measure(worker, item, label)
        else:
            taken = item not in self.settled and self.p.get(worker, self.newcomer) >= self.floor and status == "active"
            if taken:
                self.looks[item].append((worker, label))
                self.settle(item)
        self.answers += taken
        if taken and self.answers >= self.due and self.mode.startswith("adaptive"):
            self.count()
        return taken

    def measure(self, worker: str, item: str, label: str) -> None:
        correct = label in self.crowd.gold[item]
        self.exposed[item] += 1
        self.right[worker][0] += 1
        self.right[worker][1] += correct
        self.shown[item].append((worker, label))
        if "pauses" in self.mode:
            self.standings[worker] = standing.after(self.standings[worker], correct=correct, pooled=0.7).standing

    def votes(self, item: str) -> list[Vote]:
        return [Vote(label, self.p.get(worker, self.newcomer)) for worker, label in self.looks[item]]

    def settle(self, item: str) -> None:
        if self.mode.startswith("fixed"):
            if len(self.looks[item]) >= int(self.mode.split()[1]):
                self.settled[item] = majority(self.looks[item], self.draw)
        elif len(self.looks[item]) >= posterior.LEAST:
            found = posterior.likeliest(self.votes(item), self.crowd.classes, self.hot)
            if posterior.stop(found.looks, found.probability) != "more":
                self.settled[item] = str(found.answer)

    def count(self) -> None:
        """What the background worker does: counts of everybody, weights from them, and the floor."""
        peers: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for item, looks in self.looks.items():
            for (worker, _), (n, ok) in zip(looks, weights.peers(self.votes(item), self.crowd.classes), strict=True):
                peers[worker][0] += n
                peers[worker][1] += ok
        everybody = [weights.Counts(w, *self.right[w], *peers[w]) for w in sorted({*self.right, *peers})]
        self.p = {str(k): p for k, p in weights.weights(everybody, self.crowd.classes).items()}
        self.newcomer = weights.mean(everybody, self.crowd.classes)
        self.floor = weights.floor(everybody, self.p) if self.mode.endswith("floor") else 0.0
        if "temperature" in self.mode:
            self.hot = temperature.fit(self.known(everybody), self.crowd.classes)
        self.due = self.answers + max(EVERY, self.answers // 10)

    def known(self, everybody: list[weights.Counts]) -> list[temperature.Known]:
        """The golds that two or more have looked at, each look with the p that its voter would have without it."""
        of, centre, worth = {c.person: c for c in everybody}, weights.mean(everybody, self.crowd.classes), weights.strength(everybody)
        found = []
        for item, looks in self.shown.items():
            right = self.crowd.gold[item]
            votes = [Vote(label, weights.without(of[worker], label in right, centre, worth)) for worker, label in looks]
            if len(votes) > 1:
                found.append(temperature.Known(next((v.answer for v in votes if v.answer in right), min(right)), votes))
        return found

    def decided(self) -> dict[str, str]:
        """Each item's answer; one that is undecided keeps the likeliest."""
        if self.mode.startswith("fixed"):
            return {i: self.settled.get(i) or majority(looks, self.draw) for i, looks in self.looks.items()}
        return {i: self.settled.get(i) or str(posterior.likeliest(self.votes(i), self.crowd.classes).answer) for i in self.looks}


def majority(looks: Iterable[tuple[str, str]], draw: random.Random) -> str:
    """What most gave; of several the lot decides."""
    counts = Counter(label for _, label in looks)
    most = max(counts.values())
    return draw.choice(sorted(label for label, n in counts.items() if n == most))


def dawid_skene(looks: Looks, rounds: int = 20) -> dict[str, str]:
    """Dawid and Skene (1979) by expectation and maximisation from the shares of votes, each cell smoothed by .01."""
    labels = sorted({label for given in looks.values() for _, label in given})
    belief = {i: {k: sum(label == k for _, label in given) / len(given) for k in labels} for i, given in looks.items()}
    for _ in range(rounds):
        belief = _expect(looks, labels, *_maximise(looks, labels, belief))
    return {i: max(labels, key=lambda k: b[k]) for i, b in belief.items()}


def _maximise(looks: Looks, labels: list[str], belief: dict[str, dict[str, float]]) -> tuple[dict[str, float], dict[tuple[str, str, str], float]]:
    """The log shares of the classes, and of each worker's answers in each class."""
    prior = {k: math.log(sum(b[k] for b in belief.values()) / len(belief) + 1e-9) for k in labels}
    cells: dict[tuple[str, str, str], float] = defaultdict(lambda: 0.01)
    rows: dict[tuple[str, str], float] = defaultdict(lambda: 0.01 * len(labels))
    for item, given in looks.items():
        for worker, label in given:
            for k in labels:
                cells[worker, k, label] += belief[item][k]
                rows[worker, k] += belief[item][k]
    return prior, {(w, k, v): math.log(cells[w, k, v] / n) for (w, k), n in rows.items() for v in labels}


def _expect(looks: Looks, labels: list[str], prior: dict[str, float], cells: dict[tuple[str, str, str], float]) -> dict[str, dict[str, float]]:
    belief = {}
    for item, given in looks.items():
        sums = {k: prior[k] + sum(cells[w, k, v] for w, v in given) for k in labels}
        top = max(sums.values())
        shares = {k: math.exp(s - top) for k, s in sums.items()}
        belief[item] = {k: s / sum(shares.values()) for k, s in shares.items()}
    return belief


Figures = tuple[float, float, float, float, float, float]


def by_desk(folder: Path, mode: str, seed: int) -> Figures:
    """The same figures, as the desk plays it."""
    crowd = read(folder)
    given = crowds.Crowd([crowds.Given(*row) for row in crowd.rows], {i: frozenset(g) for i, g in crowd.gold.items()})
    with command.desk() as desk:
        found = simulating.play(desk, given, seed=seed, looks=BY_DESK[mode], say=lambda line: None)
    golds = {r.item for r in found.results if r.used_as_gold}
    looks: Looks = defaultdict(list)
    for row in found.answered:
        if row.item not in golds:
            looks[row.item].append((row.worker, row.label))
    asked = [i for i in sorted(crowd.gold) if i not in golds]
    by_most = {i: majority(of, random.Random(seed)) for i, of in sorted(looks.items())}
    others = [sum(f.get(i) in crowd.gold[i] for i in asked) / len(asked) for f in (by_most, dawid_skene(looks))]
    rest = crowd.items - len(golds)
    return found.accuracy or 0.0, found.paid / crowd.items, found.answers_per_item, others[0], others[1], found.undecided / rest


def measure(folder: Path, mode: str, seed: int) -> Figures:
    """Accuracy; answers an item, and an item that is not gold; majority's and Dawid-Skene's accuracy on the same answers; the share undecided."""
    crowd = read(folder)
    play = Play(crowd, mode, random.Random(seed))
    play.run()
    asked = [i for i in sorted(crowd.gold) if i not in play.golds]

    def accuracy(found: dict[str, str]) -> float:
        return sum(found.get(i) in crowd.gold[i] for i in asked) / len(asked)

    by_most = {i: majority(looks, play.draw) for i, looks in sorted(play.looks.items())}
    others = accuracy(by_most), accuracy(dawid_skene(play.looks))
    undecided = sum(i not in play.settled for i in play.looks) / len(play.looks)
    return accuracy(play.decided()), play.answers / crowd.items, play.answers / (crowd.items - len(play.golds)), *others, undecided


def row(name: str, mode: str, found: list[Figures]) -> str:
    means = [statistics.mean(column) for column in zip(*found, strict=True)]
    spread = statistics.stdev(f[0] for f in found) if len(found) > 1 else 0.0
    accuracy, answers, delivered, most, ds, undecided = means
    return f"| {name} | {mode} | {accuracy:.4f} ± {spread:.4f} | {answers:.2f} | {delivered:.2f} | {most:.4f} | {ds:.4f} | {undecided:.1%} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.crowds", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--modes", nargs="*")
    parser.add_argument("--desk", action="store_true")
    asked = parser.parse_args()
    modes, play = asked.modes or (BY_DESK if asked.desk else MODES), by_desk if asked.desk else measure
    print("| set | mode | accuracy, mean ± sd | answers an item | an item not gold | majority, same answers | Dawid–Skene, same | undecided |")
    print("|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(2) as pool:
        for name in asked.sets or sorted(p.name for p in asked.folder.iterdir() if p.is_dir()):
            for mode in modes:
                n = asked.seeds
                print(row(name, mode, list(pool.map(play, [asked.folder / name] * n, [mode] * n, range(1, n + 1)))), flush=True)


if __name__ == "__main__":
    main()
