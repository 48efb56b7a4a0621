"""The embedded servers of one home: those whose address no setting gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from claimcheck.config import Settings
from claimcheck.embedded import checks, ports, processes, weed
from claimcheck.embedded.children import Children
from claimcheck.embedded.home import Home, Unusable
from claimcheck.embedded.postgres import Postgres, settle
from claimcheck.embedded.processes import Program
from claimcheck.embedded.valkey import Valkey
from claimcheck.embedded.weed import Weed

USUAL = {"postgres": [5432], "valkey": [6379], "streams": [6380], "store": [8333] + [0] * (len(weed.PORTS) - 1)}
ADDRESS = {"postgres": "database_url", "valkey": "redis_url", "streams": "streams_url", "store": "s3_endpoint"}
TITLE = {"postgres": "PostgreSQL", "valkey": "Valkey", "streams": "Valkey for streams", "store": "the S3 store"}
READY_SECONDS = 60
ATTEMPTS = 3  # a port may be taken between our asking and the server's opening it


class Server(Protocol):
    def prepare(self) -> None: ...
    def program(self) -> Program: ...
    def is_ready(self) -> bool: ...


def wanted(settings: Settings) -> list[str]:
    """The servers that we have to start ourselves. Who has a Redis of their own, and names none for streams, has no streams."""
    missing = [name for name, attribute in ADDRESS.items() if not getattr(settings, attribute)]
    return [name for name in missing if name != "streams" or "valkey" in missing]


def start(settings: Settings, home: Home, children: Children, say: Callable[[str], None]) -> Settings:
    """Starts what is wanted and gives the settings that reach all servers.

    Raises Unusable where one does not come up.
    """
    if not wanted(settings):
        return settings
    for attempt in range(ATTEMPTS):
        servers = _make(settings, home, say)
        try:
            _start_all(servers, children, say)
        except Unusable:
            children.end(list(servers))
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return settings.model_copy(update=_reached(servers))
    raise AssertionError("the last attempt returns or raises")


def _make(settings: Settings, home: Home, say: Callable[[str], None]) -> dict[str, Any]:
    names, secrets = wanted(settings), home.secrets()
    chosen = home.ports({name: USUAL[name] for name in names}, ports.pick)
    makers = {
        "postgres": lambda port, log: Postgres(settle(home.path, say), port[0], secrets, log),
        "valkey": lambda port, log: Valkey(home.path / "valkey", port[0], _valkey_passwords(secrets, "valkey"), log),
        "streams": lambda port, log: Valkey(home.path / "streams", port[0], _valkey_passwords(secrets, "streams"), log, "streams", "always"),
        "store": lambda port, log: Weed(home.path / "store", port, *_store_keys(secrets), settings.s3_bucket, log),
    }
    return {name: makers[name](chosen[name], home.log / f"{name}.log") for name in names}


def _valkey_passwords(secrets: dict[str, str], name: str) -> dict[str, str]:
    return {who: secrets[f"{name}_{who}"] for who in ("admin", "desk")}


def _store_keys(secrets: dict[str, str]) -> tuple[str, str]:
    return secrets["s3_access_key"], secrets["s3_secret_key"]


def _start_all(servers: dict[str, Any], children: Children, say: Callable[[str], None]) -> None:
    """The slow one to prepare comes last, so that the others come up meanwhile."""
    for name in sorted(servers, key=lambda name: name == "postgres"):
        servers[name].prepare()
        children.start(servers[name].program())
    for name, server in servers.items():
        _await(name, server, children)
        say(f"{TITLE[name]} is up")
        if isinstance(server, Postgres):
            server.make_roles()


def _await(name: str, server: Server, children: Children) -> None:
    def is_settled() -> bool:
        return server.is_ready() or children.has_died(name)

    processes.wait_until(is_settled, READY_SECONDS)
    if children.has_died(name) or not server.is_ready():
        log = children.all[name].program.log
        raise Unusable(f"{TITLE[name]} does not come up; the end of {log} says:\n{processes.last_words(log)}")


def _reached(servers: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if postgres := servers.get("postgres"):
        found |= {"database_url": postgres.conninfo("owner")}
        found |= {f"database_url_{role}": postgres.conninfo(role) for role in ("web", "worker")}
    if valkey := servers.get("valkey"):
        found["redis_url"] = valkey.url()
    if streams := servers.get("streams"):
        found["streams_url"] = streams.url()
    if store := servers.get("store"):
        found |= {"s3_endpoint": store.endpoint, "s3_access_key": store.access_key, "s3_secret_key": store.secret_key}
    return found


def check(settings: Settings) -> None:
    """Raises Unusable where a server, ours or not, would lose work."""
    checks.database(settings)
    checks.queue(settings)
    if settings.streams_url:
        checks.queue(settings, "streams_url")
    checks.store(settings)
