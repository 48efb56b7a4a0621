"""What a run that was killed has left behind: processes that still hold ports and data."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

from claimcheck.embedded import ports, processes
from claimcheck.embedded.home import Home

SERVERS = ("store", "valkey", "streams", "postgres")  # in the order of their ending, after everything that uses them


def clear(home: Home, say: Callable[[str], None]) -> None:
    """Ends them, the database last. The home must be locked, so nothing that is alive can belong to another run."""
    run = home.run()
    if run is None:
        return
    left = {name: record for name, record in run["processes"].items() if processes.is_alive(record["identity"] or "")}
    if left:
        say(f"the last run was killed; ending what it left: {', '.join(left)}")
    _end([record for name, record in left.items() if name not in SERVERS])
    for name in SERVERS:
        _end([left[name]] if name in left else [])
    port = run.get("port")
    if port:  # a web process that lost its parent needs a moment to notice
        processes.wait_until(lambda: ports.is_free(port), 5)
    home.forget_run()


def _end(records: list[dict[str, Any]]) -> None:
    """Each is asked in its own way, all at once, and killed after ten seconds."""
    for record in records:
        with contextlib.suppress(ProcessLookupError):
            os.kill(processes.number(record["identity"]), record["signal"])
    for record in records:
        if not processes.wait_until(lambda name=record["identity"]: not processes.is_alive(name), 10):
            processes.end(record["identity"])
