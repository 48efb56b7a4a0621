"""The samples and the demo accounts of an embedded desk's first start; loading them again changes nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claimcheck import lines, project_files, projects, publishing
from claimcheck.access import passwords, people
from claimcheck.access.people import Person
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.formats import folders
from claimcheck.intake import batches, parameters, reconciling, settling
from claimcheck.store import Store

FOLDER = Path(__file__).parent.parent / "samples"
CUSTOMER = "Northwind"
STATEMENT, LEDGER = "statement.sta", "ledger.csv"
NAME = "samples"
DEMO = {  # each one's name, address (before the @) and role
    "Ada": ("reviewer", "reviewer"),
    "Ben": ("reviewer2", "reviewer"),
    "Chi": ("lead", "lead"),
    "Dov": ("operator", "operator"),
    "Eve": ("customer", "customer"),
}


def load(settings: Settings) -> None:
    """Makes the demo accounts and takes the samples in, until every one of them can be claimed."""
    db = Database(str(settings.database_url_web), max_size=2, name="claimcheck samples")
    worker = Database(str(settings.database_url_worker), max_size=10, name="claimcheck samples worker")
    try:
        store = Store(settings)
        sent = _load(settings, db)
        _publish(worker, store)
        settling.settle(db, worker, store, message_ids=sent, name=NAME)
    finally:
        db.close()
        worker.close()


def _load(settings: Settings, db: Database) -> list[int]:
    """Every sample is taken in; the numbers of those that came as messages."""
    sent: list[int] = []
    accounts = {name: _account(db, name, password=str(settings.demo_password)) for name in DEMO}
    for folder in sorted(path.parent for path in FOLDER.glob("*/project.yaml")):
        rules = project_files.read(folder / "project.yaml")
        made = projects.create(db, by=accounts["Eve"], rules=rules, settings=settings)
        for name in ("Ada", "Ben"):
            for skill in sorted({*rules.queues().values()}):
                _give_skill(db, accounts[name], skill)
        if (folder / LEDGER).is_file():
            sent += _breaks(db, folder, made.id, accounts["Eve"])
        else:
            batches.take(db, project=made.id, by=accounts["Eve"].id, rows=_rows(folder))
    return sent


def _breaks(db: Database, folder: Path, project_id: int, by: Person) -> list[int]:
    """A statement and a ledger, through the pipeline."""
    sheets = reconciling.Sheets(*((name, (folder / name).read_bytes()) for name in (STATEMENT, LEDGER)))
    done = reconciling.reconcile(db, sheets, project_id=project_id, by=by.id, settings=parameters.current(db), worker=NAME)
    return [answer.message_id for answer in done.answers if answer.message_id is not None]


def _account(db: Database, name: str, *, password: str) -> Person:
    """The demo account of this name, made with the demo's password where it is missing."""
    known = people.by_name(db, name=name)
    if known is None:
        address, role = DEMO[name]
        customer = CUSTOMER if role == "customer" else None
        known = people.add(db, name=name, role=role, email=f"{address}@demo.local", customer=customer)
        passwords.choose(db, person=known, password=password)
    return known


def _give_skill(db: Database, person: Person, skill: str) -> None:
    if skill not in {held.name for held in people.skills(db, person_id=person.id)}:
        people.give_skill(db, person_id=person.id, skill=skill)


def _rows(folder: Path) -> Iterator[Any]:
    """A folder's `items.jsonl`, else its manifest with the files."""
    if (folder / "items.jsonl").is_file():
        with (folder / "items.jsonl").open("rb") as file:
            yield from lines.read(file)
        return
    for row in folders.read(folder):
        files = [
            {"name": path.name, "content_type": kind, "base64": base64.b64encode(path.read_bytes()).decode()} for path, kind in row.files
        ]
        yield row.row | {"payload": {**row.row["payload"], "files": files}}


def _publish(worker: Database, store: Store) -> None:
    """What the publisher would do, at once: the desk is ready with something to review."""
    while publishing.publish_once(worker, store):
        pass
