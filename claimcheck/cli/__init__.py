"""The desk's command line: `bin/claimcheck COMMAND …`, one module a noun."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from claimcheck import config, embedded, errors, people
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.embedded.home import Unusable
from claimcheck.people import Person
from claimcheck.store import Store

USAGE, FAILED = 2, 1  # exit codes: the call was wrong; it was right and went wrong


def say(line: str) -> None:
    """A line of progress, on standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def put(line: str) -> None:
    """A line of the answer, on standard output."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


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


def complain(error: errors.Error) -> None:
    """The error as a person reads it, each field on its own line."""
    said = {error.detail, *(f"{e.field}: {e.message}" for e in error.errors)}
    for line in sorted(said):
        say(f"claimcheck: {line}")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; its exit code."""
    from claimcheck.cli import commands  # they import this module

    arguments = commands.parser().parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except errors.Error as error:
        complain(error)
        return USAGE if error.status in (400, 404, 409, 422) else FAILED
    except (config.SettingsError, Unusable, OSError) as error:
        say(f"claimcheck: {error}")
        return FAILED
    except KeyboardInterrupt:
        return 130
