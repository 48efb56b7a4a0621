"""The account that a database runs as when we are root, and what that account can reach."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int

    def can(self, *argv: str) -> bool:
        """Whether the command succeeds when this account runs it."""
        try:
            result = subprocess.run(
                argv, user=self.uid, group=self.gid, extra_groups=[], cwd="/",
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except PermissionError:
            return False
        return result.returncode == 0

    def can_enter(self, folder: Path) -> bool:
        return self.can("test", "-x", str(folder))


def for_database(data: Path) -> Account | None:
    """Who runs a database whose files are in `data`: us, unless we are root.

    An existing folder keeps its owner. Raises LookupError where root has no unprivileged account to offer.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and data.stat().st_uid != 0:
        return of(pwd.getpwuid(data.stat().st_uid))
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in CANDIDATES:
        if name in known and known[name].pw_uid != 0:
            return of(known[name])
    raise LookupError(f"PostgreSQL refuses to run as root and this machine has no account named {' or '.join(CANDIDATES)}")


def of(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
