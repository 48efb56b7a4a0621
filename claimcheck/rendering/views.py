"""What a part turns into: frozen data for one partial each, `templates/payload/<kind>.html`."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from claimcheck.rendering.marks import Span
from claimcheck.rendering.parts import Part


@dataclass(frozen=True)
class Line:
    number: int
    spans: tuple[Span, ...]
    cut: int = 0
    """Characters of this line that are left out."""


@dataclass(frozen=True)
class Text:
    kind: ClassVar[str] = "text"
    part: Part
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Value:
    """A scalar of JSON. `form` is text, number, truth, nothing, masked or absent; numbers stand as they were written."""

    shape: ClassVar[str] = "value"
    form: str
    spans: tuple[Span, ...]
    size: int = 0
    cut: int = 0
    preview: tuple[Span, ...] = ()
    """Set where the value is folded away behind its beginning."""

    @property
    def long(self) -> bool:
        return self.size > 120 or any("\n" in span.text for span in self.spans)


@dataclass(frozen=True)
class Label:
    """A field's name: `text` for the eye, `exact` as it was sent."""

    text: str
    exact: str


@dataclass(frozen=True)
class Entry:
    label: Label
    node: "Node"
    again: bool = False
    """The same name stands more than once in its object."""


@dataclass(frozen=True)
class Group:
    shape: ClassVar[str] = "group"
    entries: tuple[Entry, ...]
    more: int = 0


@dataclass(frozen=True)
class Series:
    shape: ClassVar[str] = "series"
    nodes: tuple["Node", ...]
    more: int = 0


@dataclass(frozen=True)
class Grid:
    """A list of like objects: one row each, None where an object lacks the column."""

    shape: ClassVar[str] = "grid"
    columns: tuple[Label, ...]
    rows: tuple[tuple[Value | None, ...], ...]
    more: int = 0


Node = Value | Group | Series | Grid


@dataclass(frozen=True)
class Fields:
    kind: ClassVar[str] = "fields"
    part: Part | None
    root: Node
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    spans: tuple[Span, ...]
    cut: int = 0


@dataclass(frozen=True)
class Table:
    """`header` is None where the file has none; `right` tells for each column whether it holds numbers."""

    kind: ClassVar[str] = "table"
    part: Part
    header: tuple[Cell, ...] | None
    rows: tuple[tuple[Cell, ...], ...]
    right: tuple[bool, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Image:
    """A picture whose bytes were read as `media_type`; `width` and `height` in pixels."""

    kind: ClassVar[str] = "image"
    part: Part
    media_type: str
    width: int
    height: int
    notes: tuple[str, ...] = ()

    @property
    def facts(self) -> str:
        return f"{self.media_type.removeprefix('image/').upper()} · {self.width:,} × {self.height:,}"


@dataclass(frozen=True)
class Pdf:
    kind: ClassVar[str] = "pdf"
    part: Part
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Html:
    kind: ClassVar[str] = "html"
    part: Part
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    label: Label
    left: Value | None
    right: Value | None
    differs: bool
    by: str = ""
    """Of two amounts that differ: what the right one has more, or less, with its sign."""


@dataclass(frozen=True)
class Aligned:
    """Two objects, field beside field. Where the item has one of them alone, `missing` names the other's side."""

    kind: ClassVar[str] = "aligned"
    title: str
    left: Label
    right: Label
    rows: tuple[Row, ...]
    missing: Literal["", "left", "right"] = ""
    notes: tuple[str, ...] = ()
    part: ClassVar[None] = None


@dataclass(frozen=True)
class Side:
    label: Label
    view: "View"


@dataclass(frozen=True)
class Pair:
    """Two views side by side."""

    kind: ClassVar[str] = "pair"
    title: str
    left: Side
    right: Side
    notes: tuple[str, ...] = ()
    part: ClassVar[None] = None


@dataclass(frozen=True)
class Download:
    """Not shown, and why."""

    kind: ClassVar[str] = "download"
    part: Part
    reason: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Missing:
    """Named by the project's rules, absent from this item."""

    kind: ClassVar[str] = "missing"
    label: Label
    notes: tuple[str, ...] = ()
    part: ClassVar[None] = None


@dataclass(frozen=True)
class Masked:
    """A file that is there, and hidden."""

    kind: ClassVar[str] = "masked"
    part: Part
    notes: tuple[str, ...] = ()


View = Text | Fields | Table | Image | Pdf | Html | Aligned | Pair | Download | Missing | Masked
