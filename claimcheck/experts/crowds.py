"""Crowds on file: labels that people gave, and gold; as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from claimcheck import errors

LABELS = ("worker", "item", "label")
GOLD = ("item", "gold")
MOST_LABELS = 100


@dataclass(frozen=True, slots=True)
class Given:
    """A label that a worker gave an item."""

    worker: str
    item: str
    label: str


@dataclass(frozen=True, slots=True)
class Crowd:
    """`rows` hold one label a worker and item, the last that was given; `gold` the right ones of those items where they are known."""

    rows: list[Given]
    gold: dict[str, frozenset[str]]

    @property
    def items(self) -> list[str]:
        """Every item that somebody labelled, in the order in which they first stand."""
        return [*dict.fromkeys(row.item for row in self.rows)]

    @property
    def labels(self) -> list[str]:
        """Every label that was given or is gold, sorted."""
        return sorted({row.label for row in self.rows} | {label for item in self.items for label in self.gold.get(item, ())})


def read(labels: Path, gold: Path) -> Crowd:
    """Raises Invalid that names the file and line of what is wrong: fewer than 2 labels or more than 100, or no item that gold is known of."""
    last = {(row["worker"], row["item"]): row["label"] for row in _rows(labels, LABELS)}
    known = {row["item"]: _either(gold, row["item"], row["gold"]) for row in _rows(gold, GOLD)}
    crowd = Crowd([Given(worker, item, label) for (worker, item), label in last.items()], known)
    if known.keys().isdisjoint(crowd.items):
        raise errors.Invalid.field(gold.name, f"names none of the items in {labels.name}; both have to call an item the same")
    if not 2 <= len(crowd.labels) <= MOST_LABELS:
        said = f"with {gold.name} there are {len(crowd.labels)} different labels; from 2 to {MOST_LABELS} can be simulated, so put like ones together"
        raise errors.Invalid.field(labels.name, said)
    return crowd


def _either(path: Path, item: str, text: str) -> frozenset[str]:
    """`a|b`: either is right."""
    labels = [label.strip() for label in text.split("|")]
    if not all(labels):
        raise errors.Invalid.field(path.name, f"item {item}: gold {text!r} names an empty label; write a|b where either is right")
    return frozenset(labels)


def _rows(path: Path, wanted: tuple[str, ...]) -> Iterator[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            _check_head(path, reader.fieldnames, wanted)
            for row in reader:
                yield {name: _cell(path, reader.line_num, name, row[name]) for name in wanted}
            if reader.line_num <= 1:
                raise errors.Invalid.field(path.name, "line 2: is missing; there has to be a row below the first line")
    except OSError as error:
        raise errors.Invalid.field(path.name, f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise errors.Invalid.field(path.name, f"is no CSV in UTF-8: {error}; save it as one") from None


def _check_head(path: Path, found: Sequence[str] | None, wanted: tuple[str, ...]) -> None:
    if not found:
        raise errors.Invalid.field(path.name, f"is empty; its first line has to name at least {','.join(wanted)}")
    missing = [name for name in wanted if name not in found]
    if missing:
        raise errors.Invalid.field(path.name, f"line 1: has no column {missing[0]!r}; it has to name at least {','.join(wanted)}")


def _cell(path: Path, line: int, name: str, text: str | None) -> str:
    if not text or not text.strip() or len(text) > 200 or "\x00" in text:
        raise errors.Invalid.field(path.name, f"line {line}: {name} has to hold from 1 to 200 characters")
    return text.strip()
