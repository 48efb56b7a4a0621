"""What the API says when a server behind it is away, or a payload is gone: never a 500, always when to ask again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from flask import Flask
from psycopg_pool import ConnectionPool

from app import create_app
from claimcheck import errors
from claimcheck.proof import keys
from tests import people
from tests.people import Cast
from tests.web.api_client import Api, proof


@pytest.fixture(scope="module")
def task(app: Flask, cast: Cast, publish: Callable[[], int]) -> dict[str, Any]:
    """An item in Ada's hands."""
    rows = [{"idempotency_key": "f", "payload": {"name": "Ada"}}]
    Api(app, cast.eve).post("/v1/projects", {"name": "Faults", "skill": "kyc", "reason_codes": ["fits"], "items": rows})
    publish()
    return Api(app, cast.ada).post("/v1/tasks/next").json


def waits(answer: Any, code: str) -> None:
    assert (answer.status_code, answer.json["code"]) == (503, code)
    assert int(answer.headers["Retry-After"]) > 0


def test_it_says_that_the_store_is_away(app: Flask, cast: Cast, task: dict[str, Any], database: Any, store_server: Any, valkey: str) -> None:
    settings = people.settings(database, store_server, valkey, s3_endpoint="http://127.0.0.1:9")
    elsewhere = create_app(settings)
    try:
        ada, eve = Api(elsewhere, cast.ada), Api(elsewhere, cast.eve)
        waits(ada.get(f"/v1/assignments/{task['assignment_id']}/payload"), "STORE_UNAVAILABLE")
        assert ada.post("/v1/tasks/next").json["assignment_id"] == task["assignment_id"], "the claim doesn't need the store"
        sent = eve.post(f"/v1/projects/{task['project_id']}/items", {"items": [{"idempotency_key": "g", "payload": {"name": "Ben"}}]})
        assert sent.status_code == 202, "nor does intake"
    finally:
        elsewhere.extensions["claimcheck"].db.close()


def test_it_says_that_a_payload_is_gone_or_another(app: Flask, cast: Cast, task: dict[str, Any], database: Any) -> None:
    store, path = app.extensions["claimcheck"].store, f"/v1/assignments/{task['assignment_id']}/payload"
    with psycopg.connect(database.superuser) as sql:
        [key] = sql.execute("SELECT object_key FROM evidence_parts WHERE item_id = %s AND n = 0", [task["item_id"]]).fetchone() or ()
    whole = store.read(key, 1000)
    store.delete(key)
    waits(Api(app, cast.ada).get(path), "PAYLOAD_MISSING")
    store.put(key, b"X" * len(whole), len(whole), "application/json", hashlib.sha256(b"X" * len(whole)).hexdigest())
    waits(Api(app, cast.ada).get(path), "PAYLOAD_DAMAGED")
    store.put(key, whole, len(whole), "application/json", hashlib.sha256(whole).hexdigest())
    assert Api(app, cast.ada).get(path).json == {"name": "Ada"}


def test_it_says_that_the_database_is_away_and_lets_nobody_in(app: Flask, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody, ada = Api(app), Api(app, cast.ada)
    monkeypatch.setattr(app.extensions["claimcheck"].db, "pool", _closed())
    waits(ada.post("/v1/tasks/next"), "UNAVAILABLE")
    waits(nobody.get("/v1/signing-keys"), "UNAVAILABLE")
    assert nobody.get("/v1/openapi.json").status_code == 200


def _closed() -> Any:
    """A pool whose server is gone."""
    return ConnectionPool("host=127.0.0.1 port=9", open=True, min_size=0, timeout=0.2, max_size=1, reconnect_timeout=0.1)


def test_it_keeps_the_lease_where_the_receipt_cant_be_signed(app: Flask, cast: Cast, task: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision is in, the answer is lost: the same submit again answers with the receipt."""
    ada, path = Api(app, cast.ada), f"/v1/assignments/{task['assignment_id']}/submit"
    sent = {**proof(task), "verdict": "approve", "reason_code": "fits"}

    def gone(*_: Any) -> Any:
        raise errors.Unavailable()

    monkeypatch.setattr(keys, "at", gone)
    waits(ada.post(path, sent), "UNAVAILABLE")
    monkeypatch.undo()
    assert ada.post(path, sent).status_code == 200
