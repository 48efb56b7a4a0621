"""Exports: a project's items with every byte, its outcomes, their signed receipts, and the keys to check them by."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from claimcheck import errors, evidence
from claimcheck.access import masking
from claimcheck.access.masking import Reveal
from claimcheck.access.people import Person
from claimcheck.db import Database
from claimcheck.formats import filenames
from claimcheck.projects import Project
from claimcheck.proof import keys, results
from claimcheck.review import decisions
from claimcheck.rules import Rules
from claimcheck.store import Store

PAGE = 200
PATIENCE = 180.0  # seconds for submits that are on their way when all other outcomes are written


@dataclass(frozen=True, slots=True)
class Part:
    """One part of one version of an item's evidence, and where it lies."""

    item_id: int
    idempotency_key: str
    version: int
    n: int
    name: str
    content_type: str
    size: int
    sha256: bytes
    object_key: str
    masked: list[str]
    withheld: bool
    revealed: list[str]


@dataclass(slots=True)
class Written:
    """How much an export wrote."""

    items: int = 0
    parts: int = 0
    masked: int = 0
    bytes: int = 0
    outcomes: int = 0


def write(
    db: Database,
    store: Store,
    *,
    project: Project,
    me: Person,
    secret: str,
    out: Path,
    purpose: str | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Written:
    """Writes the export into the folder `out`: `items.jsonl`, `items/ID/vN/PART`, `results.jsonl`, `receipts/ID.json`, `keys/ID.pem`.

    Every reading is on record. Without a purpose masked fields read `[masked]` and masked files are left out; with one each is
    revealed, on record. Raises Invalid for a purpose that is none of the project's, PayloadMissing or PayloadDamaged for a part
    that is not what was taken in, Unavailable where outcomes are on their way for longer than `PATIENCE`.
    """
    reveal = revealing(project.parsed, purpose)
    out.mkdir(parents=True, exist_ok=True)
    done = Written()
    (out / "project.json").write_text(
        json.dumps({"id": project.id, "name": project.name, "version": project.version, "rules": project.rules}, indent=1)
    )
    with (out / "items.jsonl").open("w", encoding="utf-8") as index:
        for item_id, parts in groupby(_parts(db, project.id, me, reveal), key=lambda part: part.item_id):
            _item(store, out, item_id, [*parts], index, done)
            if done.items % 500 == 0:
                say(f"{done.items:,} items written")
    _outcomes(db, project.id, secret, out, done)
    for key in keys.all(db):
        _file(out / "keys" / f"{key.id}.pem", key.public_key.encode())
    return done


def revealing(rules: Rules, purpose: str | None) -> Reveal:
    """All that is masked, for a purpose; nothing without one. Raises Invalid."""
    if purpose is None or not rules.masked:
        return masking.NOTHING
    reveal = Reveal(tuple(rules.masked), purpose)
    masking.check(reveal, masked=rules.masked, purposes=[p.code for p in rules.purposes])
    return reveal


def _parts(db: Database, project_id: int, me: Person, reveal: Reveal) -> Iterator[Part]:
    asked, after = {"project_id": project_id, "me": me.id, "reveal": [*reveal.fields], "for_purpose": reveal.purpose}, 0
    while page := db.all("evidence/export", Part, **asked, after=after, limit=PAGE):
        yield from page
        after = page[-1].item_id


def _item(store: Store, out: Path, item_id: int, parts: list[Part], index: TextIO, done: Written) -> None:
    listed = []
    for part in parts:
        facts = {"version": part.version, "name": part.name, "content_type": part.content_type, "size": part.size, "sha256": part.sha256.hex()}
        path = out / "items" / str(item_id) / f"v{part.version}" / filenames.on_disk(part.name)
        hidden = [name for name in part.masked if name not in part.revealed] if part.n == 0 else []
        done.masked += part.withheld or bool(hidden)
        if part.withheld:
            listed.append({**facts, "masked": True})
            continue
        done.bytes += _part(store, part, path, hidden)
        done.parts += 1
        listed.append({**facts, "path": str(path.relative_to(out)), **({"masked": hidden} if hidden else {})})
    index.write(json.dumps({"item_id": item_id, "idempotency_key": parts[0].idempotency_key, "parts": listed}, ensure_ascii=False) + "\n")
    done.items += 1


def _part(store: Store, part: Part, path: Path, hidden: list[str]) -> int:
    """Writes it; how many bytes. `sha256` in the list stays that of what was taken in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if hidden:
        return path.write_bytes(evidence.redacted(store.read(part.object_key, part.size), hidden))
    digest = hashlib.sha256()
    with path.open("wb") as file, store.open(part.object_key) as chunks:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
    if digest.digest() != part.sha256:
        raise errors.PayloadDamaged(f"item {part.item_id}, {part.name}: the store gives other bytes than were taken in")
    return part.size


def _outcomes(db: Database, project_id: int, secret: str, out: Path, done: Written) -> None:
    with (out / "results.jsonl").open("w", encoding="utf-8") as file:
        for result in _results(db, project_id):
            file.write(json.dumps(_plain(results.as_dict(db, project_id, result)), ensure_ascii=False) + "\n")
            _file(out / "receipts" / f"{result.decision_id}.json", decisions.receipt(db, decision_id=result.decision_id, secret=secret))
            done.outcomes += 1


def _results(db: Database, project_id: int) -> Iterator[results.Result]:
    """All of them; a page that a slow submit cuts short is asked for again."""
    after, until = 0, time.monotonic() + PATIENCE
    while True:
        page = results.page(db, project_id=project_id, after=after, limit=PAGE)
        yield from page.rows
        if page.rows:
            after, until = page.rows[-1].decision_id, time.monotonic() + PATIENCE
        elif page.complete:
            return
        elif time.monotonic() > until:
            raise errors.Unavailable("outcomes are still on their way, so the export would not be whole; try again later")


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.hex() if isinstance(value, bytes) else value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
    }


def _file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
