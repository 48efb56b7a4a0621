"""The desk's measures, read from the database each time they are asked for, at a cost that has a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from claimcheck.db import Database
from claimcheck.intake import dead_letters, inbox, signals
from claimcheck.operations import measures

WAITING = 1_000_000  # messages, where their count stops
BUCKETS = (0, 1, 2, 3, 5, 10, 20)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits in the queues of one name: tasks that could be claimed, and the age of the oldest."""

    queue: str
    pending: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True)
class Leases:
    """How many tasks had so many leases; 21 stands for more."""

    leases: int
    tasks: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Outcomes that are not applied everywhere yet, the age of the oldest, and refused rows."""

    unapplied: int
    oldest_unapplied_seconds: float
    dead_letters: int


@dataclass(frozen=True)
class Collector:
    """Measures of a database, in prometheus-client's terms."""

    db: Database
    home: Path

    def collect(self) -> Iterator[Metric]:
        yield from _queues(self.db.all("metrics/queues", Queue))
        yield _histogram(self.db.all("metrics/lease_counts", Leases))
        yield from _totals(self.db.all("metrics/totals", Totals)[0])
        yield from _intake(self.db)
        yield from measures.collect(self.db, self.home)


def text(db: Database, home: Path) -> bytes:
    """All measures in Prometheus's text format; `home` is the folder whose disk is watched."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector(db, home))
    return generate_latest(registry)


def _queues(queues: list[Queue]) -> Iterator[Metric]:
    pending = GaugeMetricFamily("claimcheck_pending", "Tasks that could be claimed now (counted to 100,000 a lane).", labels=["queue"])
    oldest = GaugeMetricFamily("claimcheck_oldest_pending_seconds", "Age of the oldest of them; 0 where none waits.", labels=["queue"])
    for queue in queues:
        pending.add_metric([queue.queue], queue.pending)
        oldest.add_metric([queue.queue], queue.oldest_seconds)
    yield from (pending, oldest)


def _histogram(leases: list[Leases]) -> Metric:
    """Cumulative, as Prometheus has it: each bucket holds those below it too."""
    total = sum(row.tasks for row in leases)
    buckets = [(str(float(bound)), sum(row.tasks for row in leases if row.leases <= bound)) for bound in BUCKETS]
    found = HistogramMetricFamily("claimcheck_lease_count", "Leases that a task has had, over the tasks of the latest 10,000 leases.")
    found.add_metric([], buckets=[*buckets, ("+Inf", total)], sum_value=sum(row.leases * row.tasks for row in leases))
    return found


def _totals(totals: Totals) -> Iterator[Metric]:
    yield GaugeMetricFamily("claimcheck_decisions_unapplied", "Outcomes not applied everywhere yet, at any age.", value=totals.unapplied)
    yield GaugeMetricFamily(
        "claimcheck_oldest_unapplied_seconds", "Age of the oldest of them; the alert is on this.", value=totals.oldest_unapplied_seconds
    )
    yield GaugeMetricFamily("claimcheck_dead_letters", "Rows that were refused and kept.", value=totals.dead_letters)


def _intake(db: Database) -> Iterator[Metric]:
    given = CounterMetricFamily("claimcheck_intake_signals_total", "Signals of the pipeline since the beginning.", labels=["code"])
    for signal in signals.totals(db):
        given.add_metric([signal.code], signal.n)
    refused = GaugeMetricFamily("claimcheck_dead_letters_open", "Dead letters that nobody has replayed yet.", labels=["code"])
    for count in dead_letters.open_codes(db):
        refused.add_metric([count.code], count.letters)
    oldest = inbox.oldest(db)
    yield from (given, refused)
    yield GaugeMetricFamily("claimcheck_inbox_messages", "Messages that wait for a handler (counted to a million).", value=inbox.depth(db, WAITING))
    yield GaugeMetricFamily(
        "claimcheck_inbox_oldest_seconds", "Age of the oldest of them; 0 where none waits.", value=oldest.seconds if oldest else 0.0
    )
