"""A whole desk for the tests of its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from app import create_app
from claimcheck import publishing
from claimcheck.db import Database
from tests import people
from tests.people import Cast
from tests.web import atlas
from tests.web.atlas import Address


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
def worker(database: Any) -> Iterator[Database]:
    """The database as the workers see it."""
    db = Database(database.worker)
    yield db
    db.close()


@pytest.fixture(scope="module")
def publish(app: Flask, worker: Database) -> Callable[[], int]:
    """Stores what is spooled, until nothing is; how many versions of evidence that were."""
    store = app.extensions["claimcheck"].store
    return lambda: sum(iter(lambda: publishing.publish_once(worker, store), 0))


@pytest.fixture(scope="module")
def cast(db: Database) -> Cast:
    """Ada, Ben, Chi, Dov and Eve, in the module's database."""
    return people.cast(db, skills=["kyc"])


@pytest.fixture(scope="module")
def addresses(app: Flask) -> list[Address]:
    """Every method of every address of the app."""
    return atlas.addresses(app)
