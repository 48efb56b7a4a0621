"""Messages as producers write them, and who sends them."""

from __future__ import annotations

import json
from typing import Any

from claimcheck.intake import admission, parameters
from tests.intake import World

WORKER = "test"


def message(project: int, key: str, **more: Any) -> dict[str, Any]:
    """A message without a fault; `more` replaces fields, `...` takes one out."""
    whole = {
        "project_id": project,
        "idempotency_key": key,
        "partition_key": "Acme",
        "ledger_entity": "1200 receivables",
        "currency": "EUR",
        "variance_amount": "12.50",
        "match_decision": "PARTIAL",
        "payload": {"statement": "RF18 5390", "ledger": "RF18 5309"},
    }
    return {name: value for name, value in (whole | more).items() if value is not ...}


def body(project: int, key: str, **more: Any) -> bytes:
    return json.dumps(message(project, key, **more)).encode()


def sender(world: World, who: str = "eve", source: Any = "http", **headers: str) -> admission.Sender:
    person = getattr(world.cast, who)
    return admission.Sender(person.id, person.customer_id, source, headers)


def admit(world: World, *bodies: Any, by: admission.Sender | None = None) -> list[admission.Answer]:
    return admission.admit(world.web, bodies, sender=by or sender(world), worker=WORKER, settings=parameters.DEFAULTS)


def waiting(world: World, project: int) -> list[Any]:
    """The inbox of a project in the order that it is handled in, partition by partition."""
    return world.all(
        "SELECT p.id AS partition_id, p.key, m.idempotency_key, m.id, i.body, m.trace_id FROM inbox i JOIN messages m ON m.id = i.message_id "
        "JOIN inbox_partitions p ON p.id = i.partition_id WHERE m.project_id = %s ORDER BY p.key, m.id",
        project,
    )


def disagreements(world: World) -> list[Any]:
    """Partitions whose count is not what waits; there are none."""
    return world.all(
        "SELECT p.id, p.open, count(i.message_id) AS waits FROM inbox_partitions p LEFT JOIN inbox i ON i.partition_id = p.id "
        "GROUP BY p.id HAVING p.open <> count(i.message_id)"
    )
