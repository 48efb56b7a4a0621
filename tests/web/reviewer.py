"""Somebody who reviews through a browser's requests, without the browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from claimcheck.access.people import Person
from tests.flows.conftest import LiveDesk, served
from tests.people import browser

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture(scope="module")
def live(database: Any, store_server: Any, valkey: str) -> Iterator[LiveDesk]:
    yield from served(database, store_server, valkey)


@pytest.fixture
def desk(live: LiveDesk) -> LiveDesk:
    live.clear()
    return live


class Reviewer:
    """Somebody at the desk through a browser's requests; `fields` are those of the form they were last shown."""

    def __init__(self, desk: LiveDesk, person: Person):
        self.client: FlaskClient = browser(desk.app, person)
        self.page, self.fields = "", {}

    def next(self) -> TestResponse:
        return self.open(self.client.post("/review/next").location)

    def open(self, address: str) -> TestResponse:
        self.page = address
        answer = self.client.get(address)
        self.fields = dict(re.findall(r'name="(lease_token|evidence_hash)" value="([^"]+)"', answer.text))
        return answer

    def submit(self, *, htmx: bool = False, **fields: Any) -> TestResponse:
        form = {**self.fields, "choice": "verdict:approve", "reason_code": "as it should be", "note": "", **fields}
        return self.client.post(f"{self.page}/decision", data=form, headers=HTMX if htmx else {})


@pytest.fixture
def ada(desk: LiveDesk) -> Reviewer:
    return Reviewer(desk, desk.cast.ada)


def one_item(desk: LiveDesk, **rules: Any) -> int:
    return desk.send(desk.project(**rules), {"case": "one"})[0]
