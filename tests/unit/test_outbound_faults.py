"""Receivers that drip, flood, break off, redirect or talk something else: each call ends, with the right word for it."""

import random
import socket
import threading

import pytest

from claimcheck import outbound
from claimcheck.outbound import answers
from tests.unit import outbound_servers
from tests.unit.outbound_servers import LOOPBACK, OK, Server, answering, repeating, serving

FLOOD = b"x" * 65536


def post(server: Server, seconds: float = 10.0, **options: object) -> answers.Answer:
    return outbound.post(f"http://127.0.0.1:{server.port}/hook?a=1", b'{"a":1}', {"webhook-id": "x"}, LOOPBACK, seconds, **options)


def by_byte(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def test_it_posts_the_body_with_the_names_host() -> None:
    with serving(answering(OK)) as server:
        answer = post(server)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert (answer.status, answer.excerpt, answer.kind, answer.error) == (200, "ok", "applied", None)
    assert (lines[0], body) == (b"POST /hook?a=1 HTTP/1.1", b'{"a":1}')
    assert {b"Host: 127.0.0.1:%d" % server.port, b"webhook-id: x", b"Accept-Encoding: identity"} <= set(lines)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_it_follows_no_redirect(status: int) -> None:
    with serving(answering(OK)) as other:
        location = f"HTTP/1.1 {status} Moved\r\nLocation: http://127.0.0.1:{other.port}/\r\nContent-Length: 0\r\n\r\n"
        with serving(answering(location.encode())) as server:
            answer = post(server)
    assert (answer.status, answer.kind, answer.fault, other.connections) == (status, "permanent", "redirect", 0)


def test_it_uses_no_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(OK)) as server, serving(answering(OK)) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert post(server).kind == "applied"
    assert proxy.connections == 0


HEADERS = by_byte(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
DRIPS = {
    "status line": answering(*HEADERS, b"ok", pause=0.1),
    "headers": answering(b"HTTP/1.1 200 OK\r\n", *[b"X-A: b\r\n"] * 40, b"\r\n", pause=0.1),
    "interim answers": answering(*[b"HTTP/1.1 100 Continue\r\n\r\n"] * 40, OK, pause=0.1),
    "nothing": answering(OK, pause=5),
}


@pytest.mark.parametrize("drip", DRIPS)
def test_it_gives_up_at_the_deadline(drip: str) -> None:
    with serving(DRIPS[drip]) as server:
        answer = post(server, seconds=0.6)
    assert (answer.status, answer.kind, answer.fault) == (None, "transient", "timeout")
    assert answer.error == "The receiver gave no complete answer within 0.6 seconds."


def test_it_takes_the_status_of_a_dripping_body() -> None:
    with serving(answering(b"HTTP/1.1 500 X\r\n\r\n", *by_byte(b"slow" * 20), pause=0.1)) as server:
        answer = post(server, seconds=2)
    assert (answer.status, answer.kind) == (500, "transient") and "slowslow".startswith(answer.excerpt[:8])


def test_it_gives_up_on_a_receiver_that_does_not_read() -> None:
    with serving(lambda server, connection: server.stop.wait(30)) as server:
        answer = outbound.post(f"http://127.0.0.1:{server.port}/", b"x" * 50_000_000, {}, LOOPBACK, 0.5)
    assert answer.fault == "timeout"


def test_it_gives_up_on_a_receiver_that_reads_in_sips() -> None:
    taken: list[int] = []

    def sip(server: Server, connection: socket.socket) -> None:
        while not server.stop.wait(0.02) and (piece := connection.recv(200_000)):
            taken.append(len(piece))

    with serving(sip) as server:
        answer = outbound.post(f"http://127.0.0.1:{server.port}/", b"x" * 50_000_000, {}, LOOPBACK, 0.5)
    assert answer.fault == "timeout" and sum(taken) < 25_000_000, "it gave up, and did not just come too late"


def test_it_gives_up_on_a_resolver_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr("claimcheck.outbound.targets.lookup", lambda host, port: ended.wait(20) and [])
    answer = outbound.post("https://slow.test/", b"", {}, LOOPBACK, 0.2)
    ended.set()
    assert (answer.kind, answer.fault) == ("transient", "timeout")


FLOODS = {
    "a header without end": (repeating(b"HTTP/1.1 200 OK\r\nX: ", FLOOD), "protocol"),
    "headers without end": (repeating(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000), "protocol"),
    "interim answers without end": (repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), "protocol"),
    "a status line without end": (repeating(b"HTTP/1.1 200 ", FLOOD), "protocol"),
    "ten gigabytes": (repeating(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", FLOOD), None),
    "a body without length": (repeating(b"HTTP/1.1 200 OK\r\n\r\n", FLOOD), None),
    "chunks without end": (repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 1000), None),
    "a chunk's length without end": (repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0" * 65536), None),
    "a chunk's remark without end": (repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", FLOOD), None),
    "trailers without end": (repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 1000), None),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_it_stops_reading_a_flood(flood: str) -> None:
    script, fault = FLOODS[flood]
    with serving(script) as server:
        answer = post(server, seconds=20)
    assert (answer.fault, answer.kind) == (fault, "transient" if fault else "applied")
    assert server.sent < 32_000_000, "what the kernel's buffers hold, and not more"
    assert len(answer.excerpt) <= answers.EXCERPT_CHARACTERS


BROKEN = {
    b"": "connection",
    b"HTTP/1.1 200 OK\r\nContent-": "connection",
    b"HTTP/1.1 200 OK\r\n": "connection",
    b"-ERR unknown command 'POST' (secret banner)\r\n": "protocol",
    b"SSH-2.0-OpenSSH_9.2 secret banner\r\n": "protocol",
    b"HTTP/1.1 abc\r\n\r\n": "protocol",
    b"HTTP/9.9 999999 X\r\n\r\n": "protocol",
    b"HTTP/1.1 103 Early\r\n\r\n": "protocol",
    b"\x16\x03\x01\x02\x00\x01": "protocol",
}


@pytest.mark.parametrize("data", BROKEN, ids=lambda data: repr(data)[2:22])
def test_it_tells_nothing_of_an_answer_that_is_not_http(data: bytes) -> None:
    with serving(answering(data)) as server:
        answer = post(server)
    assert answer.kind == "transient" and answer.error and "secret" not in repr(answer)
    assert answer.fault == BROKEN[data]


def test_it_survives_any_bytes() -> None:
    chance = random.Random(7)
    alphabet = [
        *by_byte(b"\r\n :;,0aF\x00\xff\x80"),
        b"HTTP/1.1 200 OK\r\n",
        b"Content-Length: ",
        b"Transfer-Encoding: chunked\r\n",
        b"\r\n\r\n",
    ]
    for _ in range(150):
        start = chance.choice([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 500 \xff\r\nRetry-After: "])
        with serving(answering(start + b"".join(chance.choices(alphabet, k=chance.randrange(30))))) as server:
            answer = post(server, seconds=5)
        assert answer.kind in ("applied", "transient", "permanent") and answer.excerpt.isprintable()


def test_it_shows_a_refused_connection_as_such() -> None:
    with serving(answering(OK)) as server:
        pass
    answer = post(server)
    assert (answer.kind, answer.error) == ("transient", "No connection to the receiver: Connection refused.")


def test_it_stays_out_of_the_desks_own_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = outbound_servers.connects(monkeypatch)
    with serving(answering(OK)) as server:
        assert post(server, denied_ports={server.port}).fault == "denied" and begun == []
        assert post(server, denied_ports={server.port + 1}).kind == "applied"


def test_it_passes_on_the_receivers_wish_to_wait() -> None:
    with serving(answering(b"HTTP/1.1 429 Too Many\r\nRetry-After: 17\r\nContent-Length: 4\r\n\r\nb\x1b[m")) as server:
        answer = post(server)
    assert (answer.kind, answer.retry_after, answer.excerpt) == ("transient", 17.0, "b [m")
