"""`/v1/openapi.json`: the table of routes and the models that validate, as an OpenAPI 3.1 document."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from claimcheck import errors
from claimcheck.web.api import answers, models
from claimcheck.web.api.routes import ANYBODY, INT8, NARROW, ROUTES, Call, Route, route

ABOUT = """People decide, once, on record. Send items with an idempotency key each; reviewers claim, hold and decide them; read results in
the order of settling. Send a token as `Authorization: Bearer …`. Errors are problem documents (RFC 9457): act on `code`, show `detail`.
Whatever was answered with 2xx is kept. After a 5xx or a lost connection send the same again: every call may be repeated."""
WAITS = {204, 429, 503}
ORDER = ("projects", "intake", "items", "item actions", "saved views", "batches", "forecasts", "uploads", "payload", "tasks", "assignments",
         "decisions", "approvals", "batch decisions", "overturns", "results",
         "datasets", "retractions", "reviewers", "standings", "payouts", "skills",
         "golds", "dead letters", "access events", "signing keys", "openapi")  # fmt: skip


@route("GET", "/openapi.json", roles=ANYBODY, answers={200: "application/json"})
def document(call: Call) -> Any:  # noqa: ARG001
    """This document."""
    return 200, {**made(), "servers": [{"url": answers.address("")}]}


@cache
def made() -> dict[str, Any]:
    """The document, apart from where the desk runs."""
    found = {m for r in ROUTES for m in _models(r)} | {models.Problem}
    ordered = sorted(found, key=lambda m: (m.__name__, m.__module__))
    refs, schemas = models_json_schema([(m, _mode(m)) for m in ordered], ref_template="#/components/schemas/{model}")
    paths: dict[str, Any] = {}
    for r in sorted(ROUTES, key=lambda r: ORDER.index(_tag(r))):
        paths.setdefault("/v1" + r.path, {})[r.method.lower()] = _operation(r, refs)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Claimcheck", "version": "1", "description": ABOUT},
        "security": [{"token": []}],
        "tags": [{"name": name} for name in ORDER],
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}, "schemas": schemas["$defs"]},
    }


def _mode(model: type[BaseModel]) -> Any:
    return "serialization" if issubclass(model, models.Answer) else "validation"


def _models(r: Route) -> list[type[BaseModel]]:
    bodies = [b for given in r.answers.values() for b in _each(given) if isinstance(b, type)]
    return [*bodies, *([r.body.model] if r.body else [])]


def _each(given: Any) -> tuple[Any, ...]:
    return given if isinstance(given, tuple) else (given,)


def _tag(r: Route) -> str:
    return r.name.split(".")[0].replace("_", " ")


def _operation(r: Route, refs: Any) -> dict[str, Any]:
    summary, _, description = inspect.cleandoc(r.view.__doc__ or "").partition("\n\n")
    return {
        "operationId": r.name,
        "tags": [_tag(r)],
        "summary": " ".join(summary.split()),
        "description": " ".join(filter(None, [" ".join(description.split()), _who(r)])),
        "parameters": [*map(_number, r.parameters), *_query(r)],
        **({"requestBody": _body(r, refs)} if r.body or r.name == "uploads.send" else {}),
        "responses": {**{str(s): _answer(s, given, refs) for s, given in r.answers.items()}, **_problems(r, refs)},
        **({} if r.roles else {"security": []}),
    }


def _who(r: Route) -> str:
    return f"For: {', '.join(r.roles)}." if r.roles else "For anybody."


def _number(name: str) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0, "maximum": NARROW.get(name, INT8)}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query(r: Route) -> list[dict[str, Any]]:
    schema = r.query.model_json_schema()
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _plain(given), "description": given.get("description", "")}
        for name, given in schema.get("properties", {}).items()
    ]


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """An address's parameter is there or not, never null."""
    if "anyOf" not in schema:
        return schema
    return next(one for one in schema["anyOf"] if one.get("type") != "null")


def _body(r: Route, refs: Any) -> dict[str, Any]:
    if r.body is None:
        file = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}
        return {"required": True, "content": {"multipart/form-data": {"schema": file}}}
    also = {kind: {"schema": {"type": "string", "description": "one row a line"}} for kind in r.body.also}
    schema = refs[r.body.model, _mode(r.body.model)]
    return {"required": not r.body.optional, "content": {"application/json": {"schema": schema}, **also}}


def _answer(status: int, given: Any, refs: Any) -> dict[str, Any]:
    content = {kind: {"schema": schema} for kind, schema in (_content(one, refs) for one in _each(given) if one is not None)}
    wait = {"headers": {"Retry-After": _RETRY}} if status in WAITS else {}
    return {"description": _DESCRIPTIONS[status], **({"content": content} if content else {}), **wait}


def _content(given: Any, refs: Any) -> tuple[str, dict[str, Any]]:
    return (given, {}) if isinstance(given, str) else ("application/json", refs[given, _mode(given)])


def _problems(r: Route, refs: Any) -> dict[str, Any]:
    by_status: dict[int, list[type[errors.Error]]] = {}
    for error in r.raises:
        by_status.setdefault(error.status, []).append(error)
    return {str(status): _problem(status, found, refs) for status, found in by_status.items()}


def _problem(status: int, found: list[type[errors.Error]], refs: Any) -> dict[str, Any]:
    said = " ".join(f"`{e.code}` {' '.join((e.__doc__ or '').split())}" for e in found)
    wait = {"headers": {"Retry-After": _RETRY}} if status in WAITS else {}
    return {"description": said, "content": {"application/problem+json": {"schema": refs[models.Problem, "validation"]}}, **wait}


_RETRY = {"description": "seconds to wait", "schema": {"type": "integer"}}
_DESCRIPTIONS = {200: "Done.", 201: "Made.", 202: "Taken; it goes on from here.", 204: "Nothing more to say."}
