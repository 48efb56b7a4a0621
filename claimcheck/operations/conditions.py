"""Conditions that operators are alerted to: the rules of `deploy/alerts.yml`, judged here as Prometheus judges them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from claimcheck import config, errors

FILE = config.ROOT / "deploy" / "alerts.yml"
EXPRESSION = re.compile(r"(\w+)(?:\{(.*)\})? (>=|<=|==|!=|>|<) (-?\d+(?:\.\d+)?)")
MATCHER = re.compile(r'(\w+)="([^"]*)"')
DURATION = re.compile(r"(\d+)([smh])")
UNITS = {"s": 1, "m": 60, "h": 3600}
COMPARED: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """A measure's value under its labels."""

    name: str
    labels: Labels
    value: float


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition; it has to hold for so many seconds in a row."""

    name: str
    measure: str
    labels: Labels
    compare: str
    number: float
    seconds: int
    severity: str
    summary: str
    description: str

    def holds(self, sample: Sample) -> bool:
        """Whether the sample is one of this rule's and beyond its number."""
        ours = sample.name == self.measure and {*self.labels} <= {*sample.labels}
        return ours and COMPARED[self.compare](sample.value, self.number)


@dataclass(frozen=True, slots=True)
class Firing:
    """A rule that holds for long enough, for these labels."""

    rule: Rule
    labels: Labels

    @property
    def summary(self) -> str:
        return _filled(self.rule.summary, self.labels)

    @property
    def description(self) -> str:
        return _filled(self.rule.description, self.labels)


class Judge:
    """Since when each condition holds; it lives as long as its process."""

    def __init__(self, rules: Iterable[Rule]):
        self.rules = list(rules)
        self._since: dict[tuple[str, Labels], float] = {}

    @property
    def holding(self) -> set[tuple[str, Labels]]:
        """What held at the last look, for however long."""
        return set(self._since)

    def firing(self, samples: Iterable[Sample], now: float) -> list[Firing]:
        """What fires at `now`, in seconds of any clock that only goes forward."""
        found = {(rule.name, sample.labels): rule for sample in samples for rule in self.rules if rule.holds(sample)}
        self._since = {key: self._since.get(key, now) for key in found}
        return [Firing(rule, key[1]) for key, rule in found.items() if now - self._since[key] >= rule.seconds]


def labels(of: Mapping[str, str]) -> Labels:
    """Labels in one order."""
    return tuple(sorted(of.items()))


def load(path: Path = FILE) -> list[Rule]:
    """The file's rules. Raises Invalid that names the rule which the desk can't judge by itself."""
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [_rule(rule) for group in found["groups"] for rule in group["rules"]]


def _rule(rule: dict[str, Any]) -> Rule:
    expression, lasting = EXPRESSION.fullmatch(str(rule["expr"]).strip()), DURATION.fullmatch(str(rule.get("for", "0s")))
    if not expression or not lasting:
        raise errors.Invalid.field(str(rule["alert"]), "in deploy/alerts.yml should read: measure, comparison, number, with `for` like 5m")
    measure, chosen, compare, number = expression.groups()
    notes = rule["annotations"]
    return Rule(
        rule["alert"], measure, labels(dict(MATCHER.findall(chosen or ""))), compare, float(number), int(lasting[1]) * UNITS[lasting[2]],
        rule["labels"]["severity"], notes["summary"], notes["description"],
    )  # fmt: skip


def _filled(text: str, of: Labels) -> str:
    for name, value in of:
        text = text.replace(f"{{{{ $labels.{name} }}}}", value)
    return text
