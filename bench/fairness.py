"""A simulated day: a bulk of low priority, a stream of normal items, and urgent ones, taken by the desk's own claim and submit.

Time is counted in looks: so many experts, so many seconds a look. Nothing here depends on how fast the machine is.
"""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from bench import ground, sides
from bench.figures import Part
from bench.load import HASH, Floor
from claimcheck.review import tasks

EXPERTS, SECONDS, HOURS = 10, 90.0, 24
STEP = SECONDS / EXPERTS  # of simulated time between two claims
BUCKETS = 24
ARRIVE = f"""
WITH item AS (
    INSERT INTO items (project_id, batch_id, idempotency_key, source_hash, trace_id, priority, evidence_version)
    SELECT %(project)s, %(project)s, 'fair-' || %(project)s || '-' || nextval('items_id_seq'), {HASH}, 'fair', %(priority)s, 1 FROM generate_series(1, %(n)s)
    RETURNING id),
clock AS MATERIALIZED (SELECT c.last, c.step FROM advance_clock(%(project)s, 1, %(priority)s::smallint, %(n)s) c)
INSERT INTO tasks (item_id, project_id, kind, queue_id, lane_id, priority, rank, since, wanted, abandon_limit, price_minor, evidence_version, shown_version, evidence_hash)
SELECT item.id, %(project)s, 'review', q.id, 1, %(priority)s, clock.last - (%(n)s - row_number() OVER (ORDER BY item.id)) * clock.step, clock_timestamp(), 1, 32000, 0, 1, 1, {HASH}
  FROM item, clock, queues q WHERE q.project_id = %(project)s AND q.name = 'review'
RETURNING id"""
QUEUES = (  # three projects in one lane, and one expert who stands for all
    "UPDATE queues SET lane_id = 1 WHERE name = 'review' AND project_id <= 3",
    "UPDATE projects SET skill_id = 1 WHERE id <= 3",
    "DELETE FROM tasks",
    "DELETE FROM project_clocks",
    "DELETE FROM person_skills WHERE person_id = 1",
    "INSERT INTO person_skills (person_id, skill_id) VALUES (1, 1)",
)


@dataclass(frozen=True)
class Stream:
    """A project's items: how many, how urgent, and when they come (seconds of the day)."""

    name: str
    project: int
    priority: int
    arrivals: list[tuple[float, int]]


@dataclass
class Day:
    """What was served when: (arrived, taken) in simulated seconds, by stream."""

    waits: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))


def streams(dice: random.Random, bulk: int) -> list[Stream]:
    """The bulk at midnight, a thousand normal items through the day, fifty urgent ones whenever."""
    day = HOURS * 3600
    normal = sorted((dice.uniform(0, day * 0.9), 1) for _ in range(1000))
    urgent = sorted((dice.uniform(0, day * 0.9), 1) for _ in range(50))
    return [Stream("low", 1, -1, [(0.0, bulk)]), Stream("normal", 2, 0, normal), Stream("urgent", 3, 10, urgent)]


def play(postgres_superuser: str, web: str, all_streams: list[Stream]) -> Day:
    """Every claim of the day, in its order."""
    day, side = Day(), sides.open_side(web, 1)
    due = sorted(((at, n, stream) for stream in all_streams for at, n in stream.arrivals), key=lambda one: one[0])
    known: dict[int, tuple[str, float]] = {}
    with psycopg.connect(postgres_superuser, autocommit=True) as connection:
        now = 0.0
        while now < HOURS * 3600:
            while due and due[0][0] <= now:
                at, n, stream = due.pop(0)
                made = connection.execute(ARRIVE, {"project": stream.project, "priority": stream.priority, "n": n}).fetchall()
                known.update((row[0], (stream.name, at)) for row in made)
            claimed = tasks.claim(side.db, me=side.me)
            if claimed is not None:
                sides.submit(side, claimed)
                name, at = known[claimed.task_id]
                day.waits[name].append((at, now))
            now += STEP
    side.db.close()
    return day


def main(full: bool) -> Part:
    bulk = 100_000 if full else 20_000
    part = Part("fairness", ["project", "items", "served in the day", "median wait", "longest wait", "share of looks"])
    with ground.server() as postgres, ground.database(postgres, Floor(pending=1, skills=3, reviewers=3), waits_for_disk=False) as (superuser, web):
        ground.run(superuser, *QUEUES)
        all_streams = streams(random.Random(7), bulk)
        day = play(superuser, web, all_streams)
    for stream in all_streams:
        waits = [taken - at for at, taken in day.waits[stream.name]]
        total = sum(n for _, n in stream.arrivals)
        part.row(stream.name, f"{total:,}", f"{len(waits):,}", _minutes(statistics.median(waits)), _minutes(max(waits)),
                 f"{len(waits) / sum(map(len, day.waits.values())):.1%}")  # fmt: skip
    (Path("var/bench")).mkdir(parents=True, exist_ok=True)
    Path("var/bench/fairness.svg").write_text(plot(day), encoding="utf-8")
    urgent = [taken - at for at, taken in day.waits["urgent"]]
    part.goal("an urgent item's longest wait", [max(urgent) / 60], most=5, unit="min")
    part.goal("the bulk's share of looks", [len(day.waits["low"]) / sum(map(len, day.waits.values()))], least=0.5, unit="")
    return part


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def plot(day: Day, width: int = 720, height: int = 220) -> str:
    """Looks an hour by project, stacked, as SVG."""
    colours = {"low": "#7a8ba8", "normal": "#2f7d6b", "urgent": "#c2410c"}
    counts = {name: [0] * BUCKETS for name in colours}
    for name, served in day.waits.items():
        for _, taken in served:
            counts[name][min(BUCKETS - 1, int(taken / (HOURS * 3600) * BUCKETS))] += 1
    most = max(sum(counts[name][b] for name in colours) for b in range(BUCKETS))
    step = (width - 60) / BUCKETS
    bars = []
    for b in range(BUCKETS):
        y = height - 30.0
        for name, colour in colours.items():
            tall = counts[name][b] / most * (height - 60)
            y -= tall
            bars.append(f'<rect x="{50 + b * step:.1f}" y="{y:.1f}" width="{step - 2:.1f}" height="{tall:.1f}" fill="{colour}"/>')
    keys = "".join(
        f'<rect x="{60 + 110 * n}" y="6" width="10" height="10" fill="{c}"/><text x="{75 + 110 * n}" y="15" font-size="12" fill="currentColor">{name}</text>'
        for n, (name, c) in enumerate(colours.items())
    )
    hours = "".join(f'<text x="{50 + b * step:.1f}" y="{height - 12}" font-size="11" fill="currentColor">{b} h</text>' for b in range(0, BUCKETS, 4))
    axis = f'<text x="4" y="40" font-size="11" fill="currentColor">{most}</text><text x="4" y="{height - 30}" font-size="11" fill="currentColor">0</text>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="Looks an hour, by project">{keys}{"".join(bars)}{hours}{axis}</svg>\n'
