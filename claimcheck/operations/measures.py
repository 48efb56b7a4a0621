"""Measures that alerts are made of: programs at work, what was refused lately, deadlines in danger, room on the disk."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from claimcheck.control import beats
from claimcheck.db import Database


@dataclass(frozen=True, slots=True)
class Recent:
    """Rows refused in the last hour, full buffers in the last five minutes, projects in danger."""

    dead_letters: int
    saturated: int
    at_risk: int
    late: int


def collect(db: Database, home: Path) -> Iterator[Metric]:
    """In prometheus-client's terms."""
    live = GaugeMetricFamily("claimcheck_processes", "Programs heard of within half a minute.", labels=["kind"])
    for beat in beats.heard(db):
        live.add_metric([beat.kind], beat.at_work)
    recent = db.all("operations/recent", Recent)[0]
    danger = GaugeMetricFamily("claimcheck_deadlines", "Projects whose deadline is in danger, by the last forecast.", labels=["state"])
    danger.add_metric(["at_risk"], recent.at_risk)
    danger.add_metric(["late"], recent.late)
    yield from (live, danger)
    yield GaugeMetricFamily("claimcheck_dead_letters_last_hour", "Rows refused in the last hour, of the newest 10,000.", value=recent.dead_letters)
    yield GaugeMetricFamily("claimcheck_saturated_last_5_minutes", "How often a buffer was full in the last five minutes.", value=recent.saturated)
    yield GaugeMetricFamily("claimcheck_disk_free_ratio", "Free part of the disk that holds the home, 0 to 1.", value=free(home))


def free(home: Path) -> float:
    """The free part of the disk under a folder, or under the nearest one that is there."""
    while not home.exists() and home != home.parent:
        home = home.parent
    usage = shutil.disk_usage(home)
    return usage.free / usage.total if usage.total else 1.0
