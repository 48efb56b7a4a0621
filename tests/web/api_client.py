"""A caller of the API whose every answer is held against the table of routes: documented status, declared fields, a problem's form."""

from __future__ import annotations

import json
import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from pydantic import BaseModel, TypeAdapter
from werkzeug.test import TestResponse

from claimcheck.access.people import Person
from claimcheck.web.api import ROUTES, models
from claimcheck.web.api.routes import Route
from tests import people


class Api:
    """`get`, `post`, `put` as that person, or as nobody."""

    def __init__(self, app: Flask, person: Person | None = None):
        self.client: FlaskClient = app.test_client() if person is None else people.program(app, person)

    def call(self, method: str, path: str, **given: Any) -> TestResponse:
        given.setdefault("headers", {})
        answer = self.client.open(path, method=method, **given)
        check(method, path, answer)
        return answer

    def get(self, path: str, **given: Any) -> TestResponse:
        return self.call("GET", path, **given)

    def post(self, path: str, body: Any = None, **given: Any) -> TestResponse:
        return self.call("POST", path, **({"json": body} if body is not None else {}), **given)

    def put(self, path: str, body: Any, **given: Any) -> TestResponse:
        return self.call("PUT", path, json=body, **given)


def proof(task: dict[str, Any]) -> dict[str, Any]:
    """What a submit needs of a claimed task."""
    return {"lease_token": task["lease_token"], "evidence_hash": task["evidence_hash"]}


def route_of(method: str, path: str) -> Route | None:
    bare = re.sub(r"^https?://[^/]+", "", path).partition("?")[0]
    return next((r for r in ROUTES if r.method == method and re.fullmatch("/v1" + re.sub(r"\{\w+\}", "[0-9]+", r.path), bare)), None)


def check(method: str, path: str, answer: TestResponse) -> None:
    """Every error is a whole problem document, every success as the table declares it."""
    if answer.status_code >= 400:
        _check_problem(route_of(method, path), answer)
        return
    found = route_of(method, path)
    assert found is not None, f"{method} {path} is not in the table"
    assert answer.status_code in found.answers, f"{found.name} answered {answer.status_code}"
    _check_body(found.answers[answer.status_code], answer)


def _check_problem(found: Route | None, answer: TestResponse) -> None:
    assert answer.mimetype == "application/problem+json", answer.data
    said = models.Problem.model_validate(answer.json)
    assert said.status == answer.status_code
    assert ("Retry-After" in answer.headers) == (answer.status_code in (429, 503))
    if found is not None:
        codes = {(e.status, e.code) for e in found.raises}
        assert (said.status, said.code) in codes, f"{found.name} answered {said.code}, which is not documented"


def _check_body(declared: Any, answer: TestResponse) -> None:
    if declared is None:
        assert answer.data == b""
        assert "Content-Type" not in answer.headers
        return
    kinds = declared if isinstance(declared, tuple) else (declared,)
    model = next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)
    if model is not None and answer.mimetype == "application/json":
        TypeAdapter(model).validate_json(json.dumps(json.loads(answer.data)))
    else:
        assert answer.mimetype in kinds or "*/*" in kinds
