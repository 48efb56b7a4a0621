"""What a search tells beside the items that it finds: nothing of other customers, and nothing of looks that are still blind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from claimcheck.access import customers, people
from claimcheck.review import tasks
from claimcheck.triage import searching
from claimcheck.triage.searching import Asked
from tests.intake import SKILL, World, row, without

NOTHING = searching.Found([], None, 0)


@pytest.fixture(scope="module")
def stranger(_world: World) -> int:
    """A customer who never sent anything, beside whom Eve's desk is busy."""
    project = _world.project(four_eyes=[{}])
    _world.accept(project, [row(f"key {n}", trace_id="a trace", partition_key="a partition") for n in range(30)])
    _world.accept(_world.project(), [row(f"one {n}") for n in range(40)])
    _world.publish()
    claim = tasks.claim(_world.web, me=_world.cast.ada.id)
    assert claim is not None
    return customers.ensure(_world.web, "Mallory").id


def test_a_customer_is_told_nothing_of_what_is_not_theirs(_world: World, stranger: int) -> None:
    """Neither how many there are, nor of which amount, reason, key or partition, nor a place to go on from."""
    theirs = [p for (p,) in _world.all("SELECT id FROM projects")]
    fitting = [Asked(), Asked(state="pending"), Asked(state="leased"), Asked(partition="a partition"), Asked(queue="review", state="blocked")]
    within = [replace(asked, project_id=p) for p in theirs for asked in fitting]
    states = [Asked(state=state, order=order) for state in searching.STATES for order in ("newest", "oldest")]
    for asked in [*within, *states, Asked(), Asked(trace_id="a trace"), Asked(key="key 1")]:
        assert searching.search(_world.web, asked, customer_id=stranger) == NOTHING, asked


def test_a_customers_own_search_finds_all_that_fit_page_by_page(_world: World, stranger: int) -> None:
    """Past strangers' items and through those that do not fit."""
    me = _world.cast.eve.customer_id
    assert me is not None
    for state in ("pending", "leased", "blocked"):
        found: list[int] = []
        page = searching.search(_world.web, Asked(state=state), customer_id=me)
        while True:
            found += [item.id for item in page.items]
            assert page.looked_at == len(page.items)
            if page.next_after is None:
                break
            page = searching.search(_world.web, Asked(state=state, after=page.next_after), customer_id=me)
        stand = _world.all(
            "SELECT item_id FROM tasks t WHERE state = %s AND ended_as IS NULL AND kind = 'review'", {"leased": "full"}.get(state, state)
        )
        assert sorted(found) == sorted(item for (item,) in stand) and found


def test_a_search_by_a_reason_does_not_count_the_looks_that_are_blind(_world: World) -> None:
    """Where a single item waits for its second pair of eyes, a count of what has a reason would say what was proposed."""
    project = _world.project(four_eyes=[{}])
    _world.accept(project, [row("one")])
    _world.publish()
    [item] = [i for (i,) in _world.all("SELECT id FROM items WHERE project_id = %s", project)]
    claim = tasks.claim(_world.web, me=_world.cast.ben.id, item_id=item)
    assert claim is not None
    _world.decide(claim)
    fine, wrong = (searching.search(_world.web, Asked(project_id=project, reason=reason)) for reason in ("fine", "wrong"))
    assert fine == wrong == NOTHING
    with without("triage/page", "(NOT %(reasoned)s::boolean OR state IN", "(true OR state IN"):
        assert searching.search(_world.web, Asked(project_id=project, reason="fine")).items, "it is there, and kept back"


def test_a_search_by_a_reviewer_does_not_count_what_they_have_looked_at_blindly(_world: World) -> None:
    """Where a single item waits for more looks, a count of what somebody has decided would say who was there."""
    new = people.add(_world.web, name="new here", email="new@example.org", role="reviewer")
    people.give_skill(_world.web, person_id=new.id, skill=SKILL)
    project = _world.project(wanted=3)
    _world.accept(project, [row("for three")])
    _world.publish()
    [item] = [i for (i,) in _world.all("SELECT id FROM items WHERE project_id = %s", project)]
    claim = tasks.claim(_world.web, me=new.id, item_id=item)
    assert claim is not None
    assert searching.search(_world.web, Asked(reviewer_id=new.id)) == NOTHING
    _world.decide(claim)
    assert searching.search(_world.web, Asked(reviewer_id=new.id)) == NOTHING


def test_what_one_decided_in_the_same_instant_is_all_found_page_by_page(_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many decisions of one statement are."""
    monkeypatch.setattr(searching, "LOOKS", 3)
    _world.quiet()
    project, ada = _world.project(), _world.cast.ada.id
    _world.accept(project, [row(f"at once {n}") for n in range(7)])
    _world.publish()
    while claim := _world.claim():
        _world.decide(claim)
    with _world.sql.transaction():
        _world.sql.execute("SET LOCAL session_replication_role = replica")
        _world.sql.execute("UPDATE decisions SET created_at = clock_timestamp() - interval '1 second' WHERE project_id = %s", (project,))
        _world.sql.execute(
            "UPDATE decisions d SET created_at = one.at FROM (SELECT max(created_at) AS at FROM decisions WHERE project_id = %s) one WHERE project_id = %s",
            (project, project),
        )
    found, after = [], None
    while True:
        page = searching.search(_world.web, Asked(reviewer_id=ada, project_id=project, after=after))
        found += [item.id for item in page.items]
        if (after := page.next_after) is None:
            break
    assert sorted(found) == sorted(i for (i,) in _world.all("SELECT id FROM items WHERE project_id = %s", project)) and len(found) == 7
