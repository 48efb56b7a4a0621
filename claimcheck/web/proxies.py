"""Where a request came from. X-Forwarded-For and -Proto count only as far as TRUSTED_PROXIES vouch for them."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Proxies:
    """A WSGI layer that puts the client's own address and scheme where the application looks for them."""

    def __init__(self, app: Callable[..., Iterable[bytes]], trusted: Sequence[Network | str]):
        self.app, self.trusted = app, [ipaddress.ip_network(network) for network in trusted]

    def _vouched(self, address: str) -> bool:
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(ip in network for network in self.trusted)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        chain = [hop.strip() for hop in environ.pop("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
        scheme = environ.pop("HTTP_X_FORWARDED_PROTO", "").rsplit(",", 1)[-1].strip()
        environ["claimcheck.forwarded"] = bool(chain or scheme)  # somebody stands behind the address, whoever says so
        if self._vouched(environ.get("REMOTE_ADDR", "")):
            if scheme in ("http", "https"):
                environ["wsgi.url_scheme"] = scheme
            environ["REMOTE_ADDR"] = self._client(chain, environ["REMOTE_ADDR"])
        return self.app(environ, start_response)

    def _client(self, chain: list[str], address: str) -> str:
        """The last hop that no trusted proxy stands behind; a malformed one ends the search."""
        for hop in reversed(chain):
            try:
                address = str(ipaddress.ip_address(hop))
            except ValueError:
                break
            if not self._vouched(address):
                break
        return address
