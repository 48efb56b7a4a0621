"""A whole desk for the tests of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from app import create_app
from claimcheck.db import Database
from tests import people
from tests.people import Cast


@pytest.fixture(scope="module")
def app(database: Any, store_server: Any, valkey: str) -> Iterator[Flask]:
    """The application on the module's own database."""
    app = create_app(people.settings(database, store_server, valkey))
    yield app
    app.extensions["claimcheck"].db.close()


@pytest.fixture(scope="module")
def db(app: Flask) -> Database:
    """The database as the web role sees it."""
    return app.extensions["claimcheck"].db


@pytest.fixture(scope="module")
def cast(db: Database) -> Cast:
    """Ada, Ben, Chi, Dov and Eve, in the module's database."""
    return people.cast(db, skills=["kyc"])
