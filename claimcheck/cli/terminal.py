"""What every command works with: the terminal and the desk."""

from __future__ import annotations

import argparse
import getpass
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from claimcheck import config, embedded, errors
from claimcheck.access import people
from claimcheck.access.people import Person
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.store import Store

ORDERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)  # what a terminal obeys, what turns its text round, or no stream takes
USAGE, FAILED = 2, 1  # exit codes: the call was wrong; it was right and went wrong


def say(line: str) -> None:
    """A line of progress, on standard error."""
    sys.stderr.write(f"{_plain(line)}\n")
    sys.stderr.flush()


def put(line: str) -> None:
    """A line of the answer, on standard output."""
    sys.stdout.write(f"{_plain(line)}\n")
    sys.stdout.flush()


def _plain(text: str) -> str:
    """What others wrote may stand in it. Written as JSON writes it, so that JSON stays JSON."""
    return ORDERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def answer(arguments: argparse.Namespace, facts: dict[str, Any], text: str) -> None:
    """The answer as text, or as one line of JSON with `--json`."""
    put(json.dumps(facts, ensure_ascii=False, default=str) if arguments.json else text)


@dataclass(frozen=True)
class Desk:
    """What a command works with: the web's rights on the database, the worker's for publishing, and the store."""

    settings: Settings
    db: Database
    worker: Database
    store: Store
    me: Person


def operator(db: Database, name: str | None) -> Person:
    """Who changes what is on record for good: the operator of that name, else of the login's. Raises Invalid where there is none."""
    wanted = name or login()
    found = people.by_name(db, name=wanted)
    if found is None or found.role != "operator" or found.disabled_at is not None or found.id == people.SYSTEM:
        known = ", ".join(one.name for one in people.page(db, role="operator", limit=5) if one.disabled_at is None and one.id != people.SYSTEM)
        such = f", such as {known}" if known else ""
        raise errors.Invalid.field("--as", f"no operator's account is named {wanted!r}; name the one whose change this is{such}")
    return found


def login() -> str:
    """The name of who is at the terminal, if it has one."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name
        return ""


@contextmanager
def desk() -> Iterator[Desk]:
    """The running desk's servers, or embedded ones for as long as the block lasts."""
    with embedded.desk(config.load(), say) as settings:
        db = Database(str(settings.database_url_web), max_size=4, name="claimcheck cli")
        worker = Database(str(settings.database_url_worker), max_size=10, name="claimcheck cli worker")
        try:
            me = people.by_name(db, name="system")
            assert me is not None
            yield Desk(settings, db, worker, Store(settings), me)
        finally:
            db.close()
            worker.close()
