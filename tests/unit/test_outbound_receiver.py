"""The receiver to try with: verifies, deduplicates across a kill, misbehaves as told."""

from __future__ import annotations

import contextlib
import datetime
import io
import pathlib
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from claimcheck import outbound
from claimcheck.outbound import answers, receiver, webhook
from tests.unit.outbound_servers import LOOPBACK

SECRET = webhook.new_secret()
NOW = datetime.datetime.now(datetime.UTC)


def message(number: int) -> webhook.Message:
    return webhook.message(f"dec_{number}", "outcome.settled", NOW, {"verdict": "approve", "idempotency_key": "a\x1b[31m\nb"})


def deliver(url: str, number: int, seconds: float = 10.0, secret: str = SECRET) -> answers.Answer:
    return webhook.deliver(url, message(number), [secret], LOOPBACK, deadline_seconds=seconds)


class Running:
    """A receiver in a thread, with what it printed."""

    def __init__(self, log: pathlib.Path, faults: receiver.Faults | None = None):
        self.out = io.StringIO()
        self.server = receiver.start(secret=SECRET, log=log, faults=faults, out=self.out)
        self.url = self.server.url
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self) -> list[str]:
        self.server.shutdown()
        self.thread.join()
        self.server.close()
        return [line.split("  ")[1].strip() for line in self.out.getvalue().splitlines()]


@contextlib.contextmanager
def running(log: pathlib.Path, **faults: float) -> Iterator[Running]:
    started = Running(log, receiver.Faults(**faults))
    try:
        yield started
    finally:
        started.close()


@pytest.fixture
def log(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "received.jsonl"


def results(log: pathlib.Path) -> list[tuple[str, str]]:
    return [(entry["result"], entry["webhook_id"]) for entry in receiver.entries(log)]


def test_it_prints_one_line_for_each_event(log: pathlib.Path) -> None:
    with running(log) as desk:
        kinds = [deliver(desk.url, number).kind for number in (1, 1, 2)]
        kinds.append(deliver(desk.url, 3, secret=webhook.new_secret()).kind)
    assert kinds == ["applied", "applied", "applied", "permanent"]
    assert desk.close() == ["first", "duplicate", "first", "bad signature"]
    assert results(log) == [("first", "dec_1"), ("duplicate", "dec_1"), ("first", "dec_2"), ("bad signature", "dec_3")]
    assert "outcome.settled  approve" in desk.out.getvalue() and "\x1b" not in desk.out.getvalue()


def test_it_remembers_after_a_torn_line(log: pathlib.Path) -> None:
    with running(log) as desk:
        deliver(desk.url, 1)
    with log.open("ab") as file:
        file.write(b'{"result": "first", "webhook_id": "dec_2", "bo')
    with running(log) as desk:
        deliver(desk.url, 1)
        deliver(desk.url, 2)
    assert results(log) == [("first", "dec_1"), ("duplicate", "dec_1"), ("first", "dec_2")]


def test_it_fails_on_request_and_keeps_nothing_then(log: pathlib.Path) -> None:
    with running(log, fail_rate=1.0) as desk:
        assert (deliver(desk.url, 1).status, deliver(desk.url, 1).kind) == (503, "transient")
    with running(log, fail_rate=1.0, fail_status=410) as desk:
        assert deliver(desk.url, 1).kind == "gone"
    assert results(log) == []


def test_it_keeps_what_it_answers_too_late_or_never(log: pathlib.Path) -> None:
    with running(log, lose_rate=1.0) as desk:
        assert deliver(desk.url, 1).fault == "connection"
    with running(log, delay_seconds=1.5) as desk:
        assert deliver(desk.url, 2, seconds=0.7).fault == "timeout"
        assert deliver(desk.url, 2).kind == "applied"
    assert [entry for entry in results(log) if entry[0] == "first"] == [("first", "dec_1"), ("first", "dec_2")]


def test_it_sees_every_event_once_whatever_goes_wrong(log: pathlib.Path) -> None:
    with running(log, fail_rate=0.3, lose_rate=0.3, seed=5) as desk:
        for number in range(20):
            while deliver(desk.url, number).kind != "applied":
                pass
    firsts = [webhook_id for result, webhook_id in results(log) if result == "first"]
    assert firsts == [f"dec_{number}" for number in range(20)] and len(results(log)) > 20


def test_it_takes_one_first_of_many_at_once(log: pathlib.Path) -> None:
    with running(log) as desk:
        threads = [threading.Thread(target=deliver, args=(desk.url, 1)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(result for result, _ in results(log)) == ["duplicate"] * 11 + ["first"]


def test_it_lets_one_process_write_a_journal(log: pathlib.Path) -> None:
    with running(log), pytest.raises(RuntimeError, match="in use"):
        receiver.start(secret=SECRET, log=log)


@pytest.mark.parametrize("length", ["", "x", "-1", "99999999999", "2000000", "²"])
def test_it_refuses_bodies_without_or_beyond_a_length(length: str, log: pathlib.Path) -> None:
    with running(log) as desk, socket.create_connection(("127.0.0.1", desk.server.server_port)) as sock:
        sock.sendall(f"POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode())
        assert sock.recv(4096).split(b" ")[1] in (b"411", b"413")


def test_it_survives_strangers(log: pathlib.Path) -> None:
    with running(log) as desk:
        with socket.create_connection(("127.0.0.1", desk.server.server_port)) as sock:
            sock.sendall(b"\x16\x03\x01 rubbish\r\n\r\n")
        assert outbound.post(desk.url, b"\xff\x00[", {"webhook-id": "x\u0080"}, LOOPBACK).status == 401
        assert outbound.post(desk.url, b"{}", {}, LOOPBACK).status == 401
        assert deliver(desk.url, 1).kind == "applied"


def started(log: pathlib.Path) -> tuple[subprocess.Popen[str], str]:
    code = f"from claimcheck.outbound import receiver; receiver.serve(secret={SECRET!r}, log={str(log)!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, process.stdout.readline().split()[2].rstrip(",")


def test_it_remembers_after_a_kill(log: pathlib.Path) -> None:
    for expected in (["first"], ["duplicate"]):
        process, url = started(log)
        with process:
            assert deliver(url, 1).kind == "applied"
            process.kill()
            assert process.stdout and [line.split("  ")[1].strip() for line in process.stdout] == expected


def test_it_ends_in_peace_when_interrupted(log: pathlib.Path) -> None:
    process, _ = started(log)
    with process:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
