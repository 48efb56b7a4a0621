"""CLAIMCHECK_HOME: its lock, its secrets, and what is known of the run that uses it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

MADE = {
    "postgres": 24, "owner": 24, "web": 24, "worker": 24, "valkey_admin": 24, "valkey_desk": 24,
    "streams_admin": 24, "streams_desk": 24,
    "s3_access_key": 15, "s3_secret_key": 30, "secret_key": 48,
}  # fmt: skip


class Unusable(Exception):
    """The desk cannot run on this home or this machine; the message says what to do."""


class Taken(Unusable):
    """Another process has the home."""


def private(path: str | Path, flags: int) -> int:
    """An opener: what it creates, nobody else can read, from the first byte."""
    return os.open(path, flags, 0o600)


def write_private(path: Path, text: str) -> None:
    """Replaces a file at once and for good, readable by its owner alone."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with open(new, "x", encoding="utf-8", opener=private) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except json.JSONDecodeError as error:
        raise Unusable(f"{path} is damaged: {error}; bring it back from a copy") from error


class Home:
    """One desk's folder. Nothing in it is used before `lock`."""

    def __init__(self, path: Path):
        self.path, self.log = path, path / "log"
        self._run, self._secrets, self._demo_password = path / "run.json", path / "secrets.json", path / "demo-password"
        self._samples = path / "samples.loaded"
        self._held: IO[str] | None = None

    def make(self) -> None:
        """As root it may be passed through, which the database's account has to do; its files stay closed."""
        try:
            self.path.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
            self.log.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise Unusable(f"CLAIMCHECK_HOME should be a folder that you can write to: {error}") from error

    def lock(self) -> None:
        """Raises Taken where another process has it. Children do not inherit the lock, so it ends with us."""
        self.make()
        file = open(self.path / "lock", "a+", encoding="utf-8", opener=private)  # noqa: SIM115 (held until we end)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            owner = file.read().strip() or "another process"
            file.close()
            raise Taken(f"{self.path} is in use by {owner}; stop that one, or choose another CLAIMCHECK_HOME") from error
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        self._held = file

    def unlock(self) -> None:
        if self._held:
            self._held.close()
            self._held = None

    def secrets(self) -> dict[str, str]:
        """The passwords and keys of this home; made once, a later version's new ones are added."""
        known = _read_json(self._secrets)
        if known is None and ((self.path / "postgres").exists() or (self.path / "postgres.elsewhere").exists()):
            raise Unusable(f"{self._secrets} is gone but the database it opens is still there; bring it back from a copy")
        known = known or {}
        missing = {name: secrets.token_urlsafe(size) for name, size in MADE.items() if name not in known}
        if missing:
            known = {**known, **missing}
            write_private(self._secrets, json.dumps(known, indent=1))
        return known

    def renew_secret_key(self, *, keep_former: bool) -> None:
        """Puts a new SECRET_KEY before the former one, or forgets the former ones. Programs take it up when they start."""
        known = self.secrets()
        first = known["secret_key"].split("\n")[0]
        renewed = f"{secrets.token_urlsafe(MADE['secret_key'])}\n{first}" if keep_former else first
        write_private(self._secrets, json.dumps({**known, "secret_key": renewed}, indent=1))

    def keep_secret_key(self, secret_key: str) -> None:
        """Takes over the key of a desk that is restored here."""
        write_private(self._secrets, json.dumps({**self.secrets(), "secret_key": secret_key}, indent=1))

    @property
    def samples(self) -> str | None:
        """Whether the samples are in: `loaded` or, where a backup took their place, `restored`; None where a demo has yet to load them."""
        with contextlib.suppress(FileNotFoundError):
            return self._samples.read_text(encoding="utf-8").strip() or "loaded"
        return None

    def note_samples(self, what: str) -> None:
        self._samples.write_text(f"{what}\n", encoding="utf-8")

    def demo_password(self, wanted: str | None) -> str:
        """The demo accounts' password: the kept one, else the wanted one, else a new one; kept from then on."""
        with contextlib.suppress(FileNotFoundError):
            return self._demo_password.read_text(encoding="utf-8").strip()
        password = wanted or secrets.token_urlsafe(9)
        write_private(self._demo_password, f"{password}\n")
        return password

    def ports(self, defaults: dict[str, list[int]], pick: Callable[[list[int]], list[int]]) -> dict[str, list[int]]:
        """The ports of the last run, or the usual ones, as far as they are free; kept from then on."""
        kept = _read_json(self.path / "ports.json") or {}
        wanted = {name: kept.get(name, usual) for name, usual in defaults.items()}
        picked = iter(pick([port for group in wanted.values() for port in group]))
        ports = {name: [next(picked) for _ in group] for name, group in wanted.items()}
        write_private(self.path / "ports.json", json.dumps({**kept, **ports}))
        return ports

    def run(self) -> dict[str, Any] | None:
        """What the present run wrote, or one that was killed; None after a clean stop."""
        return _read_json(self._run)

    def write_run(self, run: dict[str, Any]) -> None:
        write_private(self._run, json.dumps(run, indent=1))

    def forget_run(self) -> None:
        self._run.unlink(missing_ok=True)
