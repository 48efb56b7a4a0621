"""`/docs`: the API's document, laid out for people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from flask import Blueprint, render_template

from claimcheck.web import access, desk
from claimcheck.web.api import openapi

blueprint = Blueprint("docs", __name__)
LIMITS = {"minLength": "at least {} characters", "maxLength": "at most {} characters", "minItems": "at least {}", "maxItems": "at most {}",
          "minimum": "from {}", "maximum": "up to {}", "exclusiveMinimum": "above {}"}  # fmt: skip


@dataclass(frozen=True)
class Field:
    """A field of an object, or a parameter. `model` is the object that it holds, described further down."""

    name: str
    type: str
    model: str | None
    required: bool
    default: str | None
    text: str


@dataclass(frozen=True)
class Answer:
    """What a status means, and the object that comes with it."""

    status: str
    text: str
    model: str | None


@dataclass(frozen=True)
class Operation:
    """A method at an address."""

    id: str
    method: str
    path: str
    summary: str
    text: str
    parameters: tuple[Field, ...]
    body: str | None
    kinds: tuple[str, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Object:
    """A described object of bodies and answers."""

    name: str
    text: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Document:
    """The whole page."""

    about: str
    groups: dict[str, tuple[Operation, ...]]
    objects: tuple[Object, ...]


@blueprint.get("/docs")
@access.public  # it says what `/v1/openapi.json` says to anybody
def show() -> str:
    return render_template("docs/page.html", document=_document(), base_url=desk().settings.base_url)


@cache
def _document() -> Document:
    made = openapi.made()
    operations = [_operation(path, method, given) for path, methods in made["paths"].items() for method, given in methods.items()]
    groups = {tag["name"]: tuple(o for o in operations if o.id.split(".")[0].replace("_", " ") == tag["name"]) for tag in made["tags"]}
    described = tuple(_object(name, given) for name, given in made["components"]["schemas"].items() if given.get("properties"))
    return Document(made["info"]["description"], groups, described)


def _operation(path: str, method: str, given: dict[str, Any]) -> Operation:
    content = given.get("requestBody", {}).get("content", {})
    return Operation(
        id=given["operationId"],
        method=method.upper(),
        path=path,
        summary=given["summary"],
        text=given["description"],
        parameters=tuple(_field(p["name"], p["schema"], required=p["required"]) for p in given["parameters"]),
        body=_model(content.get("application/json", {}).get("schema", {})),
        kinds=tuple(content),
        answers=tuple(_answer(status, said) for status, said in sorted(given["responses"].items())),
    )


def _answer(status: str, said: dict[str, Any]) -> Answer:
    return Answer(status, said["description"], _model(said.get("content", {}).get("application/json", {}).get("schema", {})))


def _object(name: str, given: dict[str, Any]) -> Object:
    required = given.get("required", [])
    found = (_field(field, schema, required=field in required) for field, schema in given["properties"].items())
    return Object(name, " ".join(given.get("description", "").split()), tuple(found))


def _field(name: str, schema: dict[str, Any], *, required: bool) -> Field:
    default = None if required or schema.get("default") in (None, "", [], {}) else str(schema["default"])
    limits = [said.format(schema[key]) for key, said in LIMITS.items() if key in schema and abs(_size(schema[key])) < 2**31 - 1]
    text = "; ".join(filter(None, [schema.get("description", ""), ", ".join(limits)]))
    return Field(name, _type(schema), _model(schema), required, None if default and len(default) > 60 else default, text)


def _size(value: Any) -> float:
    return value if isinstance(value, int | float) else 0


def _type(schema: dict[str, Any]) -> str:
    """A type in a few words: `text`, `list of Part`, `integer or nothing`."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    if "enum" in schema or "const" in schema:
        return " | ".join(str(v) for v in schema.get("enum", [schema.get("const")]))
    if several := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(_type(one) for one in several))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    words = {"string": "text", "null": "nothing", "object": "object", None: "anything"}
    return schema.get("format") or words.get(schema.get("type"), str(schema.get("type")))


def _model(schema: Any) -> str | None:
    """The first object that a schema speaks of."""
    found = re.search(r"#/components/schemas/(\w+)", str(schema))
    return found[1] if found else None
