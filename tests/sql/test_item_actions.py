"""Actions over many items: a fixed list, one end for each item, and nobody's work or turn lost, whoever is at the item meanwhile."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from claimcheck import errors, projects, sweeps
from claimcheck.access import people
from claimcheck.bulk import batch_decisions, working
from claimcheck.operations import chores
from claimcheck.review import assignments, tasks
from claimcheck.triage import acting, actions, searching
from claimcheck.triage.actions import Action, Wish
from tests.intake import SKILL, World, at_once, mended, row, without

CANCEL, BACK = Wish("cancel", why="sent twice"), Wish("send_back", why="look at page two")


def arrive(world: World, *keys: str, partition: str | None = None, **rules: Any) -> list[int]:
    """Items of a new project, published."""
    project = world.project(**rules)
    more = {"partition_key": partition} if partition else {}
    world.accept(project, [row(key, **more) for key in keys or ("one",)])
    world.publish()
    return [i for (i,) in world.all("SELECT id FROM items WHERE project_id = %s ORDER BY id", project)]


def act(world: World, wish: Wish, *item_ids: int, **more: Any) -> Action:
    """Chi asks for it, and a worker does it."""
    made = actions.ask(world.web, wish, me=world.cast.chi.id, item_ids=item_ids, **more)
    acting.run(world.worker)
    return actions.load(world.web, action_id=made, me=world.cast.chi.id)


def why(world: World, wish: Wish, *item_ids: int) -> list[str | None]:
    """What each of them said: None where it was done."""
    made = act(world, wish, *item_ids)
    assert made.state == "done" and made.acted == len(item_ids)
    found = actions.members(world.web, action_id=made.id)
    assert [m.done for m in found] == [m.why is None for m in found]
    return [m.why for m in found]


def take(world: World, who: str = "ada", item: int | None = None) -> tasks.Claim:
    claim = tasks.claim(world.web, me=getattr(world.cast, who).id, item_id=item)
    assert claim is not None, f"nothing for {who}"
    return claim


def newest(world: World, item: int) -> Any:
    return world.all("SELECT * FROM tasks WHERE item_id = %s ORDER BY id DESC LIMIT 1", item)[0]


def escalated(world: World, **rules: Any) -> int:
    [item] = arrive(world, **rules)
    world.decide(take(world, item=item), "escalate")
    assert newest(world, item).kind == "escalation"
    return item


def give_back(world: World) -> None:
    """Ada has nothing in her hands."""
    held = world.all("SELECT id, token FROM assignments WHERE person_id = %s AND ended_at IS NULL", world.cast.ada.id)
    for one in held:
        assignments.release(world.web, assignment_id=one.id, lease_token=one.token, me=world.cast.ada.id)


def sound(world: World) -> bool:
    """Whether every counter agrees with the facts, but for what was in somebody's hands when another test began."""
    revoked = {t for (t,) in world.all("SELECT task_id FROM assignments WHERE end_reason = 'revoked'")}
    return not [d for d in world.disagreements() if not (d.what == "task" and d.id in revoked)]


# --- cancelled ---


def test_a_cancelled_item_is_nobodys_and_says_who_and_why(world: World) -> None:
    one, two = arrive(world, "one", "two")
    assert why(world, CANCEL, one) == [None]
    assert take(world).item_id == two and newest(world, one).state == "cancelled"
    event = world.all("SELECT * FROM events WHERE item_id = %s AND kind = 'item.cancelled'", one)[0]
    assert event.person_id == world.cast.chi.id and event.detail["why"] == "sent twice"
    assert why(world, CANCEL, one) == ["it was cancelled before"] and sound(world)


def test_a_token_that_was_live_still_settles_it_and_is_paid_but_not_after_its_end(world: World) -> None:
    late, early = arrive(world, "late", "early", price_minor=70)
    kept, lapsed = take(world, "ada", early), take(world, "ben", late)
    assert why(world, CANCEL, early, late) == [None, None]
    world.decide(kept)
    assert newest(world, early).state == "settled" and world.one("SELECT count(*) FROM payouts WHERE assignment_id = %s", kept.assignment_id) == 1
    world.sql.execute("UPDATE assignments SET lease_expires = clock_timestamp() WHERE id = %s", (lapsed.assignment_id,))
    with pytest.raises(errors.ProjectCancelled):
        world.decide(lapsed)
    assert sound(world)


def test_its_partition_goes_on_past_it_whatever_order_they_are_cancelled_in(world: World) -> None:
    items = arrive(world, *"abcdef", partition="P")
    assert why(world, CANCEL, items[1], items[2]) == [None, None], "before their turn: it passes them when it comes"
    world.decide(take(world, item=items[0]))
    assert take(world).item_id == items[3] and sound(world)
    said = why(world, CANCEL, items[3], items[4])
    assert said[0] is not None and "its partition goes on in order" in said[0] and said[1] is None
    give_back(world)
    assert why(world, CANCEL, items[3]) == [None], "given back, it is cancelled, and the one behind it was before"
    assert take(world, "ben").item_id == items[5]
    counts = projects.counts(world.web, [newest(world, items[0]).project_id])
    assert next(iter(counts.values())).blocked == 0 and sound(world)
    world.accept(newest(world, items[0]).project_id, [row("g", partition_key="P")])
    world.publish()
    assert why(world, CANCEL, items[5]) != [None]


def test_who_holds_the_head_of_a_cancelled_projects_partition_can_settle_it(world: World) -> None:
    items = arrive(world, *"abc", partition="P")
    claim = take(world, item=items[0])
    assert why(world, CANCEL, items[1]) == [None]
    projects.cancel(world.web, claim.project_id, world.cast.chi.id)
    world.decide(claim)
    assert newest(world, items[0]).state == "settled" and sound(world)


def test_a_claim_a_submit_and_a_cancel_at_once_leave_one_truth(world: World) -> None:
    for partition, kept in itertools.product((None, "P"), (False, True)):
        for _ in range(6):
            items = arrive(world, "a", "b", partition=partition)
            claim = take(world, "ada", items[0]) if kept else None
            made = actions.ask(world.web, CANCEL, me=world.cast.chi.id, item_ids=[items[0]])

            def at_it(i: int, claim: Any = claim, made: int = made, items: Any = items) -> Any:
                if i == 0:
                    return acting.run(world.worker)
                if claim is None or i == 2:
                    return tasks.claim(world.web, me=world.cast.ben.id, item_id=items[0])
                return world.decide(claim)

            at_once(3, at_it)
            [end] = actions.members(world.web, action_id=made)
            state = newest(world, items[0]).state
            assert end.done is not None and state in (("cancelled", "settled") if end.done else ("full", "pending", "settled"))
            assert end.done or partition or state == "settled"
            assert newest(world, items[1]).waits == (state in ("full", "pending") and partition is not None)
            assert sound(world)
            world.quiet()


# --- moved, prioritised ---


def test_a_priority_changes_the_items_own_and_its_place_and_survives_a_change_of_rules(world: World) -> None:
    items = arrive(world, *"abcd")
    assert why(world, Wish("prioritise", priority=7), items[3], items[2]) == [None, None]
    assert world.one("SELECT priority FROM items WHERE id = %s", items[3]) == 7
    assert [take(world, who).item_id for who in ("ada", "ben")] == [items[0], items[3]], "behind the head of the lane, before all others"
    project = newest(world, items[0]).project_id
    assert why(world, Wish("prioritise", priority=7), items[2]) == ["its priority is 7 already"]
    sweeps.rerank(world.web, project_id=project)
    assert [newest(world, i).priority for i in items] == [0, 0, 7, 7]
    give_back(world)
    item = escalated(world)
    assert why(world, Wish("prioritise", priority=-3), item) == [None] and newest(world, item).priority == 7, "leads' tasks count ten more"


def another_queue(world: World, item: int, name: str, tier: int = 0) -> tuple[int, int]:
    """A queue of the item's project, and its lane."""
    task = newest(world, item)
    lane = world.one(
        "INSERT INTO lanes (skill_id, tier, queue) SELECT skill_id, %s, %s FROM lanes WHERE id = %s RETURNING id", tier, name, task.lane_id
    )
    return world.one("INSERT INTO queues (project_id, name, lane_id) VALUES (%s, %s, %s) RETURNING id", task.project_id, name, lane), lane


def test_it_is_moved_to_a_queue_of_its_project_and_comes_back_there(world: World) -> None:
    [item] = arrive(world)
    assert why(world, Wish("move", queue="large"), item) == ["its project has no queue large"]
    queue, lane = another_queue(world, item, "large")
    assert why(world, Wish("move", queue="large"), item) == [None]
    assert (newest(world, item).queue_id, newest(world, item).lane_id) == (queue, lane)
    assert take(world).item_id == item and world.one("SELECT queue FROM items WHERE id = %s", item) == "large"
    assert world.one("SELECT alike[1] FROM items WHERE id = %s", item) == "large"
    assert why(world, Wish("move", queue="large"), item) == ["it is in that queue already"]


def test_what_is_moved_where_somebody_may_not_work_is_not_theirs_whoever_had_it_or_has_it_kept(world: World) -> None:
    held, kept = arrive(world, "held", "kept")
    another_queue(world, held, "senior", tier=3)
    take(world, "ada", held)
    assert why(world, Wish("assign", to=world.cast.ben.id), kept) == [None]
    assert why(world, Wish("move", queue="senior"), held, kept) == [None, None]
    world.sql.execute("UPDATE assignments SET lease_expires = clock_timestamp() WHERE item_id = %s", (held,))
    assert tasks.claim(world.web, me=world.cast.ben.id) is None, "a lease that somebody let lapse in the former queue"
    senior = people.add(world.web, name="a senior", email="senior@example.org", role="reviewer")
    people.give_skill(world.web, person_id=senior.id, skill=SKILL, tier=3)
    for item in (held, kept):
        claim = tasks.claim(world.web, me=senior.id)
        assert claim is not None and claim.item_id == item
        world.decide(claim)
    assert sound(world)


# --- kept for somebody ---


def test_it_is_kept_for_one_person_who_gets_it_first_until_the_time_is_over(world: World) -> None:
    items = arrive(world, *"abc")
    keep = Wish("assign", to=world.cast.ben.id)
    assert why(world, keep, items[2]) == [None]
    assert tasks.claim(world.web, me=world.cast.ada.id, item_id=items[2]) is None
    assert take(world, "ada").item_id == items[0]
    assert tasks.left(world.web, me=world.cast.ben.id).waiting == 2
    claim = take(world, "ben")
    assert claim.item_id == items[2], "before what is older"
    world.decide(claim)
    assert why(world, keep, items[1]) == [None]
    world.sql.execute("UPDATE tasks SET meant_until = clock_timestamp() WHERE meant_for IS NOT NULL")
    give_back(world)
    world.decide(take(world, "ada"))
    assert take(world, "ada").item_id == items[1], "a claim that finds nothing else takes back what was kept too long, whatever workers do"
    assert sound(world)


def test_a_search_for_what_is_held_finds_what_is_kept_and_what_a_batch_decision_has_too(world: World) -> None:
    items = arrive(world, *"abcdef")
    held = take(world, "ada").item_id
    assert why(world, Wish("assign", to=world.cast.ben.id), *items[1:3]) == [None, None]
    batch_decisions.ask(world.web, project=projects.load(world.web, newest(world, held).project_id, world.cast.chi), me=world.cast.chi.id, same={"queue": "review"}, verdict="approve",
                        reason_code="fine", most=2)  # fmt: skip
    working.run(world.worker)
    found: list[int] = []
    asked = searching.Asked(project_id=newest(world, held).project_id, state="leased")
    page = searching.search(world.web, asked)
    while True:
        found += [item.id for item in page.items]
        if page.next_after is None:
            break
        page = searching.search(world.web, replace(asked, after=page.next_after))
    assert sorted(found) == sorted([held, *items[1:5]])


def test_it_is_kept_for_nobody_who_may_not_look_at_it_and_not_said_why(world: World) -> None:
    """Where looks are blind, those who could still have it hear the same as who had it."""
    [item] = arrive(world, wanted=3)
    world.decide(take(world, "ben", item))
    [said] = {why(world, Wish("assign", to=who.id), item)[0] for who in (world.cast.ada, world.cast.ben, world.cast.chi)}
    assert said and "would tell who" in said and newest(world, item).meant_for is None
    keep = Wish("assign", to=world.cast.ben.id)
    [other] = arrive(world, skill="something else")
    assert why(world, keep, other) == ["Ben may not look at it"]
    [free] = arrive(world)
    assert why(world, Wish("assign"), free) == ["it is kept for nobody"]
    assert why(world, keep, free) == [None] and why(world, Wish("assign"), free) == [None] and take(world, "ada", free).item_id == free
    assert why(world, keep, free) == ["somebody holds it"]


def test_what_was_kept_for_somebody_who_is_shut_out_is_anybodys_at_once(world: World) -> None:
    [item] = arrive(world)
    gone = people.add(world.web, name="soon gone", email="gone@example.org", role="reviewer")
    people.give_skill(world.web, person_id=gone.id, skill=SKILL)
    assert why(world, Wish("assign", to=gone.id), item) == [None]
    people.disable(world.web, person_id=gone.id, by=world.cast.dov.id)
    assert take(world, "ada").item_id == item and sound(world)
    assert world.one("SELECT person_id FROM events WHERE item_id = %s AND kind = 'item.unassigned'", item) == world.cast.dov.id


# --- sent back ---


def test_an_escalation_goes_back_to_review_and_what_is_settled_is_opened_again_with_new_evidence(world: World) -> None:
    up, [settled] = escalated(world), arrive(world)
    world.decide(take(world, item=settled))
    assert why(world, BACK, up, settled) == [None, None]
    assert newest(world, up).kind == "review" and newest(world, settled).kind == "relabel"
    told = world.all("SELECT * FROM decisions WHERE item_id = %s ORDER BY id", settled)
    assert [d.outcome for d in told] == ["approve", "reopen"] and told[1].note == "look at page two" and told[1].person_id == world.cast.chi.id
    assert why(world, BACK, up) == ["it is in review already"]
    held = escalated(world)
    take(world, "chi", held)
    assert why(world, BACK, held) == ["somebody holds it"]
    world.sql.execute("UPDATE assignments SET lease_expires = clock_timestamp() WHERE person_id = %s AND ended_at IS NULL", (world.cast.chi.id,))
    assert why(world, BACK, held) == [None] and sound(world)


def test_what_others_have_to_say_about_stops_it_and_it_says_so(world: World) -> None:
    [proposed] = arrive(world, four_eyes=[{"verdict": "approve"}, {"verdict": "overturn"}])
    world.decide(take(world, item=proposed))
    eyes = "it waits for a second pair of eyes"
    assert [why(world, wish, proposed) for wish in (CANCEL, BACK, Wish("assign", to=world.cast.ben.id))] == [[eyes], [eyes], [eyes]]
    [settled] = arrive(world, four_eyes=[{"verdict": "overturn"}])
    world.decide(take(world, item=settled))
    made = act(world, BACK, settled)
    [end] = actions.members(world.web, action_id=made.id)
    assert end.done and end.why == f"proposed: {eyes}" and why(world, BACK, settled) == [eyes]
    with pytest.raises(errors.Forbidden, match="second look"):
        actions.load(world.web, action_id=made.id, me=world.cast.ben.id)
    seen = {who: {action.id for action in actions.page(world.web, me=who)} for who in (world.cast.chi.id, world.cast.ben.id)}
    assert {who for who, ids in seen.items() if made.id in ids} == {world.cast.chi.id}, (
        "it would tell whoever has to look what was proposed, and by whom"
    )
    [listed] = arrive(world)
    project = projects.load(world.web, newest(world, listed).project_id, world.cast.chi)
    batch = batch_decisions.ask(world.web, project=project, me=world.cast.chi.id, same={"queue": "review"}, verdict="approve", reason_code="fine")
    working.run(world.worker)
    assert why(world, CANCEL, listed) == [f"batch decision {batch} holds it"]
    assert why(world, CANCEL, settled) == [eyes]


# --- the list ---


def test_a_filters_list_is_fixed_before_a_lead_lets_it_go_on_and_a_kill_loses_nothing(world: World) -> None:
    items = arrive(world, *(f"k{n}" for n in range(25)))
    project = str(newest(world, items[0]).project_id)
    made = actions.ask(world.web, CANCEL, me=world.cast.chi.id, filters={"project": project, "state": "pending"})
    acting.run(world.worker, chunk=21)
    listed = actions.load(world.web, action_id=made, me=world.cast.chi.id)
    assert (listed.state, listed.members) == ("listed", 25) and newest(world, items[0]).state == "pending"
    world.accept(int(project), [row("later")])
    world.publish()
    with pytest.raises(errors.Conflict):
        actions.go_on(world.web, action_id=made, me=world.cast.chi.id, members=24)
    actions.go_on(world.web, action_id=made, me=world.cast.chi.id, members=25)
    for _ in range(10):  # a worker that dies after any of them
        with pytest.raises(ZeroDivisionError), world.worker.transaction() as connection:
            acting.step(connection)
            raise ZeroDivisionError
        world.worker.together(lambda connection: acting.step(connection))
    at_once(3, lambda _: acting.run(world.worker))
    acting.run(world.worker)
    ended = actions.load(world.web, action_id=made, me=world.cast.chi.id)
    assert (ended.state, ended.acted, ended.done) == ("done", 25, 25)
    assert world.one("SELECT count(*) FROM tasks WHERE project_id = %s AND state = 'pending'", int(project)) == 1
    assert world.one("SELECT count(*) FROM events WHERE kind = 'item.cancelled' AND project_id = %s", int(project)) == 25
    with pytest.raises(errors.Conflict):
        actions.drop(world.web, action_id=made, me=world.cast.chi.id)


def test_a_list_is_full_only_once_it_holds_as_many_as_it_may(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a step meets a second time, since somebody decided it twice, takes no room."""
    items = arrive(world, *(f"k{n}" for n in range(26)))
    for _ in items:
        world.decide(take(world))
    columns = "item_id, task_id, project_id, project_version, person_id, verdict, evidence_version, shown_version, evidence_hash, reason_code"
    world.sql.execute(f"INSERT INTO decisions ({columns}) SELECT {columns} FROM decisions WHERE item_id = ANY (%s) ORDER BY id", (items[5:],))
    monkeypatch.setattr(acting, "LONGEST_LIST", 25)
    filters = {"reviewer": str(world.cast.ada.id), "project": str(newest(world, items[0]).project_id)}
    made = actions.ask(world.web, BACK, me=world.cast.chi.id, filters=filters)
    acting.run(world.worker, chunk=21)
    assert actions.load(world.web, action_id=made, me=world.cast.chi.id).members == 25


WRONG = [
    (Wish("erase"), [1], "kind"),
    (Wish("cancel"), [1], "why"),
    (Wish("send_back", why=" "), [1], "why"),
    (Wish("cancel", why="x" * 2001), [1], "why"),
    (Wish("move", queue="escalation"), [1], "queue"),
    (Wish("prioritise", priority=21), [1], "priority"),
    (Wish("assign", to=2**31 - 1), [1], "to"),
    (CANCEL, [2**62], "item_ids"),
    (CANCEL, range(1, 502), "item_ids"),
    (CANCEL, [], "item_ids"),
]


@pytest.mark.parametrize(("wish", "items", "field"), WRONG)
def test_it_refuses_what_cannot_be_meant(world: World, wish: Wish, items: Any, field: str) -> None:
    with pytest.raises(errors.Invalid) as refused:
        actions.ask(world.web, wish, me=world.cast.chi.id, item_ids=list(items))
    assert refused.value.errors[0].field == field


def test_it_never_means_every_item_and_only_a_lead_may_ask(world: World) -> None:
    for filters in ({"order": "oldest"}, {"colour": "red"}, {"after": "1"}, {"reason": "fine"}):
        with pytest.raises(errors.Invalid):
            actions.ask(world.web, CANCEL, me=world.cast.chi.id, filters=filters)
    with pytest.raises(errors.Forbidden):
        actions.ask(world.web, CANCEL, me=world.cast.ada.id, filters={"state": "pending"})


# --- who looked, while that is blind ---


def test_a_reviewer_is_no_filter_for_what_is_still_blind(world: World) -> None:
    [blind], [single] = arrive(world, wanted=2), arrive(world)
    world.decide(take(world, "ben", blind))
    found = lambda **more: {i.id for i in searching.search(world.web, searching.Asked(reviewer_id=world.cast.ben.id, **more)).items}  # noqa: E731
    key = world.one("SELECT idempotency_key FROM items WHERE id = %s", blind)
    assert blind not in found() and blind not in found(key=key)
    claim = take(world, "ben", single)
    assert single in found(), "who holds a single look is no secret"
    world.decide(claim)
    world.decide(take(world, "ada", blind))
    assert {blind, single} <= found() and blind in found(key=key)
    with without("triage/page", "AND (NOT %(reviewed)s::boolean OR", "AND (true OR"):
        [other] = arrive(world, wanted=2)
        world.decide(take(world, "ben", other))
        assert other in found(), "that is what the rule keeps back"


def test_the_test_of_partitions_notices_a_turn_that_is_not_passed(world: World) -> None:
    world.sql.execute("ALTER TABLE tasks DISABLE TRIGGER pass_cancelled")
    try:
        with pytest.raises((AssertionError, errors.Again)):
            test_its_partition_goes_on_past_it_whatever_order_they_are_cancelled_in(world)
    finally:
        world.sql.execute("ALTER TABLE tasks ENABLE TRIGGER pass_cancelled")


def test_one_that_breaks_holds_up_no_other(world: World) -> None:
    items = arrive(world, *(f"k{n}" for n in range(4)))
    breaks, other = (actions.ask(world.web, CANCEL, me=world.cast.chi.id, item_ids=ids) for ids in (items[:2], items[2:]))
    with (
        mended(world, "act_next", "DECLARE a item_actions;\nBEGIN", f"DECLARE a item_actions;\nBEGIN\n    PERFORM 1 / (of_action - {breaks});"),
        pytest.raises(chores.Broke, match=str(breaks)),
    ):
        acting.run(world.worker)
    assert [actions.load(world.web, action_id=one, me=world.cast.chi.id).state for one in (breaks, other)] == ["acting", "done"]
    acting.run(world.worker)
    assert actions.load(world.web, action_id=breaks, me=world.cast.chi.id).done == 2
