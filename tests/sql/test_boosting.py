"""A project that is about to miss its deadline goes first, visibly, until a lead takes that off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from claimcheck import sweeps
from claimcheck.forecasts import boosting
from tests.intake import World, row


def filled(world: World, n: int, **rules: Any) -> int:
    project = world.project(**rules)
    world.accept(project, [row(f"k{i:06d}") for i in range(n)])
    world.publish()
    return project


def share(world: World, project: int, n: int) -> int:
    """Of the next n claims, those of the project."""
    found = 0
    for _ in range(n):
        claimed = world.claim()
        assert claimed is not None
        found += claimed.project_id == project
        world.decide(claimed)
    return found


def test_what_is_about_to_be_late_is_served_more_often_until_a_lead_says_no(world: World) -> None:
    world.quiet()
    soon = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    other, late = filled(world, 200), filled(world, 200, deadline=soon)
    assert 8 <= share(world, late, 20) <= 12
    assert boosting.run(world.worker) == 1
    assert boosting.run(world.worker) == 0
    assert sweeps.finish(world.worker) == 1
    assert boosting.of_project(world.web, project_id=late).boosted_at is not None
    assert boosting.of_project(world.web, project_id=other).boost == 1
    assert share(world, late, 20) >= 15
    boosting.switch(world.web, project_id=late, off=True, me=world.cast.chi.id)
    assert boosting.run(world.worker) == 0
    sweeps.finish(world.worker)
    assert share(world, late, 20) <= 13
    kinds = [e.kind for e in world.all("SELECT kind FROM events WHERE project_id = %s AND kind LIKE 'project.%%boost%%' ORDER BY id", late)]
    assert kinds == ["project.boosted", "project.boosting", "project.unboosted"]
