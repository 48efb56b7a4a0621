"""Nothing starves: each project is served by its weight and the priority of its items, and none is ever left out."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.intake import World, mended, row

CLAIMS = 66
SERVED = {"low": -1, "usual": 0, "urgent": 2}  # by halves: 2 ** priority, so 1 : 2 : 8


def _backlogs(world: World) -> dict[int, str]:
    """Three projects of one skill, none of which runs dry in CLAIMS claims, the bulk having come first."""
    world.quiet()
    made = {}
    for name, priority in SERVED.items():
        project = world.project()
        world.accept(project, [row(f"{name} {n}", priority=priority) for n in range(CLAIMS + 10)])
        world.publish()
        made[project] = name
    return made


def _served(world: World, n: int) -> list[int]:
    """The projects of the next n claims."""
    found = []
    for _ in range(n):
        claim = world.claim()
        assert claim is not None
        found.append(claim.project_id)
        world.decide(claim)
    return found


def _check(world: World) -> None:
    names = _backlogs(world)
    order = [names[project] for project in _served(world, CLAIMS)]
    counted = Counter(order)
    assert {name: round(counted[name] * 11 / CLAIMS) for name in SERVED} == {"low": 1, "usual": 2, "urgent": 8}, counted
    places = {name: [n for n, one in enumerate(order) if one == name] for name in SERVED}
    waits = {name: max(later - at for at, later in pairwise(found)) for name, found in places.items()}
    assert waits["low"] <= 22 and waits["usual"] <= 11 and waits["urgent"] <= 4, waits


def test_it_serves_each_by_its_priority_and_leaves_none_out(world: World) -> None:
    _check(world)


def test_that_test_notices_when_the_most_urgent_is_always_first(world: World) -> None:
    with (
        mended(world, "advance_clock", "1 / (p.weight * p.boost * 2 ^ of_priority)", "1e-9 / (p.weight * p.boost * 1e9 ^ of_priority)"),
        pytest.raises(AssertionError),
    ):
        _check(world)


def test_it_takes_what_comes_late_and_is_urgent_at_once(world: World) -> None:
    """The bulk has lain there for long; neither does it hold up what comes, nor has what comes to make up for the time before."""
    world.quiet()
    bulk, late = world.project(), world.project()
    world.accept(bulk, [row(f"bulk {n}") for n in range(40)])
    world.publish()
    assert set(_served(world, 20)) == {bulk}
    world.accept(late, [row(f"late {n}", priority=10) for n in range(3)])
    world.publish()
    assert _served(world, 5)[:4].count(late) == 3
    world.accept(late, [row(f"usual {n}") for n in range(15)])
    world.publish()
    assert 4 <= _served(world, 10).count(bulk) <= 6
