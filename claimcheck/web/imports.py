"""A file of items, in by a page: chosen, tried, looked at as its reviewer will see it, then taken in. It shows the sender's own file alone."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import IO, Any, BinaryIO, cast

from flask import Blueprint, render_template, request
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from claimcheck import errors, projects
from claimcheck.formats import mapping, reading, trying
from claimcheck.intake import batches, dead_letters, uploads
from claimcheck.projects import Project
from claimcheck.rendering import views
from claimcheck.rendering.views import View
from claimcheck.web import access, desk

blueprint = Blueprint("imports", __name__, url_prefix="/projects/<int:project_id>/imports")
senders = access.allow("lead", "customer")
LIMIT = 64 * 1024 * 1024  # bytes of a file; longer ones go by the command line or the API
OVERHEAD = 1024 * 1024
IN_MEMORY = 4 * 1024 * 1024
SHOWN = 50  # refused rows on the page; all are kept as dead letters
NAMES = {"csv": "CSV", "jsonl": "JSONL", "label-studio": "Label Studio JSON"}
ENDINGS = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "label-studio"}


def row_word(field: str) -> str:
    """`items[3].payload.a` as people count: row 4, payload.a."""
    found = re.fullmatch(r"items\[(\d+)\]\.?(.*)", field, re.DOTALL)
    return f"row {int(found[1]) + 1}{f', {found[2]}' if found[2] else ''}" if found else field


blueprint.record_once(lambda state: state.app.jinja_env.filters.update(row_word=row_word))


@dataclass(frozen=True)
class Asked:
    """What the form says. `upload` stands for a file that was sent before."""

    upload: uploads.Upload | None
    format: str
    map: str

    @property
    def columns(self) -> dict[str, str]:
        return mapping.read(line for line in self.map.splitlines() if line.strip())


@blueprint.get("")
@senders
def page(project_id: int):
    return _page(_load(project_id), Asked(None, "", ""))


@blueprint.post("/dry-runs")
@senders
def dry_run(project_id: int):
    """The first items as they will look, and what would come of the rows."""
    project = _load(project_id)

    def tried(rows: Iterator[Any]) -> dict[str, Any]:
        found = trying.tried(desk().db, project=project, by=access.current().id, rows=rows)
        first = [replace(one, views=tuple(map(_shown, one.views))) for one in found.first]
        return {"tried": replace(found, first=first)}

    return _acted(project, tried)


@blueprint.post("")
@senders
def take(project_id: int):
    """Takes the rows in. The same file again takes nothing twice."""
    project, me = _load(project_id), access.current()

    def taken(rows: Iterator[Any]) -> dict[str, Any]:
        sent = batches.take(desk().db, project=project.id, by=me.id, rows=rows)
        return {"sent": sent, "refused": dead_letters.of_batch(desk().db, batch_id=sent.batch_id)[:SHOWN]}

    return _acted(project, taken)


def _shown(view: View) -> View:
    """A picture, a PDF or a page has no address to be drawn from before it is in."""
    match view:
        case views.Pair():
            return replace(view, left=replace(view.left, view=_shown(view.left.view)), right=replace(view.right, view=_shown(view.right.view)))
        case views.Image():
            return views.Download(view.part, f"{view.facts}. The reviewer sees it here.")
        case views.Pdf() | views.Html():
            return views.Download(view.part, "The reviewer sees its pages here.")
    return view


def _load(project_id: int) -> Project:
    return projects.load(desk().db, project_id, access.current())


def _page(project: Project, asked: Asked, **more: Any) -> str:
    context = {"one": project, "asked": asked, "formats": NAMES, "tried": None, "sent": None, "refused": [], "error": None, **more}
    return render_template("imports/page.html", limit=LIMIT // 1024 // 1024, masked=project.parsed.masked, **context)


def _acted(project: Project, act: Any) -> Any:
    """What comes of the form, or the form again with what is wrong; its file need not be chosen again."""
    asked = Asked(None, "", "")
    try:
        asked, sent = _asked()
        asked = _with_upload(asked, sent)
        with _opened(asked) as file:
            return _page(project, asked, **act(reading.rows(cast(BinaryIO, file), asked.format, asked.columns)))
    except (errors.Invalid, errors.TooLarge, errors.ProjectCancelled, errors.QueueSaturated) as error:
        return _page(project, asked, error=error), error.status


def _asked() -> tuple[Asked, FileStorage | None]:
    request.max_content_length = LIMIT + OVERHEAD
    try:
        form, sent = request.form, request.files.get("file")
    except RequestEntityTooLarge:
        raise errors.TooLarge(f"The file is larger than {LIMIT // 1024 // 1024} MiB; send it by bin/claimcheck import or the API.") from None
    return Asked(None, form.get("format", "")[:20], form.get("map", "").replace("\0", "")[:10_000]), sent


def _with_upload(asked: Asked, sent: FileStorage | None) -> Asked:
    """With the file that was chosen, else with the one that was sent before. Raises Invalid, NotFound."""
    me, db = access.current(), desk().db
    if sent and sent.filename:
        named = {"name": PurePosixPath(sent.filename.replace("\\", "/")).name[:200], "content_type": "application/octet-stream"}
        upload = uploads.receive(db, desk().store, person=me, file=cast(BinaryIO, sent.stream), **named)
    elif request.form.get("upload"):
        upload = uploads.mine(db, person=me, upload=request.form["upload"])
    else:
        raise errors.Invalid.field("file", "choose a file")
    return replace(asked, upload=upload, format=asked.format or ENDINGS.get(PurePosixPath(upload.name).suffix.lower(), ""))


@contextmanager
def _opened(asked: Asked) -> Iterator[IO[bytes]]:
    """The file as it lies in the store, to be read from its beginning."""
    assert asked.upload is not None
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as copy, desk().store.open(asked.upload.object_key) as chunks:
        for chunk in chunks:
            copy.write(chunk)
        copy.seek(0)
        yield copy
