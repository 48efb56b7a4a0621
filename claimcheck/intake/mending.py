"""What a mended dead letter differs in, and where it would go: for whoever decides whether to send it again."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal

from claimcheck import canonical, projects
from claimcheck.db import Database
from claimcheck.intake import gates
from claimcheck.rendering import marks

TEXT_BYTES = 256 * 1024  # that a form carries
HEX_BYTES = 1024
LINES = 400  # of a difference
COMPARED, CONTEXT = 1_000, 2  # lines of each side from the first that differs, for the price is their product; same ones around a difference
TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a difference: same, gone, or come; `gap` stands for lines that are left out."""

    kind: Literal["same", "gone", "come", "gap"]
    spans: tuple[marks.Span, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """Where a message would go: its project's queue, or none where it resolves by itself."""

    project: str
    partition_key: str
    route: Literal["AUTO_RESOLVE", "ROUTE_REVIEW"]
    queue: str


def editable(data: bytes) -> str | None:
    """The bytes as text, where a form gives back what it was given: UTF-8, not too long, nothing that a browser would drop."""
    try:
        text = data.decode().replace("\r\n", "\n") if len(data) <= TEXT_BYTES else None
    except UnicodeDecodeError:
        return None
    return None if text is None or marks.ODD.search(text) else text


def hexadecimal(data: bytes) -> list[str]:
    """How bytes that are no text begin, sixteen to a line."""
    rows = [data[at : at + 16] for at in range(0, min(len(data), HEX_BYTES), 16)]
    return [f"{n * 16:04x}  {row.hex(' '):<47}  {''.join(chr(b) if 32 <= b < 127 else '.' for b in row)}" for n, row in enumerate(rows)]


def difference(before: bytes, after: bytes) -> list[Line]:
    """Line by line, JSON laid out first so that a field is a line."""
    old, new = _text(before), _text(after)
    cut = _laid_out if _is_json(before[:TEXT_BYTES]) and _is_json(after[:TEXT_BYTES]) else _lines
    told = difflib.unified_diff(*_apart(cut(old), cut(new)), lineterm="", n=CONTEXT)
    return [_line(text) for text in [*told][3:]][:LINES]


def _apart(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """What lies between the first line that differs and the last, and the lines around it."""
    both = min(len(old), len(new))
    head = next((n for n in range(both) if old[n] != new[n]), both)
    tail = next((n for n in range(both - head) if old[-1 - n] != new[-1 - n]), both - head)
    since, after = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    return old[since : len(old) - after][:COMPARED], new[since : len(new) - after][:COMPARED]


def _line(text: str) -> Line:
    if text.startswith("@@"):
        return Line("gap", ())
    kind = {"-": "gone", "+": "come"}.get(text[:1], "same")
    return Line(kind, marks.spans(text[1:2000], broken_bytes=True))  # type: ignore[arg-type]


def _text(data: bytes) -> str:
    return data[:TEXT_BYTES].decode(errors="surrogateescape")


def _lines(text: str) -> list[str]:
    return text.split("\n")[:5000]


def _is_json(data: bytes) -> bool:
    try:
        canonical.parse_json(data)
    except canonical.InvalidJSON:
        return False
    return True


def _laid_out(text: str) -> list[str]:
    """JSON with a line for each member, every token as it was written: 12.50 stays apart from "12.50" and 12.5."""
    lines, depth = [""], 0
    for piece in TOKENS.findall(text):
        if piece in ("}", "]"):
            depth = max(0, depth - 1)
            lines.append(" " * depth)
        lines[-1] += f"{piece} " if piece == ":" else piece
        if piece in ("{", "["):
            depth += 1
        if piece in ("{", "[", ","):
            lines.append(" " * depth)
    return lines


def way(db: Database, body: bytes) -> Way | None:
    """Where a message that every gate lets through would go by its project's rules in force."""
    passed = gates.judge(body)
    if isinstance(passed, list):
        return None
    message = passed.message
    version = projects.version(db, message.project_id)
    rules = projects.rules(db, message.project_id, version)
    if not message.variance:
        return Way(rules.name, message.partition_key, "AUTO_RESOLVE", "automatic")
    route = rules.thresholds.route(variance=message.variance, currency=message.currency, match_decision=message.match_decision)
    return Way(rules.name, message.partition_key, "ROUTE_REVIEW", route.queue if route else "review")
