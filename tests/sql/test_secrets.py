"""What lets somebody in: password links that work once, tokens that are shown once, and nothing of it readable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from claimcheck import errors
from claimcheck.access import passwords, people, sessions, tokens
from tests.intake import SKILL, World, at_once

EVERYTHING = """SELECT to_jsonb(w)::text FROM passwords w UNION ALL SELECT to_jsonb(l)::text FROM password_links l
                UNION ALL SELECT to_jsonb(k)::text FROM tokens k UNION ALL SELECT to_jsonb(e)::text FROM events e"""


@pytest.fixture(scope="module")
def world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    yield world
    world.end()


@pytest.fixture
def fay(world: World) -> people.Person:
    """Somebody new."""
    world.named += 1
    return people.add(world.web, name=f"Fay {world.named}", email=f"fay{world.named}@example.org", role="reviewer")


def events(world: World, kind: str, person: people.Person) -> list[Any]:
    return world.all("SELECT * FROM events WHERE kind = %s AND detail->>'person' = %s", kind, str(person.id))


def test_it_sets_a_password_by_a_link_once(world: World, fay: people.Person) -> None:
    link = passwords.link(world.web, person_id=fay.id, by=world.cast.dov.id)
    secret = sessions.begin(world.web, person_id=fay.id)
    for weak in ("short", "password1234", fay.name * 3, "aaaaaaaaaaaaaaaa", "123456789012"):
        with pytest.raises(errors.Invalid):
            passwords.set_by_link(world.web, secret=link, password=weak)
    passwords.set_by_link(world.web, secret=link, password="four words of mine")
    assert sessions.person_of(world.web, secret) is None
    with pytest.raises(errors.LinkUsed):
        passwords.set_by_link(world.web, secret=link, password="somebody else's words")
    assert passwords.check(world.web, email=fay.email or "", password="four words of mine", address="192.0.2.1") == fay.id


def test_it_uses_a_link_once_even_at_once(world: World, fay: people.Person) -> None:
    link = passwords.link(world.web, person_id=fay.id)

    def use(n: int) -> str | None:
        try:
            passwords.set_by_link(world.web, secret=link, password=f"words of number {n}")
        except errors.LinkUsed:
            return None
        return f"words of number {n}"

    [winner] = filter(None, at_once(6, use))
    assert passwords.check(world.web, email=fay.email or "", password=winner, address="192.0.2.1") == fay.id


def test_it_voids_a_link_after_a_day_and_by_a_newer_one(world: World, fay: people.Person) -> None:
    old, new = (passwords.link(world.web, person_id=fay.id) for _ in range(2))
    with pytest.raises(errors.LinkUsed):
        passwords.person_of_link(world.web, old)
    assert passwords.person_of_link(world.web, new) == fay
    lasts = world.one("SELECT (expires_at - created_at)::text FROM password_links WHERE hash = %s", sessions.digest(new))
    assert lasts.startswith(("23:59:59", "24:00:00", "1 day"))
    world.sql.execute("UPDATE password_links SET expires_at = clock_timestamp() WHERE hash = %s", (sessions.digest(new),))
    with pytest.raises(errors.LinkUsed):
        passwords.set_by_link(world.web, secret=new, password="words that come too late")


def test_it_keeps_no_password_link_or_token_readable(world: World, fay: people.Person) -> None:
    link, token = passwords.link(world.web, person_id=fay.id), tokens.make(world.web, person_id=fay.id)
    passwords.set_by_link(world.web, secret=link, password="four words of mine")
    whole = "\n".join(text for (text,) in world.all(EVERYTHING))
    assert "$argon2id$v=19$m=47104,t=1,p=1$" in whole
    assert not any(secret in whole for secret in (link, token, "four words of mine"))


def test_it_makes_tokens_with_accounts_and_skills_where_there_are_none(world: World) -> None:
    token = tokens.new(world.web, name="Scanner", role="reviewer", skills=[SKILL, "ocr"])
    assert tokens.FORM.fullmatch(token) and not token.startswith("-")
    person = tokens.person_of(world.web, token)
    assert person is not None and (person.name, person.role, person.program, person.email) == ("Scanner", "reviewer", True, None)
    people.give_skill(world.web, person_id=person.id, skill=SKILL, tier=2)
    second = tokens.new(world.web, name="Scanner", role="reviewer", skills=[SKILL])
    assert second != token and tokens.person_of(world.web, second) == person
    assert [(s.name, s.tier) for s in people.skills(world.web, person_id=person.id)] == [(SKILL, 2), ("ocr", 0)]
    customer = tokens.person_of(world.web, tokens.new(world.web, name="Contoso", role="customer"))
    assert customer is not None and world.one("SELECT name FROM customers WHERE id = %s", customer.customer_id) == "Contoso"
    with pytest.raises(errors.Invalid):
        tokens.new(world.web, name="Scanner", role="operator")


def test_it_leaves_nothing_behind_when_a_token_cannot_be_made(world: World) -> None:
    with pytest.raises(errors.Invalid):
        tokens.new(world.web, name="Half", role="reviewer", skills=["fine", "x" * 101])
    assert people.by_name(world.web, name="Half") is None


@pytest.mark.parametrize("token", ["", "short", "x" * 43, "cc_" + "ä" * 40, "cc_" + "x" * 400, "' OR 1=1 --" + "x" * 40, "\0" * 40])
def test_it_knows_nobody_by_a_token_it_did_not_make(world: World, token: str) -> None:
    assert tokens.person_of(world.web, token) is None


def test_it_revokes_a_token_of_that_person_only(world: World, fay: people.Person) -> None:
    token = tokens.make(world.web, person_id=fay.id)
    [one] = tokens.live(world.web, person_id=fay.id)
    with pytest.raises(errors.NotFound):
        tokens.revoke(world.web, token_id=one.id, person_id=world.cast.ada.id, by=world.cast.dov.id)
    assert tokens.person_of(world.web, token) == fay
    tokens.revoke(world.web, token_id=one.id, person_id=fay.id, by=world.cast.dov.id)
    assert tokens.person_of(world.web, token) is None
    assert [len(events(world, kind, fay)) for kind in ("token.made", "token.revoked")] == [1, 1]


def test_it_lets_the_workers_read_no_password(world: World) -> None:
    for table in ("passwords", "sessions", "tokens", "password_links", "login_attempts"):
        assert not world.one("SELECT has_table_privilege('claimcheck_worker', %s, 'SELECT')", table), table
