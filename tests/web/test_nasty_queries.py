"""Parameters of the API's addresses, filled with what none of them can be."""

from __future__ import annotations

import re

from flask import Flask

from claimcheck.web.api import ROUTES
from tests.people import Cast
from tests.web.api_client import Api

NASTY = ("a%00b", "%ED%A0%80", "9" * 400, "%D9%A3", "0001-01-01T00:00:00%2B14:00")


def test_no_parameter_of_any_address_is_a_fault_of_ours(app: Flask, cast: Cast) -> None:
    people = {person.role: Api(app, person) for person in vars(cast).values()}
    asked, at_fault = 0, set[tuple[str, str, str]]()
    for route in ROUTES:
        for name in route.query.model_fields if route.query else ():
            for nasty in NASTY:
                role = next(role for role in people if role in route.roles)
                path = re.sub(r"\{\w+\}", "1", f"/v1{route.path}?{name}={nasty}")
                status = people[role].client.open(path, method=route.method).status_code
                asked, at_fault = (
                    asked + 1,
                    at_fault | ({(route.path, name, nasty)} if status >= 500 or (nasty == "a%00b" and status == 200) else set()),
                )
    assert not at_fault and asked > 200
