"""Certificates: a private authority that is trusted works, every other one is refused before a byte is sent."""

import pathlib
import ssl

import pytest

from claimcheck import outbound
from claimcheck.outbound import connector
from tests.unit import outbound_servers
from tests.unit.outbound_servers import LOOPBACK, OK, answering, serving


@pytest.fixture(autouse=True)
def receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    outbound_servers.names(monkeypatch, receiver="127.0.0.1", other="127.0.0.1")


def test_it_names_the_host_of_the_url_to_the_pinned_address(tmp_path: pathlib.Path) -> None:
    server_tls, client_tls = outbound_servers.authority(tmp_path, "receiver.test")
    asked: list[str] = []
    server_tls.sni_callback = lambda sock, name, context: asked.append(name)
    with serving(answering(OK), server_tls) as server:
        answer = outbound.post(f"https://receiver.test:{server.port}/", b"{}", {}, LOOPBACK, tls=client_tls)
    assert (answer.kind, answer.excerpt, asked) == ("applied", "ok", ["receiver.test"])
    assert b"Host: receiver.test:%d" % server.port in server.requests[0]


def test_it_trusts_a_private_authority_of_the_environment(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server_tls, _ = outbound_servers.authority(tmp_path, "receiver.test")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "receiver.test.pem"))
    connector.tls_context.cache_clear()
    with serving(answering(OK), server_tls) as server:
        answer = outbound.post(f"https://receiver.test:{server.port}/", b"{}", {}, LOOPBACK)
    connector.tls_context.cache_clear()
    assert answer.kind == "applied"


@pytest.mark.parametrize(("host", "words"), [("receiver.test", "self-signed"), ("other.test", "Hostname mismatch")])
def test_it_refuses_a_bad_certificate(host: str, words: str, tmp_path: pathlib.Path) -> None:
    server_tls, client_tls = outbound_servers.authority(tmp_path, "receiver.test")
    trust = client_tls if host == "other.test" else None
    with serving(answering(OK), server_tls) as server:
        answer = outbound.post(f"https://{host}:{server.port}/", b"{}", {}, LOOPBACK, tls=trust)
        assert (answer.kind, answer.fault, server.requests) == ("permanent", "certificate", [])
        assert words.lower() in (answer.error or "").lower().replace("self signed", "self-signed")
        careless = ssl._create_unverified_context()  # noqa: S323
        weakened = outbound.post(f"https://{host}:{server.port}/", b"{}", {}, LOOPBACK, tls=careless)
    assert weakened.kind == "applied", "the guard is what refused it"


def test_it_gives_up_on_a_handshake_that_does_not_go_on() -> None:
    with serving(lambda server, connection: server.stop.wait(30)) as server:
        answer = outbound.post(f"https://receiver.test:{server.port}/", b"{}", {}, LOOPBACK, 0.4)
    assert (answer.kind, answer.fault) == ("transient", "timeout")


def test_it_gives_up_on_a_dripping_handshake() -> None:
    def drip(server: outbound_servers.Server, connection: outbound_servers.socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb\x03\x03")
        while not server.stop.wait(0.1):
            connection.sendall(b"\0")

    with serving(drip) as server:
        answer = outbound.post(f"https://receiver.test:{server.port}/", b"{}", {}, LOOPBACK, 0.6)
    assert (answer.kind, answer.fault) == ("transient", "timeout")


def test_it_tries_again_where_tls_breaks_off() -> None:
    with serving(lambda server, connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as server:
        answer = outbound.post(f"https://receiver.test:{server.port}/", b"{}", {}, LOOPBACK)
    assert (answer.kind, answer.error) == ("transient", "No connection to the receiver: it broke off.")


def test_it_gives_up_on_a_drip_inside_tls(tmp_path: pathlib.Path) -> None:
    server_tls, client_tls = outbound_servers.authority(tmp_path, "receiver.test")
    drip = answering(*[OK[at : at + 1] for at in range(len(OK))], pause=0.1)
    with serving(drip, server_tls) as server:
        answer = outbound.post(f"https://receiver.test:{server.port}/", b"{}", {}, LOOPBACK, 0.7, tls=client_tls)
    assert (answer.kind, answer.fault) == ("transient", "timeout")


def test_it_sends_and_reads_much_over_tls(tmp_path: pathlib.Path) -> None:
    server_tls, client_tls = outbound_servers.authority(tmp_path, "receiver.test")
    with serving(answering(b"HTTP/1.1 200 OK\r\n\r\n", b"y" * 300_000), server_tls) as server:
        answer = outbound.post(f"https://receiver.test:{server.port}/", b"x" * 1_000_000, {}, LOOPBACK, tls=client_tls)
    assert answer.kind == "applied" and server.requests[0].endswith(b"x" * 1_000_000)
