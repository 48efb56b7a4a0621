"""What a project shows of an item, and in which order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """Two names, of fields or of files, to be shown side by side."""

    left: str
    right: str
    title: str = ""


@dataclass(frozen=True)
class Rules:
    """`show` in order; empty means everything: the pairs, then the fields, then the files. `masked`: fields, by path, and files that are hidden."""

    show: tuple[str | Pair, ...] = ()
    pairs: tuple[Pair, ...] = ()
    masked: tuple[str, ...] = ()

    @classmethod
    def of(cls, show: Iterable[str | Mapping[str, str]] = (), pairs: Iterable[Mapping[str, str]] = (), masked: Iterable[str] = ()) -> "Rules":
        """Rules from a project's YAML or JSON: `show: [amount, {left: front.png, right: back.png, title: Passport}]`.

        A pair that stands in `pairs` only takes the place of the first of its names in `show`.
        """
        return cls(tuple(map(_entry, show)), tuple(map(_pair, pairs)), tuple(masked))


def _entry(entry: str | Mapping[str, str]) -> str | Pair:
    return entry if isinstance(entry, str) else _pair(entry)


def _pair(pair: Mapping[str, str]) -> Pair:
    return Pair(pair["left"], pair["right"], pair.get("title", ""))


def ordered(given: Rules, names: Iterable[str]) -> tuple[str | Pair, ...]:
    """What to show, pairs in their places; `names` are all of the item's fields and files."""
    by_name = {name: pair for pair in given.pairs for name in (pair.right, pair.left)}
    wanted = given.show or (*given.pairs, *names)
    placed = dict.fromkeys(by_name.get(entry, entry) if isinstance(entry, str) else entry for entry in wanted)
    left_over = [pair for pair in given.pairs if pair not in placed] if given.show else []
    inside = {name for entry in placed if isinstance(entry, Pair) for name in (entry.left, entry.right)}
    return tuple(entry for entry in (*placed, *left_over) if entry not in inside)
