"""`user add`, `token new`."""

from __future__ import annotations

import sys
from argparse import Namespace

from claimcheck import passwords, people, tokens
from claimcheck.cli import terminal


def add_user(arguments: Namespace) -> None:
    name = arguments.name or arguments.email.split("@")[0]
    customer = (arguments.customer or name) if arguments.role == "customer" else arguments.customer
    with terminal.desk() as desk, desk.db.transaction() as connection:
        person = people.add(connection, name=name, role=arguments.role, email=arguments.email, customer=customer)
        for skill in arguments.skill:
            people.give_skill(connection, person_id=person.id, skill=skill)
        if arguments.password_stdin:
            passwords.choose(connection, person=person, password=sys.stdin.readline().rstrip("\r\n"))
            terminal.answer(arguments, {"id": person.id}, f"{person.name} may sign in as {person.email}.")
            return
        url = f"{desk.settings.base_url}/password/{passwords.link(connection, person_id=person.id)}"
    terminal.answer(arguments, {"id": person.id, "link": url}, f"{person.name} sets a password within a day, once, at:\n{url}")


def new_token(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        token = tokens.new(desk.db, name=arguments.name, role=arguments.role, skills=arguments.skill)
    terminal.answer(arguments, {"token": token}, token)
