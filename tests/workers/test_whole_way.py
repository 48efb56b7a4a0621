"""From an item that is taken in to what its receiver is told, with nothing made up in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from claimcheck import config, projects, rules
from claimcheck.outbound import applying, deliveries
from claimcheck.review import decisions
from tests.intake import SKILL, World, row
from tests.workers.machinery import Hook
from tests.workers.stage import SECRET_KEY


@pytest.fixture
def world(database: Any, store_server: Any) -> Iterator[World]:
    world = World(database, store_server)
    yield world
    world.end()


@pytest.mark.parametrize("wanted", [1, 2])
def test_it_tells_of_outcomes_of_looks_and_of_what_a_lead_overturns(world: World, hook: Hook, wanted: int) -> None:
    world.quiet()
    settings = config.Settings(secret_key=SECRET_KEY, webhook_allow="127.0.0.0/8", demo=False)
    given = {"name": f"looks {wanted}", "skill": SKILL, "reason_codes": ["fine", "wrong"], "wanted": wanted, "webhook": {"url": hook.url}}
    made = projects.create(world.web, by=world.cast.eve, rules=rules.parse(given), settings=settings)
    hook.server.secrets = [str(made.webhook_secret)]
    world.accept(made.id, [row("one", partition_key="p"), row("two", partition_key="p")])
    world.publish()
    outcomes = [_decide(world, wanted) for _ in range(2)]
    overturned = decisions.overturn(world.web, decision_id=outcomes[0], me=world.cast.chi.id, reason_code="wrong", verdict="reject").decision_id
    _apply(world, settings)
    told = [json.loads(entry["body"]) for entry in hook.entries()]
    assert [entry["webhook_id"] for entry in hook.entries()] == [str(d) for d in (*outcomes, overturned)]
    assert [t["type"] for t in told] == ["outcome.settled", "outcome.settled", "outcome.overturned"]
    assert [t["data"]["outcome"] for t in told] == ["approve", "approve", "reject"] and told[2]["data"]["supersedes"] == outcomes[0]
    assert [t["data"]["idempotency_key"] for t in told] == ["one", "two", "one"] and "Ada Lovelace" not in json.dumps(told)
    standings = world.all("SELECT outcome, times FROM standings s JOIN items i ON i.id = s.item_id WHERE i.project_id = %s ORDER BY i.id", made.id)
    assert [tuple(s) for s in standings] == [("reject", 2), ("approve", 1)]


def _decide(world: World, wanted: int) -> int:
    """As many looks as are wanted, each an approval; the outcome's id."""
    for who in ("ada", "ben")[:wanted]:
        claim = world.claim(who)
        assert claim is not None
        facts = {"assignment_id": claim.assignment_id, "lease_token": claim.lease_token, "evidence_hash": claim.evidence_hash}
        decisions.submit(world.web, me=getattr(world.cast, who).id, verdict="approve", reason_code="fine", **facts)
    return world.one("SELECT max(id) FROM decisions WHERE outcome IS NOT NULL")


def _apply(world: World, settings: config.Settings) -> None:
    applier = applying.Applier(world.worker, deliveries.sender(settings), threads=1)
    while rows := world.all("SELECT id FROM outbox WHERE ring_for IS NOT NULL AND state = 'pending' ORDER BY id"):
        applier.take(rows[0].id)
        with applier._came_free:
            assert applier._came_free.wait_for(lambda: applier.free == 1, 60)
    applier.stop()
