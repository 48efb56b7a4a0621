"""Fields that are masked: the eye is told that something stands there, and nothing of what."""

from collections.abc import Collection

from claimcheck.rendering import values


class Masked:
    """In a masked value's place. No two are ever the same, or different: that would tell something of them."""


MASKED = Masked()


def cover(value: object, paths: Collection[str]) -> object:
    """The value with MASKED where these paths (`holder.iban`) lead; lists are walked through."""
    if not paths:
        return value
    if isinstance(value, values.Pairs):
        return values.Pairs((name, MASKED if name in paths else cover(member, _under(paths, name))) for name, member in value)
    return [cover(member, paths) for member in value] if isinstance(value, list) else value


def _under(paths: Collection[str], name: str) -> list[str]:
    return [path.removeprefix(f"{name}.") for path in paths if path.startswith(f"{name}.")]
