"""Schemathesis reads the document and tries what it allows, and what it doesn't, against the running API."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)
from werkzeug.serving import make_server

from claimcheck.access import tokens
from claimcheck.db import Database
from claimcheck.web.api import ROUTES, openapi
from claimcheck.web.api.routes import Route
from tests.people import Cast

CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ROW_BY_ROW = ("items.send",)  # a row that is wrong is refused by itself, the call is not
BOUNDED = settings(max_examples=12, deadline=None, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck])


@pytest.fixture(scope="module")
def live(app: Flask) -> Iterator[str]:
    """The API on a port of its own."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def bearer(db: Database, cast: Cast) -> dict[str, str]:
    """A token for each role."""
    return {p.role: tokens.make(db, person_id=p.id) for p in (cast.ada, cast.chi, cast.dov, cast.eve)}


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda m: m.value)
@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method}-{r.name}")
def test_it_does_what_its_document_says(live: str, bearer: dict[str, str], route: Route, mode: GenerationMode) -> None:
    operation = schemathesis.openapi.from_dict({**openapi.made(), "servers": [{"url": live}]})["/v1" + route.path][route.method]
    if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query or operation.path_parameters):
        return  # there is nothing to get wrong
    headers = {"Authorization": f"Bearer {bearer[route.roles[0]]}"} if route.roles else {}
    checks = [*CHECKS, *([negative_data_rejection] if route.name not in ROW_BY_ROW else [])]

    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=mode))
    def tried(case: Any) -> None:
        case.call_and_validate(base_url=live, headers=headers, checks=checks, timeout=60)

    tried()
