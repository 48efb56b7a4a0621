"""Claims beside a long-running snapshot: dead rows cannot be vacuumed in one of two databases, in which the same work goes on in turn."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg

from bench.figures import Part, over, spread
from bench.ground import database, server
from bench.load import Floor
from bench.sides import Side, look, open_side, percentile

RATE = 60  # claims a second on each side
PEOPLE = 600  # who claim one after the other: nobody makes thousands of claims in minutes, and what one has claimed is looked up by the person
MOST, AFTER = 1.6, 1.2  # while it is open, and once it has closed


@contextmanager
def held_open(superuser: str) -> Iterator[None]:
    """A transaction that reads once and then only stays, as a report that takes its time does."""
    with psycopg.connect(superuser, options="-c default_transaction_isolation=repeatable\\ read") as connection:
        connection.execute("SELECT count(*) FROM tasks")
        yield
        connection.rollback()


def churn(sides: list[Side], seconds: float, buckets: int) -> list[list[list[float]]]:
    """bucket → side → seconds of each claim, at an even rate."""
    found: list[list[list[float]]] = [[[] for _ in sides] for _ in range(buckets)]
    began, total = time.monotonic(), int(RATE * seconds)
    for n in range(total):
        time.sleep(max(0.0, began + n / RATE - time.monotonic()))
        for which in (n % 2, 1 - n % 2):  # neither is always the first
            sides[which].me = 1 + n % PEOPLE
            found[n * buckets // total][which].append(look(sides[which])["claim"])
    return found


def main(full: bool, seconds: float = 0, after: float = 0) -> Part:
    seconds, after = seconds or (250 if full else 40), after or (40 if full else 20)
    part = Part("snapshot", ["", "claims since it was opened", "without it, p50 / p99 ms", "with it, p50 / p99 ms", "p50 ×"])
    floor = Floor(pending=int(RATE * (seconds + after)) + 1_000, skills=1, reviewers=PEOPLE)
    with server() as postgres, ExitStack() as stack:
        (_, without), (superuser, having) = (stack.enter_context(database(postgres, floor, waits_for_disk=False)) for _ in range(2))
        sides = [open_side(web, 1) for web in (without, having)]
        with held_open(superuser):
            part.say(f"open for {seconds:g} s at {RATE} claims a second on each side")
            during = churn(sides, seconds, 5)
        part.say(f"closed; {after:g} s more")
        later = churn(sides, after, 2)
        for side in sides:
            side.db.close()
    tell(part, during, later, seconds)
    return part


def tell(part: Part, during: list[list[list[float]]], later: list[list[list[float]]], seconds: float) -> None:
    """A row a bucket. The last one while it was open counts, and the last one after: what is between is its cleaning up."""
    names = [("open", int(RATE * seconds * (n + 1) / len(during))) for n in range(len(during))] + [("closed", 0) for _ in later]
    slower = []
    for (name, claims), bucket in zip(names, [*during, *later], strict=True):
        fifths = [[percentile(side[n::5], 0.5) for n in range(5)] for side in bucket]  # for a spread: every fifth claim
        slower.append(over(fifths[1], fifths[0]))
        shown = (f"{percentile(side, 0.5):.2f} / {percentile(side, 0.99):.2f}" for side in bucket)
        part.row(name, f"{claims:,}" if claims else "", *shown, spread(slower[-1]))
    part.goal(f"claim at the end of {seconds:g} s under a snapshot, p50", slower[len(during) - 1], most=MOST)
    part.goal("claim once it has closed, p50", slower[-1], most=AFTER)
