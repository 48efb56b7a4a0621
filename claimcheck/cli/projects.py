"""`project apply`, `project list`; and how commands name a project."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from functools import partial

from claimcheck import errors, project_files, projects, versions
from claimcheck.access import customers
from claimcheck.cli import terminal
from claimcheck.cli.terminal import Desk
from claimcheck.db import Connection
from claimcheck.projects import Project
from claimcheck.rules import Rules


def everyone(desk: Desk) -> Iterator[Project]:
    """Every project, by number."""
    after = 0
    while page := projects.page(desk.db, desk.me, after=after):
        yield from page
        after = page[-1].id


def named(desk: Desk, name: str) -> Project:
    """The project of this number or name. Raises NotFound, or Invalid where several customers have one of that name."""
    found = [p for p in everyone(desk) if str(p.id) == name] or [p for p in everyone(desk) if p.name == name]
    if not found:
        raise errors.NotFound(f"there is no project {name!r}; `bin/claimcheck project list` shows them")
    if len(found) > 1:
        raise errors.Invalid.field("project", f"several are called {name!r}; give a number: {', '.join(str(p.id) for p in found)}")
    return found[0]


def apply(arguments: Namespace) -> None:
    rules = project_files.read(arguments.file)
    with terminal.desk() as desk:
        customer = customers.chosen(desk.db, arguments.customer)
        there = [p for p in everyone(desk) if (p.customer_id, p.name) == (customer.id, rules.name)]
        if there:
            make = partial(_unless_others, there[0].id, rules, desk.me.name, arguments.why)
            changed = versions.edit(desk.db, there[0].id, desk.me.id, make, why=arguments.why, settings=desk.settings)
            project_id, secret, what = there[0].id, changed.secret, "has these rules"
            new = f" Changed by it: {', '.join(changed.fields)}; the former stand under its versions." if changed.fields else ""
        else:
            made = projects.create(desk.db, by=desk.me, rules=rules, customer_id=customer.id, settings=desk.settings)
            project_id, secret, what, new = made.id, made.webhook_secret, "is open", ""
        version = projects.version(desk.db, project_id)
    facts = {"id": project_id, "name": rules.name, "version": version, "webhook_secret": secret}
    shown_once = f"\nIts webhook's secret, shown this once: {secret}" if secret else ""
    terminal.answer(arguments, facts, f"Project {project_id} ({rules.name}) {what}, version {version}.{new}{shown_once}")


def _unless_others(project_id: int, new: Rules, me: str, why: str, connection: Connection, now: versions.InForce) -> Rules:
    """The rules of a file, which may be older than what others changed since: that is taken back only where it is said why. Raises Conflict."""
    last = versions.last_changed(connection, project_id, versions.differing(now.rules, new))
    theirs = [f"{name} (version {version.version}, {version.by})" for name, version in last.items() if version.by != me]
    if theirs and not why.strip():
        raise errors.Conflict(f"It takes back what others changed: {', '.join(theirs)}. Bring it into the file, or say why it goes with --why.")
    return new


def listed(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        rows = [*everyone(desk)]
        counts = projects.counts(desk.db, [p.id for p in rows])
    facts = [{"id": p.id, "name": p.name, "customer": p.customer, "version": p.version, **counts[p.id].as_dict()} for p in rows]
    lines = [f"{f['id']:>6}  {f['name']:<32}  {f['customer']:<20}  {f['pending']:>7} pending  {f['settled']:>7} settled" for f in facts]
    terminal.answer(arguments, {"projects": facts}, "\n".join(lines) or "No projects yet.")
