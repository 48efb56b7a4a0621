"""Accounts: adding them, what ends with them, skills, tokens, links."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row

from claimcheck import errors
from claimcheck.access import passwords, people, sessions, tokens
from claimcheck.db import STATEMENTS
from claimcheck.review import assignments, decisions, tasks
from tests.intake import SKILL, World, at_once, row, without

WRONG: list[tuple[str, dict[str, str], str]] = [
    ("no name", {"name": " "}, "name"),
    ("a name too long", {"name": "x" * 201}, "name"),
    ("a line break in the name", {"name": "Fay\nroot"}, "name"),
    ("a NUL in the name", {"name": "Fay\0"}, "name"),
    ("a right-to-left override in the name", {"name": "Fay\u202egpj"}, "name"),
    ("no address", {"email": ""}, "email"),
    ("half an address", {"email": "fay@"}, "email"),
    ("two addresses", {"email": "fay@example.org, eve@example.org"}, "email"),
    ("a header in the address", {"email": "fay@example.org\nBcc: eve@example.org"}, "email"),
    ("another alphabet's a", {"email": "fаy@example.org"}, "email"),
    ("the Kelvin sign", {"email": "\u212aim@example.org\u212a"}, "email"),
    ("an unknown role", {"role": "admin"}, "role"),
    ("the system's role", {"role": "system"}, "role"),
    ("a customer without its name", {"role": "customer"}, "customer"),
    ("a reviewer of a customer", {"customer": "Northwind"}, "customer"),
]


@pytest.fixture(scope="module")
def world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    yield world
    world.end()


@pytest.fixture
def fay(world: World) -> people.Person:
    """Somebody new, who can do what Ada can."""
    world.quiet()
    world.named += 1
    person = people.add(world.web, name=f"Fay {world.named}", email=f"fay{world.named}@example.org", role="reviewer")
    people.give_skill(world.web, person_id=person.id, skill=SKILL)
    return person


def held(world: World, person: people.Person, **rules: Any) -> assignments.Assignment:
    """What the person took from a project of one item."""
    project = world.project(**rules)
    world.accept(project, [row("one")])
    world.publish()
    claim = tasks.claim(world.web, me=person.id)
    assert claim is not None
    return assignments.load(world.web, assignment_id=claim.assignment_id, me=person.id)


def submit(world: World, held: assignments.Assignment) -> int:
    proof = {"assignment_id": held.id, "lease_token": held.lease_token, "evidence_hash": held.evidence_hash}
    return decisions.submit(world.web, me=held.person_id, verdict="approve", reason_code="fine", **proof)


def events(world: World, kind: str, person: people.Person) -> list[Any]:
    return world.all("SELECT * FROM events WHERE kind = %s AND (detail->>'person' = %s OR person_id = %s)", kind, str(person.id), person.id)


@pytest.mark.parametrize(("given", "field"), [(given, field) for _, given, field in WRONG], ids=[what for what, _, _ in WRONG])
def test_it_adds_nobody_whose_facts_are_wrong(world: World, given: dict[str, str], field: str) -> None:
    before = world.one("SELECT count(*) FROM people")
    with pytest.raises(errors.Invalid) as caught:
        people.add(world.web, **({"name": "Fay", "email": "fay@example.org", "role": "reviewer"} | given))  # type: ignore[arg-type]
    assert [e.field for e in caught.value.errors] == [field]
    assert world.one("SELECT count(*) FROM people") == before


@pytest.mark.parametrize("email", ["ADA@example.org", " ada@EXAMPLE.org "])
def test_it_takes_an_address_once_however_it_is_spelt(world: World, email: str) -> None:
    with pytest.raises(errors.NameTaken):
        people.add(world.web, name="Another Ada", email=email, role="reviewer")


def test_it_adds_one_of_many_who_come_at_once(world: World) -> None:
    def add(n: int) -> str:
        try:
            return people.add(world.web, name=f"Gus {n}", email="gus@example.org", role="customer", customer="Fabrikam").name
        except errors.NameTaken as error:
            return error.code

    answers = at_once(8, add)
    assert answers.count("NAME_TAKEN") == 7
    assert world.one("SELECT count(*) FROM customers WHERE name = 'Fabrikam'") == 1


def test_it_gives_a_lease_back_at_once_when_its_holder_is_disabled(world: World, fay: people.Person) -> None:
    mine = held(world, fay)
    gone = people.disable(world.web, person_id=fay.id, by=world.cast.dov.id)
    assert (gone.item_id, gone.escalation_id) == (mine.item_id, None)
    assert world.one("SELECT end_reason FROM assignments WHERE id = %s", mine.id) == "revoked"
    assert world.all("SELECT state, seen_by FROM tasks WHERE id = %s", mine.task_id) == [("pending", [])]
    taken = world.claim("ben")
    assert taken is not None and taken.task_id == mine.task_id
    with pytest.raises(errors.StaleLease):
        submit(world, mine)
    [event] = world.all("SELECT * FROM events WHERE kind = 'assignment.revoked' AND assignment_id = %s", mine.id)
    assert (event.person_id, event.detail, event.task_id) == (fay.id, {"by": world.cast.dov.id}, mine.task_id)


def test_it_waits_for_a_claim_in_flight_and_ends_its_lease(world: World, fay: people.Person) -> None:
    world.accept(world.project(), [row("one")])
    world.publish()
    asked = {"me": fay.id, "skill_id": None, "queue": None, "item_id": None}
    with psycopg.connect(world.conninfos.web, row_factory=namedtuple_row) as claiming, ThreadPoolExecutor(1) as threads:
        claim = claiming.execute(STATEMENTS["tasks/claim"], asked).fetchone()
        gone = threads.submit(people.disable, world.web, person_id=fay.id, by=world.cast.dov.id)
        while not world.one("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"):
            assert not gone.done(), "the account was disabled beside a claim in flight"
        claiming.commit()
        assert claim is not None and gone.result().item_id == claim.item_id
    assert world.one("SELECT state FROM tasks WHERE id = %s", claim.task_id) == "pending"


def test_it_escalates_what_was_left_once_too_often_by_being_disabled(world: World, fay: people.Person) -> None:
    mine = held(world, fay, abandon_limit=1)
    gone = people.disable(world.web, person_id=fay.id, by=world.cast.dov.id)
    assert gone.escalation_id is not None
    assert world.all("SELECT state, ended_as FROM tasks WHERE id = %s", mine.task_id) == [("passed_on", "abandoned")]
    assert world.one("SELECT kind FROM tasks WHERE parent_id = %s", mine.task_id) == "escalation"
    assert people.waiting_escalations(world.web) == 1  # the number in the leads' navigation


def test_it_gives_back_only_one_seat_of_several(world: World, fay: people.Person) -> None:
    mine = held(world, fay, wanted=3)
    other = world.claim("ada")
    assert other is not None and other.task_id == mine.task_id
    people.disable(world.web, person_id=fay.id, by=world.cast.dov.id)
    assert world.one("SELECT seen_by FROM tasks WHERE id = %s", mine.task_id) == [world.cast.ada.id]


def test_it_keeps_what_was_decided(world: World, fay: people.Person) -> None:
    mine = held(world, fay)
    decision = submit(world, mine)
    assert people.disable(world.web, person_id=fay.id, by=world.cast.dov.id).item_id is None
    assert world.all("SELECT person_id, outcome FROM decisions WHERE id = %s", decision) == [(fay.id, "approve")]


def test_it_ends_sessions_tokens_and_links_with_the_account(world: World, fay: people.Person) -> None:
    secret, token = sessions.begin(world.web, person_id=fay.id), tokens.make(world.web, person_id=fay.id)
    link = passwords.link(world.web, person_id=fay.id)
    assert sessions.person_of(world.web, secret) == fay == tokens.person_of(world.web, token) == passwords.person_of_link(world.web, link)
    gone = people.disable(world.web, person_id=fay.id, by=world.cast.dov.id)
    assert (gone.sessions, gone.tokens) == (1, 1)
    for _ in range(2):  # and they stay ended when the account is opened again
        assert sessions.person_of(world.web, secret) is None and tokens.person_of(world.web, token) is None
        with pytest.raises(errors.LinkUsed):
            passwords.person_of_link(world.web, link)
        people.enable(world.web, person_id=fay.id, by=world.cast.dov.id)
    [event] = events(world, "person.disabled", fay)
    assert event.detail == {"person": fay.id, "sessions": 1, "tokens": 1, "links": 1}


def test_it_makes_nothing_new_for_a_disabled_person(world: World, fay: people.Person) -> None:
    people.disable(world.web, person_id=fay.id, by=world.cast.dov.id)
    with pytest.raises(errors.Unauthenticated):
        sessions.begin(world.web, person_id=fay.id)
    for make in (tokens.make, passwords.link):
        with pytest.raises(errors.NotFound):
            make(world.web, person_id=fay.id)


def test_it_disables_nobody_by_their_own_hand_and_never_the_system(world: World) -> None:
    with pytest.raises(errors.Invalid):
        people.disable(world.web, person_id=world.cast.dov.id, by=world.cast.dov.id)
    for nobody in (people.SYSTEM, 2**31 - 1):
        with pytest.raises(errors.NotFound):
            people.disable(world.web, person_id=nobody, by=world.cast.dov.id)


def test_it_ends_in_one_state_when_a_lease_ends_twice_at_once(world: World, fay: people.Person) -> None:
    for _ in range(12):
        mine = held(world, fay)
        ways = [
            lambda: people.disable(world.web, person_id=fay.id, by=world.cast.dov.id),
            lambda m=mine: assignments.release(world.web, assignment_id=m.id, lease_token=m.lease_token, me=fay.id),
            lambda m=mine: submit(world, m),
            lambda: world.claim("ada"),
        ]  # fmt: skip

        def end(n: int, ways: list[Any] = ways) -> str:
            try:
                return str(ways[n]() and "done")
            except errors.StaleLease:
                return "stale"

        at_once(len(ways), end)
        [(state, votes, seen)] = world.all("SELECT state, cardinality(votes), seen_by FROM tasks WHERE id = %s", mine.task_id)
        lives = world.one(
            "SELECT count(*) FROM assignments WHERE task_id = %s AND (ended_at IS NULL OR end_reason = 'submitted')", mine.task_id
        )
        assert lives == len(seen) and (state == "settled") == (votes == 1), (state, votes, seen)
        world.quiet()
        people.enable(world.web, person_id=fay.id, by=world.cast.dov.id)


BACK, SEAT = test_it_gives_a_lease_back_at_once_when_its_holder_is_disabled, test_it_gives_back_only_one_seat_of_several
ENDS, NEW = test_it_ends_sessions_tokens_and_links_with_the_account, test_it_makes_nothing_new_for_a_disabled_person
MUTANTS = [
    ("people/disable", "ended_at = greatest(clock_timestamp(), a.claimed_at), end_reason = 'revoked'", "ended_at = ended_at", BACK),
    ("people/disable", "array_remove(t.seen_by, ended.person_id)", "t.seen_by", BACK),
    ("people/disable", "array_remove(t.seen_by, ended.person_id)", "'{}'", SEAT),
    ("people/disable", "at_limit(t)", "false", test_it_escalates_what_was_left_once_too_often_by_being_disabled),
    ("people/disable", "sessions s SET ended_at = clock_timestamp()", "sessions s SET ended_at = NULL", ENDS),
    ("people/disable", "tokens k SET revoked_at = clock_timestamp()", "tokens k SET revoked_at = NULL", ENDS),
    ("people/disable", "password_links l SET used_at = clock_timestamp()", "password_links l SET used_at = NULL", ENDS),
    ("sessions/begin", "AND p.disabled_at IS NULL", "", NEW),
    ("tokens/new", "AND p.disabled_at IS NULL", "", NEW),
    ("passwords/new_link", "AND p.disabled_at IS NULL", "", NEW),
    ("tasks/claim", " FOR SHARE)", ")", test_it_waits_for_a_claim_in_flight_and_ends_its_lease),
    ("people/disable", "AND role <> 'system'", "", test_it_disables_nobody_by_their_own_hand_and_never_the_system),
]


@pytest.mark.parametrize(("statement", "guard", "instead", "test"), MUTANTS, ids=[f"{m[0]} without {m[1]:.40}" for m in MUTANTS])
def test_it_would_notice_a_missing_guard(world: World, fay: people.Person, statement: str, guard: str, instead: str, test: Any) -> None:
    needed = {"world": world, "fay": fay}
    with without(statement, guard, instead), pytest.raises((AssertionError, pytest.fail.Exception, errors.Error, TypeError)):
        test(**{name: needed[name] for name in test.__annotations__ if name in needed})


def test_it_gives_changes_and_takes_a_skill(world: World, fay: people.Person) -> None:
    people.give_skill(world.web, person_id=fay.id, skill="lending", tier=3, by=world.cast.dov.id)
    people.give_skill(world.web, person_id=fay.id, skill="lending", tier=1, by=world.cast.dov.id)
    assert [(s.name, s.tier) for s in people.skills(world.web, person_id=fay.id)] == [(SKILL, 0), ("lending", 1)]
    people.take_skill(world.web, person_id=fay.id, skill="lending", by=world.cast.dov.id)
    with pytest.raises(errors.NotFound):
        people.take_skill(world.web, person_id=fay.id, skill="lending", by=world.cast.dov.id)
    assert [len(events(world, kind, fay)) for kind in ("person.skill_given", "person.skill_taken")] == [3, 1]
