"""What a route says of an item: the queue that it stands in, and the outcome that nobody has to give."""

from __future__ import annotations

import pytest

from claimcheck import errors, items, projects, rules, versions
from claimcheck.access import people
from claimcheck.intake import resolving
from claimcheck.review import decisions
from tests.intake import SKILL, World, at_once, row, without

LARGE = {"routes": [{"queue": "large", "skill": "senior"}]}


def send(world: World, project: int, *rows: tuple[str, str], partition: str | None = None) -> None:
    """Rows as the pipeline sends them: (key, queue)."""
    given = [items.Routed(row(key, **({"partition_key": partition} if partition else {})), queue, None, b"") for key, queue in rows]
    world.accept(project, given)
    world.publish()


def resolve(world: World) -> list[int]:
    """The items that resolved, round by round."""
    done: list[int] = []
    while found := resolving.resolve(world.web, worker="test", settings_version=1):
        done += [one.item_id for one in found]
    return done


def keys(world: World, found: list[int]) -> list[str]:
    return [world.one("SELECT idempotency_key FROM items WHERE id = %s", item) for item in found]


def settle(world: World, who: str = "ada") -> str:
    """Somebody decides what they are given; its key."""
    claim = world.claim(who)
    assert claim is not None
    world.decide(claim)
    return world.one("SELECT idempotency_key FROM items WHERE id = %s", claim.item_id)


def test_it_puts_an_item_where_its_route_says(world: World) -> None:
    project = world.project(thresholds=LARGE)
    send(world, project, ("small", "review"), ("great", "large"))
    assert settle(world) == "small" and world.claim() is None
    people.give_skill(world.web, person_id=world.cast.ben.id, skill="senior")
    claim = world.claim("ben")
    assert claim is not None and world.one("SELECT idempotency_key FROM items WHERE id = %s", claim.item_id) == "great"
    world.decide(claim)


def test_it_resolves_what_nobody_needs_to_see(world: World) -> None:
    project = world.project()
    send(world, project, ("even", "automatic"))
    assert world.claim() is None, "nobody is asked for it"
    [item] = resolve(world)
    [decision] = world.all("SELECT * FROM decisions WHERE item_id = %s", item)
    assert (decision.person_id, decision.outcome, decision.reason_code, decision.assignment_id) == (0, "approve", "auto_zero_variance", None)
    assert world.one("SELECT state FROM tasks WHERE item_id = %s", item) == "settled"
    assert world.one("SELECT count(*) FROM outbox WHERE decision_id = %s", decision.id) == 1
    assert world.one("SELECT decision FROM pipeline_records WHERE item_id = %s", item) == "resolved"
    assert not world.all("SELECT FROM payouts WHERE person_id = 0")
    assert not world.disagreements() and not resolve(world)


def test_it_waits_for_its_partitions_turn(world: World) -> None:
    project = world.project()
    send(world, project, ("1", "automatic"), ("2", "review"), ("3", "automatic"), ("4", "automatic"), ("5", "review"), partition="P")
    assert keys(world, resolve(world)) == ["1"]
    assert settle(world) == "2" and keys(world, resolve(world)) == ["3", "4"]
    assert settle(world) == "5"
    order = world.all("SELECT i.idempotency_key FROM outbox o JOIN decisions d ON d.id = o.decision_id JOIN items i ON i.id = d.item_id "
                      "WHERE i.project_id = %s ORDER BY o.effect_no", project)  # fmt: skip
    assert [key for (key,) in order] == ["1", "2", "3", "4", "5"] and not world.disagreements()


def test_it_resolves_each_once_however_many_run(world: World) -> None:
    project = world.project()
    for partition in "PQRS":
        send(world, project, *((f"{partition}{n}", "automatic") for n in range(20)), partition=partition)
    found = [item for part in at_once(6, lambda _: resolve(world)) for item in part] + resolve(world)
    assert len(found) == len(set(found)) == 80 and not world.disagreements()


def test_it_leaves_what_is_paused(world: World) -> None:
    project = world.project()
    send(world, project, ("even", "automatic"))
    projects.pause(world.web, project, world.cast.chi.id)
    assert not resolve(world)
    projects.resume(world.web, project, world.cast.chi.id)
    assert keys(world, resolve(world)) == ["even"]


def test_it_sends_back_to_the_queue_that_the_item_came_from(world: World) -> None:
    people.give_skill(world.web, person_id=world.cast.ben.id, skill="senior")
    send(world, world.project(thresholds=LARGE), ("great", "large"))
    claim = world.claim("ben")
    assert claim is not None
    world.decide(claim, "escalate")
    lead = world.claim("chi")
    assert lead is not None
    decisions.send_back(world.web, assignment_id=lead.assignment_id, lease_token=lead.lease_token, me=world.cast.chi.id, note="look again")
    assert world.all(
        "SELECT q.name, t.state FROM tasks t JOIN queues q ON q.id = t.queue_id WHERE t.item_id = %s ORDER BY t.id DESC LIMIT 1", lead.item_id
    ) == [("large", "pending")]


def test_it_moves_a_queue_to_the_skill_that_its_rules_name_now(world: World) -> None:
    project = world.project(thresholds=LARGE)
    send(world, project, ("great", "large"))
    old = projects.rules(world.web, project, 1)
    new = old.model_copy(update={"thresholds": rules.Thresholds(routes=[rules.Route(queue="large", skill=SKILL)])})
    versions.change(world.web, project, world.cast.chi.id, new, why="everybody can")
    assert settle(world) == "great"


def test_it_gives_nobody_the_desks_own_skill(world: World) -> None:
    with pytest.raises(errors.Invalid, match="desk's own"):
        people.give_skill(world.web, person_id=world.cast.ada.id, skill="desk.automatic")


MUTANTS = [
    ("t.lane_id = 0 AND t.state = 'pending'", "t.lane_id = 0 AND t.state IN ('pending', 'blocked')", test_it_waits_for_its_partitions_turn),
    ("UPDATE tasks n SET waits = false", "UPDATE tasks n SET waits = true", test_it_waits_for_its_partitions_turn),
    ("FOR NO KEY UPDATE SKIP LOCKED", "", test_it_resolves_each_once_however_many_run),
    ("effect_no   = p.effect_no +", "effect_no   = p.effect_no + 0 *", test_it_waits_for_its_partitions_turn),
]


@pytest.mark.parametrize(("guard", "instead", "test"), MUTANTS, ids=[m[0][:40] for m in MUTANTS])
def test_it_would_notice_a_missing_guard(world: World, guard: str, instead: str, test) -> None:
    with without("decisions/resolve", guard, instead), pytest.raises((AssertionError, errors.Error, ValueError)):
        test(world)
