"""`user add`, `token new`."""

from __future__ import annotations

import sys
from argparse import Namespace

from claimcheck.access import passwords, people, tokens
from claimcheck.access.people import Person
from claimcheck.cli import terminal
from claimcheck.db import Connection


def add_user(arguments: Namespace) -> None:
    chosen = sys.stdin.readline().rstrip("\r\n") if arguments.password_stdin else None
    with terminal.desk() as desk:
        person, link = desk.db.together(lambda connection: _add(connection, arguments, chosen))
    if link is None:
        terminal.answer(arguments, {"id": person.id}, f"{person.name} may sign in as {person.email}.")
    else:
        url = f"{desk.settings.base_url}/password/{link}"
        terminal.answer(arguments, {"id": person.id, "link": url}, f"{person.name} sets a password within a day, once, at:\n{url}")


def _add(connection: Connection, arguments: Namespace, chosen: str | None) -> tuple[Person, str | None]:
    """The person with the password that was chosen, else with a link to choose one."""
    name = arguments.name or arguments.email.split("@")[0]
    customer = (arguments.customer or name) if arguments.role == "customer" else arguments.customer
    person = people.add(connection, name=name, role=arguments.role, email=arguments.email, customer=customer, skills=arguments.skill)
    if chosen is None:
        return person, passwords.link(connection, person_id=person.id)
    passwords.choose(connection, person=person, password=chosen)
    return person, None


def new_token(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        token = tokens.new(desk.db, name=arguments.name, role=arguments.role, skills=arguments.skill)
    terminal.answer(arguments, {"token": token}, token)
