"""JSON as definition lists and small tables. Strings are text and nothing else."""

import re
from dataclasses import dataclass

from claimcheck.rendering import decoding, limits, marks, masks, values, views, words
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part, Read

SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
LITERALS = {True: ("truth", "yes"), False: ("truth", "no"), None: ("nothing", "empty (null)")}


@dataclass(frozen=True)
class Parsed:
    """JSON read from a part. With `problem` set there is no document, only text."""

    text: decoding.Text
    document: object = None
    problem: str = ""


def read(part: Part, source: Read) -> views.Fields | views.Text:
    return show(part, parse(part, source))


def parse(part: Part, source: Read) -> Parsed:
    """Raises NotShown where the bytes are not even text."""
    text = words.decode(part, source(part, limits.JSON))
    if part.size > limits.JSON:
        return Parsed(text, problem=f"JSON over {limits.JSON // limits.KIB} KiB is shown as text.")
    try:
        return Parsed(text, values.load(text.text.removeprefix("\ufeff")))
    except NotShown as problem:
        return Parsed(text, problem=problem.reason)


def show(part: Part, parsed: Parsed) -> views.Fields | views.Text:
    if parsed.problem:
        return words.show(part, parsed.text, parsed.problem)
    return views.Fields(part, node(parsed.document), parsed.text.notes)


def label(name: str) -> views.Label:
    """`value_date` reads as "Value date"; a name that is not of that form stands as it is."""
    exact = marks.plain(name)
    return views.Label(exact.replace("_", " ").capitalize() if SNAKE.fullmatch(exact) else exact, exact)


def node(value: object, *, whole: bool = False) -> views.Node:
    """The view of any JSON value. `whole`: its top-level texts are not folded."""
    return Builder().node(value, whole)


def scalar(value: object, *, whole: bool = True) -> views.Value:
    if value is masks.MASKED:
        return views.Value("masked", (marks.Span("masked"),))
    if isinstance(value, values.Number):
        return _value("number", value, whole)
    if isinstance(value, str):
        return _value("text", value.replace("\r\n", "\n"), whole)
    form, word = LITERALS[value]  # type: ignore[index]
    return views.Value(form, (marks.Span(word),))


def _value(form: str, text: str, whole: bool) -> views.Value:
    shown = text[: limits.VALUE_CHARACTERS]
    fold = not whole and len(text) > limits.FOLD_CHARACTERS
    preview = marks.spans(shown[: limits.PREVIEW_CHARACTERS]) if fold else ()
    return views.Value(form, marks.spans(shown), len(text), len(text) - len(shown), preview)


class Builder:
    """Builds nodes until the screen's budget of values is spent; what is left out is counted."""

    def __init__(self) -> None:
        self.left = limits.JSON_VALUES

    def node(self, value: object, whole: bool = False) -> views.Node:
        if isinstance(value, values.Pairs):
            return self.group(value, whole)
        if isinstance(value, list):
            return self.grid(value) if _tabular(value) else self.series(value)
        self.left -= 1
        return scalar(value, whole=whole)

    def group(self, members: values.Pairs, whole: bool = False) -> views.Group:
        entries, seen = [], set()
        for name, value in members:
            if self.left <= 0:
                break
            self.left -= 1
            unfolded = whole and not isinstance(value, (values.Pairs, list))
            entries.append(views.Entry(label(name), self.node(value, unfolded), name in seen))
            seen.add(name)
        return views.Group(tuple(entries), len(members) - len(entries))

    def series(self, members: list[object]) -> views.Series:
        nodes = []
        for value in members:
            if self.left <= 0:
                break
            self.left -= 1
            nodes.append(self.node(value))
        return views.Series(tuple(nodes), len(members) - len(nodes))

    def grid(self, members: list[values.Pairs]) -> views.Grid:
        columns = _columns(members)
        shown = members[: max(1, self.left // max(1, len(columns)))]
        self.left -= len(shown) * len(columns)
        rows = tuple(self._row(columns, dict(member)) for member in shown)
        return views.Grid(tuple(map(label, columns)), rows, len(members) - len(shown))

    def _row(self, columns: list[str], member: dict[str, object]) -> tuple[views.Value | None, ...]:
        return tuple(scalar(member[name], whole=False) if name in member else None for name in columns)


def _columns(members: list[values.Pairs]) -> list[str]:
    return list(dict.fromkeys(name for member in members for name, _ in member))


def _tabular(members: list[object]) -> bool:
    """Two objects or more, of short scalars, without repeated names, that share their few columns."""
    if len(members) < 2 or not all(isinstance(member, values.Pairs) and _flat(member) for member in members):
        return False
    columns = _columns(members)  # type: ignore[arg-type]
    filled = sum(len(member) for member in members)  # type: ignore[arg-type]
    return 0 < len(columns) <= limits.GRID_COLUMNS and filled * 2 >= len(columns) * len(members)


def _flat(member: values.Pairs) -> bool:
    scalars = all(not isinstance(value, (values.Pairs, list)) for _, value in member)
    return scalars and len({name for name, _ in member}) == len(member)
