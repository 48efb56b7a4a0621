"""Every address of the app, enumerated, and what each answer's headers must be."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from claimcheck.web import access
from claimcheck.web.api import ROUTES
from tests import people
from tests.people import Cast


@dataclass(frozen=True)
class Address:
    """One method of one rule, with a path that fits it and the policy that holds there."""

    method: str
    path: str
    endpoint: str
    roles: frozenset[str]
    api: bool


def _path(app: Flask, rule: Rule) -> str:
    values = {name: "x" if re.fullmatch(converter.regex, "x") else 1 for name, converter in rule._converters.items()}
    return app.url_map.bind("localhost").build(rule.endpoint, values, method=next(iter(rule.methods or {"GET"})))


def addresses(app: Flask) -> list[Address]:
    """One for each method of each rule."""
    api_roles = {(route.method, route.name.replace(".", "_")): frozenset(route.roles) for route in ROUTES}
    found = []
    with app.test_request_context("/"):
        for rule in app.url_map.iter_rules():
            for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
                api = rule.rule.startswith("/v1/")
                policy = access.policy_of(rule.endpoint)
                roles = api_roles[method, rule.endpoint.removeprefix("api.")] if api else policy.roles if policy else None
                found.append(Address(method, _path(app, rule), rule.endpoint, roles, api))  # type: ignore[arg-type]
    return found


def client_for(app: Flask, address: Address, cast: Cast) -> FlaskClient:
    """A browser signed in as somebody who may open the address."""
    by_role = {person.role: person for person in vars(cast).values()}
    return people.browser(app, by_role[min(address.roles)] if address.roles and not address.api else None)


def complaints(answer: TestResponse, address: Address) -> list[str]:
    """What is wrong with the headers of an answer."""
    headers, found = answer.headers, []
    csp = headers.get("Content-Security-Policy", "")
    if "default-src 'none'" not in csp and "sandbox" not in csp:
        found.append(f"open policy: {csp!r}")
    if any(bad in csp.split() for bad in ("'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:", "data:")):
        found.append(f"loose policy: {csp!r}")
    if "frame-ancestors" not in csp:
        found.append("anybody may frame it")
    expected = {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": None,
        "Cross-Origin-Opener-Policy": None,
        "Cross-Origin-Resource-Policy": None,
    }
    found += [
        f"{name}: {headers.get(name)}" for name, value in expected.items() if name not in headers or value not in (None, headers[name])
    ]
    if address.roles and "no-store" not in headers.get("Cache-Control", ""):
        found.append(f"may be kept: {headers.get('Cache-Control')}")
    if "Content-Security-Policy-Report-Only" in headers or ("Access-Control-Allow-Origin" in headers and address.roles):
        found.append("report-only policy, or open to other origins")
    if answer.data and not re.search(r"charset=utf-8|json|javascript|image/|octet-stream|pdf", headers.get("Content-Type", "")):
        found.append(f"type: {headers.get('Content-Type')}")
    return found
