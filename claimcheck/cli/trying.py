"""`import --dry-run`: the first items as their reviewer will see them, as text."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable

from claimcheck.cli import terminal
from claimcheck.cli.terminal import Desk
from claimcheck.formats import trying
from claimcheck.formats.reading import Row
from claimcheck.projects import Project
from claimcheck.rendering import plain

SHOWN = 20  # refused rows on the screen


def dry_run(arguments: Namespace, desk: Desk, project: Project, rows: Iterable[Row], named: Callable[[str], str]) -> int:
    """Prints it; the exit code is that of the import itself."""
    tried = trying.tried(desk.db, project=project, by=desk.me.id, rows=rows)
    for row in tried.refused[:SHOWN]:
        terminal.say(f"refused: {row.idempotency_key or '(no key)'}: {named(row.field)} {row.detail}")
    first = [{"idempotency_key": s.key, "title": s.title, "shown": [*plain.lines(s.views)]} for s in tried.first]
    facts = {
        "dry_run": True,
        "rows": tried.rows,
        "accepted": tried.accepted,
        "repeated": tried.repeated,
        "refused": len(tried.refused),
        "more": tried.more,
    }
    terminal.answer(arguments, facts | {"first": first}, "\n".join([*map(_text, first), _told(tried, project)]))
    return terminal.FAILED if tried.refused else 0


def _text(one: dict[str, object]) -> str:
    shown = one["shown"]
    assert isinstance(shown, list)
    head = f"── {one['idempotency_key']}" + (f" · {one['title']}" if one["title"] != one["idempotency_key"] else "")
    return "\n".join([head, *(f"   {line}" for line in shown), ""])


def _told(tried: trying.Tried, project: Project) -> str:
    counts = f"{tried.accepted} would be accepted, {tried.repeated} repeated, {len(tried.refused)} refused"
    which = f"Of the first {tried.rows:,} rows" if tried.more else f"Of {tried.rows:,} rows"
    return f"Dry run into project {project.id} ({project.name}), question: {project.parsed.question.text}\n{which} {counts}. Nothing was imported."
