"""A span: one piece of work as those who collect them know it. Standard library only."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["internal", "server", "client"]
Value = str | int | float | bool


@dataclass(slots=True)
class Span:
    """One piece of work. `trace_id` has 32 hexadecimal digits, `parent` 16 like `id`; empty: a trace of its own, nothing above it."""

    name: str
    kind: Kind = "internal"
    trace_id: str = ""
    parent: str = ""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    began: int = field(default_factory=time.time_ns)
    failed: bool = False
    attributes: dict[str, Value] = field(default_factory=dict)

    def say(self, **attributes: Value | None) -> None:
        """Adds attributes, dots written as double underscores; None says nothing."""
        self.attributes |= {name.replace("__", "."): value for name, value in attributes.items() if value is not None}
