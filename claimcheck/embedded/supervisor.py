"""What `bin/run` becomes: brings the desk up, keeps it up, and takes it down without a trace.

`python -m claimcheck.embedded.supervisor`; exit 0 after a signal, 1 where the desk cannot run, 2 for a bad setting.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
import urllib.error
import urllib.request
from typing import Any, TextIO

from claimcheck import config, migrations
from claimcheck.config import Settings, SettingsError
from claimcheck.embedded import children as family
from claimcheck.embedded import completing, leftovers, ports, processes, programs, servers
from claimcheck.embedded.children import Children
from claimcheck.embedded.home import Home, Unusable

PR_SET_CHILD_SUBREAPER = 36
READY_SECONDS = 90
DEMO = ("reviewer", "reviewer2", "lead", "operator", "customer")
BEGAN = float(os.environ.get("BOOTSTRAP_BEGAN", time.monotonic()))


class Stop(BaseException):
    """A signal came while the desk was still starting."""


def say(line: str) -> None:
    _write(sys.stderr, f"{time.monotonic() - BEGAN:6.1f} s  {line}")


def _write(stream: TextIO, line: str) -> None:
    with contextlib.suppress(OSError):  # a terminal that has been closed is no reason to stop a desk
        print(line, file=stream, flush=True)


class Signals:
    """Counts the requests to stop. The first ends the starting, or the running; a second hurries the ending."""

    def __init__(self) -> None:
        self.count, self.starting = 0, True
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._came)

    def _came(self, *_: Any) -> None:
        self.count += 1
        if self.starting:
            self.starting = False
            raise Stop

    def hurry(self) -> bool:
        return self.count > 1


class Supervisor:
    def __init__(self, settings: Settings):
        self.settings, self.signals = settings, Signals()
        self.home = Home(settings.home)
        self.children = Children(say, self._note)
        self.ready = False

    def run(self) -> None:
        """The whole life of a desk. Raises Unusable where it cannot come up; it is taken down in any case."""
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.home.lock()
        try:
            with contextlib.suppress(Stop):
                self._start()
                self.signals.starting = False
                self._keep()
        finally:
            self.signals.starting = False
            self._end()

    def _start(self) -> None:
        leftovers.clear(self.home, say)
        wanted = self.settings.demo_password
        self.settings = completing.made(_with_port(completing.whole(self.settings)), self.home)
        if wanted and self.settings.demo and wanted != self.settings.demo_password:
            say("CLAIMCHECK_DEMO_PASSWORD counts at the first start of a home only; the kept one stays")
        self.settings = servers.start(self.settings, self.home, self.children, say)
        servers.check(self.settings)
        migrations.migrate(str(self.settings.database_url), say)
        web, *others = programs.all_of(self.settings, self.home.log)
        self.children.start(web)
        self._samples()
        self._await_web()
        _write(sys.stdout, _welcome(self.settings, self.home.samples))
        for program in others:  # not before: together they would keep both cores from the web's own start
            self.children.start(program)
        self.ready = True
        self._note()

    def _samples(self) -> None:
        """Once for a home, never for a restored one; a load that was cut off is repeated, which does no harm."""
        if not self.settings.demo or self.home.samples:
            return
        from claimcheck import samples  # here, for it imports most of the desk, which a restart has no use for

        say("loading the samples")
        samples.load(self.settings)
        self.home.note_samples("loaded")

    def _await_web(self) -> None:
        def is_settled() -> bool:
            self.children.watch()
            return _answers(self.settings) or self.children.all["web"].failures >= 2

        processes.wait_until(is_settled, READY_SECONDS, every=0.1)
        if not _answers(self.settings):
            log = self.children.all["web"].program.log
            raise Unusable(f"the web server does not come up; the end of {log} says:\n{processes.last_words(log)}")

    def _keep(self) -> None:
        while not self.signals.count:
            self.children.watch()
            self.children.trim_logs()
            time.sleep(0.1)

    def _note(self) -> None:
        """Writes down what runs, for bin/claimcheck and for the start after a kill."""
        self.home.write_run(family.note(os.getpid(), self.settings, self.children, ready=self.ready))

    def _end(self) -> None:
        if self.signals.count:
            say("stopping; what is in hand is finished first (ctrl-c again to hurry)")
        ours = [name for name in self.children.all if name not in leftovers.SERVERS]
        self.children.end(ours, self.signals.hurry)
        for name in leftovers.SERVERS:
            self.children.end([name], self.signals.hurry)
        family.end_strangers()
        self.home.forget_run()
        self.home.unlock()


def _with_port(settings: Settings) -> Settings:
    """With the port asked for; where nobody asked and the usual one is taken, a free one."""
    if ports.is_free(settings.port, settings.host):
        return settings
    if "port" in settings.model_fields_set:
        raise SettingsError(f"PORT {settings.port} is taken on {settings.host}; stop what uses it, or set PORT to a free one")
    port = ports.pick([0])[0]
    say(f"port {settings.port} is taken, using {port}; set PORT to choose")
    return completing.changed(settings, port=port)


def _answers(settings: Settings) -> bool:
    """Whether the desk says that it is ready."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::", "localhost") else settings.host  # noqa: S104 (asked, not opened)
    request = urllib.request.Request(f"http://{f'[{host}]' if ':' in host else host}:{settings.port}/readyz")
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return answer.status == 200
    except (OSError, urllib.error.URLError):
        return False


def _welcome(settings: Settings, samples: str | None) -> str:
    line = f"Claimcheck is ready at {settings.base_url}"
    if samples == "restored":  # its people have the passwords that they had
        return f"{line} · restored from a backup: sign in as on the desk that was backed up"
    if not settings.demo:
        return line
    people = ", ".join(f"{name}@demo.local" for name in DEMO)
    return f"{line} · sign in as {people} · password {settings.demo_password}"


def main() -> int:
    try:
        Supervisor(config.load()).run()
    except SettingsError as error:
        print(f"bin/run: {error}", file=sys.stderr)
        return 2
    except Unusable as error:
        print(f"bin/run: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
