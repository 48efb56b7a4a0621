"""From a URL to the addresses that a connection may be made to."""

import dataclasses
import re
import socket
import threading
import urllib.parse
from collections.abc import Collection

from claimcheck.outbound import addresses
from claimcheck.outbound.answers import Failure
from claimcheck.outbound.clock import Deadline

_PRINTABLE = re.compile(r"[!-~]{1,2048}")
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}")
_PORTS = {"http": 80, "https": 443}
_MOST_ADDRESSES = 8
# A resolver cannot be interrupted, only left behind; this bounds how many are.
_RESOLVING = threading.BoundedSemaphore(16)

DENIED = "The receiver's address is not one that this desk may send to. An operator can allow it (WEBHOOK_ALLOW)."
NEEDS_TLS = "The URL has to begin with https://; plain http:// is only for addresses that WEBHOOK_ALLOW names."


@dataclasses.dataclass(frozen=True)
class Target:
    """A URL taken apart once; everything later uses these parts and never the text."""

    scheme: str
    host: str
    port: int
    path: str


def parse(url: str) -> Target:
    """The target of a URL; Failure "url" says what is wrong with it."""
    if not _PRINTABLE.fullmatch(url) or "\\" in url:
        raise Failure("url", "The URL may hold only printable ASCII (xn-- names, %-escapes), 2048 characters at most.")
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise Failure("url", "The URL's host or port cannot be read.") from None
    _refuse_odd(parts, host)
    query = f"?{parts.query}" if parts.query else ""
    target = Target(parts.scheme, host, _PORTS[parts.scheme] if port is None else port, (parts.path or "/") + query)
    if target.port == 0:
        raise Failure("url", "The URL's port cannot be 0.")
    return target


def _refuse_odd(parts: urllib.parse.SplitResult, host: str) -> None:
    if parts.scheme not in _PORTS:
        raise Failure("url", "The URL has to begin with https://.")
    if "@" in parts.netloc:
        raise Failure("url", "The URL may not hold a user name or password.")
    if parts.fragment:
        raise Failure("url", "The URL may not hold a #fragment.")
    if not _HOST.fullmatch(host):
        raise Failure("url", "The URL's host is neither a name nor an address.")


def judge(target: Target, found: Collection[addresses.Address], allow: Collection[addresses.Network], denied: Collection[int]) -> None:
    """Failure "denied" unless every one of the addresses may be connected to, by this scheme and port."""
    for address in found:
        allowed = addresses.listed(address, allow)
        # The desk's own ports are closed where the operator let us in, which is where the desk's servers are.
        if not addresses.permitted(address, allow) or (allowed and target.port in denied):
            raise Failure("denied", DENIED)
        if target.scheme == "http" and not allowed:
            raise Failure("denied", NEEDS_TLS)


def resolve(target: Target, deadline: Deadline) -> list[addresses.Address]:
    """Every address of the host, each once, in the resolver's order; Failure "name" or "timeout"."""
    found: list[addresses.Address] | OSError = OSError()
    done = threading.Event()

    def look_up() -> None:
        nonlocal found
        try:
            found = lookup(target.host, target.port)
        except (OSError, ValueError) as error:
            found = OSError(error)
        finally:
            _RESOLVING.release()
            done.set()

    if not _RESOLVING.acquire(timeout=deadline.remaining()):
        raise deadline.passed()
    threading.Thread(target=look_up, daemon=True).start()
    if not done.wait(deadline.remaining()):
        raise deadline.passed()
    if isinstance(found, OSError) or not found:
        raise Failure("name", "The receiver's name could not be resolved.")
    return found


def lookup(host: str, port: int) -> list[addresses.Address]:
    """Ask the system's resolver."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(addresses.parse(str(row[4][0])) for row in rows))[:_MOST_ADDRESSES]
