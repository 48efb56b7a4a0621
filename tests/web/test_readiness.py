"""`/readyz` while the desk's own servers stop, one after the other, for real."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask

from app import create_app
from claimcheck import migrations
from claimcheck.config import Settings
from claimcheck.embedded import processes, throwaway
from claimcheck.web import pages
from tests import people, servers
from tests.intake import at_once


class Servers:
    """A desk's three servers, of its own."""

    def __init__(self, folder: Path):
        self.folder, self.running = folder, dict[str, tuple[Any, Any]]()

    def start(self, name: str) -> dict[str, Any]:
        home = self.folder / name
        home.mkdir(mode=0o711)
        server, words = servers.MAKERS[name](home)
        server.prepare()
        self.running[name] = (server.program(), processes.start(server.program()))
        assert processes.wait_until(server.is_ready, 60)
        return words | {"url": server.url() if name == "valkey" else ""}

    def stop(self, name: str) -> None:
        processes.stop(*self.running.pop(name))


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[Servers]:
    found = Servers(tmp_path)
    yield found
    for name in [*found.running]:
        found.stop(name)


def asked(app: Flask) -> tuple[int, dict[str, str]]:
    pages.lately.clear()
    answer = people.browser(app).get("/readyz")
    assert answer.json["ms"].keys() == answer.json["checks"].keys() and all(ms >= 0 for ms in answer.json["ms"].values())
    assert people.browser(app).get("/healthz").status_code == 200
    return answer.status_code, answer.json["checks"]


def test_it_says_which_server_is_down_as_each_stops(theirs: Servers) -> None:
    valkey, store = theirs.start("valkey"), theirs.start("store")
    with throwaway.server() as postgres:
        migrations.migrate(postgres.conninfo("owner"))
        settings = Settings(
            database_url_web=postgres.conninfo("web"), redis_url=valkey["url"], s3_endpoint=store["endpoint"], s3_access_key=store["access_key"],
            s3_secret_key=store["secret_key"], s3_bucket=store["bucket"], secret_key=secrets.token_urlsafe(48),
        )  # fmt: skip
        app = create_app(settings)
        expected = dict.fromkeys(("database", "migrations", "store", "doorbell"), "ok")
        app.extensions["claimcheck"].store.ensure_bucket()
        assert asked(app) == (200, expected)
        theirs.stop("valkey")
        expected["doorbell"] = "failing"
        assert asked(app) == (200, expected), "a doorbell alone stops nothing"
        theirs.stop("store")
        expected["store"] = "failing"
        assert asked(app) == (503, expected)
        with psycopg.connect(postgres.conninfo("postgres"), autocommit=True) as root:
            root.execute("ALTER ROLE claimcheck_web SET default_transaction_read_only = on")
            root.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'claimcheck_web'")
            expected |= {"database": "failing", "migrations": "failing"}
            assert asked(app) == (503, expected), "what takes no writes is not ready"
            root.execute("ALTER ROLE claimcheck_web RESET default_transaction_read_only")
            root.execute("GRANT UPDATE ON decisions TO claimcheck_web")
            expected |= {"migrations": "ok"}
            assert asked(app) == (503, expected), "nor is a role that may change facts"
            root.execute("REVOKE UPDATE ON decisions FROM claimcheck_web")
            assert asked(app)[1]["database"] == "ok"
        pid = int((postgres.place.data / "postmaster.pid").read_text().split("\n")[0])
        os.kill(pid, signal.SIGINT)
        assert processes.wait_until(lambda: not postgres.is_ready(), 30)
        assert asked(app) == (503, dict.fromkeys(expected, "failing"))
        app.extensions["claimcheck"].db.close()


def test_many_who_ask_while_a_server_is_slow_have_it_asked_no_more_than_twice(app: Flask) -> None:
    """Anybody may ask, and each waits in a thread of ours: who waited takes the answer that came meanwhile."""
    calls: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=50) as silent:
        threading.Thread(target=_take, args=(silent, calls), daemon=True).start()
        slow = create_app(app.extensions["claimcheck"].settings.model_copy(update={"redis_url": f"redis://127.0.0.1:{silent.getsockname()[1]}"}))
        assert '"doorbell":"failing"' in people.browser(slow).get("/readyz").text.replace(" ", "")
        once = len(calls)
        pages.lately.clear()
        at_once(8, lambda _: people.browser(slow).get("/readyz"))
        assert 0 < len(calls) - once <= 2 * once
        slow.extensions["claimcheck"].db.close()
        silent.shutdown(socket.SHUT_RDWR)
    for call in calls:
        call.close()


def _take(silent: socket.socket, calls: list[socket.socket]) -> None:
    """Picks up and says nothing."""
    with suppress(OSError):
        while True:
            calls.append(silent.accept()[0])
