"""The cast: Ada and Ben review, Chi leads, Dov operates the desk, Eve is the customer Northwind's."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

from flask import Flask
from flask.testing import FlaskClient

from claimcheck.access import passwords, people, sessions, tokens
from claimcheck.access.people import Person
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.web import access

PASSWORD = "correct horse battery"
NORTHWIND = "Northwind"
ROLES = {"ada": "reviewer", "ben": "reviewer", "chi": "lead", "dov": "operator", "eve": "customer"}


class Cast(SimpleNamespace):
    """A Person under each name."""

    ada: Person
    ben: Person
    chi: Person
    dov: Person
    eve: Person


def cast(db: Database, *, skills: Iterable[str] = (), passwords_too: bool = False) -> Cast:
    """Makes the five in a database; Ada and Ben get these skills. Passwords take time to hash, so only where asked for."""
    made = Cast(**{name: _made(db, name, role) for name, role in ROLES.items()})
    for person in (made.ada, made.ben):
        for skill in skills:
            people.give_skill(db, person_id=person.id, skill=skill)
    if passwords_too:
        for name in ROLES:
            passwords.choose(db, person=getattr(made, name), password=PASSWORD)
    return made


def _made(db: Database, name: str, role: str) -> Person:
    customer = NORTHWIND if role == "customer" else None
    known = people.by_name(db, name=name.title())
    return known or people.add(db, name=name.title(), email=f"{name}@example.org", role=role, customer=customer)


def browser(app: Flask, person: Person | None = None) -> FlaskClient:
    """A test client that sends what a browser sends, signed in as that person."""
    client = app.test_client()
    client.environ_base["HTTP_SEC_FETCH_SITE"] = "same-origin"
    client.environ_base["HTTP_USER_AGENT"] = "tests"
    if person is not None:
        secret = sessions.begin(app.extensions["claimcheck"].db, person_id=person.id)
        with app.app_context():
            client.set_cookie(access.cookie_name(), secret)
    return client


def program(app: Flask, person: Person) -> FlaskClient:
    """A test client that sends a bearer token of that person, and nothing that a browser would."""
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {tokens.make(app.extensions['claimcheck'].db, person_id=person.id)}"
    return client


def settings(database: object, store: object, valkey: str, **others: object) -> Settings:
    """Settings of a desk on these servers (the fixtures `database`, `store_server`, `valkey`)."""
    return Settings.model_validate(
        {
            "database_url_web": database.web,
            "database_url_worker": database.worker,
            "redis_url": valkey,
            "s3_endpoint": store.endpoint,
            "s3_access_key": store.access_key,
            "s3_secret_key": store.secret_key,
            "s3_bucket": store.bucket,
            "secret_key": "tests tests only: 7c1f0e5ab94d2368",
            **others,
        }
    )
