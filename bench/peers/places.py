"""Where a peer finds what it stands on: addresses, handed to its processes on their standard input."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Places:
    """`database` is a superuser's URL to a database of the peer's own; `web` the desk's role in its one; `valkey` a URL; `number` the process's."""

    database: str = ""
    web: str = ""
    valkey: str = ""
    number: int = 0

    def json(self) -> str:
        return json.dumps(asdict(self))
