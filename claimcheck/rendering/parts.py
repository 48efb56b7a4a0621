"""A part of an item's evidence as the screen knows it: everything but its bytes."""

from collections.abc import Callable
from dataclasses import dataclass

from claimcheck.rendering import marks

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
    def shown_name(self) -> tuple[marks.Span, ...]:
        """The name for the eye: a right-to-left override in it is seen, and turns nothing round."""
        return marks.spans(self.name)

    @property
    def plain_name(self) -> str:
        """The name for an attribute."""
        return marks.plain(self.name)

    @property
    def shown_size(self) -> str:
        if self.size < 1024:
            return "1 byte" if self.size == 1 else f"{self.size} bytes"
        return f"{self.size / 1024:.0f} KB" if self.size < 1024 * 1024 else f"{self.size / 1024 / 1024:.1f} MB"

    @property
    def charset(self) -> str:
        for parameter in self.content_type.split(";")[1:]:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip('"').lower()
        return ""


Read = Callable[[Part, int], bytes]
"""Reads at most so many bytes from a part's beginning."""
