"""The API's table of routes: who may call what, with which body, answered how. The blueprint and the OpenAPI document are made from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from flask import Blueprint, Response, g
from pydantic import BaseModel
from werkzeug.routing import BaseConverter

from claimcheck import errors
from claimcheck.access.people import ROLES, Person
from claimcheck.web import access
from claimcheck.web.api import answers, auth, requests

blueprint = Blueprint("api", __name__, url_prefix="/v1")


class Number(BaseConverter):
    """Digits, few enough to be read; which of them can be an id is judged with the caller known."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        return int(value)


blueprint.record_once(lambda state: state.app.url_map.converters.update(number=Number))

ANYBODY = ()  # no token is asked for
SIGNED_IN = ROLES
INT4, INT8 = 2**31 - 1, 2**63 - 1
# Numbers that are short in the database.
NARROW = {"project_id": INT4, "person_id": INT4, "skill_id": INT4, "version": INT4, "view_id": INT4, "n": 2**15 - 1}


@dataclass(frozen=True)
class Call:
    """A request that was let in and read: who asks, and what for."""

    person: Person
    body: Any
    query: Any


@dataclass(frozen=True)
class Route:
    """One method at one address. `answers` maps a status to its body: a model, a content type, or None for no body."""

    method: str
    path: str
    view: Callable[..., Any]
    roles: tuple[str, ...]
    body: requests.Body | None
    query: type[BaseModel]
    answers: dict[int, Any]
    errors: tuple[type[errors.Error], ...]

    @property
    def name(self) -> str:
        """Module and function, as `projects.create`."""
        return f"{self.view.__module__.rsplit('.', 1)[-1]}.{self.view.__name__}"

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.path)

    @property
    def raises(self) -> list[type[errors.Error]]:
        """Every error that it may answer with."""
        found = [errors.BadRequest, errors.Unavailable, *self.errors]
        found += [errors.Unauthenticated] if self.roles else []
        found += [errors.Forbidden] if self.roles and self.roles != SIGNED_IN else []
        found += [errors.NotFound] if self.parameters else []
        found += self.body.raises if self.body else []
        return sorted(set(found), key=lambda e: (e.status, e.code))


ROUTES: list[Route] = []


class NoQuery(requests.Query):
    """No parameters."""


def route(
    method: str,
    path: str,
    *,
    roles: tuple[str, ...],
    answers: dict[int, Any],
    body: requests.Body | None = None,
    query: type[BaseModel] = NoQuery,
    raises: tuple[type[errors.Error], ...] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Puts a function into the table. It is called with a Call and the numbers in its path; its docstring is the document's."""

    def register(view: Callable[..., Any]) -> Callable[..., Any]:
        made = Route(method, path, view, roles, body, query, answers, raises)
        ROUTES.append(made)
        blueprint.add_url_rule(_rule(path), made.name.replace(".", "_"), _served(made), methods=[method], provide_automatic_options=False)
        return view

    return register


def _rule(path: str) -> str:
    return re.sub(r"\{(\w+)\}", r"<number:\1>", path)


def _check(numbers: dict[str, int]) -> None:
    """A number that no id can be is one that isn't there, rather than a fault of the database."""
    if any(number > NARROW.get(name, INT8) for name, number in numbers.items()):
        raise errors.NotFound()


def _served(made: Route) -> Callable[..., Response]:
    @access.public  # to browsers' sessions it is nothing: the bearer token is judged here
    @wraps(made.view)
    def serve(**numbers: int) -> Response:
        person = auth.person(made.roles)
        if person is not None:
            g.person_id = person.id
        query = requests.query(made.query)
        body = made.body.read() if made.body else None
        _check(numbers)
        return answers.respond(made.view(call=Call(person, body, query), **numbers))  # type: ignore[arg-type]

    return serve
