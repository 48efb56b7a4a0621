"""The files that a run leaves: var/bench/DATE.json and DATE.md, written again after each part, so that a run cut off keeps what it found."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.figures import Part
from claimcheck.config import ROOT

FOLDER = ROOT / "var" / "bench"


def machine() -> dict[str, Any]:
    """What the figures depend on. The load is that of before the run: above half a core, somebody else is there."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        "commit": commit,
    }


class Results:
    """The parts of one run."""

    def __init__(self, *, full: bool):
        self.began, self.machine, self.full = datetime.now(UTC), machine(), full
        self.parts: list[tuple[Part, datetime]] = []
        path = FOLDER / f"{self.began:%Y-%m-%dT%H%M%S}"
        self.json, self.markdown = path.with_suffix(".json"), path.with_suffix(".md")

    def add(self, part: Part) -> None:
        self.parts.append((part, datetime.now(UTC)))
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.json.write_text(json.dumps(self._json(), indent=1), encoding="utf-8")
        self.markdown.write_text("\n".join(self._markdown()) + "\n", encoding="utf-8")

    def _json(self) -> dict[str, Any]:
        parts = [part.json() | {"finished": f"{at:%Y-%m-%dT%H:%M:%SZ}"} for part, at in self.parts]
        return {"began": f"{self.began:%Y-%m-%dT%H:%M:%SZ}", "full": self.full, "machine": self.machine, "parts": parts}

    def _markdown(self) -> list[str]:
        size = "full size" if self.full else "default size"
        words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self.machine.items())
        lines = [f"# bin/bench, {self.began:%Y-%m-%d %H:%M} UTC, {size}", "", words]
        for part, _ in self.parts:
            lines += ["", f"## {part.name}", "", *part.markdown()]
        return lines
