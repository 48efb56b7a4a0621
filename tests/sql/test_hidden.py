"""What an independent look said is hidden while another one may still come, and no longer."""

from __future__ import annotations

from claimcheck import errors, projects
from claimcheck.review import decisions, history, reconsiderations
from tests.intake import World, row


def seen(world: World, decision_id: int) -> set[str]:
    """Where others than who gave it see what a look said."""
    item_id = world.one("SELECT item_id FROM decisions WHERE id = %s", decision_id)
    found = {"history" for entry in history.of_item(world.web, item_id=item_id) if entry.decision_id == decision_id and entry.verdict}
    found |= {"reconsiderations" for asked in reconsiderations.open_ones(world.web) if asked.decision_id == decision_id}
    try:
        return found | {"decision"} if decisions.visible(world.web, decision_id=decision_id, person=world.cast.chi) else found
    except errors.NotFound:
        return found


def test_it_shows_a_look_at_a_cancelled_task_once_no_lease_is_live(world: World) -> None:
    project = world.project(wanted=3)
    world.accept(project, [row("k")])
    world.publish()
    first, second = world.claim("ada"), world.claim("ben")
    assert first and second
    made = world.decide(first)
    reconsiderations.ask(world.web, decision_id=made, me=world.cast.ada.id, note="I was too quick.")
    assert seen(world, made) == set(), "a look may still come"
    projects.cancel(world.web, project, world.cast.chi.id)
    assert seen(world, made) == set(), "the lease that was live when it was cancelled is good until its end"
    world.sql.execute("UPDATE assignments SET lease_expires = clock_timestamp() WHERE id = %s", (second.assignment_id,))
    assert seen(world, made) == {"history", "reconsiderations", "decision"}


def test_it_shows_a_look_once_the_last_one_is_in(world: World) -> None:
    world.accept(world.project(wanted=2), [row("k")])
    world.publish()
    first, second = world.claim("ada"), world.claim("ben")
    assert first and second
    made = world.decide(first)
    assert seen(world, made) == set()
    world.decide(second)
    assert seen(world, made) == {"history", "decision"}
