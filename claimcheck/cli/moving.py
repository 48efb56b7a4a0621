"""`import` and `export`."""

from __future__ import annotations

import base64
import re
import sys
import time
from argparse import Namespace
from bisect import bisect
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from claimcheck import errors, lines, publishing
from claimcheck.cli import reconciling, terminal, trying
from claimcheck.cli.projects import named
from claimcheck.cli.terminal import Desk
from claimcheck.formats import folders, label_studio, leaving, mapping, reading
from claimcheck.intake import batches, dead_letters, uploads
from claimcheck.intake.batches import Batch
from claimcheck.projects import Project
from claimcheck.proof import exports

INLINE_BYTES = 512 * 1024  # larger files are put into the store ahead of their row
TRIED_BYTES = 14 * 1024 * 1024  # of a file in a dry run
ROW = re.compile(r"items\[(\d+)\]\.?(.*)", re.DOTALL)
SHOWN = 20  # refused rows on the screen; all are kept as dead letters


def bring_in(arguments: Namespace) -> int:
    if arguments.format == "mt940":
        return reconciling.bring_in(arguments)
    if arguments.ledger is not None:
        raise errors.Invalid.field("LEDGER", "goes with a bank statement alone: add --format mt940")
    where = _Places()
    with terminal.desk() as desk:
        project = named(desk, arguments.project)
        rows = _some(_rows(desk, arguments, where), arguments.source, arguments.manifest)
        if arguments.dry_run:
            return trying.dry_run(arguments, desk, project, rows, where.named)
        sent = batches.take(desk.db, project=project.id, by=desk.me.id, rows=_told(rows))
        batch = batches.load(desk.db, batch_id=sent.batch_id, person=desk.me)
        if not arguments.no_wait:
            batch = _durable(desk, batch)
        refused = dead_letters.of_batch(desk.db, batch_id=batch.id)
    for row in refused[:SHOWN]:
        terminal.say(f"refused: {row.idempotency_key or '(no key)'}: {where.named(row.field)} {row.detail}")
    facts = {
        "batch_id": batch.id,
        "accepted": batch.accepted,
        "repeated": batch.repeated,
        "claimable": batch.claimable,
        "refused": batch.refused,
    }
    text = f"Batch {batch.id}: {batch.accepted} accepted, {batch.claimable} of them claimable, {batch.repeated} repeated, {batch.refused} refused."
    terminal.answer(arguments, facts, text)
    return terminal.FAILED if batch.refused else 0


class _Places:
    """Where rows stand in what was read: a line of a file, else the number of the row. Kept are only the blank lines."""

    def __init__(self) -> None:
        self.word, self.shifts = "row", [(0, 1)]  # from this row on, so much is added to its number

    def lines(self, stream: lines.Stream) -> Iterator[bytes | lines.TooLong]:
        self.word = "line"
        for n, (number, line) in enumerate(lines.numbered(stream)):
            if number - n != self.shifts[-1][1]:
                self.shifts.append((n, number - n))
            yield line

    def named(self, field: str) -> str:
        """`items[3].payload` → `line 4: payload`."""
        found = ROW.match(field)
        if found is None:
            return field
        n = int(found[1])
        _, shift = self.shifts[bisect(self.shifts, n, key=lambda one: one[0]) - 1]
        return f"{self.word} {n + shift}:{f' {found[2]}' if found[2] else ''}"


def _some(rows: Iterator[Any], source: Path, manifest: Path | None) -> Iterator[Any]:
    """The rows; Invalid where there is none, before anything is begun on the desk for them."""
    for first in rows:
        return chain((first,), rows)
    if source.is_dir():
        manifest = folders.manifest_of(source, manifest)
        raise errors.Invalid.field(str(manifest or source), "nothing to import: " + ("it has no row" if manifest else "no file is in it"))
    name = "standard input" if str(source) == "-" else str(source)
    raise errors.Invalid.field(name, "nothing to import: it has no line")


def _rows(desk: Desk, arguments: Namespace, where: _Places) -> Iterator[Any]:
    source: Path = arguments.source
    columns = mapping.read(arguments.map)
    if source.is_dir():
        _refuse_form(arguments, columns)
        for row in folders.read(source, arguments.manifest):
            yield _with_files(desk, row, arguments.dry_run)
    elif str(source) == "-":
        yield from _read(sys.stdin.buffer, arguments.format, columns, where)
    else:
        with source.open("rb") as file:
            yield from _read(file, arguments.format, columns, where)


def _refuse_form(arguments: Namespace, columns: dict[str, str]) -> None:
    if arguments.format != "items" or columns:
        raise errors.Invalid.field("--format" if arguments.format != "items" else "--map", "goes with a file; a folder has its manifest")


def _read(file: BinaryIO, form: str, columns: dict[str, str], where: _Places) -> Iterator[Any]:
    if form != "items":
        return reading.rows(file, form, columns)
    if columns:
        raise errors.Invalid.field("--map", f"goes with --format {' or '.join(reading.FORMATS)}")
    return where.lines(file)


def _with_files(desk: Desk, row: folders.Row, dry_run: bool) -> dict[str, Any]:
    payload = row.row["payload"]
    files = [_file(desk, path, content_type, dry_run) for path, content_type in row.files]
    return row.row | {"payload": {**payload, "files": [*payload.get("files", ()), *files]}} if files and isinstance(payload, dict) else row.row


def _file(desk: Desk, path: Path, content_type: str, dry_run: bool) -> dict[str, Any]:
    named_ = {"name": path.name, "content_type": content_type}
    size = path.stat().st_size
    if dry_run and size > TRIED_BYTES:
        raise errors.Invalid.field(path.name, f"has {size:,} bytes, too many for a dry run, which puts nothing into the store; the import takes it")
    if size <= (TRIED_BYTES if dry_run else INLINE_BYTES):
        return named_ | {"base64": base64.b64encode(path.read_bytes()).decode()}
    with path.open("rb") as file:
        try:
            upload = uploads.receive(desk.db, desk.store, person=desk.me, file=file, **named_)
        except errors.Invalid:  # the row is refused for it, and kept, with this as the reason
            return named_ | {"base64": ""}
    return named_ | {"upload": str(upload.public_id)}


def _told(rows: Iterable[Any], every: int = 5000) -> Iterator[Any]:
    for n, row in enumerate(rows, 1):
        if n % every == 0:
            terminal.say(f"{n:,} rows read")
        yield row


def _durable(desk: Desk, batch: Batch) -> Batch:
    """Waits until every accepted row is claimable, and helps: there may be no publisher running."""
    told = time.monotonic()
    while batch.claimable < batch.accepted:
        if not publishing.publish_once(desk.worker, desk.store):
            time.sleep(0.1)
        if time.monotonic() - told > 2:
            told = time.monotonic()
            batch = batches.load(desk.db, batch_id=batch.id, person=desk.me)
            terminal.say(f"{batch.claimable:,} of {batch.accepted:,} are durable")
        else:
            batch = batches.load(desk.db, batch_id=batch.id, person=desk.me)
    return batch


def _leave(arguments: Namespace, desk: Desk, project: Project) -> None:
    """One file; for Label Studio its configuration beside it."""
    out: Path = arguments.out
    how = {"project": project, "me": desk.me, "form": arguments.format, "purpose": arguments.purpose}
    chunks, size = leaving.written(desk.db, desk.store, **how), 0
    out.mkdir(parents=True, exist_ok=True)
    path = out / leaving.FILES[arguments.format]
    with path.open("wb") as file:
        for n, chunk in enumerate(chunks, 1):
            size += file.write(chunk)
            if n % 5000 == 0:
                terminal.say(f"{n:,} rows written")
    if arguments.format == "label-studio":
        (out / "config.xml").write_text(label_studio.config(project.parsed, leaving.fields(desk.db, project)), encoding="utf-8")
    terminal.answer(arguments, {"file": str(path), "bytes": size}, f"{size:,} bytes are in {path}.")


def empty_folder(out: Path) -> None:
    """Raises Invalid where something is there already."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise errors.Invalid.field("--out", f"{out} is there already and is not an empty folder; name another one")


def take_out(arguments: Namespace) -> None:
    out: Path = arguments.out
    empty_folder(out)
    with terminal.desk() as desk:
        project = named(desk, arguments.project)
        if arguments.format != "folder":
            _leave(arguments, desk, project)
            return
        how = {"secret": str(desk.settings.secret_key), "out": out, "purpose": arguments.purpose, "say": terminal.say}
        done = exports.write(desk.db, desk.store, project=project, me=desk.me, **how)
    facts = {"items": done.items, "parts": done.parts, "masked": done.masked, "bytes": done.bytes, "outcomes": done.outcomes, "out": str(out)}
    text = f"{done.items} items, {done.parts} parts, {done.bytes:,} bytes and {done.outcomes} outcomes are in {out}."
    terminal.answer(arguments, facts, text + (f" {done.masked} parts are masked; --purpose reveals them." if done.masked else ""))
