"""A backup: the database at one moment and every object it names, in a folder that says what is in it, while work goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from psycopg.types.json import Jsonb

from claimcheck import errors, migrations
from claimcheck.config import Settings
from claimcheck.db import Connection, Database
from claimcheck.embedded import dumping
from claimcheck.embedded.home import private, write_private
from claimcheck.store import Store

FORM = "claimcheck backup 1"
PAGE, THREADS = 2_000, 8
DUMP, INDEX, MANIFEST, KEY, OBJECTS = "database.dump", "objects.jsonl", "manifest.json", "secret-key", "objects"


@dataclass(frozen=True, slots=True)
class Object:
    """An object that the database names, with what it says of it."""

    object_key: str
    size: int
    sha256: bytes
    content_type: str

    @property
    def file(self) -> str:
        """Its place in the backup: the same bytes are kept once."""
        name = self.sha256.hex()
        return f"{OBJECTS}/{name[:2]}/{name}"


@dataclass(frozen=True, slots=True)
class _Part:
    item_id: int
    version: int
    n: int
    object_key: str
    size: int
    sha256: bytes
    content_type: str


def make(settings: Settings, store: Store, folder: Path, say: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Writes a backup into a folder that is not there yet or is empty; its manifest. Half a backup has no manifest.

    Raises Invalid for a folder with something in it, PayloadMissing or PayloadDamaged where the store lacks what the database names.
    """
    if folder.exists() and any(folder.iterdir()):
        raise errors.Invalid.field("FOLDER", f"{folder} has something in it; name one that is empty or not there yet")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = str(settings.database_url)
    with dumping.snapshot(owner) as (name, connection):
        made_at = datetime.now(UTC)
        say("dumping the database")
        (folder / DUMP).touch(mode=0o600)
        dumping.dump(owner, name, folder / DUMP)
        counts = dumping.counts(connection)
        say("copying what is in the store")
        objects, size = _copy(connection, store, folder, say)
    write_private(folder / KEY, f"{settings.secret_key}\n")
    files = {file: digest(folder / file) for file in (DUMP, INDEX, KEY)}
    manifest = {
        "form": FORM,
        "made_at": made_at.isoformat(),
        "migrations": migrations.names(),
        "rows": counts,
        "objects": objects,
        "bytes": size,
        "files": files,
    }
    write_private(folder / MANIFEST, json.dumps(manifest, indent=1))
    return manifest


def note(db: Database, manifest: dict[str, Any], *, me: int, reason: str) -> None:
    """Puts it on record."""
    detail = {"made_at": manifest["made_at"], "objects": manifest["objects"], "reason": " ".join(reason.split())[:500]}
    db.run("operations/note", what="backed_up", me=me, detail=Jsonb(detail))


def _copy(connection: Connection, store: Store, folder: Path, say: Callable[[str], None]) -> tuple[int, int]:
    """How many objects there are, and their bytes."""
    count = size = 0
    with ThreadPoolExecutor(THREADS) as pool, open(folder / INDEX, "x", encoding="utf-8", opener=private) as index:
        for page in _named(connection):
            list(pool.map(lambda one: _fetch(store, one, folder), {one.sha256: one for one in page}.values()))
            index.writelines(f"{json.dumps(_line(one), ensure_ascii=False)}\n" for one in page)
            count, size = count + len(page), size + sum(one.size for one in page)
            say(f"{count:,} objects")
    return count, size


def _named(connection: Connection) -> Iterator[list[Object]]:
    """Every object that the database names, a page at a time."""
    yield connection.all("operations/files", Object)
    last = _Part(0, 0, -1, "", 0, b"", "")
    while page := connection.all("operations/parts", _Part, item_id=last.item_id, version=last.version, n=last.n, limit=PAGE):
        yield [Object(part.object_key, part.size, part.sha256, part.content_type) for part in page]
        last = page[-1]


def _line(one: Object) -> dict[str, Any]:
    return {"key": one.object_key, "size": one.size, "sha256": one.sha256.hex(), "content_type": one.content_type}


def _fetch(store: Store, one: Object, folder: Path) -> None:
    path = folder / one.file
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    half, sha256 = path.with_suffix(".half"), hashlib.sha256()
    with store.open(one.object_key) as chunks, open(half, "wb", opener=private) as file:
        for chunk in chunks:
            sha256.update(chunk)
            file.write(chunk)
    if sha256.digest() != one.sha256:
        raise errors.PayloadDamaged(f"the store's {one.object_key} is not what was put there")
    half.replace(path)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def objects(lines: Iterable[str]) -> Iterator[Object]:
    """The objects of an index."""
    for line in lines:
        one = json.loads(line)
        yield Object(one["key"], one["size"], bytes.fromhex(one["sha256"]), one["content_type"])
