"""`backup` and `restore`."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from claimcheck import config, embedded, errors
from claimcheck.cli import operating, terminal
from claimcheck.db import Database
from claimcheck.embedded.home import Home
from claimcheck.operations import backups, restoring, secrets
from claimcheck.store import Store


def backup(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        config.require(desk.settings, "database_url", "secret_key")
        me = terminal.operator(desk.db, arguments.who) if arguments.who else desk.me
        manifest = backups.make(desk.settings, desk.store, arguments.folder, terminal.say)
        backups.note(desk.db, manifest, me=me.id, reason=arguments.reason)
    _told(arguments, manifest, "backed up")


def _told(arguments: Namespace, manifest: dict[str, Any], what: str, more: str = "") -> None:
    rows = sum(manifest["rows"].values())
    facts = {"made_at": manifest["made_at"], "rows": rows, "objects": manifest["objects"], "bytes": manifest["bytes"]}
    said = f"{rows:,} rows and {manifest['objects']:,} objects ({manifest['bytes']:,} bytes) {what}, as of {manifest['made_at'][:19]} UTC.{more}"
    terminal.answer(arguments, facts, said)


def restore(arguments: Namespace) -> None:
    if not arguments.dry_run:
        operating.reasoned(arguments)
    manifest, given = restoring.read(arguments.folder), config.load()
    key = (arguments.folder / backups.KEY).read_text(encoding="utf-8").removesuffix("\n")
    if given.secret_key and key.split("\n")[0] not in given.secret_key.split("\n"):
        raise errors.Invalid.field("SECRET_KEY", f"does not open this backup: set it to what {arguments.folder / backups.KEY} says")
    with embedded.desk(given, terminal.say) as settings:
        config.require(settings, "database_url")
        restoring.check(settings)
        if arguments.dry_run:
            return _told(arguments, manifest, "would be restored", " Nothing was changed.")
        by = arguments.who or terminal.login()
        manifest = restoring.restore(settings, Store(settings), arguments.folder, by=by, reason=arguments.reason, say=terminal.say)
        home = Home(given.home)
        home.make()
        home.note_samples("restored")
        if not given.secret_key:
            home.keep_secret_key(key)
        _opens(str(settings.database_url), given.secret_key or key)
    more = " The desk begins drained: look at it, then `bin/claimcheck workers resume`."
    return _told(arguments, manifest, "restored", more)


def _opens(owner: str, secret: str) -> None:
    """Raises Conflict where the key does not open what the backup's desk sealed."""
    db = Database(owner, max_size=1, name="claimcheck restore")
    try:
        secrets.check(db, secret=secret)
    finally:
        db.close()
