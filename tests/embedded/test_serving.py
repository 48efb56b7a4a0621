"""The web server before those who send slowly, or never to the end."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from claimcheck.embedded import ports, processes, programs, serving

APP = """
def app(environ, start):
    body = environ["wsgi.input"].read()
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(str(len(body)))))])
    return [str(len(body)).encode()]
"""
MANY = 60  # more than there are threads
HALVES = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    "blank lines": b"\r\n\r\n\r\n\r\n",
    "half a chunk": b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    "half a body": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc",
}


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """gunicorn as the desk runs it, before an application that says how long the body was."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "counting.py").write_text(APP, encoding="utf-8")
    [port] = ports.pick([0])
    argv = [sys.executable, "-m", "gunicorn", "-c", str(programs.GUNICORN), "-b", f"127.0.0.1:{port}", "--pythonpath", str(folder), "counting:app"]
    child = subprocess.Popen(argv, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
    assert processes.wait_until(lambda: _answers(port), 60)
    yield port
    child.terminate()
    child.wait(60)


def _answers(port: int) -> bool:
    try:
        return ask(port, b"") == b"0"
    except OSError:
        return False


def ask(port: int, body: bytes) -> bytes:
    return urllib.request.urlopen(f"http://127.0.0.1:{port}/", data=body or None, timeout=30).read()


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES.keys())
def test_it_answers_others_while_many_do_not_come_to_an_end(port: int, half: bytes) -> None:
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(MANY)]
    for one in slow:
        one.sendall(half)
    assert [ask(port, b"x" * size) for size in (0, 1, 100_000, 3_000_000)] == [b"0", b"1", b"100000", b"3000000"]
    for one in slow:
        one.close()


def test_it_closes_what_does_not_come_in(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as slow:
        slow.sendall(HALVES["half a head"])
        assert slow.recv(1) == b""


def test_it_serves_requests_that_come_byte_by_byte_or_all_at_once(port: int) -> None:
    whole = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for n in range(len(whole)):
            client.sendall(whole[n : n + 1])
        client.sendall(whole + whole)
        got = b""
        while got.count(b"\r\n\r\n3") < 3:
            piece = client.recv(4096)
            assert piece, got
            got += piece


def test_it_asks_for_the_body_that_waits_to_be_asked_for(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 100 ")
        client.sendall(b"abc")
        assert b"".join(iter(lambda: client.recv(4096), b"")).endswith(b"\r\n\r\n3")


def test_it_hands_on_a_stream_to_the_api_as_it_comes() -> None:
    head = b" HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert serving.is_whole(bytearray(b"POST /v1/projects/1/items" + head))
    assert not serving.is_whole(bytearray(b"POST /login" + head)) and serving.is_whole(bytearray(b"POST /login" + head + b"1\r\na\r\n0\r\n\r\n"))


@pytest.mark.parametrize("came", [b"", b"\r\n\r\n", b"GET / HTTP/1.1\r\n", b"P\r\nContent-Length: 5\r\n\r\nabcd", b"P\r\ncontent-length:5\r\n\r\n"])
def test_it_knows_what_is_not_whole(came: bytes) -> None:
    assert not serving.is_whole(bytearray(came))
