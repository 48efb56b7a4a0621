"""Loopback servers that behave as badly as a receiver can, and the resolver's stand-in."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from claimcheck.outbound import addresses, connector, targets

LOOPBACK = "127.0.0.0/8"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """A listening socket whose connections a script serves; `requests` holds what arrived, `sent` counts bytes out."""

    def __init__(self, script: Callable[[Server, socket.socket], None], tls: ssl.SSLContext | None = None):
        self.script, self.tls = script, tls
        self.connections, self.sent, self.requests = 0, 0, []
        self.stop, self.threads = threading.Event(), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self._run(self._accept)

    def _run(self, work: Callable[[], None]) -> None:
        self.threads.append(threading.Thread(target=work))
        self.threads[-1].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections += 1
                self._run(lambda connection=connection: self._serve(connection))

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            if self.tls is None:
                return self.script(self, connection)
            with self.tls.wrap_socket(connection, server_side=True) as wrapped:
                return self.script(self, wrapped)

    def take_request(self, connection: socket.socket) -> bytes:
        """Read one request to its end."""
        data = bytearray()
        while b"\r\n\r\n" not in data:
            data += self._received(connection)
        head, _, body = data.partition(b"\r\n\r\n")
        size = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
        while len(body) < size:
            body += self._received(connection)
        self.requests.append(bytes(head + b"\r\n\r\n" + body))
        return self.requests[-1]

    @staticmethod
    def _received(connection: socket.socket) -> bytes:
        if piece := connection.recv(65536):
            return piece
        raise ConnectionAbortedError

    def send(self, connection: socket.socket, data: bytes) -> None:
        """Send and count."""
        connection.sendall(data)
        self.sent += len(data)

    def close(self) -> None:
        self.stop.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join()


@contextlib.contextmanager
def serving(script: Callable[[Server, socket.socket], None], tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(script, tls)
    try:
        yield server
    finally:
        server.close()


def answering(*pieces: bytes, pause: float = 0.0) -> Callable[[Server, socket.socket], None]:
    """A script that reads the request and sends the pieces, pausing before each."""

    def script(server: Server, connection: socket.socket) -> None:
        server.take_request(connection)
        for piece in pieces:
            if server.stop.wait(pause):
                return
            server.send(connection, piece)

    return script


def repeating(first: bytes, again: bytes) -> Callable[[Server, socket.socket], None]:
    """A script that sends `again` for ever."""

    def script(server: Server, connection: socket.socket) -> None:
        server.take_request(connection)
        server.send(connection, first)
        while not server.stop.is_set():
            server.send(connection, again)

    return script


def names(monkeypatch: pytest.MonkeyPatch, **known: str | list[str]) -> None:
    """Let `receiver="203.0.113.9"` resolve `receiver.test`; lists are answered one after the other. Nobody is asked."""
    left = {f"{name}.test": list(found) if isinstance(found, list) else found for name, found in known.items()}

    def lookup(host: str, _port: int) -> list[addresses.Address]:
        found = left.get(host) or host
        if isinstance(found, list):
            found = found.pop(0)
        return [addresses.parse(one) for one in found.split()]

    monkeypatch.setattr(targets, "lookup", lookup)


def connects(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every address to which a connection is begun; those beyond loopback are noted and refused, nothing is sent."""
    begun: list[str] = []
    really = connector.connect

    def connect(sock: socket.socket, peer: tuple[str, int]) -> None:
        begun.append(peer[0])
        if not ipaddress.ip_address(peer[0]).is_loopback:
            raise ConnectionRefusedError(111, "refused by the test")
        really(sock, peer)

    monkeypatch.setattr(connector, "connect", connect)
    return begun


def authority(folder: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A private authority of its own: the server's context for `host`, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"authority of {host}")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / f"{host}.pem").write_bytes(secret + pem)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / f"{host}.pem")
    return server, ssl.create_default_context(cadata=pem.decode())
