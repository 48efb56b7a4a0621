"""What a part of the bench found: a table, and ratios against their targets. Each target is said as soon as it is measured."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

BEGAN = time.monotonic()


def say(line: str) -> None:
    """A line of progress, on standard error."""
    print(f"{time.monotonic() - BEGAN:6.0f} s  {line}", file=sys.stderr, flush=True)


def spread(values: Sequence[float], digits: int = 2) -> str:
    """median [min..max]"""
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f}..{max(values):.{digits}f}]"


def over(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """Round by round: what was measured together is divided, never the medians."""
    return [a / b for a, b in zip(one, other, strict=True)]


@dataclass(frozen=True)
class Goal:
    """Figures of all rounds, and what their median has to be: at least or at most the target; None where they are only told."""

    what: str
    values: Sequence[float]
    target: float | None
    at_most: bool
    unit: str = "×"

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        median = statistics.median(self.values)
        return median <= self.target if self.at_most else median >= self.target

    @property
    def verdict(self) -> str:
        return {True: "met", False: "MISSED", None: "no target"}[self.met]

    @property
    def wanted(self) -> str:
        return "" if self.target is None else f"{'≤' if self.at_most else '≥'} {self.target:g} {self.unit}"

    def __str__(self) -> str:
        return f"{self.what}: {spread(self.values)} {self.unit}, {self.wanted + ': ' if self.wanted else ''}{self.verdict}"


@dataclass
class Part:
    """One part's findings; `columns` head its table."""

    name: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def say(self, line: str) -> None:
        say(f"{self.name}: {line}")

    def row(self, *cells: str) -> None:
        self.rows.append(cells)

    def goal(self, what: str, values: Sequence[float], *, least: float | None = None, most: float | None = None, unit: str = "×") -> None:
        """Keeps a target's figures, and says them."""
        self.goals.append(Goal(what, values, least if least is not None else most, least is None, unit))
        self.say(str(self.goals[-1]))

    def markdown(self) -> list[str]:
        head = ["what", "median [min..max]", "target", ""]
        return [
            *_table(self.columns, self.rows),
            "",
            *_table(head, [(g.what, f"{spread(g.values)} {g.unit}", g.wanted, g.verdict) for g in self.goals]),
        ]

    def json(self) -> dict[str, Any]:
        goals = [
            {"what": g.what, "values": list(g.values), "unit": g.unit, "target": g.target, "at_most": g.at_most, "met": g.met} for g in self.goals
        ]
        return {"name": self.name, "columns": list(self.columns), "rows": [list(row) for row in self.rows], "goals": goals}


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [_line(columns), _line(["---"] * len(columns)), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
