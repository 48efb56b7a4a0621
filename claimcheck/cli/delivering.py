"""`dataset`: a version of what is delivered, into a folder."""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path

from claimcheck import errors
from claimcheck.cli import terminal
from claimcheck.cli.moving import empty_folder
from claimcheck.cli.projects import named
from claimcheck.cli.terminal import Desk
from claimcheck.datasets import making, manifests, versions
from claimcheck.datasets.versions import Version
from claimcheck.projects import Project


def take_out(arguments: Namespace) -> None:
    out: Path = arguments.out
    empty_folder(out)
    with terminal.desk() as desk:
        project = named(desk, arguments.project)
        version = _made(desk, project) if arguments.version is None else _known(desk, project, arguments.version)
        out.mkdir(parents=True, exist_ok=True)
        for name in (manifests.NAME, *(file.name for file in versions.files(desk.db, dataset_id=version.id))):
            opened = versions.open_file(desk.db, desk.store, dataset_id=version.id, name=name, me=desk.me)
            with (out / name).open("wb") as file:
                file.writelines(opened.stream)
    assert version.sha256 is not None
    facts = {"version": version.version, "rows": version.rows, "manifest_sha256": version.sha256.hex(), "out": str(out)}
    terminal.answer(arguments, facts, f"Version {version.version}, {version.rows:,} rows, is in {out}. Its manifest: {version.sha256.hex()}")


def _known(desk: Desk, project: Project, number: int) -> Version:
    found = next(iter(versions.page(desk.db, project_id=project.id, before=min(number, versions.NEWEST - 1) + 1, limit=1)), None)
    if found is None or found.version != number or not found.delivered:
        raise errors.Invalid.field("--version", f"version {number} of {project.name} was not delivered")
    return found


def _made(desk: Desk, project: Project) -> Version:
    """Waits until the version is made, and helps: there may be no worker running."""
    asked = versions.ask(desk.db, project=project, me=desk.me)
    maker, told = making.Desk(desk.worker, desk.store, str(desk.settings.secret_key)), time.monotonic()
    while not (version := versions.load(desk.db, dataset_id=asked.id, person=desk.me)).delivered:
        if version.state == "dead":
            raise errors.Unavailable(f"version {version.version} could not be made: {version.last_error}")
        if not making.run(maker):
            time.sleep(0.1)
        if time.monotonic() - told > 2:
            told = time.monotonic()
            terminal.say(f"{version.step} {version.step_done:,} of {version.step_total:,}")
    return version
