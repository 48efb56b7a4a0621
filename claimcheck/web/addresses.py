"""What an address of ours can be: under a name of ours, and with numbers that an id can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from werkzeug.routing import Rule
from werkzeug.sansio.utils import host_is_trusted

from claimcheck.config import Settings

LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
PROBES = ("/healthz", "/readyz")
INT2, INT4, INT8 = 2**15 - 1, 2**31 - 1, 2**63 - 1
NARROW = {**dict.fromkeys(("person_id", "skill_id", "token_id", "project_id", "effect_id", "version"), INT4), "n": INT2}  # as in the database


def hosts(settings: Settings) -> list[str]:
    """Names that a request may call us by: BASE_URL's and the loopback's."""
    name = urlsplit(settings.base_url).hostname or "localhost"
    return [*LOOPBACK, f"[{name}]" if ":" in name else name]


class Hosts:
    """A WSGI layer that answers to our own names only, on any port: no page, link or cookie is made for another.

    Probes are let in under any name, since they often know an address only.
    """

    def __init__(self, app: Callable[..., Iterable[bytes]], settings: Settings):
        self.app, self.hosts = app, hosts(settings)
        self.told = (
            f"This desk answers under {settings.base_url} only.\n"
            "Whoever runs it names the address that people open in BASE_URL.\n"
        ).encode()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if host_is_trusted(environ.get("HTTP_HOST"), self.hosts):
            return self.app(environ, start_response)
        if environ.get("PATH_INFO") in PROBES:
            return self.app({**environ, "HTTP_HOST": "localhost"}, start_response)
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(self.told)))]
        start_response("400 Bad Request", headers)
        return [self.told]


class NumberedRule(Rule):
    """A number that no id can be makes an address that is not there, rather than a fault of the database."""

    def get_converter(self, variable_name: str, converter_name: str, args: Any, kwargs: Any) -> Any:
        if converter_name == "int":
            kwargs = {"max": NARROW.get(variable_name, INT8), **kwargs}
        return super().get_converter(variable_name, converter_name, args, kwargs)
