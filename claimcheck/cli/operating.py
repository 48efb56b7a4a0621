"""`queue`, `workers`, `effects`, `secrets`, `drafts`: what operators do, by the functions that the page /operations calls."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from claimcheck import config, errors
from claimcheck.cli import terminal
from claimcheck.cli.projects import named
from claimcheck.cli.terminal import Desk
from claimcheck.db import Database
from claimcheck.embedded.home import Home
from claimcheck.operations import drafts, drains, queues, reasons, replaying, secrets
from claimcheck.outbound import effects, outbox


@contextmanager
def _acting(arguments: Namespace, *, reason: bool = True) -> Iterator[tuple[Desk, int]]:
    """The desk and who acts. What needs a reason is refused before anything is started."""
    if reason and not getattr(arguments, "dry_run", False):
        reasoned(arguments)
    with terminal.desk() as desk:
        yield desk, terminal.operator(desk.db, arguments.who).id


def reasoned(arguments: Namespace) -> None:
    """Raises Invalid where no reason is given, by the option's name."""
    try:
        reasons.given(arguments.reason)
    except errors.Invalid as error:
        raise errors.Invalid.field("--reason", error.errors[0].message) from None


def list_queues(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        found = queues.page(desk.db, project_id=named(desk, arguments.project).id if arguments.project else None)
    facts = [{"project_id": q.project_id, "project": q.project, "queue": q.name, "paused_at": q.paused_at or q.project_paused_at} for q in found]
    lines = [f"{q.project:<32}  {q.name:<16}  {_since(q)}" for q in found]
    terminal.answer(arguments, {"queues": facts}, "\n".join(lines) or "No queues yet.")


def _since(queue: queues.Queue) -> str:
    since = queue.paused_at or queue.project_paused_at
    return f"paused since {since:%Y-%m-%d %H:%M} UTC" if since else "open"


def pause_queue(arguments: Namespace) -> None:
    with _acting(arguments) as (desk, me):
        changed = queues.pause(desk.db, project_id=named(desk, arguments.project).id, name=arguments.queue, me=me, reason=arguments.reason)
    terminal.answer(arguments, {"changed": changed}, f"The queue {arguments.queue} is paused" + ("." if changed else " already."))


def resume_queue(arguments: Namespace) -> None:
    with _acting(arguments, reason=False) as (desk, me):
        changed = queues.resume(desk.db, project_id=named(desk, arguments.project).id, name=arguments.queue, me=me, reason=arguments.reason)
    terminal.answer(arguments, {"changed": changed}, f"The queue {arguments.queue} is open" + ("." if changed else " already."))


def status(arguments: Namespace) -> None:
    with terminal.desk() as desk:
        found = drains.state(desk.db)
    terminal.answer(arguments, _facts(found), _text(found))


def _facts(found: drains.State) -> dict[str, Any]:
    programs = [{"name": p.name, "kind": p.kind, "live": p.live, "resting": p.resting, "busy": p.busy, "seen_at": p.seen_at} for p in found.programs]
    return {"draining": found.drained is not None, "empty": found.empty, "programs": programs}


def _text(found: drains.State) -> str:
    how = f"Drained since {found.drained.at:%Y-%m-%d %H:%M} UTC by {found.drained.by}: {found.drained.reason}" if found.drained else "At work."
    lines = [f"{p.kind:<11} {p.name:<32} {_state(p):<10} {p.busy:>5} in hand" for p in found.programs]
    return "\n".join([how, *lines, *(["All are empty."] if found.empty else [])])


def _state(program: drains.Program) -> str:
    if program.stopped_at:
        return "stopped"
    return "silent" if program.silent else "resting" if program.resting else "at work"


def drain(arguments: Namespace) -> int:
    with _acting(arguments) as (desk, me):
        drains.drain(desk.db, me=me, reason=arguments.reason)
        terminal.say("nothing new is taken; waiting for what is in hand")
        found = drains.wait(desk.db, arguments.wait)
    terminal.answer(arguments, _facts(found), _text(found))
    return 0 if found.empty else terminal.FAILED


def resume(arguments: Namespace) -> None:
    with _acting(arguments, reason=False) as (desk, me):
        changed = drains.resume(desk.db, me=me, reason=arguments.reason)
    terminal.answer(arguments, {"changed": changed}, "The programs take work again." if changed else "They were at work already.")


def replay(arguments: Namespace) -> None:
    with _acting(arguments) as (desk, me):
        if arguments.dry_run:
            found = replaying.unapplied(desk.db)
            n = found.waiting + (found.failed if arguments.failed else 0)
        else:
            n = replaying.replay(desk.db, me=me, reason=arguments.reason, failed=arguments.failed)
    _told(arguments, n, "effects", "tried at once")


def _told(arguments: Namespace, n: int, what: str, done: str) -> None:
    said = f"{n:,} {what} would be {done}; nothing was changed." if arguments.dry_run else f"{n:,} {what} {done}."
    terminal.answer(arguments, {"count": n, "dry_run": arguments.dry_run}, said)


def retry(arguments: Namespace) -> None:
    with _acting(arguments, reason=False) as (desk, me):
        outbox.retry(desk.db, outbox_id=arguments.effect, me=me)
    terminal.answer(arguments, {"effect": arguments.effect}, "It is tried again, under the same webhook-id.")


def skip(arguments: Namespace) -> None:
    with _acting(arguments) as (desk, me):
        outbox.skip(desk.db, outbox_id=arguments.effect, me=me, reason=arguments.reason)
    terminal.answer(arguments, {"effect": arguments.effect}, "It is skipped, on record; what waited behind it goes on.")


def rotate_webhook(arguments: Namespace) -> None:
    with _acting(arguments, reason=False) as (desk, me):
        secret = effects.rotate(desk.db, project_id=named(desk, arguments.project).id, me=me, settings=desk.settings)
    terminal.answer(arguments, {"webhook_secret": secret}, secret)


def revoke(arguments: Namespace) -> None:
    with _acting(arguments) as (desk, me):
        if arguments.dry_run:
            gone = secrets.reach(desk.db, name=arguments.name)
        else:
            gone = secrets.revoke(desk.db, me=me, reason=arguments.reason, name=arguments.name)
    _told(arguments, gone.tokens + gone.sessions, "tokens and sessions", "ended")


def new_key(arguments: Namespace) -> None:
    """The home's own: one that a setting gives is its giver's to change."""
    settings = config.load()
    if settings.secret_key:
        raise errors.Invalid.field("SECRET_KEY", "is set: write the new key there, the former one on a line below, and start the desk anew")
    if arguments.done:
        with terminal.desk() as desk, _owner(desk) as owner:
            secrets.check(owner, secret=str(desk.settings.secret_key).split("\n")[0])
    Home(settings.home).renew_secret_key(keep_former=not arguments.done)
    said = "The former key is forgotten." if arguments.done else "There is a new key. Start the desk anew; then: claimcheck secrets reseal"
    terminal.answer(arguments, {"renewed": not arguments.done}, said)


def reseal(arguments: Namespace) -> None:
    with _acting(arguments) as (desk, me), _owner(desk) as owner:
        n = secrets.reseal(owner, secret=str(desk.settings.secret_key), me=me, reason=arguments.reason)
    terminal.answer(arguments, {"count": n}, f"{n:,} secrets are sealed by the key in force.")


@contextmanager
def _owner(desk: Desk) -> Iterator[Database]:
    """The database with its owner's rights."""
    config.require(desk.settings, "database_url")
    owner = Database(str(desk.settings.database_url), max_size=1, name="claimcheck cli owner")
    try:
        yield owner
    finally:
        owner.close()


def prune(arguments: Namespace) -> None:
    with _acting(arguments) as (desk, me):
        if arguments.dry_run:
            n = drafts.old(desk.db, days=arguments.days)
        else:
            n = drafts.prune(desk.db, days=arguments.days, me=me, reason=arguments.reason)
    _told(arguments, n, "drafts", "thrown away")
