"""Restoring a backup into an empty desk: every byte checked, every table counted. The desk begins drained.

What was on its way is sent again under the same webhook-id, so that a receiver which had it before the loss knows it. Numbers that the lost
desk may have given after the backup are never given again: a new outcome under an old one's id would be taken for a repetition.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors, migrations
from claimcheck.access import people
from claimcheck.config import Settings
from claimcheck.db import Database
from claimcheck.embedded import dumping
from claimcheck.operations import backups, reasons
from claimcheck.store import Store

ANEW = "Begin anew: as the database's owner, DROP SCHEMA public CASCADE; CREATE SCHEMA public; and then restore again."
SAYS = {"made_at": str, "migrations": list, "rows": dict, "files": dict}  # what a manifest says, beside its form


@dataclass(frozen=True, slots=True)
class _Empty:
    untouched: bool
    running: bool


def read(folder: Path) -> dict[str, Any]:
    """A backup's manifest, its files checked. Raises Invalid where it is none, half a one, or changed since."""
    try:
        manifest = json.loads((folder / backups.MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise errors.Invalid.field("FOLDER", f"{folder} holds no whole backup: its {backups.MANIFEST} is missing or damaged") from None
    if (
        not isinstance(manifest, dict)
        or manifest.get("form") != backups.FORM
        or any(not isinstance(manifest.get(name), kind) for name, kind in SAYS.items())
    ):
        raise errors.Invalid.field("FOLDER", f"{folder} was not written by a backup that this version can read")
    if newer := {*map(str, manifest["migrations"])} - {*migrations.names()}:
        raise errors.Invalid.field("FOLDER", f"{folder} is of a newer version, with {min(newer)}; restore it with that one")
    for name in (backups.DUMP, backups.INDEX, backups.KEY):
        sha256 = manifest["files"].get(name)
        if not (folder / name).is_file() or backups.digest(folder / name) != sha256:
            raise errors.Invalid.field("FOLDER", f"{folder / name} is missing or was changed since the backup")
    return manifest


def check(settings: Settings) -> None:
    """Raises Conflict where the desk is not empty, or runs, or a restore into it was loaded and not finished. A database without a table is empty."""
    state = dumping.state(str(settings.database_url))
    if state == "unfinished":
        raise errors.Conflict(f"A restore into this database was not finished. {ANEW}")
    if state == "empty":
        return
    db = Database(str(settings.database_url), max_size=1, name="claimcheck restore")
    try:
        found = db.all("operations/is_empty", _Empty)[0]
    finally:
        db.close()
    if not found.untouched:
        raise errors.Conflict("This desk is not empty. Restore into a new CLAIMCHECK_HOME, or a new database and bucket.")
    if found.running:
        raise errors.Conflict("This desk is running. Stop it, wait half a minute, and restore then.")


def restore(
    settings: Settings, store: Store, folder: Path, *, by: str, reason: str, say: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Puts a backup in the place of an empty desk; its manifest. After a failure it says what state the database is in, and how to go on.

    Raises Invalid for a damaged backup or no reason, Conflict where the outcome is not what was backed up.
    """
    said, manifest, owner = reasons.given(reason), read(folder), str(settings.database_url)
    say("putting what was in the store")
    _put(store, folder, say)
    say("loading the database")
    with _failing("Nothing of the backup is in the database. Mend that, and begin again with the same command."):
        dumping.load(owner, folder / backups.DUMP)
    with _failing(f"The backup was loaded, and not finished. {ANEW}"):
        _finish(owner, manifest, {"by": by, "reason": said, "made_at": manifest["made_at"]}, say)
    return manifest


@contextmanager
def _failing(then: str) -> Iterator[None]:
    try:
        yield
    except errors.Error as error:
        raise type(error)(f"{error.detail} {then}") from error
    except Exception as error:
        raise errors.Error(f"{type(error).__name__}: {error} {then}") from error


def _finish(owner: str, manifest: dict[str, Any], detail: dict[str, Any], say: Callable[[str], None]) -> None:
    if (found := dumping.counted(owner)) != manifest["rows"]:
        wrong = sorted(name for name in {*found, *manifest["rows"]} if found.get(name) != manifest["rows"].get(name))
        raise errors.Conflict(f"The tables {', '.join(wrong)} have other numbers of rows than were backed up.")
    migrations.migrate(owner, say)
    dumping.skip_numbers(owner)
    _note(owner, detail)
    dumping.mark(owner, None)


def _note(owner: str, detail: dict[str, Any]) -> None:
    db = Database(owner, max_size=1, name="claimcheck restore")
    try:
        db.run("operations/restored", me=people.SYSTEM, detail=Jsonb(detail))
    finally:
        db.close()


def _put(store: Store, folder: Path, say: Callable[[str], None]) -> None:
    count = 0
    with (folder / backups.INDEX).open(encoding="utf-8") as lines, ThreadPoolExecutor(backups.THREADS) as pool:
        named = backups.objects(lines)
        while page := list(islice(named, backups.PAGE)):
            list(pool.map(lambda one: _put_one(store, folder, one), page))
            count += len(page)
            say(f"{count:,} objects")


def _put_one(store: Store, folder: Path, one: backups.Object) -> None:
    path = folder / one.file
    if not path.is_file():
        raise errors.Invalid.field("FOLDER", f"{path} is missing")
    with path.open("rb") as file:
        store.put(one.object_key, file, one.size, one.content_type, one.sha256.hex())
