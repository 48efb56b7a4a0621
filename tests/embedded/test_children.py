"""Children: on a leash, started again with growing pauses, ended in time or at once, and none forgotten."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from claimcheck.embedded import children as family
from claimcheck.embedded import processes
from claimcheck.embedded.children import Children
from claimcheck.embedded.postgres import Place, Postgres
from claimcheck.embedded.processes import Program

ROOT = Path(__file__).parents[2]
DEAF = "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"


def program(tmp_path, text, name="child", **more):
    return Program(name, [sys.executable, "-c", text], tmp_path / "log" / f"{name}.log", **more)


def has_said(tmp_path, word, name="child"):
    return processes.wait_until(lambda: word in processes.last_words(tmp_path / "log" / f"{name}.log"), 30)


@pytest.fixture
def children():
    found = Children(lambda line: None)
    yield found
    found.end(list(found.all), hurry=lambda: True)


def test_it_kills_a_deaf_child_after_its_grace(tmp_path, children):
    child = children.start(program(tmp_path, DEAF, grace=0.2))
    assert has_said(tmp_path, "deaf")
    children.end(["child"])
    assert child.process.returncode == -signal.SIGKILL
    assert children.all == {}


def test_it_kills_at_once_when_told_to_hurry(tmp_path, children):
    child = children.start(program(tmp_path, DEAF, grace=600))
    assert has_said(tmp_path, "deaf")
    children.end(["child"], hurry=lambda: True)
    assert child.process.returncode == -signal.SIGKILL


def test_it_lets_a_child_finish_what_it_has_in_hand(tmp_path, children):
    text = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.3), print('done', flush=True), sys.exit(7)))"
    child = children.start(program(tmp_path, f"{text}; print('ready', flush=True); time.sleep(600)"))
    assert has_said(tmp_path, "ready")
    children.end(["child"])
    assert child.process.returncode == 7
    assert has_said(tmp_path, "done")


def test_it_starts_a_dead_child_again_and_waits_longer_each_time(tmp_path, monkeypatch):
    monkeypatch.setattr(family, "PAUSES", (0.01, 0.02, 0.03))
    said = []
    children = Children(said.append)
    children.start(program(tmp_path, "raise SystemExit(3)"))

    def has_failed_often():
        children.watch()
        return children.all["child"].failures >= 4

    assert processes.wait_until(has_failed_often, 60)
    assert [line.split(" in ")[1].split(" s")[0] for line in said[:4]] == ["0.01", "0.02", "0.03", "0.03"]
    assert "(exit 3)" in said[0]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_children_whose_parent_is_killed(tmp_path, number):
    parent = f"""
import os, pathlib, signal, sys, time
from claimcheck.embedded.processes import Program, start
child = start(Program("child", [sys.executable, "-c", "import time; time.sleep(600)"], pathlib.Path({str(tmp_path / "log" / "c.log")!r})))
print(child.pid, flush=True); time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", parent], env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True) as process:
        name = processes.identity(int(process.stdout.readline()))
        assert name
        process.send_signal(number)
    assert processes.wait_until(lambda: not processes.is_alive(name), 20)


def test_it_knows_a_process_from_another_with_the_same_number():
    name = processes.identity(os.getpid())
    boot, pid, ticks = name.split("/")
    assert processes.is_alive(name)
    assert not processes.is_alive(f"{boot}/{pid}/{int(ticks) - 1}")
    assert not processes.is_alive(f"another-boot/{pid}/{ticks}")
    assert not processes.end(f"another-boot/{pid}/{ticks}")


def test_it_removes_a_pid_file_that_names_a_stranger_and_spares_the_stranger(tmp_path):
    server = Postgres(Place(tmp_path, tmp_path, None), 1, {}, tmp_path / "log")
    (tmp_path / "postmaster.pid").write_text(f"{os.getppid()}\n{tmp_path}\n")
    server.clear()
    assert not (tmp_path / "postmaster.pid").exists()
    assert processes.identity(os.getppid())


def test_it_removes_a_pid_file_that_names_a_dead_one_that_nobody_has_collected(tmp_path):
    with subprocess.Popen(["true"]) as dead:
        assert processes.wait_until(lambda: processes.identity(dead.pid) is None, 20)
        (tmp_path / "postmaster.pid").write_text(f"{dead.pid}\n{tmp_path}\n")
        Postgres(Place(tmp_path, tmp_path, None), 1, {}, tmp_path / "log").clear()
    assert not (tmp_path / "postmaster.pid").exists()


def test_it_puts_a_long_log_aside_while_its_writer_goes_on(tmp_path, children, monkeypatch):
    monkeypatch.setattr(processes, "LOG_BYTES", 100)
    text = "import sys; print('before' * 50, flush=True); sys.stdin = open(sys.argv[1]); sys.stdin.read(); print('after', flush=True)"
    os.mkfifo(tmp_path / "gate")
    chatty = program(tmp_path, text)
    chatty.argv.append(str(tmp_path / "gate"))
    children.start(chatty)
    assert has_said(tmp_path, "before")
    children.trim_logs(every=-1)
    (tmp_path / "gate").write_text("go on")
    assert has_said(tmp_path, "after")
    assert chatty.log.read_text() == "after\n"
    assert "before" in chatty.log.with_suffix(".log.1").read_text()
