"""`pipeline settings`: the pipeline's parameters, shown, or put in force from a version-controlled file."""

from __future__ import annotations

from argparse import Namespace

from claimcheck import errors, project_files
from claimcheck.cli import terminal
from claimcheck.intake import parameters
from claimcheck.intake.parameters import Parameters, Version
from claimcheck.validation import validated


def settings(arguments: Namespace) -> None:
    new = None if arguments.file is None else _read(arguments)
    with terminal.desk() as desk:
        before = parameters.current(desk.db)
        if new is not None:
            by = terminal.operator(desk.db, arguments.who)
            parameters.change(desk.db, new, after=before.version, source="file", why=arguments.why, by=by.id)
        now = parameters.current(desk.db)
        parameters.check(now.parameters, parameters.measured_p99_ms(desk.db))
    facts = {"version": now.version, "changed": now.version != before.version, "settings": now.settings, "why": now.why, "by": now.by}
    terminal.answer(arguments, facts, _text(now))


def _read(arguments: Namespace) -> Parameters:
    """The whole of the settings: what the file does not name is as delivered. Raises Invalid."""
    data = arguments.file.read_bytes()
    if len(data) > project_files.LIMIT:
        raise errors.TooLarge(f"{arguments.file.name} has {len(data)} bytes; a settings file has {project_files.LIMIT} at most")
    return validated(Parameters, project_files.value(data) or {})


def _text(version: Version) -> str:
    """As a file that would put them in force."""
    since = f", since {version.created_at:%Y-%m-%d %H:%M} UTC, by {version.by}: {version.why}" if version.created_at else ", as delivered"
    lines = [f"{name}: {getattr(version.parameters, name)}  # {field.description}" for name, field in Parameters.model_fields.items()]
    return "\n".join([f"# version {version.version}{' '.join(since.splitlines())}", *lines])
