"""I1–I3, I7–I11, I15–I18 under a race, and the proof that the race would notice."""

from __future__ import annotations

import pytest

from tests.sql import floor, mutants
from tests.sql.race import Plan

SOMETIMES = (
    "backends killed",
    "again",
    "submit repeated",
    "submit stale",
    "two claims at once",
    "claim: escalated",
    "a second overturn refused",
    "an overturn proposed",
    "a second look taken",
    "two who differ",
)


def test_it_holds_every_invariant_with_sixteen_people_over_two_thousand_tasks(make_database):
    race = floor.run(Plan(seed=7, tasks=1800), make_database())  # and some two hundred second looks
    assert not race.broken, race.broken
    never = [what for what in SOMETIMES if not race.seen[what]]
    assert not never, f"the race never met: {never}"


@pytest.mark.parametrize("name", mutants.MUTANTS)
def test_it_notices_when(name, make_database):
    """Some faults need luck to show: up to six seeds."""
    for seed in range(1, 7):
        plan = Plan(seed=seed, tasks=400, statements=mutants.statements(name), ddl=mutants.MUTANTS[name][1])
        if floor.run(plan, make_database()).broken:
            return
    pytest.fail(f"nothing noticed that {name}")
