"""Where everybody lands."""

from __future__ import annotations

import pytest
from flask import Flask

from tests import people
from tests.people import Cast


def test_it_sends_a_stranger_to_the_sign_in(app: Flask) -> None:
    answer = people.browser(app).get("/")
    assert (answer.status_code, answer.location) == (302, "/login")


@pytest.mark.parametrize("name", people.ROLES)
def test_it_sends_everybody_to_a_page_that_is_theirs(app: Flask, cast: Cast, name: str) -> None:
    client = people.browser(app, getattr(cast, name))
    answer = client.get("/")
    assert answer.status_code == 302
    assert client.get(answer.location).status_code == 200
