"""A desk's servers for a command that is over soon: the running desk's, or our own for its duration."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from claimcheck import migrations
from claimcheck.config import Settings
from claimcheck.embedded import completing, leftovers, processes, servers
from claimcheck.embedded.children import Children, note
from claimcheck.embedded.home import Home, Taken

PATIENCE = 120.0  # seconds that a starting desk, or another command's servers, are waited for


@contextmanager
def desk(settings: Settings, say: Callable[[str], None]) -> Iterator[Settings]:
    settings = completing.whole(settings)
    if not servers.wanted(settings) and settings.secret_key:
        yield settings
        return
    home = Home(settings.home)
    if running := _running_or_locked(home, say):
        yield running
        return
    try:
        with _started(settings, home, say) as reached:
            yield reached
    finally:
        home.unlock()


def _running_or_locked(home: Home, say: Callable[[str], None]) -> Settings | None:
    """The running desk's settings, or None with the home locked for us. Waits for a desk that is just starting."""
    deadline, told = time.monotonic() + PATIENCE, False
    while True:
        try:
            home.lock()
            return None
        except Taken:
            if running := _running(home):
                return running
            if time.monotonic() > deadline:
                raise
        if not told:
            say(f"waiting for the desk or the command that is starting on {home.path}")
            told = True
        time.sleep(0.2)


def _running(home: Home) -> Settings | None:
    run = home.run()
    if run and run["ready"] and processes.is_alive(run["supervisor"]):
        return Settings(**run["settings"])
    return None


@contextmanager
def _started(settings: Settings, home: Home, say: Callable[[str], None]) -> Iterator[Settings]:
    leftovers.clear(home, say)
    settings = completing.made(settings, home)
    children = Children(say, lambda: home.write_run(note(os.getpid(), settings, children)))
    try:
        reached = servers.start(settings, home, children, say)
        servers.check(reached)
        migrations.migrate(str(reached.database_url), say)
        yield reached
    finally:
        for name in leftovers.SERVERS:
            children.end([name])
        home.forget_run()
