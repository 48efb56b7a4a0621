"""An item's parts, under its project's rules, as the views of one screen."""

import functools
from collections.abc import Collection, Iterable, Sequence

from claimcheck.rendering import fields, kinds, marks, masks, pairs, rules, values, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import FIELDS, Part, Read

RESERVED = "files"
EVERYTHING = rules.Rules()


def show(parts: Sequence[Part], read: Read, given: rules.Rules = EVERYTHING) -> tuple[views.View, ...]:
    """Every field and file that the rules name, in their order.

    `read(part, limit)` is asked only for parts that are shown. Never raises for what the bytes are;
    errors of `read` itself pass through.
    """
    return Screen(parts, read, given.masked).show(given)


class Screen:
    """One item being laid out: its fields by name, its files by name."""

    def __init__(self, parts: Sequence[Part], read: Read, masked: Collection[str] = ()) -> None:
        self.masked = masked
        self.source: Read = functools.cache(read)
        self.sheet = next((part for part in parts if part.name == FIELDS), None)
        self.files = {part.name: part for part in parts if part.name != FIELDS}
        self.unread: tuple[views.View, ...] = ()
        self.fields = self._fields(self.sheet) if self.sheet else {}

    def _fields(self, sheet: Part) -> dict[str, list[object]]:
        """Values by name, more than one where the name is repeated; `unread` is set where there are none."""
        try:
            parsed = fields.parse(sheet, self.source)
        except NotShown as problem:
            self.unread = (views.Download(sheet, problem.reason),)
            return {}
        if not isinstance(parsed.document, values.Pairs):
            self.unread = (fields.show(sheet, parsed),)
            return {}
        found: dict[str, list[object]] = {}
        for name, value in masks.cover(parsed.document, self.masked):  # type: ignore[attr-defined]
            found.setdefault(name, []).append(value)
        found.pop(RESERVED, None)
        return found

    def show(self, given: rules.Rules) -> tuple[views.View, ...]:
        shown = list(self.unread)
        group: list[str] = []
        absent: list[views.View] = []  # last: what isn't there parts no fields, and is nowhere what one sees first
        for entry in rules.ordered(given, (*self.fields, *self.files)):
            if isinstance(entry, str) and (entry in self.fields or entry not in self.files):
                group.extend([entry] if entry in self.fields else [])
                absent.extend([] if entry in self.fields else [views.Missing(fields.label(entry))])
                continue
            shown += self._group(group, whole=bool(given.show))
            shown.append(self._pair(entry) if isinstance(entry, rules.Pair) else self._file(entry))
            group = []
        return (*shown, *self._group(group, whole=bool(given.show)), *absent)

    def _group(self, names: Iterable[str], *, whole: bool) -> list[views.View]:
        members = values.Pairs((name, value) for name in names for value in self.fields[name])
        return [views.Fields(self.sheet, fields.node(members, whole=whole))] if members else []

    def _file(self, name: str) -> views.View:
        if name not in self.files:
            return views.Missing(fields.label(name))
        if name in self.masked:
            return views.Masked(self.files[name])
        return kinds.view(self.files[name], self.source)

    def _pair(self, pair: rules.Pair) -> views.View:
        title = marks.plain(pair.title)
        left, right = self._document(pair.left), self._document(pair.right)
        if left and right and pairs.alike(left[0], right[0]):
            return pairs.aligned(title, (pair.left, left[0]), (pair.right, right[0]))
        if self._is_alone(pair, left, right):
            return pairs.alone(title, (pair.left, left and left[0]), (pair.right, right and right[0]))
        return views.Pair(title, self._side(pair.left), self._side(pair.right))

    def _is_alone(self, pair: rules.Pair, left: tuple[object] | None, right: tuple[object] | None) -> bool:
        """Whether the item has an object on one side and nothing at all on the other."""
        there, gone = (left, pair.right) if left else (right, pair.left)
        known = gone in self.fields or gone in self.files
        return bool(there and isinstance(there[0], values.Pairs) and there[0] and not known)

    def _document(self, name: str) -> tuple[object] | None:
        """A field's one value or a JSON file's; wrapped, since null is a value too."""
        if name in self.fields:
            return (self.fields[name][0],) if len(self.fields[name]) == 1 else None
        part = self.files.get(name)
        if part is None or name in self.masked or kinds.reader_of(part.media_type) is not fields.read:
            return None
        try:
            parsed = fields.parse(part, self.source)
        except NotShown:
            return None
        return None if parsed.problem else (parsed.document,)

    def _side(self, name: str) -> views.Side:
        found = self.fields.get(name)
        if found is None:
            return views.Side(fields.label(name), self._file(name))
        node = fields.node(found[0] if len(found) == 1 else found, whole=True)
        return views.Side(fields.label(name), views.Fields(None, node))
