"""Signing keys: what a key has signed once, it signs always."""

from __future__ import annotations

from datetime import timedelta

import pytest

from claimcheck.proof import keys
from claimcheck.review import decisions
from tests.intake import World, row

SECRET = "a secret key of the tests" * 2


def now(world: World):
    return world.one("SELECT clock_timestamp()")


@pytest.mark.parametrize("ahead", [keys.AHEAD, 0.0])
def test_it_gives_a_receipt_the_same_bytes_while_a_key_is_rotated(world: World, ahead: float) -> None:
    """A decision of the moments between the making of a key and its commit. Were it to sign at once, this would show."""
    world.accept(world.project(), [row("k")])
    world.publish()
    claim = world.claim()
    assert claim
    keys.at(world.web, now(world), SECRET)
    with world.web.transaction() as rotating:
        rotating.run("signing_keys/lock")
        made = keys._add(rotating, SECRET, ahead=ahead)
        decision_id = world.decide(claim)
        before = decisions.receipt(world.web, decision_id=decision_id, secret=SECRET)
    same = decisions.receipt(world.web, decision_id=decision_id, secret=SECRET) == before
    assert same == (ahead > 0)
    assert keys.at(world.web, now(world) + timedelta(seconds=ahead), SECRET).id == made


def test_it_rotates_ahead_of_every_transaction_that_could_be_late(world: World) -> None:
    keys.at(world.web, now(world), SECRET)
    made, at = keys.rotate(world.web, SECRET), now(world)
    assert keys.at(world.web, at, SECRET).id != made
    assert keys.at(world.web, at + timedelta(seconds=keys.AHEAD), SECRET).id == made
    with world.web.connection() as connection:
        longest = connection.raw.execute("SELECT current_setting('transaction_timeout')::interval").fetchone()
    assert longest and timedelta() < longest[0] < timedelta(seconds=keys.AHEAD)
