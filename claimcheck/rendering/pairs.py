"""Two sides of one question, field beside field."""

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from claimcheck.rendering import fields, limits, masks, values, views

Flat = dict[tuple[str, ...], object]
SHORT = 200
NUMBER_DIGITS = 60
MONEY = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,4}")  # as a number or in text; without decimals it may be anybody's number
AMOUNT = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,4})?")


def aligned(title: str, left: tuple[str, object], right: tuple[str, object]) -> views.Aligned:
    """Two values, each with its name: objects are laid side by side by field, anything else is one row."""
    sides = _flat(left[1]), _flat(right[1])
    paths = list(dict.fromkeys((*sides[0], *sides[1])))
    rows = tuple(_row(path, *sides) for path in paths[: limits.JSON_VALUES])
    return views.Aligned(title, fields.label(left[0]), fields.label(right[0]), rows, notes=_notes(rows, len(paths)))


def alone(title: str, left: tuple[str, object], right: tuple[str, object]) -> views.Aligned:
    """The same where one of the two is None, since the item has nothing of it: the other's fields, and the side that is missing."""
    sides = [{} if value is None else _flat(value) for _, value in (left, right)]
    paths = [*sides[0], *sides[1]]
    rows = tuple(_row(path, *sides) for path in paths[: limits.JSON_VALUES])
    missing = "left" if left[1] is None else "right"
    return views.Aligned(title, fields.label(left[0]), fields.label(right[0]), rows, missing, _notes(rows, len(paths)))


def alike(left: object, right: object) -> bool:
    """Whether two values are read best field beside field: two objects, or two short scalars."""
    if isinstance(left, values.Pairs) and isinstance(right, values.Pairs):
        return True
    return _short(left) and _short(right)


def _short(value: object) -> bool:
    scalar = not isinstance(value, (values.Pairs, list))
    return scalar and not (isinstance(value, str) and (len(value) > SHORT or "\n" in value))


def _flat(value: object) -> Flat:
    flat: Flat = {}
    for path, scalar in _leaves((), value):
        while path in flat:
            path = (*path[:-1], f"{path[-1]} (again)") if path else ("(again)",)
        flat[path] = scalar
    return flat


def _leaves(path: tuple[str, ...], value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, values.Pairs) and value:
        for name, member in value:
            yield from _leaves((*path, name), member)
    elif isinstance(value, list) and value:
        for number, member in enumerate(value, 1):
            yield from _leaves((*path, f"{number}."), member)
    else:
        yield path, "" if isinstance(value, (values.Pairs, list)) else value


def _row(path: tuple[str, ...], left: Flat, right: Flat) -> views.Row:
    sides = [fields.scalar(side[path], whole=False) if path in side else None for side in (left, right)]
    both = path in left and path in right
    hidden = masks.MASKED in (left.get(path), right.get(path))
    differs = not hidden and (not both or not _same(left[path], right[path]))
    return views.Row(_label(path), sides[0], sides[1], differs, _by(path, left[path], right[path]) if both and differs else "")


def _by(path: tuple[str, ...], left: object, right: object) -> str:
    """How much more the right amount is; empty where the two are no amounts."""
    money = AMOUNT if path and "amount" in path[-1].lower() else MONEY
    if not all(isinstance(each, str) and money.fullmatch(each) for each in (left, right)):
        return ""
    return f"{Decimal(str(right)) - Decimal(str(left)):+f}".replace("-", "\u2212")


def _label(path: tuple[str, ...]) -> views.Label:
    labels = [fields.label(name) for name in path]
    return views.Label(" · ".join(each.text for each in labels), ".".join(each.exact for each in labels))


def _same(left: object, right: object) -> bool:
    """12.5 and 12.50 are the same amount; everything else is the same when it is written the same."""
    if isinstance(left, values.Number) and isinstance(right, values.Number):
        return _amount(left) == _amount(right)
    return type(left) is type(right) and left == right


def _amount(number: values.Number) -> Decimal | str:
    try:
        return Decimal(number) if len(number) <= NUMBER_DIGITS else str(number)
    except InvalidOperation:
        return str(number)


def _notes(rows: tuple[views.Row, ...], paths: int) -> tuple[str, ...]:
    return (f"{len(rows):,} of {paths:,} fields are shown.",) if paths > len(rows) else ()
