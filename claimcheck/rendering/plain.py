"""Views as lines of text, for a terminal: what a reviewer will see, as far as text can show it."""

from collections.abc import Iterable, Iterator

from claimcheck.rendering import views
from claimcheck.rendering.marks import Span

LINES, ROWS, WIDTH = 20, 10, 160  # of a text, of a table, and characters of a line or cell


def lines(shown: Iterable[views.View]) -> Iterator[str]:
    """One view after another."""
    for view in shown:
        yield from _view(view)


def _view(view: views.View) -> Iterator[str]:
    match view:
        case views.Fields():
            yield from _named(view.part, "") if view.part and view.part.name != "payload.json" else ()
            yield from _node(view.root, "")
        case views.Text():
            yield from _named(view.part, "")
            yield from _some([f"  {_spans(line.spans)}" for line in view.lines], LINES, "lines")
        case views.Table():
            yield from _named(view.part, "")
            yield from _table([view.header] if view.header else [], view.rows)
        case views.Image() | views.Pdf() | views.Html() | views.Masked() | views.Download():
            yield from _named(view.part, _said(view))
        case views.Missing():
            yield f"{view.label.text}: not in this item"
        case views.Aligned():
            yield from _aligned(view)
        case views.Pair():
            for side in (view.left, view.right):
                yield f"[{side.label.text}]"
                yield from (f"  {line}" for line in _view(side.view))


def _said(view: views.View) -> str:
    match view:
        case views.Image():
            return view.facts
        case views.Masked():
            return "masked"
        case views.Download():
            return view.reason
    return view.kind.upper()


def _named(part: views.Part | None, said: str) -> Iterator[str]:
    if part is not None:
        yield f"[{part.plain_name}, {part.shown_size}{f': {said}' if said else ''}]"


def _spans(spans: Iterable[Span]) -> str:
    text = "".join(span.text for span in spans)
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}…"


def _some(found: list[str], most: int, what: str) -> Iterator[str]:
    yield from found[:most]
    if len(found) > most:
        yield f"  … {len(found) - most:,} more {what}"


def _value(value: views.Value | None) -> str:
    return "–" if value is None else " ".join(_spans(value.spans).split("\n"))


def _node(node: views.Node, indent: str) -> Iterator[str]:
    match node:
        case views.Value():
            yield f"{indent}{_value(node)}"
        case views.Group():
            for entry in node.entries:
                yield from _entry(entry, indent)
        case views.Series():
            for member in node.nodes:
                first, *rest = [*_node(member, "")] or [""]
                yield f"{indent}- {first}"
                yield from (f"{indent}  {line}" for line in rest)
        case views.Grid():
            yield f"{indent}{' | '.join(label.text for label in node.columns)}"
            yield from _some([f"{indent}{' | '.join(map(_value, row))}" for row in node.rows], ROWS, "rows")


def _entry(entry: views.Entry, indent: str) -> Iterator[str]:
    if isinstance(entry.node, views.Value):
        yield f"{indent}{entry.label.text}: {_value(entry.node)}"
    else:
        yield f"{indent}{entry.label.text}:"
        yield from _node(entry.node, f"{indent}  ")


def _table(header: list[tuple[views.Cell, ...]], rows: tuple[tuple[views.Cell, ...], ...]) -> Iterator[str]:
    def line(cells: tuple[views.Cell, ...]) -> str:
        return f"  {' | '.join(_spans(cell.spans) for cell in cells)}"

    yield from map(line, header)
    yield from _some([line(row) for row in rows], ROWS, "rows")


def _aligned(view: views.Aligned) -> Iterator[str]:
    yield f"{'':20} | {view.left.text} | {view.right.text}"
    for row in view.rows:
        yield f"{row.label.text:20} | {_value(row.left)} | {_value(row.right)}{' ≠' if row.differs else ''}"
