"""JSON read without trust: bounded depth, numbers as they were written, repeated names kept."""

import json
import re
from typing import NoReturn

from claimcheck.rendering import limits
from claimcheck.rendering.errors import NotShown

# The closing quote is optional and nothing backtracks, so that an unclosed string is passed over once.
TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class Number(str):
    """A number's own digits: 12.50 stays 12.50, a million digits cost nothing."""

    __slots__ = ()


class Pairs(tuple[tuple[str, object], ...]):
    """An object's members in order, repeated names included."""

    __slots__ = ()


def load(text: str) -> object:
    """Raises NotShown, with the reason, where text is not JSON or nests too deeply to be read on a screen."""
    _bound_depth(text)
    try:
        return json.loads(text, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=_constant)
    except ValueError as error:
        raise NotShown(f"This is not valid JSON ({error}); it is shown as text.") from error


def _bound_depth(text: str) -> None:
    level = 0
    for token in TOKEN.finditer(text):
        if token[0] in "[{":
            level += 1
            if level > limits.JSON_DEPTH:
                raise NotShown(f"This JSON nests more than {limits.JSON_DEPTH} levels deep; it is shown as text.")
        elif token[0] in "]}":
            level -= 1


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
