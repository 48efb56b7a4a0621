"""Claim latency as the backlog and the history grow, with 1, 5 and 20 skills; p50 and p99 beside those of the smallest floor."""

from __future__ import annotations

import sys

import psycopg

from bench.ground import clock, database, percentiles, server
from bench.load import Floor
from claimcheck import assignments, tasks
from claimcheck.db import Database

SMALL = [(10_000, 0), (100_000, 0), (100_000, 500_000)]
FULL = [(10_000, 0), (100_000, 0), (1_000_000, 0), (1_000_000, 1_000_000), (1_000_000, 5_000_000)]
HOLDERS = {1: 3, 5: 1, 20: 2}  # skills → a reviewer who holds so many


def latency(web: str, me: int, times: int = 300) -> list[float]:
    """Seconds of a claim, each given back outside the measured time."""
    db, found = Database(web, max_size=1), []
    for _ in range(times):
        holder: list = []
        found.append(clock(lambda holder=holder: holder.append(tasks.claim(db, me=me))))
        claim = holder[0]
        assignments.release(db, assignment_id=claim.assignment_id, lease_token=claim.lease_token, me=me)
    db.close()
    return found[20:]


def main(full: bool = False) -> list[str]:
    """A table of Markdown lines."""
    lines = ["| pending | decided | 1 skill p50 / p99 ms | 5 skills | 20 skills | p50 × the smallest (1 skill) |", "|---|---|---|---|---|---|"]
    first = None
    with server() as postgres:
        for pending, decided in FULL if full else SMALL:
            with database(postgres, Floor(pending=pending, decided=decided, live=500, reviewers=60)) as (superuser, web):
                with psycopg.connect(superuser, autocommit=True) as connection:
                    connection.execute("UPDATE projects SET abandon_limit = 32000")
                    connection.execute("UPDATE tasks SET abandon_limit = 32000 WHERE open_in IS NOT NULL")
                    connection.execute("VACUUM ANALYZE tasks")
                cells = [percentiles(latency(web, me)) for me in HOLDERS.values()]
            first = first or cells[0]
            shown = " | ".join(f"{p50:.2f} / {p99:.2f}" for p50, p99 in cells)
            lines.append(f"| {pending:,} | {decided:,} | {shown} | {cells[0][0] / first[0]:.2f} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


if __name__ == "__main__":
    print("\n".join(main("--full" in sys.argv)))
