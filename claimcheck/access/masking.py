"""Masked fields: hidden from whoever judges until they say what for; each reveal is an access event of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimcheck import errors
from claimcheck.control import facets as control_facets
from claimcheck.validation import wrong

MASK = "[masked]"  # in a masked value's place, whatever it is
FIELDS = 50  # of one reveal


@dataclass(frozen=True, slots=True)
class Reveal:
    """What somebody wants to see in spite of the mask: these fields, and files where `purpose` is named at all."""

    fields: tuple[str, ...] = ()
    purpose: str | None = None


NOTHING = Reveal()


def check_listed(title: str | None, facets: Collection[str], masked: Collection[str]) -> None:
    """An item's title stands in lists, and its facets among what leads compare, where nothing is revealed."""
    if title in masked:
        raise wrong("title", f"must not be {title!r}, which is masked; lists show it")
    hidden = next((pointer for pointer in facets if hides(masked, control_facets.steps(pointer))), None)
    if hidden is not None:
        raise wrong("facets", f"must not name {hidden!r}, which is masked: its values would be shown; take it out of facets, or out of masked")


def hides(paths: Collection[str], way: Sequence[str]) -> bool:
    """Whether something on the way to a field is masked; a number may be a place in a list, which masks walk through."""
    if not way:
        return False
    first, rest = way[0], way[1:]
    return first in paths or hides(under(paths, first), rest) or (first.isdecimal() and hides(paths, rest))


def under(paths: Collection[str], name: str) -> list[str]:
    """The paths that go on inside the field `name`."""
    return [path.removeprefix(f"{name}.") for path in paths if path.startswith(f"{name}.")]


def redact(value: Any, paths: Collection[str]) -> Any:
    """The value with MASK in the place of what stands at these paths; lists are walked through."""
    if isinstance(value, list):
        return [redact(member, paths) for member in value]
    if not isinstance(value, Mapping):
        return value
    return {name: MASK if name in paths else redact(member, under(paths, name)) for name, member in value.items()}


def check(reveal: Reveal, *, masked: Sequence[str], purposes: Sequence[str]) -> None:
    """Raises Invalid where this can't be revealed."""
    if reveal.purpose not in purposes or not set(reveal.fields) <= set(masked):
        raise refusal(masked=masked, purposes=purposes, part="it", reveal=reveal)


def refusal(*, masked: Sequence[str], purposes: Sequence[str], part: str, reveal: Reveal) -> errors.Error:
    """Why nothing was revealed: what was asked for is not masked, or the purpose is none of the project's."""
    if reveal.purpose is None and not reveal.fields:
        return errors.Masked(f"{part} is masked here; say what for: purpose is one of {', '.join(purposes)}.")
    lost = next((name for name in reveal.fields if name not in masked), None)
    if lost is not None:
        return errors.Invalid.field("fields", f"{lost!r} is not masked here" + (f"; masked are {', '.join(masked)}" if masked else ""))
    return errors.Invalid.field("purpose", f"must be one of {', '.join(purposes)}")
