"""bin/run: comes up, keeps what it has, goes without a trace, and mends what a kill left."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import urllib.request
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from claimcheck.embedded import processes
from claimcheck.embedded.home import Home
from tests.embedded import running
from tests.embedded.running import Run


def leave_a_mark(settings):
    with psycopg.connect(settings.database_url) as connection:
        connection.execute("CREATE TABLE mark (word text); INSERT INTO mark VALUES ('kept')")
    with redis.Redis.from_url(settings.redis_url) as client:
        client.set("claimcheck:mark", "kept")


def marks(settings):
    with psycopg.connect(settings.database_url) as connection, redis.Redis.from_url(settings.redis_url) as client:
        return [connection.execute("SELECT word FROM mark").fetchone()[0], client.get("claimcheck:mark").decode()]


def demo_people(settings):
    with psycopg.connect(settings.database_url) as connection:
        return dict(connection.execute("SELECT name, role FROM people WHERE email LIKE '%@demo.local'").fetchall())


def test_it_comes_up_says_so_in_one_line_and_goes_without_a_trace(home):
    run = Run(home, PORT=str(free_port())).until_ready()
    settings = run.settings()
    lines = [line for line in run.words.splitlines() if line.startswith("Claimcheck is ready")]
    password = (home / "demo-password").read_text().strip()
    assert len(lines) == 1
    assert lines[0].startswith(f"Claimcheck is ready at {settings.base_url} ")
    assert f"password {password}" in lines[0]
    assert re.findall(r"[a-z0-9]+@demo\.local", lines[0]) == [
        f"{name}@demo.local" for name in ("reviewer", "reviewer2", "lead", "operator", "customer")
    ]
    with urllib.request.urlopen(f"{settings.base_url}/readyz") as answer:
        assert answer.status == 200
    assert demo_people(settings) == {"Ada": "reviewer", "Ben": "reviewer", "Chi": "lead", "Dov": "operator", "Eve": "customer"}
    assert {path.name for path in home.iterdir() if path.is_file() and path.stat().st_mode & 0o077} <= {"samples.loaded"}
    assert run.stop() == 0
    assert running.is_deserted(home)
    assert not (home / "run.json").exists()


def test_it_adds_neither_samples_nor_accounts_to_a_restored_desk_and_names_no_password(home):
    Home(home).make()
    Home(home).note_samples("restored")  # as `bin/claimcheck restore` does
    run = Run(home).until_ready()
    [line] = [line for line in run.words.splitlines() if line.startswith("Claimcheck is ready")]
    assert "sign in as on the desk that was backed up" in line and "password" not in line
    assert demo_people(run.settings()) == {}
    assert run.stop() == 0


def test_it_keeps_everything_over_a_restart_and_mends_itself_after_kill_9(home):
    run = Run(home).until_ready()
    first = run.settings()
    leave_a_mark(first)
    assert run.stop(signal.SIGINT) == 0
    run = Run(home).until_ready()
    assert marks(run.settings()) == ["kept", "kept"]
    assert run.settings() == first
    run.kill_tree()
    run = Run(home).until_ready()
    assert marks(run.settings()) == ["kept", "kept"]
    os.kill(run.process.pid, signal.SIGKILL)  # this time its children are still there, for a moment
    run.process.wait()
    run = Run(home).until_ready()
    assert marks(run.settings()) == ["kept", "kept"]
    assert run.stop() == 0
    assert running.is_deserted(home)


def test_it_starts_a_process_again_that_dies(home):
    run = Run(home).until_ready()
    before = run.json()["processes"]
    killed = ("postgres", "valkey", "store", "web", "worker-1")
    for name in killed:
        os.kill(processes.number(before[name]["identity"]), signal.SIGKILL)

    def is_whole():
        after = run.json()["processes"]
        begun = all(name in after and after[name] != before[name] for name in killed)
        return begun and all(processes.is_alive(r["identity"]) for r in after.values()) and answers(run.settings())

    assert processes.wait_until(is_whole, 90, every=0.2), run.words
    assert {name for name, record in run.json()["processes"].items() if record != before[name]} >= {"postgres", "valkey", "store", "web"}
    assert run.stop() == 0


def test_it_refuses_a_second_run_on_the_same_home(home):
    run = Run(home).until_ready()
    second = Run(home)
    assert second.process.wait() == 1
    assert f"{home} is in use by process {run.process.pid}" in second.words
    assert answers(run.settings())
    assert run.stop() == 0


def test_it_goes_cleanly_when_told_to_while_it_is_still_starting(home):
    run = Run(home)
    assert processes.wait_until(lambda: "is up" in run.words, running.START_SECONDS)
    assert run.stop() == 0
    assert running.is_deserted(home)


def test_it_refuses_a_port_that_was_asked_for_and_is_taken(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run = Run(home, PORT=str(taken.getsockname()[1]))
        assert run.process.wait() == 2
    assert f"PORT {run_port(run)} is taken" in run.words


def test_it_takes_other_ports_for_its_servers_where_the_usual_ones_are_taken(home):
    usual = (5432, 6379, 8333)
    with contextlib.ExitStack() as held:
        for port in usual:
            with contextlib.suppress(OSError):  # taken already, which will do
                held.enter_context(socket.create_server(("127.0.0.1", port)))
        run = Run(home).until_ready()
        settings = run.settings()
        assert not {urlsplit(a).port for a in (settings.database_url, settings.redis_url, settings.s3_endpoint)} & set(usual)
        assert run.stop() == 0


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"CLAIMCHECK_DEMMO": "1"}, "CLAIMCHECK_DEMMO is not a setting (did you mean CLAIMCHECK_DEMO?)"),
        ({"PORT": "http"}, "PORT should be a port number"),
        ({"DATABASE_URL": "postgresql://o@127.0.0.1/c"}, "DATABASE_URL_WEB is missing"),
        ({"S3_ENDPOINT": "http://127.0.0.1:1"}, "S3_SECRET_KEY is missing"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY should be at least 32 bytes"),
    ],
)
def test_it_stops_at_a_bad_setting_before_anything_is_started(home, variables, message):
    run = Run(home, **variables)
    assert run.process.wait() == 2
    assert message in run.words
    assert not running.belonging_to(home)


def test_it_says_so_where_the_home_cannot_be_written(home):
    home.write_text("a file")
    run = Run(home)
    assert run.process.wait() == 1
    assert "CLAIMCHECK_HOME should be a folder that you can write to" in run.words


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def run_port(run):
    return re.search(r"PORT (\d+)", run.words)[1]


def answers(settings):
    try:
        with urllib.request.urlopen(f"{settings.base_url}/readyz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False
