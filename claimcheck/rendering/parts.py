"""A part of an item's evidence as the screen knows it: everything but its bytes."""

from collections.abc import Callable
from dataclasses import dataclass

FIELDS = "payload.json"


@dataclass(frozen=True)
class Part:
    """`n` is the part's number in its evidence, `href` the address that serves its bytes."""

    n: int
    name: str
    content_type: str
    size: int
    href: str = ""

    @property
    def media_type(self) -> str:
        """The declared type without its parameters: `text/csv; charset=utf-8` is `text/csv`."""
        return self.content_type.partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        for parameter in self.content_type.split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip('"').lower()
        return ""


Read = Callable[[Part, int], bytes]
"""Reads at most so many bytes from a part's beginning."""
