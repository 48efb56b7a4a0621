"""Claim latency as the backlog and the history grow, with 1, 5 and 20 skills: each larger floor in turn with the smallest, call by call."""

from __future__ import annotations

from contextlib import ExitStack

from bench.figures import Part, over, spread
from bench.ground import database, server
from bench.load import Floor
from bench.sides import Rounds, Side, claim, in_turn, open_side

SMALLEST = (10_000, 0)
SMALL = [(100_000, 0), (100_000, 500_000)]
FULL = [(1_000_000, 0), (1_000_000, 5_000_000)]
HOLDERS = {1: 3, 5: 1, 20: 2}  # skills → a reviewer who holds so many
SLOW = 1.25, 1.8, 4.0  # p50 and p99 of the largest to the smallest; twenty skills to one


def floor(pending: int, decided: int) -> Floor:
    return Floor(pending=pending, decided=decided, live=500, abandon_limit=32_000)


def main(full: bool, rounds: int = 5, times: int = 120, floors: list[tuple[int, int]] | None = None) -> Part:
    part = Part("growth", ["pending", "decided", "skills", "p50 / p99 ms", "of the smallest", "p50 × the smallest", "p99 × the smallest"])
    with server() as postgres, ExitStack() as stack:
        smallest = stack.enter_context(database(postgres, floor(*SMALLEST), waits_for_disk=False))[1]
        for pending, decided in floors or (FULL if full else SMALL):
            part.say(f"loading {pending:,} pending and {decided:,} decided")
            with database(postgres, floor(pending, decided), waits_for_disk=False) as (_, larger):
                compare(part, pending, decided, {n: pair(smallest, larger, me, rounds, times) for n, me in HOLDERS.items()})
    return part


def pair(smallest: str, larger: str, me: int, rounds: int, times: int) -> Rounds:
    sides: list[Side] = [open_side(smallest, me), open_side(larger, me)]
    found = in_turn(sides, claim, rounds, times)
    for side in sides:
        side.db.close()
    return found


def compare(part: Part, pending: int, decided: int, found: dict[int, Rounds]) -> None:
    where = f"{pending:,} pending and {decided:,} decided"
    for skills, one in found.items():
        p50, p99 = ([values[n, "claim"] for n in (0, 1)] for values in (one.p50, one.p99))
        slower = over(p50[1], p50[0]), over(p99[1], p99[0])
        part.row(
            f"{pending:,}",
            f"{decided:,}",
            str(skills),
            f"{spread(p50[1])} / {spread(p99[1])}",
            f"{spread(p50[0])} / {spread(p99[0])}",
            *map(spread, slower),
        )
        part.goal(f"claim, {skills} skills, {where}, to the smallest, p50", slower[0], most=SLOW[0])
        part.goal(f"claim, {skills} skills, {where}, to the smallest, p99", slower[1], most=SLOW[1])
    part.goal(f"claim with 20 skills to one with 1, {where}, p50", over(found[20].p50[1, "claim"], found[1].p50[1, "claim"]), most=SLOW[2])
