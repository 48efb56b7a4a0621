"""Messages for the tests of the pipeline, sent through its own door, and pulled and handled as its pools do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from claimcheck.intake import admission, handling, inbox, parameters, resolving
from claimcheck.intake.admission import Answer, Sender
from claimcheck.intake.inbox import Run
from tests.intake import World

WORKER = "test"


def settings(**changed: Any) -> parameters.Version:
    """A version of the parameters, as delivered but for these."""
    return parameters.Version(1, parameters.DEFAULTS.settings | changed, "file", "a test", "Dov", None)


SETTINGS = settings()


def message(project: int, key: str, partition: str = "P", **more: Any) -> bytes:
    """The bytes of a message that every gate lets through."""
    value = {
        "project_id": project,
        "idempotency_key": key,
        "partition_key": partition,
        "ledger_entity": "Northwind",
        "currency": "EUR",
        "variance_amount": "12.50",
        "match_decision": "UNMATCHED",
        "payload": {"ours": "100.00", "theirs": "112.50"},
    }
    return json.dumps(value | more).encode()


def admit(world: World, bodies: Sequence[bytes], **sender: Any) -> list[Answer]:
    """Through the door, as Eve's if not said otherwise."""
    eve = {"person_id": world.cast.eve.id, "customer_id": world.cast.eve.customer_id, "source": "http"}
    return [
        answer
        for n in range(0, len(bodies), admission.LIMIT)
        for answer in admission.admit(world.web, bodies[n : n + admission.LIMIT], sender=Sender(**(eve | sender)), worker=WORKER, settings=SETTINGS)
    ]


def send(world: World, project: int, *keys: str, partition: str = "P", **more: Any) -> None:
    """Admits messages of one partition."""
    answers = admit(world, [message(project, key, partition, **more) for key in keys])
    assert all(answer.result == "admitted" for answer in answers), answers


def pull(world: World, room: int = 200, **changed: Any) -> list[Run]:
    return inbox.pull(world.web, settings(**changed), room)


def handle(world: World, runs: Sequence[Run], **changed: Any) -> handling.Handled:
    return handling.handle(world.web, runs, worker=WORKER, settings=settings(**changed))


def hand_back(world: World, *runs: Run) -> None:
    inbox.hand_back(world.web, runs, worker=WORKER, settings=SETTINGS)


def put_off(world: World, run: Run, seconds: float = 0.001, error: str = "it broke") -> None:
    inbox.put_off(world.web, run, seconds, error, worker=WORKER, settings=SETTINGS)


def lapse(world: World) -> None:
    """Every lease has run out."""
    world.sql.execute("UPDATE inbox_partitions SET lease_until = clock_timestamp() - interval '1 ms' WHERE lease IS NOT NULL")


def resolve(world: World) -> int:
    """Everything that resolves by itself now; how many."""
    done = 0
    while found := resolving.resolve(world.web, worker=WORKER, settings_version=1):
        done += len(found)
    return done


def settle(world: World) -> None:
    """Everything is published, resolved, or decided by Ada, until nothing is left."""
    while world.publish() + resolve(world) or (claim := world.claim()):
        if claim := world.claim():
            world.decide(claim)


def items(world: World, project: int) -> list[str]:
    """The keys of the project's items, in the order of their partitions."""
    rows = world.all("SELECT idempotency_key FROM items WHERE project_id = %s ORDER BY partition_id, partition_no", project)
    return [row.idempotency_key for row in rows]


def keys(runs: Sequence[Run]) -> list[list[str]]:
    return [[message.idempotency_key for message in run.messages] for run in runs]


def clear(world: World) -> None:
    """Whatever other tests left in the inbox is gone."""
    world.sql.execute("DELETE FROM inbox")
    world.sql.execute("UPDATE inbox_partitions SET open = 0, lease = NULL, lease_until = NULL")
